"""Lines of a file or of standard input as they come, what they hold, and blocks of them."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from eigenparse.corpus.files import Readable, unpacked
from eigenparse.corpus.recognise import HEAD, recognise_bytes, refuse_bytes
from eigenparse.errors import FormatError

LONGEST_LINE = 10_000_000  # bytes


def open_lines(path: Path) -> Iterator[str]:
    """Lines without their ends, read as they are needed; gzip, xz and bzip2 files are unpacked."""
    if str(path) == "-":
        yield from _decoded(sys.stdin.buffer, "standard input")
        return
    with unpacked(path) as stream:
        yield from _decoded(stream, str(path))


def _decoded(stream: Readable, source: str) -> Iterator[str]:
    """UTF-8 text; the first line loses its byte-order mark.  No more than a line is ever held."""
    lines = iter(lambda: stream.readline(LONGEST_LINE + 1), b"")
    for number, line in enumerate(lines, start=1):
        if (
            number == 1
        ):  # binary data may contain line ends anywhere, so more bytes are needed to recognise it
            refuse_bytes(line if recognise_bytes(line) is None else line + stream.read(HEAD), source)
        if len(line) > LONGEST_LINE:
            raise FormatError(
                "the line is too long", source=source, line=number, remedy="put one sentence on each line"
            )
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            raise FormatError(
                "the text is not UTF-8", source=source, line=number, remedy="convert the file to UTF-8"
            ) from None
        text = text.rstrip("\r\n")
        yield text.removeprefix("\ufeff") if number == 1 else text


def split_tags(tokens: Iterable[str]) -> tuple[list[str], list[str | None]]:
    """Words and tags of ``word_TAG`` tokens, cut at the last underscore; None where there is no tag."""
    words: list[str] = []
    tags: list[str | None] = []
    for token in tokens:
        word, mark, tag = token.rpartition("_")
        if not (mark and word and tag):
            word, tag = token, ""
        words.append(word)
        tags.append(tag or None)
    return words, tags


def sentence_lines(lines: Iterable[str], size: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Lines in blocks that end at a blank line after ``size`` of them, or after 40 lines for each."""
    part: list[str] = []
    first, ends = 1, 0
    for number, line in enumerate(lines, start=1):
        part.append(line)
        ends += not line.strip()
        if ends and (ends >= size or len(part) >= 40 * size) and not line.strip():
            yield first, tuple(part)
            part, ends, first = [], 0, number + 1
    if part:
        yield first, tuple(part)


def shifted(problem: FormatError, first: int) -> FormatError:
    """The same error with the line number in the whole file."""
    return FormatError(
        problem.problem, source=problem.source, line=problem.line + first - 1, remedy=problem.remedy
    )
