"""Word vectors: a record, its safetensors and word2vec files, and nearest neighbours."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, LongVector
from eigenparse.corpus.files import read_text, whole_file
from eigenparse.errors import DataError, FormatError, ModelFileError
from eigenparse.models.store import load_model, save_model

UNKNOWN = "<unk>"
KIND = "vectors"
MOST = 1e15  # larger numbers have squares that overflow


@dataclass(frozen=True, slots=True)
class WordVectors:
    """words: id 0 stands for all others; vectors: (n, k) of length one; counts: (n,); about: how learnt."""

    words: tuple[str, ...]
    vectors: AnyArray
    counts: LongVector
    about: dict[str, Any]

    def index(self) -> dict[str, int]:
        """Row of every word."""
        return {word: k for k, word in enumerate(self.words)}


def rows_of(vectors: WordVectors, words: Sequence[str]) -> AnyArray:
    """Vectors of words, (n, k); words not in the vocabulary get that of the unknown word."""
    index, lower = vectors.index(), bool(vectors.about.get("lower"))
    found = np.array([index.get(word.lower() if lower else word, 0) for word in words], dtype=np.int64)
    rows: AnyArray = vectors.vectors[found]
    return rows


def nearest(vectors: WordVectors, word: str, n: int = 10) -> list[tuple[str, float]]:
    """The n words whose vectors have the largest cosine with the word's, best first."""
    if vectors.about.get("lower"):
        word = word.lower()
    row = vectors.index().get(word, -1)
    if row < 0:
        raise DataError(f"{word!r} is not among the {len(vectors.words)} words; try another one")
    length = np.linalg.norm(vectors.vectors, axis=1)
    cosine = vectors.vectors @ vectors.vectors[row] / np.maximum(length * length[row], 1e-30)
    cosine[[0, row]] = -np.inf
    best = np.argsort(-cosine, kind="stable")[: max(0, min(n, len(vectors.words) - 2))]
    return [(vectors.words[k], float(cosine[k])) for k in best]


def save_vectors(path: str | Path, vectors: WordVectors) -> None:
    """Write vectors as safetensors with a JSON header."""
    save_model(
        path,
        kind=KIND,
        header={"words": list(vectors.words), "about": vectors.about},
        arrays={"vectors": vectors.vectors, "counts": vectors.counts},
    )


def save_word2vec(path: str | Path, vectors: WordVectors) -> None:
    """Write vectors as word2vec text: a line with sizes, then a word and its numbers a line."""
    with whole_file(path) as stream:
        stream.writelines(_word2vec_lines(vectors))


def _word2vec_lines(vectors: WordVectors) -> Iterable[bytes]:
    n, k = vectors.vectors.shape
    yield f"{n} {k}\n".encode()
    for word, row in zip(vectors.words, vectors.vectors.tolist(), strict=True):
        yield f"{word} {' '.join(f'{value:.6g}' for value in row)}\n".encode()


def load_vectors(path: str | Path) -> WordVectors:
    """Read vectors from either kind of file."""
    with Path(path).open("rb") if Path(path).is_file() else _missing(path) as stream:
        head = stream.read(9)
    if head[8:] == b"{":
        return _load_safetensors(path)
    return _load_word2vec(path)


def _missing(path: str | Path) -> Any:
    raise ModelFileError(f"{path}: no such file; name one that `eigenparse embed` wrote")


def _load_safetensors(path: str | Path) -> WordVectors:
    kind, header, arrays = load_model(path)
    if kind != KIND:
        raise ModelFileError(f"{path}: a model of kind {kind!r} holds no vectors; use `eigenparse embed`")
    try:
        words, about = tuple(map(str, header["words"])), dict(header["about"])
        found, counts = arrays["vectors"], arrays["counts"]
    except (KeyError, TypeError, ValueError):
        raise ModelFileError(f"{path}: the header is incomplete; copy the file again") from None
    if found.ndim != 2 or found.shape[0] != len(words) or counts.shape != (len(words),):
        raise ModelFileError(f"{path}: words and vectors differ in number; copy the file again")
    if found.size and max(float(found.max()), -float(found.min())) > MOST:
        raise ModelFileError(f"{path}: numbers beyond {MOST:.0g} are no vectors; learn them again")
    return WordVectors(words, found, counts, about)


def _load_word2vec(path: str | Path) -> WordVectors:
    lines = read_text(path).removesuffix("\n").split("\n")
    try:
        n, k = map(int, lines[0].split())
        if not 0 < k <= len(lines[1]):  # sizes are checked before room is made
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
                f"not a word and {k} numbers", source=str(path), line=number + 2, remedy="mend the line"
            ) from None
        words.append(word)
    if len(words) != n:
        raise FormatError(
            f"{len(words)} words where {n} are announced", source=str(path), line=1, remedy="copy it again"
        )
    if words[:1] != [UNKNOWN]:  # another program's file: the unknown word is like the mean of all
        words, rows = [UNKNOWN, *words], np.vstack([rows.mean(axis=0, keepdims=True), rows])
    return WordVectors(tuple(words), rows, np.zeros(len(words), dtype=np.int64), {})
