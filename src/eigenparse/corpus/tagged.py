"""Files of labelled tokens to columns and back: CoNLL columns and ``word_TAG`` lines.

CoNLL columns: one token per line, columns separated by blanks or tabs, an empty line after each
sequence.  ``word_TAG`` lines: one sequence per line; the last underscore separates word and tag.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from eigenparse.corpus.files import read_text
from eigenparse.corpus.sequences import Sequences, from_columns
from eigenparse.errors import DataError, FormatError

DOCUMENT_MARK = "-DOCSTART-"


def text_lines(path: str | Path) -> Iterator[str]:
    """Lines of a text file (plain or packed; ``-`` is standard input) without line ends."""
    lines = read_text(path).split("\n")
    if lines and not lines[-1]:
        lines.pop()
    for line in lines:
        yield line[:-1] if line.endswith("\r") else line


def parse_columns(
    lines: Iterable[str], names: Sequence[str] | None = None, *, source: str = "input"
) -> Sequences:
    """CoNLL columns; without ``names`` they are called word, label or word, pos, label or c1, c2, ...

    Raises FormatError where a line has another number of columns than the first.
    """
    rows: list[list[str]] = []
    lengths: list[int] = []
    begun: list[int] = []
    length = 0
    for number, text in enumerate(lines, start=1):
        fields = text.split()
        if fields and fields[0] == DOCUMENT_MARK:
            continue
        if fields:
            if rows and len(fields) != len(rows[0]):
                raise FormatError(
                    f"{len(fields)} columns where the first token has {len(rows[0])}",
                    source=source,
                    line=number,
                    remedy="give every token the same columns, or separate columns by tabs only",
                )
            if not length:
                begun.append(number)
            rows.append(fields)
            length += 1
        elif length:
            lengths.append(length)
            length = 0
    if length:
        lengths.append(length)
    return _table(rows, lengths, begun, names, source)


def _table(
    rows: list[list[str]], lengths: list[int], begun: list[int], names: Sequence[str] | None, source: str
) -> Sequences:
    """Columns of token rows under the names asked for."""
    width = len(rows[0]) if rows else len(names or ("word", "label"))
    chosen = list(names) if names else default_names(width)
    if len(chosen) > width:
        raise DataError(
            f"{source}: {width} columns cannot be named {','.join(chosen)}; name {width} or fewer"
        )
    columns = list(zip(*rows)) if rows else [()] * width
    return from_columns(chosen, columns[: len(chosen)], lengths, begun)


def default_names(width: int) -> list[str]:
    """Usual names for files of one, two or three columns."""
    usual = {1: ["word"], 2: ["word", "label"], 3: ["word", "pos", "label"]}
    return usual.get(width, [f"c{k + 1}" for k in range(width)])


def parse_tagged_lines(lines: Iterable[str], *, source: str = "input") -> Sequences:
    """``word_TAG`` lines as the columns word and label."""
    words: list[str] = []
    tags: list[str] = []
    lengths: list[int] = []
    begun: list[int] = []
    for number, text in enumerate(lines, start=1):
        tokens = text.split()
        for token in tokens:
            word, found, tag = token.rpartition("_")
            if not found or not word or not tag:
                raise FormatError(
                    f"token {token!r} is not word_TAG",
                    source=source,
                    line=number,
                    remedy="join every word and its tag by '_'",
                )
            words.append(word)
            tags.append(tag)
        if tokens:
            lengths.append(len(tokens))
            begun.append(number)
    return from_columns(("word", "label"), (words, tags), lengths, begun)


def parse_plain_lines(lines: Iterable[str]) -> Sequences:
    """Tokens separated by blanks, one sequence per line, as the single column ``word``."""
    split = [(number, text.split()) for number, text in enumerate(lines, start=1)]
    kept = [(number, tokens) for number, tokens in split if tokens]
    words = [token for _, tokens in kept for token in tokens]
    return from_columns(
        ("word",), (words,), [len(tokens) for _, tokens in kept], [number for number, _ in kept]
    )
