"""Word vectors from text: blocks of lines in, addable counts of words and of pairs, then vectors out.

Two passes over the text: words are counted, the vocabulary is fixed, then pairs of its words at every
distance are counted.  Both counts are sums over blocks, so shards may be counted anywhere and added.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from eigenparse.arrays import IntVector
from eigenparse.corpus.text_blocks import text_blocks
from eigenparse.errors import DataError, ModelFileError
from eigenparse.kernels.vectors.cooccurrence import window_codes
from eigenparse.learn.options import Options, option
from eigenparse.learn.vectors.reading import Text
from eigenparse.learn.vectors.words import (
    Vocabulary,
    choose_vocabulary,
    count_words,
    encode_block,
    fixed_vocabulary,
)
from eigenparse.models.vectors.vectors import PairSums, WordVectors
from eigenparse.spectral.pairs import PairCounts, PairTable
from eigenparse.spectral.vectors import METHODS, PairStatistics, pair_matrix, reach_of, vectors_of
from eigenparse.threads import one_thread
from eigenparse.work.work import Work

MOST = 10_000  # upper bound of dimensions, words of context and rounds


@dataclass(frozen=True)
class VectorOptions(Options):
    """Learn word vectors from text, one sentence per line."""

    kind: ClassVar[str] = "vectors"
    examples: ClassVar[tuple[str, ...]] = (
        "eigenparse embed wiki.txt.xz --dim 50 --out wiki.vectors",
        "eigenparse embed --near river wiki.vectors",
    )

    dim: int = option(50, "Dimensions of the vectors.", low=1, high=MOST)
    method: str = option(
        "cca", "cca (one step), cca2 (two steps), svd (of bigrams) or lrmvl.", choices=METHODS
    )
    window: int = option(2, "Words on each side that count as context.", low=1, high=MOST)
    vocabulary: int = option(50_000, "Number of most frequent words that get vectors.", low=1)
    min_count: int = option(2, "Words seen less often get no vector.", low=1)
    lower: bool = option(False, "Make all words lower case.")
    power: float = option(
        0.5, "Counts are raised to this power; 1 leaves them as they are.", low=1e-9, high=1.0
    )
    seed: int = option(0, "Random seed.", low=0)
    keep_statistics: bool = option(False, "Keep the counts in the file, so that `merge` is exact.")
    rounds: int = option(4, "Rounds of lrmvl.", low=1, high=MOST, shown=False)
    reach: int = option(4, "Words of smoothed past and future used by lrmvl.", low=1, high=MOST, shown=False)

    @property
    def distance(self) -> int:
        """The largest distance at which pairs are counted."""
        return reach_of(self.method, self.window, self.reach)

    def fit(self, data: Text, work: Work = Work()) -> WordVectors:
        """Learn from text files, read twice, a block at a time."""
        work.stage("counting words")
        vocabulary = self._vocabulary(data, work)
        work.stage("counting pairs")  # with the table of all words gone
        pairs = count_pairs(_blocks(data.files), vocabulary, self.distance, work)
        work.stage("singular vectors")
        return self.fit_counts(vocabulary, pairs)

    def _vocabulary(self, data: Text, work: Work) -> Vocabulary:
        """The words that are given, or the most frequent ones."""
        words = count_words(_blocks(data.files), work, lower=self.lower)
        if data.words is not None:
            return fixed_vocabulary(words, data.words, lower=self.lower)
        return choose_vocabulary(words, self.vocabulary, min_count=self.min_count, lower=self.lower)

    def fit_counts(self, vocabulary: Vocabulary, pairs: PairCounts) -> WordVectors:
        """Vectors of the words of a vocabulary from the pairs that were counted."""
        matrices = tuple(pair_matrix(t.starts, t.seconds, t.counts) for t in pairs.tables)
        with one_thread():  # several threads would add up sums in varying order
            found, singular = vectors_of(
                PairStatistics(vocabulary.counts.astype(np.float64), matrices),
                self.method,
                self.dim,
                window=self.window,
                power=self.power,
                rounds=self.rounds,
                seed=self.seed,
            )
        about = {
            "method": self.method,
            "window": self.window,
            "power": self.power,
            "n_tokens": int(vocabulary.counts.sum()),
            "n_pairs": sum(table.seconds.size for table in pairs.tables),
            "pairs_dropped": pairs.dropped,
            "lower": vocabulary.lower,
            "singular": [float(f"{v:.6g}") for v in singular],
        }
        kept = self._kept(vocabulary, pairs) if self.keep_statistics else None
        return WordVectors(vocabulary.words, found.astype(np.float32), vocabulary.counts, about, kept)

    def _kept(self, vocabulary: Vocabulary, pairs: PairCounts) -> PairSums:
        options = {name: value for name, value in asdict(self).items() if name != "keep_statistics"}
        return PairSums(options, pairs.dropped, vocabulary.counts, pairs.codes, pairs.counts)


def count_pairs(
    blocks: Iterable[bytes], vocabulary: Vocabulary, reach: int, work: Work = Work()
) -> PairCounts:
    """Occurrences of every pair of words of one line at distances 1 to ``reach``."""
    n = len(vocabulary.words)
    runs: list[PairCounts] = []
    task = partial(_pairs_of, vocabulary=vocabulary, reach=reach)
    for part in work.map(task, blocks):
        runs.append(part)
        while len(runs) > 1 and runs[-2].tables[0].seconds.size <= 2 * runs[-1].tables[0].seconds.size:
            last = runs.pop()
            runs[-1] = runs[-1] + last
    if not runs:
        return _block_pairs(np.zeros(0, dtype=np.int32), n, reach)
    while len(runs) > 1:
        last = runs.pop()
        runs[-1] = runs[-1] + last
    return runs[0]


def _pairs_of(block: bytes, vocabulary: Vocabulary, reach: int) -> PairCounts:
    return _block_pairs(encode_block(block, vocabulary), len(vocabulary.words), reach)


def _block_pairs(ids: IntVector, n_words: int, reach: int) -> PairCounts:
    found, sizes = np.empty((reach, ids.size), dtype=np.int64), np.zeros(reach, dtype=np.int64)
    window_codes(ids.astype(np.int64), reach, n_words, found, sizes)
    tables = [PairTable.of_codes(np.sort(found[d, : sizes[d]]), n_words) for d in range(reach)]
    return PairCounts(n_words, tuple(tables))


def _blocks(files: Iterable[Path]) -> Iterator[bytes]:
    for path in files:
        yield from text_blocks(path)


Counted = tuple[Vocabulary, PairCounts, VectorOptions]


def counted(vectors: WordVectors, name: str) -> Counted:
    """The counts behind vectors, and the options they were learnt with; ModelFileError if they were not kept."""
    sums, n = vectors.statistics, len(vectors.words)
    if sums is None:
        raise ModelFileError(
            f"{name}: holds no statistics, so it cannot be merged exactly; "
            "learn word vectors with `embed --keep-statistics`"
        )
    options = VectorOptions(**sums.options, keep_statistics=True)
    if len(sums.codes) != options.distance:
        raise ModelFileError(f"{name}: the counts do not fit the options; learn it again")
    tables = tuple(PairTable.of_codes(c, n, k) for c, k in zip(sums.codes, sums.counts, strict=True))
    vocabulary = Vocabulary.of(vectors.words, sums.word_counts, options.lower)
    return vocabulary, PairCounts(n, tables, sums.dropped), options


def merge_vectors(models: Sequence[WordVectors], names: Sequence[str]) -> WordVectors:
    """Vectors of all texts behind several files, exactly those of the texts together.

    Raises DataError where words or options differ, because their counts cannot be added then.
    """
    vocabulary, pairs, options = counted(models[0], names[0])
    for model, name in zip(models[1:], names[1:], strict=True):
        other, more, own = counted(model, name)
        if other.words != vocabulary.words:
            raise DataError(
                f"{name}: its words are not those of {names[0]}; learn it with `embed --words {names[0]}`"
            )
        if own != options:
            raise DataError(
                f"{name}: was learnt with other options than {names[0]}; learn it again with the same"
            )
        vocabulary = replace(vocabulary, counts=vocabulary.counts + other.counts)
        pairs = pairs + more
    return options.fit_counts(vocabulary, pairs)
