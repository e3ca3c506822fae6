"""Lines of a file or of standard input as they come, and what they hold."""

import bz2
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from eigenparse.errors import DataError, FormatError

LONGEST_LINE = 10_000_000  # bytes


def open_lines(path: Path) -> Iterator[str]:
    """Lines without their ends, read as they are needed; gzip, xz and bzip2 files are unpacked."""
    if str(path) == "-":
        yield from _decoded(sys.stdin.buffer, "standard input")
        return
    try:
        with path.open("rb") as stream:
            head = stream.read(6)
            stream.seek(0)
            yield from _decoded(_unpacked(stream, head), str(path))
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise DataError(f"{path}: cannot be read ({reason}); check the path and the file") from None
    except (EOFError, zlib.error, lzma.LZMAError) as problem:
        raise DataError(
            f"{path}: the compressed file is damaged ({problem}); copy or pack it again"
        ) from None


def _unpacked(stream: io.BufferedReader, head: bytes) -> Iterable[bytes]:
    if head.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=stream)
    if head.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMAFile(stream)
    return bz2.BZ2File(stream) if head.startswith(b"BZh") else stream


def _decoded(lines: Iterable[bytes], source: str) -> Iterator[str]:
    """UTF-8 text; the first line loses its byte-order mark."""
    for number, line in enumerate(lines, start=1):
        if len(line) > LONGEST_LINE:
            raise FormatError(
                "the line is too long", source=source, line=number, remedy="put a sentence on a line"
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


def tokenised(lines: Iterable[str], *, quotes: str) -> Iterator[list[str]]:
    """The sentences of plain text as tokens; blank lines part paragraphs, single line ends do not."""
    from eigenparse.corpus.tokenise import split_sentences, tokenise

    for paragraph in _paragraphs(lines):
        for sentence in split_sentences(paragraph):
            tokens = tokenise(sentence, quotes=quotes)
            if tokens:
                yield tokens


def _paragraphs(lines: Iterable[str]) -> Iterator[str]:
    kept: list[str] = []
    for line in lines:
        if line.strip():
            kept.append(line.strip())
        elif kept:
            yield " ".join(kept)
            kept = []
    if kept:
        yield " ".join(kept)
