"""How unlabelled symbols are read for training: text in, sequences of characters, words or a column's values out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from eigenparse.corpus.sequences import Sequences
from eigenparse.corpus.symbols import UNITS, read_symbols
from eigenparse.learn.options import option
from eigenparse.learn.tagger.reading import joined


@dataclass(frozen=True, slots=True)
class SymbolText:
    """Sequences with the one column of symbols, and what a symbol is."""

    sequences: Sequences
    unit: str


@dataclass(frozen=True)
class SymbolReading:
    """Text with one sequence per line, or files of columns."""

    sources: ClassVar[tuple[str, str]] = ("TEXT...", "Text with one sequence per line, or columns.")
    unit: str = option("char", "What a symbol is.", choices=UNITS)
    column: str | None = option(
        None, "With --unit column: its name. Default: the last column.", idle={"unit": ("char", "word")}
    )

    def read(self, sources: Sequence[str | Path]) -> SymbolText:
        """The symbols of all files."""
        return SymbolText(joined([read_symbols(path, self.unit, self.column) for path in sources]), self.unit)
