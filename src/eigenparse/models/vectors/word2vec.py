"""Word vectors in word2vec text or in a model file in, a record out; and the text back."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from eigenparse.corpus.files import read_text, whole_file
from eigenparse.errors import FormatError, ModelFileError
from eigenparse.models.registry import load_model
from eigenparse.models.vectors.vectors import UNKNOWN, WordVectors

MOST = 1e15  # larger numbers have squares that overflow


def save_word2vec(path: str | Path, vectors: WordVectors) -> None:
    """Write vectors as word2vec text: a line with sizes, then one line per word with its numbers."""
    with whole_file(path) as stream:
        stream.writelines(_word2vec_lines(vectors))


def _word2vec_lines(vectors: WordVectors) -> Iterable[bytes]:
    n, k = vectors.vectors.shape
    yield f"{n} {k}\n".encode()
    for word, row in zip(vectors.words, vectors.vectors.tolist(), strict=True):
        yield f"{word} {' '.join(f'{value:.6g}' for value in row)}\n".encode()


def load_vectors(path: str | Path) -> WordVectors:
    """Read vectors from a model file or from word2vec text."""
    if not Path(path).is_file():
        raise ModelFileError(f"{path}: no such file; name one that `eigenparse embed` wrote")
    with Path(path).open("rb") as stream:
        head = stream.read(9)
    if head[8:] == b"{":
        found: WordVectors = load_model(path, "vectors")
        return found
    return _load_word2vec(path)


def _load_word2vec(path: str | Path) -> WordVectors:
    lines = read_text(path).removesuffix("\n").split("\n")
    try:
        n, k = map(int, lines[0].split())
        if not 0 < k <= len(lines[1]):  # sizes are checked before memory is allocated
            raise ValueError
    except (ValueError, IndexError):
        raise FormatError(
            "not a file of vectors",
            source=str(path),
            line=1,
            remedy="the first line of word2vec text gives the number of words and of dimensions",
        ) from None
    words, rows = [], np.zeros((len(lines) - 1, k), dtype=np.float32)
    for number, line in enumerate(lines[1:]):
        word, *values = line.split(" ")
        try:
            row = np.array([float(value) for value in values if value], ndmin=1).reshape(k)
            if not np.all(np.abs(row) < MOST):
                raise ValueError
            rows[number, :] = row
        except ValueError:
            raise FormatError(
                f"not a word and {k} numbers", source=str(path), line=number + 2, remedy="correct the line"
            ) from None
        words.append(word)
    if len(words) != n:
        raise FormatError(
            f"{len(words)} words where {n} are announced", source=str(path), line=1, remedy="copy it again"
        )
    if words[:1] != [UNKNOWN]:  # file of another program: the unknown word gets the mean vector
        words, rows = [UNKNOWN, *words], np.vstack([rows.mean(axis=0, keepdims=True), rows])
    return WordVectors(tuple(words), rows, np.zeros(len(words), dtype=np.int64), {})
