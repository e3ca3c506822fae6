"""Options that are refused because they change nothing: training with and without them gives the same arrays."""

import pathlib
from dataclasses import Field, fields
from typing import Any

import numpy as np
import pytest
from tests.cli.calls import call
from tests.cli.wrong_files import sound

from eigenparse.cli.learners import trained_kinds
from eigenparse.corpus.brackets import write_trees
from eigenparse.models.registry import named, read_parts
from eigenparse.synthetic import sample_treebank

COLUMNS = "the DT\ndog NN\nsaw VBD\ncats NNS\n\ncats NNS\nsaw VBD\nthe DT\ndog NN\n\n"
WORDS = (("dogs", "NOUN", 2, "nsubj"), ("see", "VERB", 0, "root"), ("cats", "NOUN", 2, "obj"))
ROWS = "".join(f"{i}\t{w}\t_\t{t}\t{t}\t_\t{h}\t{r}\t_\t_\n" for i, (w, t, h, r) in enumerate(WORDS, 1))
SOURCES = {"lpcfg": "t.ptb", "rhmm": "t.txt", "hmm": "t.words", "deptree": "t.conllu", "phones": "speech"}
# What makes a training small where the option in question does not.
USUAL = {
    "lpcfg": {"states": 2, "em_rounds": 1},
    "phones": {"codes": 4},
    "hmm": {"states": 2},
    "rhmm": {"states": 2},
}
ALWAYS = {"deptree": {"channels": "tag", "states": 1}}
# What is out of the way of an option: its value changes nothing then either.
NOT_TRIED = {("hmm", "column"), ("lpcfg", "guided_weight")}  # nothing could read them


def idle() -> list[tuple[str, "Field[Any]", str, Any]]:
    """Kinds, their options, and the values of other options beside which these are idle."""
    found = []
    for kind in trained_kinds():
        for record in (named(kind.options or ""), named(kind.reading or "")):
            for one in fields(record):
                for other, values in one.metadata.get("idle", {}).items():
                    found += [
                        (kind.name, one, other, v) for v in values if (kind.name, one.name) not in NOT_TRIED
                    ]
    return found


CASES = idle()


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Something to learn from for every kind."""
    folder = tmp_path_factory.mktemp("idle")
    write_trees(sample_treebank(60, 0), folder / "t.ptb")
    (folder / "t.txt").write_text(COLUMNS * 5)
    (folder / "t.words").write_text("the man sees the dog .\nshe saw a cat .\n" * 5)
    (folder / "t.conllu").write_text((ROWS + "\n") * 6)
    (folder / "speech").mkdir()
    for k in range(4):
        (folder / "speech" / f"u{k}.wav").write_bytes(sound())
        (folder / "speech" / f"u{k}.phn").write_bytes(b"0 4000 a\n4000 8000 b\n")
    return folder


def other_value(one: "Field[Any]") -> Any:
    """A value that is not the usual one."""
    if one.metadata["choices"]:
        return [word for word in one.metadata["choices"] if word != one.default][-1]
    return 0.3 if one.metadata["low"] == 0.0 and isinstance(one.metadata["low"], float) else 3


def test_there_are_some() -> None:
    assert {kind for kind, *_ in CASES} == set(SOURCES)


@pytest.mark.parametrize(("kind", "one", "other", "value"), CASES, ids=lambda x: getattr(x, "name", str(x)))
def test_the_same_is_learnt(
    corpora: pathlib.Path, tmp_path: pathlib.Path, kind: str, one: "Field[Any]", other: str, value: Any
) -> None:
    from eigenparse.batch.train import train
    from eigenparse.models.registry import kind_named
    from eigenparse.work.work import Where

    known = kind_named(kind)
    assert known is not None
    options, reading = named(known.options or ""), named(known.reading or "")
    small = {**USUAL.get(kind, {}), **ALWAYS.get(kind, {}), other: value}
    made = []
    for n, more in enumerate(({}, {one.name: other_value(one)})):
        out = tmp_path / f"{n}.model"
        source = [str(corpora / SOURCES[kind])]
        train(known, options(**{**small, **more}), reading(), source, out, Where(), None, None)
        made.append(read_parts(out)[2])
    first, second = made
    assert first.keys() == second.keys()
    assert all(np.array_equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize("kind", SOURCES)
def test_idle_options_are_refused(corpora: pathlib.Path, tmp_path: pathlib.Path, kind: str) -> None:
    one, other, value = next((one, other, value) for name, one, other, value in CASES if name == kind)
    flags = [f"--{name.replace('_', '-')}" for name in (other, one.name)]
    given = [flags[0], value, flags[1], other_value(one)]
    done = call("train", kind, corpora / SOURCES[kind], *given, "--out", tmp_path / "m")
    assert (done.code, f"{flags[1]} changes nothing with {flags[0]} {value}" in done.err) == (1, True), (
        done.err
    )
