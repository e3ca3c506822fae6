"""Text files of any size in, blocks of whole lines out; only one block is ever held."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, cast

from eigenparse.corpus.files import STANDARD_INPUT, find_files
from eigenparse.errors import DataError, FormatError

BLOCK_BYTES = 1 << 22
TEXT_SUFFIXES = (".txt", ".text", ".tok")
_OPENERS: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"BZh": bz2.open,
}
_BROKEN = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, ValueError)


def text_files(patterns: Iterable[str | Path]) -> list[Path]:
    """Text files named by paths, directories and globs; they are read more than once, so no standard input."""
    files = find_files(patterns, suffixes=TEXT_SUFFIXES)
    if STANDARD_INPUT in files:
        raise DataError("-: the text is read twice, so it cannot come from a pipe; write it to a file first")
    return files


def text_blocks(path: str | Path, size: int = BLOCK_BYTES) -> Iterator[bytes]:
    """Blocks of about ``size`` bytes after unpacking, cut where a line ends.

    A line longer than ``size`` is cut between two words, and counts as several lines then.
    """
    path = Path(path)
    rest = b""
    with _opened(path) as stream:
        while True:
            try:
                block = stream.read(size)
            except _BROKEN as problem:
                raise FormatError(
                    f"the compressed file is damaged ({problem})",
                    source=str(path),
                    line=1,
                    remedy="copy or pack it again",
                ) from None
            except OSError as problem:
                raise _unreadable(path, problem) from None
            if not block:
                break
            whole, rest = _cut(rest + block)
            if whole:
                yield whole
    if rest:
        yield rest


def _cut(block: bytes) -> tuple[bytes, bytes]:
    """What can be handed out, and what must wait for the rest of its line (or of its word)."""
    end = block.rfind(b"\n") + 1
    if not end:
        end = max(block.rfind(b" "), block.rfind(b"\t")) + 1
    return block[:end], block[end:]


def _opened(path: Path) -> IO[bytes]:
    try:
        with path.open("rb") as stream:
            head = stream.read(6)
        opener = next((one for magic, one in _OPENERS.items() if head.startswith(magic)), None)
        return cast(IO[bytes], opener(path, "rb") if opener else path.open("rb"))
    except OSError as problem:
        raise _unreadable(path, problem) from None


def _unreadable(path: Path, problem: OSError) -> DataError:
    reason = problem.strerror or problem
    return DataError(f"{path}: cannot be read ({reason}); check the path and its permissions")
