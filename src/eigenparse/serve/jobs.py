"""One job of a request in, its answer as JSON out; runs in worker processes.

A job is small (a sentence or a tree), so that the jobs of many requests can take turns.
"""

import json
import traceback
from dataclasses import dataclass
from typing import Any

from eigenparse.api.grammar import Grammar
from eigenparse.api.raw import conventions
from eigenparse.errors import EigenparseError, ResourceError
from eigenparse.serve import answers, facts, frames
from eigenparse.serve.limits import Limits
from eigenparse.serve.refusal import Refusal
from eigenparse.serve.sentences import request_of, split_text

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Bench:
    """What a worker has at hand.  style: how the grammar's treebank writes text."""

    grammar: Grammar
    limits: Limits
    style: dict[str, str]

    @classmethod
    def of(cls, grammar: Grammar, limits: Limits) -> "Bench":
        """A bench for a grammar, which is held to the limits."""
        limited = grammar.with_options(max_length=limits.max_words, memory=limits.memory)
        return cls(limited, limits, conventions(limited))


def _split(bench: Bench, job: Json) -> Any:
    return split_text(job["text"], bench.limits)


def _parse(bench: Bench, job: Json) -> Any:
    request = request_of(bench.grammar, job["item"], bench.style, bench.limits)
    return answers.parse(bench.grammar, request, answers.Wishes(*job["wishes"]))


def _tag(bench: Bench, job: Json) -> Any:
    return answers.tag(bench.grammar, request_of(bench.grammar, job["item"], bench.style, bench.limits))


def _score(bench: Bench, job: Json) -> Any:
    return answers.score(bench.grammar, job["item"])


def _profiles(bench: Bench, job: Json) -> Any:
    return facts.profiles(bench.grammar)


TASKS = {"split": _split, "parse": _parse, "tag": _tag, "score": _score, "profiles": _profiles}


def answered(bench: Bench, content: bytes) -> frames.Message:
    """Do a job; whatever happens is a message."""
    try:
        job = json.loads(content)
        found = TASKS[job["task"]](bench, job)
        said = json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()
        return frames.Message(frames.ANSWER, said)
    except Refusal as refusal:
        numbered = Refusal(refusal.status, refusal.code, f"{job.get('prefix', '')}{refusal.message}")
        return frames.Message(frames.REFUSED, numbered.as_bytes())
    except EigenparseError as problem:
        status = 413 if isinstance(problem, ResourceError) else 422
        return frames.Message(frames.REFUSED, Refusal(status, "unusable", str(problem)).as_bytes())
    except MemoryError:
        large = Refusal(413, "too_large", "the sentence needs more memory than allowed; send a shorter one")
        return frames.Message(frames.REFUSED, large.as_bytes())
    except Exception:
        return frames.Message(frames.FAILED, traceback.format_exc().encode())
