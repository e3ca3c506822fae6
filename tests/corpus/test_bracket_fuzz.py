"""Damaged bracket files give a clean error or trees; EIGENPARSE_FUZZ sets how many are tried."""

import os

import numpy as np
import pytest

from eigenparse.arrays import generator
from eigenparse.corpus.brackets import format_trees, parse_trees
from eigenparse.corpus.columns import Treebank, check_trees
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.transform import Binarisation, binarise, unbinarise
from eigenparse.errors import FormatError

N_CASES = int(os.environ.get("EIGENPARSE_FUZZ", "300"))
PIECES = [b"(", b")", b" ", b"\n", b"\n(", b"\r", b"S", b"NP-SBJ", b"-NONE-", b"ID", b"#", b"/*", b"*/", b"%"]
PIECES += [
    b"\xff",
    "é".encode(),
    b"\x00",
    b"(TOP ",
    b"(A b)",
    b"((",
    b"))",
    b"\xef\xbb\xbf",
    b"\xe2\x82",
    b"|",
]
GOOD = b"( (S (NP-SBJ (DT the) (NN dog)) (VP (VBZ barks) (NP (-NONE- *T*-1))) (. .)) )\n(ROOT\n  (X (Y z)))\n"


def pieces(rng: np.random.Generator) -> bytes:
    return b"".join(PIECES[k] for k in rng.integers(len(PIECES), size=rng.integers(1, 60)))


def mutated(rng: np.random.Generator) -> bytes:
    text = bytearray(GOOD * int(rng.integers(1, 8)))
    for _ in range(rng.integers(1, 6)):
        at = int(rng.integers(len(text) + 1))
        kind = rng.integers(3)
        if kind == 0:
            del text[at : at + int(rng.integers(1, 9))]
        elif kind == 1:
            text[at:at] = PIECES[int(rng.integers(len(PIECES)))]
        else:
            text[at : at + 1] = bytes([int(rng.integers(256))])
    return bytes(text[: int(rng.integers(1, len(text) + 1))]) if rng.random() < 0.3 else bytes(text)


def deep(rng: np.random.Generator) -> bytes:
    depth = int(rng.integers(1, 10_001))
    opening = PIECES[int(rng.integers(len(PIECES)))] + b"("
    return opening * depth + b"A b" + b")" * int(rng.integers(depth - 1, depth + 2))


def huge(rng: np.random.Generator) -> bytes:
    symbol = bytes(rng.integers(33, 127, size=100_000).astype(np.uint8)).replace(b"(", b"").replace(b")", b"")
    return b"(" + symbol + b" " + symbol + (b")" if rng.random() < 0.5 else b"")


def noise(rng: np.random.Generator) -> bytes:
    return rng.bytes(int(rng.integers(1, 2000)))


MAKERS = [pieces, mutated, mutated, mutated, deep, huge, noise]


def read_or_refuse(content: bytes, skip_broken: bool) -> Treebank | FormatError:
    """The trees or the error; anything else is raised and fails the test."""
    try:
        return parse_trees(content, skip_broken=skip_broken)
    except FormatError as problem:
        return problem


def check_error(problem: FormatError, content: bytes) -> None:
    assert 1 <= problem.line <= content.count(b"\n") + content.count(b"\r") + 1
    assert str(problem) == f"<text>:{problem.line}: {problem.problem}; {problem.remedy}"


def check_treebank(treebank: Treebank, options: Binarisation) -> None:
    again = parse_trees(format_trees(treebank), skip_broken=True)
    assert np.array_equal(again.parent, treebank.parent)
    assert (again.labels, again.words) == (treebank.labels, treebank.words)
    clean = normalise(treebank)
    binary = check_trees(binarise(clean, options))
    assert format_trees(unbinarise(binary)) == format_trees(clean)


@pytest.mark.parametrize("maker", range(len(MAKERS)))
def test_a_clean_error_or_trees(maker: int) -> None:
    n_trees = n_errors = 0
    for case in range(N_CASES // len(MAKERS) + 1):
        content = MAKERS[maker](generator(7, maker, case))
        found = read_or_refuse(content, False)
        if isinstance(found, FormatError):
            check_error(found, content)
            n_errors += 1
            found = read_or_refuse(content, True)
        if isinstance(found, FormatError):  # refused as a whole
            assert "where bracketed trees should be" in str(found)
            continue
        assert isinstance(found, Treebank)
        check_treebank(found, Binarisation("left" if case % 2 else "right", 1, 2))
        n_trees += len(found)
    assert n_errors
    assert n_trees or MAKERS[maker] in (noise, pieces)
