"""After its start the service loads and compiles nothing more: every kernel has run before workers are forked."""

import dataclasses
import gc
import json
import pathlib
import subprocess
import sys
from typing import Any

import pytest
from numba.core.dispatcher import Dispatcher
from tests.api.small import english, tiny

from eigenparse.api.grammar import Grammar
from eigenparse.corpus.brackets import parse_trees
from eigenparse.decode.grammar.parser import ParserOptions
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.serve import frames, nursery
from eigenparse.serve.jobs import answered
from eigenparse.serve.limits import Limits

SENTENCES = ("0", "men", "dogs bark", "men saw dogs with dogs with men", ") ( ! ! 7 £ 中 中")
TREES = (
    "(TOP (S (NP (PRP She)) (VP (VBD slept))))",
    "(X a)",
    "(TOP (XX (YY zz) (QQ (PP aa) (RR bb) (SS cc)) (TT dd)))",
)
EVERYTHING = nursery.EVERYTHING | {"k": 3}


def pairs_only() -> Grammar:
    """A grammar whose trees all have two words."""
    options = GrammarOptions(method="pcfg", rare=0, word_weight=0.0, tag_weight=0.0)
    return Grammar.of(options.fit(parse_trees("(TOP (S (A dogs) (B bark)))")), options=ParserOptions())


GRAMMARS = {
    "english": english,
    "tiny": tiny,
    "signed": lambda: english(method="tensor"),
    "pairs": pairs_only,
}


def jobs() -> list[dict[str, Any]]:
    """Jobs of all kinds: with trees and without, limited or free, with and without details."""
    items: list[Any] = [sentence.split() for sentence in SENTENCES]
    for tokens in list(items):
        n = len(tokens)
        items += [
            {"sentence": tokens, "tags": ["NN"] * n},
            {"sentence": tokens, "tags": ["NEVER-SEEN", *[None] * (n - 1)]},
            {"sentence": tokens, "require": [{"start": 0, "end": n, "label": "NP"}]},
            {"sentence": tokens, "forbid": [{"start": 0, "end": 1}]},
        ]
    found: list[dict[str, Any]] = [{"task": "tag", "item": item} for item in items]
    found += [
        {"task": "parse", "item": item, "wishes": wishes} for item in items for wishes in (EVERYTHING, {})
    ]
    found += [{"task": "score", "item": tree} for tree in TREES]
    found += [
        {"task": "compare", "item": {"gold": a, "guess": b, "unknown": a == b}} for a in TREES for b in TREES
    ]
    return [*found, {"task": "split", "text": "Dogs bark. Men saw.", "lines": False}, {"task": "profiles"}]


def loaded() -> set[tuple[str, str]]:
    """Kernels, and the types of arguments that each has machine code for."""
    kernels = (one for one in gc.get_objects() if isinstance(one, Dispatcher))
    return {(f"{k.__module__}.{k.__name__}", str(types)) for k in kernels for types in k.overloads}


def loaded_late(path: str) -> list[str]:
    """Kernels that jobs load or compile after the service is ready."""
    bench = nursery.make_bench(path, None, dataclasses.asdict(Limits()), None)
    before = loaded()
    for job in jobs():
        said = answered(bench, json.dumps(job).encode())
        assert said.kind != frames.FAILED, said.content.decode()
    return sorted(name for name, _ in loaded() - before)


@pytest.mark.parametrize("name", GRAMMARS)
def test_no_job_compiles_anything(name: str, tmp_path: pathlib.Path) -> None:
    GRAMMARS[name]().save(tmp_path / "grammar")
    command = [sys.executable, "-m", "tests.serve.test_warm_up", str(tmp_path / "grammar")]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout.splitlines()[-1]) == []


def test_the_bundled_models_tell_all_details() -> None:
    bench = nursery.make_bench("en", None, dataclasses.asdict(Limits()), "en-ud")
    job = {"task": "parse", "item": ["Dogs", "bark", "."], "wishes": EVERYTHING | {"universal": True}}
    assert answered(bench, json.dumps(job).encode()).kind == frames.LACKS
    said = answered(nursery.with_arcs(bench), json.dumps(job).encode())
    assert said.kind == frames.ANSWER, said.content.decode()
    assert len(json.loads(said.content)["universal"]) == 3


if __name__ == "__main__":
    print(json.dumps(loaded_late(sys.argv[1])))
