"""Merged models are those of all texts together, to the byte; what cannot be exact is refused."""

import pathlib

import numpy as np
import pytest
from tests.cli.calls import call

from eigenparse.models.container import read_container


@pytest.fixture
def texts(tmp_path: pathlib.Path) -> pathlib.Path:
    lines = [
        f"the {a} saw a {b} by the {c}"
        for a in ("man", "dog", "cat")
        for b in ("boat", "tree")
        for c in "xyz"
    ]
    (tmp_path / "a.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "b.txt").write_text("\n".join(line.replace("saw", "heard") for line in lines[::2]) + "\n")
    (tmp_path / "both.txt").write_text((tmp_path / "a.txt").read_text() + (tmp_path / "b.txt").read_text())
    return tmp_path


def embed(folder: pathlib.Path, name: str, *more: object) -> pathlib.Path:
    out = folder / f"{name}.vectors"
    done = call(
        "embed",
        folder / f"{name}.txt",
        "--dim",
        4,
        "--min-count",
        1,
        "--out",
        out,
        "--keep-statistics",
        *more,
    )
    assert done.code == 0, done.err
    return out


def test_merged_is_the_same_as_together(texts: pathlib.Path) -> None:
    first = embed(texts, "a")
    second = embed(texts, "b", "--words", first)
    together = embed(texts, "both", "--words", first)
    done = call("merge", first, second, "--out", texts / "merged.vectors")
    assert done.code == 0, done.err
    assert (texts / "merged.vectors").read_bytes() == together.read_bytes()
    assert (texts / "merged.vectors").read_bytes() != first.read_bytes()
    again = call("merge", texts / "merged.vectors", second, "--out", texts / "more.vectors")
    assert again.code == 0, again.err
    assert call("embed", "--near", "man", texts / "merged.vectors").code == 0


def test_what_is_not_exact_is_refused(texts: pathlib.Path) -> None:
    first, other = embed(texts, "a"), embed(texts, "b")
    out = texts / "merged.vectors"
    done = call("merge", first, other, "--out", out)
    assert done.code == 1
    assert "--words" in done.err
    wide = embed(texts, "b", "--words", first, "--window", 3)
    assert "other options" in call("merge", first, wide, "--out", out).err
    plain = texts / "plain.vectors"
    assert call("embed", texts / "a.txt", "--dim", 4, "--out", plain).code == 0
    assert "no statistics" in call("merge", first, plain, "--out", out).err
    assert not out.exists()


TAGGED = ("the_D dog_N saw_V a_D man_N", "a_D man_N slept_V", "dogs_N saw_V the_D men_N with_P a_D saw_N")
TRAINERS = {
    "hmm": ("hmm", "--unit", "word", "--states", 3),
    "rhmm": ("rhmm", "--emission", "class", "--states", 2),
}


@pytest.fixture
def halves(tmp_path: pathlib.Path) -> pathlib.Path:
    """Two texts and both together, with labels for taggers and without for HMMs."""
    first = [*TAGGED, *TAGGED[1:], TAGGED[0].replace("dog", "cat")] * 9
    second = [TAGGED[2], "men_N slept_V", TAGGED[1].replace("slept", "saw")] * 7
    for name, lines in (("a", first), ("b", second), ("both", first + second)):
        (tmp_path / f"{name}.rhmm").write_text("\n".join(lines) + "\n")
        plain = [" ".join(word.partition("_")[0] for word in line.split()) for line in lines]
        (tmp_path / f"{name}.hmm").write_text("\n".join(plain) + "\n")
    return tmp_path


def trained(folder: pathlib.Path, kind: str, name: str, *more: object) -> pathlib.Path:
    out = folder / f"{name}.{kind}.model"
    given = (folder / f"{name}.{kind}", "--keep-statistics", "--out", out)
    done = call("train", *TRAINERS[kind], *given, *more)
    assert done.code == 0, done.err
    return out


@pytest.mark.parametrize("kind", TRAINERS)
def test_merged_sums_are_those_of_the_whole(halves: pathlib.Path, kind: str) -> None:
    first = trained(halves, kind, "a")
    second = trained(halves, kind, "b", "--dictionary", first)
    whole = trained(halves, kind, "both", "--dictionary", first)
    for order, name in (((first, second), "merged"), ((second, first), "other")):
        done = call("merge", *order, "--out", halves / name)
        assert done.code == 0, done.err
        _, header, arrays = read_container(halves / name)
        _, expected_header, expected = read_container(whole)
        assert header == expected_header
        assert arrays.keys() == expected.keys()
        for key, array in expected.items():
            np.testing.assert_allclose(arrays[key], array, rtol=1e-6, atol=1e-9, err_msg=key)
    assert (halves / "merged").read_bytes() != first.read_bytes()
    again = call("merge", halves / "merged", second, "--out", halves / "more")
    assert again.code == 0, again.err


def test_merged_is_what_batches_give(halves: pathlib.Path) -> None:
    """To the byte: the command line adds what the estimators add."""
    from eigenparse.corpus.symbols import read_symbols
    from eigenparse.estimators.chain import HMMDensity

    first = trained(halves, "hmm", "a")
    second = trained(halves, "hmm", "b", "--dictionary", first)
    assert call("merge", first, second, "--out", halves / "merged").code == 0
    estimator = HMMDensity(states=3)
    for name in "ab":
        lines = (halves / f"{name}.hmm").read_text().splitlines()
        estimator.partial_fit([line.split() for line in lines])
    assert len(read_symbols(halves / "a.hmm", "word", None)) == 54
    _, _, arrays = read_container(halves / "merged")
    assert np.array_equal(arrays["operators"], estimator.model_.operators)


def test_models_that_do_not_add_up_are_refused(halves: pathlib.Path) -> None:
    out = halves / "merged"
    for kind in TRAINERS:
        first, other = trained(halves, kind, "a"), trained(halves, kind, "b")
        assert "--dictionary" in call("merge", first, other, "--out", out).err
        plain = halves / "plain.model"
        done = call("train", *TRAINERS[kind], halves / f"a.{kind}", "--out", plain)
        assert done.code == 0, done.err
        assert "without statistics" in call("merge", first, plain, "--out", out).err
    mixed = call("merge", trained(halves, "hmm", "a"), trained(halves, "rhmm", "a"), "--out", out)
    assert "one kind" in mixed.err
    keep = (halves / "a.hmm", "--unit", "word", "--keep-statistics", "--out", out)
    assert "do not add up" in call("train", "hmm", *keep, "--method", "em").err
    assert "--form hsu" in call("train", "hmm", *keep, "--form", "foster").err
    keep = (halves / "a.rhmm", "--keep-statistics", "--out", out)
    assert "--emission class" in call("train", "rhmm", *keep).err
    assert "--ensemble" in call("train", "rhmm", *keep, "--emission", "class", "--ensemble", 2).err
    (halves / "strange.rhmm").write_text("the_D dog_X\n")
    first = trained(halves, "rhmm", "a")
    given = (halves / "strange.rhmm", "--keep-statistics", "--dictionary", first, "--out", out)
    assert "'X' is not in the dictionary" in call("train", *TRAINERS["rhmm"], *given).err
    assert not out.exists()
