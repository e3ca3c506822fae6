"""Word vectors from text: blocks of lines in, addable counts of words and of pairs, then vectors out.

Two passes over the text: words are counted, the vocabulary is fixed, then pairs of its words at every
distance are counted.  Both counts are sums over blocks, so shards may be counted anywhere and added.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from eigenparse.arrays import AnyArray, IntVector, LongVector
from eigenparse.corpus.text_blocks import text_blocks
from eigenparse.errors import DataError, OptionError
from eigenparse.kernels.vectors.cooccurrence import window_codes
from eigenparse.learn.vectors.pair_counts import PairCounts, PairTable
from eigenparse.models.vectors.vectors import UNKNOWN, WordVectors
from eigenparse.run.ordered import OrderedRun
from eigenparse.spectral.vectors import METHODS, PairStatistics, pair_matrix, reach_of, vectors_of

_LINE_END = b"\x00"
MOST_WORDS = 3_000_000


@dataclass(frozen=True, slots=True)
class VectorChoices:
    """method: svd, cca (one step), cca2 (two steps) or lrmvl; window of words on each side.

    power: counts are raised to it (0.5: square roots); reach: words of smoothed past and future of lrmvl.
    """

    dim: int = 50
    method: str = "cca"
    window: int = 2
    vocabulary: int = 50_000
    min_count: int = 2
    lower: bool = False
    power: float = 0.5
    rounds: int = 4
    reach: int = 4
    seed: int = 0


@dataclass(frozen=True, slots=True)
class WordCounts:
    """How often each word was seen, of how many tokens; ``dropped``: occurrences of words let go for space."""

    counts: Mapping[bytes, int]
    n_tokens: int = 0
    dropped: int = 0

    def __add__(self, other: "WordCounts") -> "WordCounts":
        total = Counter(self.counts)
        total.update(other.counts)
        kept, lost = _most(total, MOST_WORDS)
        return WordCounts(kept, self.n_tokens + other.n_tokens, self.dropped + other.dropped + lost)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words by falling count; id 0 is any other word.  counts: (n,) of the first pass."""

    words: tuple[str, ...]
    counts: LongVector
    lower: bool = False
    ids: Mapping[bytes, int] = field(default_factory=dict)

    @classmethod
    def of(cls, words: tuple[str, ...], counts: LongVector, lower: bool = False) -> "Vocabulary":
        """A vocabulary with the table that encodes text."""
        ids = {word.encode("utf-8"): k for k, word in enumerate(words) if k}
        return cls(words, counts, lower, ids | {_LINE_END: -1})


def check_vector_choices(choices: VectorChoices) -> None:
    """OptionError if a choice is outside its range."""
    if choices.method not in METHODS:
        raise OptionError(f"method must be one of {', '.join(METHODS)}, got {choices.method!r} instead")
    for name in ("dim", "window", "vocabulary", "min_count", "rounds", "reach"):
        if getattr(choices, name) < 1:
            raise OptionError(f"{name} must be 1 or more, got {getattr(choices, name)} instead")
    if not 0.0 < choices.power <= 1.0:
        raise OptionError(f"power must be above 0 and at most 1, got {choices.power} instead")


def count_words(blocks: Iterable[bytes], *, lower: bool = False, run: OrderedRun | None = None) -> WordCounts:
    """Occurrences of every word in blocks of lines; ``run``: where blocks are counted."""
    total: Counter[bytes] = Counter()
    tokens = lost = 0
    task = partial(_block_words, lower=lower, count=run is not None)
    for words, n in map(task, blocks) if run is None else run.map_ordered(task, blocks):
        total.update(words)
        tokens += n
        if len(total) > MOST_WORDS:
            kept, less = _most(total, MOST_WORDS)
            total, lost = Counter(kept), lost + less
    return WordCounts(total, tokens, lost)


def _block_words(block: bytes, lower: bool, count: bool) -> tuple[list[bytes] | Counter[bytes], int]:
    """The words of a block, counted where they are sent over a wire, and their number."""
    words = _words(block, lower)
    return (Counter(words) if count else words), len(words)


def _words(block: bytes, lower: bool) -> list[bytes]:
    if lower:
        block = block.decode("utf-8", errors="replace").lower().encode("utf-8")
    return block.replace(_LINE_END, b" ").split()


def _most(total: Mapping[bytes, int], limit: int) -> tuple[Mapping[bytes, int], int]:
    """The table without its rarest words if it is larger than ``limit``, and the occurrences let go."""
    if len(total) <= limit:
        return total, 0
    values = np.sort(np.fromiter(total.values(), dtype=np.int64, count=len(total)))
    most = int(values[len(total) - limit - 1])  # all counts up to this one go, equal ones together
    return {word: n for word, n in total.items() if n > most}, int(values[values <= most].sum())


def choose_vocabulary(words: WordCounts, size: int, *, min_count: int = 1, lower: bool = False) -> Vocabulary:
    """The ``size`` most frequent words, equal counts in byte order; all others share id 0."""
    kept = [(n, word) for word, n in words.counts.items() if n >= min_count and _is_text(word)]
    kept.sort(key=lambda pair: (-pair[0], pair[1]))
    kept = [pair for pair in kept if pair[1] != UNKNOWN.encode()][:size]
    if not kept:
        raise DataError("the text has no word seen often enough; give more text or a lower --min-count")
    counts = np.array([0, *(n for n, _ in kept)], dtype=np.int64)
    counts[0] = words.n_tokens - counts.sum()
    return Vocabulary.of((UNKNOWN, *(word.decode("utf-8") for _, word in kept)), counts, lower)


def fixed_vocabulary(words: WordCounts, names: Sequence[str], *, lower: bool = False) -> Vocabulary:
    """Given words, counted in this text; all others share id 0."""
    kept = [name for name in names if name != UNKNOWN]
    counts = np.array([0, *(words.counts.get(name.encode("utf-8"), 0) for name in kept)], dtype=np.int64)
    counts[0] = words.n_tokens - counts.sum()
    return Vocabulary.of((UNKNOWN, *kept), counts, lower)


def _is_text(word: bytes) -> bool:
    try:
        return word.decode("utf-8").isprintable()
    except UnicodeDecodeError:
        return False


def encode_block(block: bytes, vocabulary: Vocabulary) -> IntVector:
    """Ids of a block's words, -1 at the end of every line."""
    if vocabulary.lower:
        block = block.decode("utf-8", errors="replace").lower().encode("utf-8")
    words = block.replace(_LINE_END, b" ").replace(b"\n", b" " + _LINE_END + b" ").split()
    get = vocabulary.ids.get
    return np.fromiter((get(word, 0) for word in words), dtype=np.int32, count=len(words))


def count_pairs(
    blocks: Iterable[bytes], vocabulary: Vocabulary, reach: int, *, run: OrderedRun | None = None
) -> PairCounts:
    """Occurrences of every pair of words of one line at distances 1 to ``reach``."""
    n = len(vocabulary.words)
    runs: list[PairCounts] = []
    task = partial(_pairs_of, vocabulary=vocabulary, reach=reach)
    for part in map(task, blocks) if run is None else run.map_ordered(task, blocks):
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


def learn_vectors(vocabulary: Vocabulary, pairs: PairCounts, choices: VectorChoices) -> WordVectors:
    """Vectors of the words of a vocabulary from the pairs that were counted."""
    check_vector_choices(choices)
    matrices = tuple(pair_matrix(t.starts, t.seconds, t.counts) for t in pairs.tables)
    with threadpool_limits(limits=1):  # thread sums would arrive in any order
        found, singular = vectors_of(
            PairStatistics(vocabulary.counts.astype(np.float64), matrices),
            choices.method,
            choices.dim,
            window=choices.window,
            power=choices.power,
            rounds=choices.rounds,
            seed=choices.seed,
        )
    about = {
        "method": choices.method,
        "window": choices.window,
        "power": choices.power,
        "n_tokens": int(vocabulary.counts.sum()),
        "n_pairs": sum(table.seconds.size for table in pairs.tables),
        "pairs_dropped": pairs.dropped,
        "lower": vocabulary.lower,
        "singular": [float(f"{v:.6g}") for v in singular],
    }
    return WordVectors(vocabulary.words, found.astype(np.float32), vocabulary.counts, about)


def embed_files(
    files: Iterable[str | Path],
    choices: VectorChoices,
    *,
    told: Callable[[str], None] | None = None,
    run: OrderedRun | None = None,
) -> WordVectors:
    """Word vectors of text files, read twice, a block at a time; ``run``: where blocks are counted."""
    vocabulary, pairs = count_files(files, choices, told=told, run=run)
    if told is not None:
        told("singular vectors")
    return learn_vectors(vocabulary, pairs, choices)


def count_files(
    files: Iterable[str | Path],
    choices: VectorChoices,
    *,
    told: Callable[[str], None] | None = None,
    run: OrderedRun | None = None,
    names: Sequence[str] | None = None,
) -> tuple[Vocabulary, PairCounts]:
    """Words and pairs of text files; ``names``: a dictionary that is given instead of chosen."""
    check_vector_choices(choices)
    paths = [Path(path) for path in files]
    say = told or (lambda stage: None)
    say("counting words")
    vocabulary = _vocabulary(count_words(_blocks(paths), lower=choices.lower, run=run), choices, names)
    say("counting pairs")  # with the table of all words gone
    reach = reach_of(choices.method, choices.window, choices.reach)
    return vocabulary, count_pairs(_blocks(paths), vocabulary, reach, run=run)


def _vocabulary(words: WordCounts, choices: VectorChoices, names: Sequence[str] | None) -> Vocabulary:
    """The dictionary that is given, or the most frequent words."""
    if names is not None:
        return fixed_vocabulary(words, names, lower=choices.lower)
    return choose_vocabulary(words, choices.vocabulary, min_count=choices.min_count, lower=choices.lower)


def _blocks(paths: list[Path]) -> Iterator[bytes]:
    for path in paths:
        yield from text_blocks(path)


def dense_counts(pairs: PairCounts) -> AnyArray:
    """All counts as an array (reach, n, n); for small vocabularies."""
    n = pairs.n_words
    out = np.zeros((len(pairs.tables), n * n), dtype=np.int64)
    for d, (codes, counts) in enumerate(zip(pairs.codes, pairs.counts, strict=True)):
        out[d, codes] = counts
    return out.reshape(-1, n, n)
