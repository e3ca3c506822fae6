"""Text files of any size in, blocks of whole lines out; only one block is in memory at a time."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from eigenparse.corpus.files import STANDARD_INPUT, find_files, read_head, readable, unpacked
from eigenparse.corpus.recognise import refuse_bytes, refuse_no_prose
from eigenparse.errors import DataError

BLOCK_BYTES = 1 << 22
LOOK = 200  # lines that tell what a file holds
TEXT_SUFFIXES = (".txt", ".text", ".tok")


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
    with readable(path):
        head = read_head(path)
    refuse_bytes(head, str(path))
    refuse_no_prose(head.decode("utf-8", "replace").split("\n")[:LOOK], str(path))


def text_blocks(path: str | Path, size: int = BLOCK_BYTES) -> Iterator[bytes]:
    """Blocks of about ``size`` bytes after unpacking, cut where a line ends.

    A line longer than ``size`` is cut between two words, and counts as several lines then.
    """
    path = Path(path)
    rest = b""
    with unpacked(path) as stream:
        while block := stream.read(size):
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
