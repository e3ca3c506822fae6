"""Addable counts of pairs of words at distances 1, 2, ...: eight bytes per pair; the rarest may be dropped."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, IntVector, LongVector, as_offsets
from eigenparse.errors import DataError
from eigenparse.kernels.vectors.cooccurrence import Table, drop_rare, merge_tables, table_of_codes

MOST_PAIRS = 40_000_000


@dataclass(frozen=True, slots=True)
class PairTable:
    """Pairs of first word x at [starts[x], starts[x + 1]), sorted by second words.

    starts: (n + 1,).  seconds, counts: (pairs,); counts are int32 while the largest sums fit, else int64.
    """

    starts: LongVector
    seconds: IntVector
    counts: AnyArray

    @classmethod
    def of_codes(cls, codes: LongVector, n_words: int, counts: LongVector | None = None) -> "PairTable":
        """The table of sorted codes first * n + second: each seen once (equal ones add up), or so often."""
        starts, seconds = np.empty(n_words + 1, dtype=np.int64), np.empty(codes.size, dtype=np.int32)
        ones = np.empty(codes.size, dtype=np.int32)
        m = table_of_codes(codes, n_words, starts, seconds, ones)
        if counts is None:
            return cls(starts, seconds[:m].copy(), ones[:m].copy())
        return cls(starts, seconds, counts.astype(_kind(int(counts.max(initial=0)))))

    @property
    def codes(self) -> LongVector:
        """first * n + second of every pair, sorted."""
        n = self.starts.size - 1
        return as_offsets(np.repeat(np.arange(n, dtype=np.int64) * n, np.diff(self.starts)) + self.seconds)

    def __add__(self, other: "PairTable") -> "PairTable":
        kind = _kind(int(self.counts.max(initial=0)) + int(other.counts.max(initial=0)))
        size = self.seconds.size + other.seconds.size
        starts, seconds, counts = np.empty_like(self.starts), np.empty(size, np.int32), np.empty(size, kind)
        one, two = (Table(t.starts, t.seconds, t.counts.astype(kind, copy=False)) for t in (self, other))
        return _shrunk(starts, seconds, counts, merge_tables(one, two, Table(starts, seconds, counts)))

    def bounded(self, limit: int) -> tuple["PairTable", int]:
        """This table without its rarest pairs if it is larger than ``limit``, and the number of occurrences dropped.

        The table itself is used up: its memory becomes the smaller one's.
        """
        table, lost, least = self, 0, 1
        while table.seconds.size > limit:
            m, less = drop_rare(table.starts, table.seconds, table.counts, least)
            table, lost, least = _shrunk(table.starts, table.seconds, table.counts, m), lost + less, least + 1
        return table, lost


def _kind(largest: int) -> type[np.int32] | type[np.int64]:
    return np.int32 if largest < 1 << 31 else np.int64


def _shrunk(starts: LongVector, seconds: IntVector, counts: AnyArray, size: int) -> PairTable:
    """A table in the same memory: a copy of tables this large would be most of the memory."""
    seconds.resize(size, refcheck=False)
    counts.resize(size, refcheck=False)
    return PairTable(starts, seconds, counts)


@dataclass(frozen=True, slots=True)
class PairCounts:
    """For each distance d = 1, 2, ... a table over ``n_words`` words; ``dropped``: occurrences left out."""

    n_words: int
    tables: tuple[PairTable, ...]
    dropped: int = 0

    @property
    def codes(self) -> tuple[LongVector, ...]:
        """For each distance the sorted codes first * n + second."""
        return tuple(table.codes for table in self.tables)

    @property
    def counts(self) -> tuple[LongVector, ...]:
        """For each distance the counts, in the order of the codes."""
        return tuple(as_offsets(table.counts) for table in self.tables)

    def __add__(self, other: "PairCounts") -> "PairCounts":
        if (self.n_words, len(self.tables)) != (other.n_words, len(other.tables)):
            raise DataError("pairs were counted over different vocabularies or windows; count them again")
        limit = MOST_PAIRS // len(self.tables)
        found = [(a + b).bounded(limit) for a, b in zip(self.tables, other.tables, strict=True)]
        lost = self.dropped + other.dropped + sum(less for _, less in found)
        return PairCounts(self.n_words, tuple(table for table, _ in found), lost)
