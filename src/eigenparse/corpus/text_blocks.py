"""Text files of any size in, blocks of whole lines out; only one block is in memory at a time."""

import gzip
import lzma
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from eigenparse.corpus.files import STANDARD_INPUT, Readable, find_files, read_head, unpacker
from eigenparse.corpus.recognise import refuse_bytes, refuse_no_prose
from eigenparse.errors import DataError, FormatError

BLOCK_BYTES = 1 << 22
LOOK = 200  # lines that tell what a file holds
TEXT_SUFFIXES = (".txt", ".text", ".tok")
_BROKEN = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, ValueError)


def text_files(patterns: Iterable[str | Path]) -> list[Path]:
    """Text files named by paths, directories and globs; they are read more than once, so no standard input."""
    files = find_files(patterns, suffixes=TEXT_SUFFIXES)
    if STANDARD_INPUT in files:
        raise DataError("-: the text is read twice, so it cannot come from a pipe; write it to a file first")
    for path in files:
        _refuse_no_text(path)
    return files


def _refuse_no_text(path: Path) -> None:
    """FormatError for a file that holds something else than text."""
    try:
        head = read_head(path)
    except OSError as problem:
        raise _unreadable(path, problem) from None
    refuse_bytes(head, str(path))
    refuse_no_prose(head.decode("utf-8", "replace").split("\n")[:LOOK], str(path))


def text_blocks(path: str | Path, size: int = BLOCK_BYTES) -> Iterator[bytes]:
    """Blocks of about ``size`` bytes after unpacking, cut where a line ends.

    A line longer than ``size`` is cut between two words, and counts as several lines then.
    """
    path = Path(path)
    rest = b""
    with ExitStack() as stack:
        stream = _opened(path, stack)
        while block := _read(stream, size, path):
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


def _opened(path: Path, stack: ExitStack) -> Readable:
    """The file, unpacked as its first bytes say; the stack closes it."""
    try:
        stream = stack.enter_context(path.open("rb"))
        opener = unpacker(stream.read(6))
        stream.seek(0)
    except OSError as problem:
        raise _unreadable(path, problem) from None
    return opener(stream) if opener else stream


def _read(stream: Readable, size: int, path: Path) -> bytes:
    """The next bytes, or a sentence about the file that does not give them."""
    try:
        return stream.read(size)
    except _BROKEN as problem:
        reason: object = problem
    except OSError as problem:
        if problem.errno is not None:
            raise _unreadable(path, problem) from None
        reason = problem
    raise FormatError(
        f"the compressed file is damaged ({reason})", source=str(path), line=1, remedy="copy or pack it again"
    )


def _unreadable(path: Path, problem: OSError) -> DataError:
    reason = problem.strerror or problem
    return DataError(f"{path}: cannot be read ({reason}); check the path and its permissions")
