"""Word vectors with the counts they came from: files that can be added, exactly, and learnt from again."""

from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.errors import DataError, ModelFileError, OptionError
from eigenparse.learn.vectors.learner import VectorChoices, Vocabulary, check_vector_choices, learn_vectors
from eigenparse.learn.vectors.pair_counts import PairCounts, PairTable
from eigenparse.models.store import load_with_statistics, save_model
from eigenparse.models.vectors.vectors import KIND, WordVectors

MOST_COUNT, MOST_CHOICE = 1 << 53, 10_000  # that can be meant
Statistics = tuple[Vocabulary, PairCounts, VectorChoices]


def save_statistics(path: str | Path, vectors: WordVectors, statistics: Statistics) -> None:
    """Write vectors and the counts of words and pairs behind them."""
    vocabulary, pairs, choices = statistics
    arrays: dict[str, AnyArray] = {"vectors": vectors.vectors, "counts": vectors.counts}
    arrays["word_counts"] = vocabulary.counts
    for d, (codes, counts) in enumerate(zip(pairs.codes, pairs.counts, strict=True)):
        arrays |= {f"pairs.codes{d}": codes, f"pairs.counts{d}": counts}
    kept = {"choices": asdict(choices), "dropped": pairs.dropped, "distances": len(pairs.tables)}
    header = {"words": list(vectors.words), "about": vectors.about, "statistics": kept}
    save_model(path, kind=KIND, header=header, arrays=arrays)


def load_statistics(path: str | Path) -> Statistics:
    """The counts in a file of ``embed --keep-statistics``; ModelFileError if it holds none."""
    header, arrays = load_with_statistics(path, KIND, "learn word vectors with `embed --keep-statistics`")
    try:
        kept: dict[str, Any] = header["statistics"]
        choices = _choices(kept["choices"])
        words = tuple(header["words"])
        n, distances = len(words), range(kept["distances"])
        codes = tuple(arrays[f"pairs.codes{d}"].astype(np.int64) for d in distances)
        counts = tuple(arrays[f"pairs.counts{d}"].astype(np.int64) for d in distances)
        for code, count in zip(codes, counts):
            ordered = code.ndim == 1 and code.shape == count.shape and bool(np.all(np.diff(code) > 0))
            if not ordered or (code.size and not 0 <= int(code[0]) <= int(code[-1]) < n * n):
                raise ValueError("the pairs do not fit the words")
        for count in (*counts, arrays["word_counts"], np.array([kept["dropped"]])):
            if count.size and not 0 <= int(count.min()) <= int(count.max()) < MOST_COUNT:
                raise ValueError("a count is out of range")
        if arrays["word_counts"].shape != (n,):
            raise ValueError("the counts do not fit the words")
        vocabulary = Vocabulary.of(words, arrays["word_counts"].astype(np.int64), choices.lower)
        tables = tuple(PairTable.of_codes(code, n, count) for code, count in zip(codes, counts))
        return vocabulary, PairCounts(n, tables, int(kept["dropped"])), choices
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError, OptionError) as problem:
        raise ModelFileError(f"{path}: the statistics are incomplete ({problem}); learn them again") from None


def _choices(kept: dict[str, Any]) -> VectorChoices:
    """The settings in a file; ValueError or OptionError if they are none."""
    for f in fields(VectorChoices):
        if type(kept[f.name]) is not type(f.default) and not (f.name == "power" and kept[f.name] == 1):
            raise ValueError(f"{f.name} is of another type")
    choices = VectorChoices(**{f.name: kept[f.name] for f in fields(VectorChoices)})
    check_vector_choices(choices)
    if max(choices.dim, choices.window, choices.rounds, choices.reach) > MOST_CHOICE:
        raise ValueError("a setting is out of range")
    return choices


def merge_statistics(parts: Sequence[Statistics], names: Sequence[str]) -> tuple[WordVectors, Statistics]:
    """Vectors of all texts behind several files, exactly those of the texts together.

    Raises DataError where dictionaries or settings differ, because sums would then mean nothing.
    """
    vocabulary, pairs, choices = parts[0]
    for (other, more, settings), name in zip(parts[1:], names[1:], strict=True):
        if other.words != vocabulary.words:
            raise DataError(
                f"{name}: its words are not those of {names[0]}; learn it with `embed --words {names[0]}`"
            )
        if settings != choices:
            raise DataError(
                f"{name}: was learnt with other settings than {names[0]}; learn it again with the same"
            )
        vocabulary = replace(vocabulary, counts=vocabulary.counts + other.counts)
        pairs = pairs + more
    return learn_vectors(vocabulary, pairs, choices), (vocabulary, pairs, choices)
