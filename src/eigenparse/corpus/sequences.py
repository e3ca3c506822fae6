"""Labelled or unlabelled token sequences as frozen integer columns with offsets."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from eigenparse.arrays import AnyArray, IntVector, LongVector, as_ids, as_offsets, frozen
from eigenparse.corpus.columns import Cut
from eigenparse.errors import DataError


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a corpus.  ids: (T,) into ``symbols``.

    kept: values computed from the symbols alone, by name; parts of a corpus share them with the whole.
    """

    name: str
    ids: IntVector
    symbols: tuple[str, ...]
    kept: dict[str, AnyArray] = field(
        default_factory=dict, repr=False, compare=False, metadata={"fingerprint": False}
    )

    @classmethod
    def of(cls, name: str, tokens: Iterable[str]) -> "Column":
        """Number the symbols of a column in order of first appearance."""
        numbers: dict[str, int] = {}
        ids = [numbers.setdefault(token, len(numbers)) for token in tokens]
        return cls(name, frozen(as_ids(ids)), tuple(numbers))

    def strings(self) -> list[str]:
        """The column as strings, one per token."""
        symbols = self.symbols
        return [symbols[k] for k in self.ids.tolist()]


@dataclass(frozen=True, slots=True)
class Sequences(Cut):
    """Parallel columns cut into sequences.  offsets: (S + 1,); line: (S,), where each sequence began."""

    columns: tuple[Column, ...]
    offsets: LongVector
    line: LongVector

    @property
    def n_tokens(self) -> int:
        """Tokens in all sequences."""
        return int(self.offsets[-1])

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in file order."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        """The column of that name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise DataError(
            f"there is no column {name!r} among {', '.join(self.names)}; name the columns of the file"
        )

    def without(self, name: str) -> "Sequences":
        """The same sequences with one column removed: gold labels are stripped this way."""
        kept = tuple(column for column in self.columns if column.name != name)
        return Sequences(kept, self.offsets, self.line)

    def with_column(self, column: Column) -> "Sequences":
        """The same sequences with one column more, or replaced if the name exists."""
        kept = tuple(old for old in self.columns if old.name != column.name)
        return Sequences((*kept, column), self.offsets, self.line)

    def take(self, start: int, stop: int) -> "Sequences":
        """Sequences ``start`` up to ``stop``, with the same symbol tables."""
        low, high = int(self.offsets[start]), int(self.offsets[stop])
        columns = tuple(replace(c, ids=c.ids[low:high]) for c in self.columns)
        return Sequences(columns, self.offsets[start : stop + 1] - low, self.line[start:stop])

    @classmethod
    def of(cls, names: Sequence[str], sequences: Sequence[Sequence[Sequence[str]]]) -> "Sequences":
        """Columns of a list of sequences of token rows: ``[[("the", "DT"), ...], ...]``."""
        for s, sequence in enumerate(sequences):
            for row in sequence:
                if len(row) != len(names):
                    raise DataError(
                        f"sequence {s} has a token of {len(row)} columns, not {len(names)}; complete it"
                    )
        columns = [[row[k] for sequence in sequences for row in sequence] for k in range(len(names))]
        return from_columns(names, columns, [len(sequence) for sequence in sequences])


def from_columns(
    names: Sequence[str],
    columns: Sequence[Iterable[str]],
    lengths: Sequence[int],
    line: Sequence[int] | None = None,
) -> Sequences:
    """Sequences from parallel lists of strings and the length of each sequence."""
    offsets = as_offsets(np.cumsum([0, *lengths]))
    made = tuple(Column.of(name, tokens) for name, tokens in zip(names, columns, strict=True))
    if len(set(names)) != len(names):
        raise DataError(f"two columns share a name in {', '.join(names)}; give each its own name")
    if any(column.ids.size != offsets[-1] for column in made):
        raise DataError("the columns have different lengths; every token needs every column")
    where = as_offsets(line if line is not None else np.arange(1, offsets.size))
    return Sequences(made, frozen(offsets), frozen(where))


def map_symbols(column: Column, known: dict[str, int]) -> IntVector:
    """Ids of a column in another symbol table; -1 for symbols that it lacks.  One look-up per type."""
    table = as_ids([known.get(symbol, -1) for symbol in column.symbols] or [-1])
    return as_ids(table[column.ids]) if column.ids.size else column.ids
