"""Word vectors: a record, with the counts behind it if they were kept, and nearest neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, LongVector
from eigenparse.errors import DataError
from eigenparse.models.container import Header

UNKNOWN = "<unk>"


@dataclass(frozen=True, slots=True)
class PairSums:
    """Counts that word vectors came from.

    options: of the learner.  dropped: occurrences of pairs left out to save memory.  word_counts: (n,).  codes,
    counts: for each distance the rising codes first * n + second of pairs of words, and how often each was seen.
    """

    options: dict[str, Any]
    dropped: int
    word_counts: LongVector
    codes: tuple[LongVector, ...]
    counts: tuple[LongVector, ...]

    def to_parts(self) -> tuple[Header, dict[str, AnyArray]]:
        """Header entry and arrays."""
        arrays: dict[str, AnyArray] = {"word_counts": self.word_counts}
        for d, (codes, counts) in enumerate(zip(self.codes, self.counts, strict=True)):
            arrays |= {f"pairs.codes{d}": codes, f"pairs.counts{d}": counts}
        return {"choices": self.options, "dropped": self.dropped, "distances": len(self.codes)}, arrays

    @classmethod
    def from_parts(cls, header: Header, arrays: dict[str, AnyArray]) -> "PairSums":
        """The inverse of ``to_parts``."""
        codes, counts = (
            tuple(arrays[f"pairs.{name}{d}"] for d in range(header["distances"]))
            for name in ("codes", "counts")
        )
        return cls(header["choices"], header["dropped"], arrays["word_counts"], codes, counts)


@dataclass(frozen=True, slots=True)
class WordVectors:
    """words: id 0 stands for all others.  vectors: (n, k), rows of length one.  counts: (n,).

    about: how they were learnt.  statistics: the counts behind them, if they were kept.
    """

    words: tuple[str, ...]
    vectors: AnyArray
    counts: LongVector
    about: dict[str, Any]
    statistics: PairSums | None = None

    def to_parts(self) -> tuple[Header, dict[str, AnyArray]]:
        """Header and arrays of a model file."""
        header: Header = {"words": list(self.words), "about": self.about}
        arrays: dict[str, AnyArray] = {"vectors": self.vectors, "counts": self.counts}
        if self.statistics is not None:
            header["statistics"], own = self.statistics.to_parts()
            arrays |= own
        return header, arrays

    @classmethod
    def from_parts(cls, header: Header, arrays: dict[str, AnyArray]) -> "WordVectors":
        """The inverse of ``to_parts``."""
        kept = PairSums.from_parts(header["statistics"], arrays) if "statistics" in header else None
        return cls(tuple(header["words"]), arrays["vectors"], arrays["counts"], header["about"], kept)

    def summary(self) -> dict[str, Any]:
        """What is in the model."""
        n, k = self.vectors.shape
        tokens = self.about.get("n_tokens")
        return {
            "words": n,
            "dimensions": k,
            "tokens": tokens,
            "statistics": self.statistics is not None,
            **self.about,
        }

    def index(self) -> dict[str, int]:
        """Row of every word."""
        return {word: k for k, word in enumerate(self.words)}


def rows_of(vectors: WordVectors, words: Sequence[str]) -> AnyArray:
    """Vectors of words, (n, k); words not in the vocabulary get that of the unknown word."""
    index, lower = vectors.index(), bool(vectors.about.get("lower"))
    found = np.array([index.get(word.lower() if lower else word, 0) for word in words], dtype=np.int64)
    return vectors.vectors[found]


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
