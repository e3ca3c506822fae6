"""Plain text in, sequences of characters, words or the symbols of a column out."""

from pathlib import Path

from eigenparse.corpus.label_sources import read_labelled
from eigenparse.corpus.recognise import refuse_no_prose
from eigenparse.corpus.sequences import Sequences, from_columns
from eigenparse.corpus.tagged import text_lines
from eigenparse.errors import OptionError

LOOK = 200  # lines that tell what a file holds
UNITS = ("char", "word", "column")


def read_symbols(path: str | Path, unit: str, column: str | None = None) -> Sequences:
    """The single column ``x`` of a text (a sequence per line) or of one column of a file of columns."""
    if unit not in UNITS:
        raise OptionError(f"unit must be one of {', '.join(UNITS)}, got {unit!r} instead")
    if unit == "column":
        corpus = read_labelled(path)
        chosen = corpus.column(column) if column else corpus.columns[-1]
        return Sequences((type(chosen)("x", chosen.ids, chosen.symbols),), corpus.offsets, corpus.line)
    every = list(text_lines(path))
    refuse_no_prose(every[:LOOK], str(path))
    lines = [(number, text) for number, text in enumerate(every, start=1) if text.strip()]
    split = [list(text) if unit == "char" else text.split() for _, text in lines]
    symbols = [symbol for sequence in split for symbol in sequence]
    return from_columns(
        ("x",), (symbols,), [len(sequence) for sequence in split], [number for number, _ in lines]
    )
