"""Merged models are those of all texts together, to the byte; what cannot be exact is refused."""

import pathlib

import pytest
from tests.cli.calls import call


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
    assert "other settings" in call("merge", first, wide, "--out", out).err
    plain = texts / "plain.vectors"
    assert call("embed", texts / "a.txt", "--dim", 4, "--out", plain).code == 0
    assert "without statistics" in call("merge", first, plain, "--out", out).err
    assert not out.exists()
