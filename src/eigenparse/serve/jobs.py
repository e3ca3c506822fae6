"""One job of a request in, its answer as JSON out; runs in worker processes.

A job is small (a sentence or a tree), so that the jobs of many requests can take turns.
"""

import json
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eigenparse.api.grammar import Grammar
from eigenparse.api.raw import conventions
from eigenparse.batch.compare import compared
from eigenparse.errors import EigenparseError, ResourceError
from eigenparse.models.dependency.arcs import ArcModel
from eigenparse.serve import answers, facts, frames, words
from eigenparse.serve.limits import Limits
from eigenparse.serve.refusal import Refusal
from eigenparse.serve.sentences import conflict, request_of, split_text

Json = dict[str, Any]
written = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Bench:
    """The models and tables of a worker.

    style: how the grammar's treebank writes text.  letters: the letters of its known words.
    universal: the path of a dependency model for universal relations, or None.  arcs: that model, once it is loaded.
    """

    grammar: Grammar
    limits: Limits
    style: dict[str, str]
    letters: frozenset[str]
    universal: str | None = None
    arcs: ArcModel | None = None

    @classmethod
    def of(cls, grammar: Grammar, limits: Limits, universal: str | None = None) -> "Bench":
        """A bench for a grammar, which is held to the limits."""
        limited = grammar.with_options(max_length=limits.max_words, memory=limits.memory)
        letters = frozenset("".join(limited.tables.parser.words.words).lower())
        return cls(limited, limits, conventions(limited), letters, universal)


def _split(bench: Bench, job: Json) -> Any:
    return {"sentences": split_text(job["text"], bench.limits, lines=job["lines"])}


def _parse(bench: Bench, job: Json) -> Any:
    request = request_of(bench.grammar, job["item"], bench.style, bench.limits)
    wishes = answers.Wishes(**job["wishes"])
    result = answers.parse(bench.grammar, request, wishes)
    result["unknown"] = words.unknown(bench.grammar, bench.letters, request.tokens)
    if wishes.universal and bench.arcs is not None:
        result["universal"] = words.universal_arcs(bench.arcs, request.tokens)
    return result


def _tag(bench: Bench, job: Json) -> Any:
    return answers.tag(bench.grammar, request_of(bench.grammar, job["item"], bench.style, bench.limits))


def _score(bench: Bench, job: Json) -> Any:
    return answers.score(bench.grammar, job["item"])


def _compare(bench: Bench, job: Json) -> Any:
    with tempfile.TemporaryDirectory(prefix="eigenparse-compare-") as folder:
        paths = [Path(folder) / name for name in ("gold", "guess")]
        for path in paths:
            path.write_text(job["item"][path.name], encoding="utf-8")
        try:
            known = bench.grammar.tables.parser.words.words if job["item"]["unknown"] else None
            return {"page": compared(paths[0], paths[1:], known=known).page}
        except EigenparseError as problem:
            raise conflict(str(problem).replace(f"{folder}/", "")) from None


def _profiles(bench: Bench, job: Json) -> Any:
    return facts.profiles(bench.grammar)


TASKS = {
    "split": _split, "parse": _parse, "tag": _tag, "score": _score, "compare": _compare, "profiles": _profiles,
}  # fmt: skip


def answered(bench: Bench, content: bytes) -> frames.Message:
    """Do a job and return its answer, refusal or failure as a message."""
    try:
        job = json.loads(content)
        if bench.universal is not None and bench.arcs is None and job.get("wishes", {}).get("universal"):
            return frames.Message(frames.LACKS, b"", last=True)
        found = TASKS[job["task"]](bench, job)
        said = written(found).encode()
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
