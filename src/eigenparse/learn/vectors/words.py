"""Words of a text: blocks of lines in, addable counts and the vocabulary that encodes text out."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from eigenparse.arrays import IntVector, LongVector
from eigenparse.errors import DataError
from eigenparse.models.vectors.vectors import UNKNOWN
from eigenparse.work.work import Work

_LINE_END = b"\x00"
KEEP = "surrogateescape"  # keeps bytes that are not UTF-8 until they are refused together with their word
MOST_WORDS = 3_000_000


@dataclass(frozen=True, slots=True)
class WordCounts:
    """How often each word was seen, of how many tokens; ``dropped``: occurrences of words dropped to save memory."""

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


def count_words(blocks: Iterable[bytes], work: Work = Work(), *, lower: bool = False) -> WordCounts:
    """Occurrences of every word in blocks of lines."""
    total: Counter[bytes] = Counter()
    tokens = lost = 0
    task = partial(_block_words, lower=lower, count=not work.is_here)
    for words, n in work.map(task, blocks):
        total.update(words)
        tokens += n
        if len(total) > MOST_WORDS:
            kept, less = _most(total, MOST_WORDS)
            total, lost = Counter(kept), lost + less
    return WordCounts(total, tokens, lost)


def _block_words(block: bytes, lower: bool, count: bool) -> tuple[list[bytes] | Counter[bytes], int]:
    """The words of a block (with counts if they are sent to another process), and their number."""
    words = _words(block, lower)
    return (Counter(words) if count else words), len(words)


def _words(block: bytes, lower: bool) -> list[bytes]:
    if lower:
        block = block.decode("utf-8", errors=KEEP).lower().encode("utf-8", errors=KEEP)
    return block.replace(_LINE_END, b" ").split()


def _most(total: Mapping[bytes, int], limit: int) -> tuple[Mapping[bytes, int], int]:
    """The table without its rarest words if it is larger than ``limit``, and the number of occurrences dropped."""
    if len(total) <= limit:
        return total, 0
    values = np.sort(np.fromiter(total.values(), dtype=np.int64, count=len(total)))
    most = int(values[len(total) - limit - 1])  # all words with at most this count are dropped
    return {word: n for word, n in total.items() if n > most}, int(values[values <= most].sum())


def choose_vocabulary(words: WordCounts, size: int, *, min_count: int = 1, lower: bool = False) -> Vocabulary:
    """The ``size`` most frequent words, equal counts in byte order; all others share id 0."""
    _check_encoding(words)
    kept = [
        (n, word) for word, n in words.counts.items() if n >= min_count and word.decode("utf-8").isprintable()
    ]
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


def _check_encoding(words: WordCounts) -> None:
    """DataError if a word is not UTF-8."""
    every = b"\n".join(words.counts)
    try:
        every.decode("utf-8")
    except UnicodeDecodeError as problem:
        word = every[: problem.start].rpartition(b"\n")[2] + every[problem.start :].partition(b"\n")[0]
        raise DataError(f"the text is not UTF-8, as in {word!r}; convert the files to UTF-8") from None


def encode_block(block: bytes, vocabulary: Vocabulary) -> IntVector:
    """Ids of a block's words, -1 at the end of every line."""
    if vocabulary.lower:
        block = block.decode("utf-8", errors=KEEP).lower().encode("utf-8", errors=KEEP)
    words = block.replace(_LINE_END, b" ").replace(b"\n", b" " + _LINE_END + b" ").split()
    get = vocabulary.ids.get
    return np.fromiter((get(word, 0) for word in words), dtype=np.int32, count=len(words))
