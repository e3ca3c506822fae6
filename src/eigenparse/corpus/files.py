"""Paths and patterns in, whole checked contents out; contents in, files that are whole or absent out."""

import bz2
import glob
import gzip
import importlib
import io
import lzma
import os
import re
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from eigenparse.corpus.recognise import HEAD, refuse_bytes
from eigenparse.errors import DataError, EigenparseError, FormatError, ResourceError

TREE_SUFFIXES = (".ptb", ".mrg", ".psd", ".tree", ".txt", ".brackets")
PACKED_SUFFIXES = (".gz", ".xz", ".bz2")
STANDARD_INPUT = Path("-")
LIMIT = 2**31 - 1  # bytes after decompression: positions inside one file are 32-bit numbers
EXPANSION = 200  # a packed file may unpack to this many times its size (texts reach 10 to 30) ...
FREE_EXPANSION = 64 * 1024 * 1024  # ... and to this many bytes in any case
XZ_MEMORY = 256 * 1024 * 1024  # that a file may make the unpacker ask for; `xz -9` needs 65 MB
_URL = re.compile(r"([a-z][a-z0-9+.-]+):/+")
_BLOCK = 1 << 20
_BROKEN_PACKING = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, ValueError)
_unfinished: set[str] = set()  # files that are being written
Readable = IO[bytes] | gzip.GzipFile | io.BufferedReader | bz2.BZ2File


class _Xz(io.RawIOBase):
    """An xz stream unpacked with bounded memory, which ``lzma.LZMAFile`` does not offer."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY)
        self._waiting = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            if self._unpacker.eof:
                self._waiting = self._unpacker.unused_data or self._stream.read(_BLOCK)
                if not self._waiting.strip(b"\0"):
                    return 0
                self._unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY)
            elif self._unpacker.needs_input and not self._waiting:
                self._waiting = self._stream.read(_BLOCK)
                if not self._waiting:
                    raise EOFError("the stream ends early")
            content = self._unpacker.decompress(self._waiting, len(buffer))
            self._waiting = b""
            if content:
                buffer[: len(content)] = content
                return len(content)


_OPENERS: dict[bytes, Callable[[IO[bytes]], Readable]] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"\xfd7zXZ\x00": lambda stream: io.BufferedReader(_Xz(stream), _BLOCK),
    b"BZh": bz2.BZ2File,
}


def unpacker(head: bytes) -> Callable[[IO[bytes]], Readable] | None:
    """The decompressor for a file with these first bytes; None if it is not compressed."""
    return next((opener for magic, opener in _OPENERS.items() if head.startswith(magic)), None)


def find_files(
    patterns: str | Path | Iterable[str | Path], *, suffixes: tuple[str, ...] = TREE_SUFFIXES
) -> list[Path]:
    """Files named by paths, directories (walked in sorted order) and globs; ``-`` is standard input.

    Raises DataError if a pattern names nothing.
    """
    given = [patterns] if isinstance(patterns, str | Path) or not isinstance(patterns, Iterable) else patterns
    paths = [path_given(pattern) for pattern in given]
    if not paths:
        raise DataError("there is no path; name at least one file")
    return [path for pattern in paths for path in _expand(pattern, suffixes)]


def path_given(path: Any) -> Path:
    """A path as a caller gives it; DataError for what names no file."""
    if not isinstance(path, str | os.PathLike):
        raise DataError(f"a path of type {type(path).__name__}; give a string or a Path")
    if not str(path).strip():
        raise DataError("an empty path; name a file")
    return Path(path)


def url_of(path: str | Path) -> str | None:
    """The URL that a path stands for (``s3://bucket/x``, which a Path writes ``s3:/bucket/x``); None for files.

    >>> url_of(Path("s3://bucket/a.ptb")), url_of("C:/a.ptb"), url_of("notes:/a")
    ('s3://bucket/a.ptb', None, 'notes://a')
    """
    found = _URL.match(str(path))
    if not found:
        return None
    return f"{found[1]}://{'/' if found[1] == 'file' else ''}{str(path)[found.end() :]}"


def _remote(url: str) -> tuple[Any, str]:
    """The file system and the place in it that a URL names."""
    try:
        core = importlib.import_module("fsspec.core")
    except ImportError:
        raise DataError(f"{url}: URLs need the extra `cluster`; pip install 'eigenparse[cluster]'") from None
    try:
        system, place = core.url_to_fs(url)
    except (ValueError, ImportError) as problem:
        raise DataError(f"{url}: cannot be opened ({problem}); check the URL") from None
    return system, place


def _expand_url(url: str, suffixes: tuple[str, ...]) -> list[Path]:
    """The files behind a URL: one, those of a folder, or those of a glob."""
    system, place = _remote(url)
    scheme = url.split("://")[0]
    if any(mark in place for mark in "*?["):
        names = sorted(system.glob(place))
    elif system.isdir(place):
        names = [name for name in sorted(system.find(place)) if _wanted(Path(name), suffixes)]
    else:
        return [Path(url)]
    if not names:
        raise DataError(f"{url}: names no file; check the URL")
    return [Path(f"{scheme}://{str(name).lstrip('/')}") if scheme != "file" else Path(name) for name in names]


def _expand(pattern: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """The files that one pattern names."""
    if pattern == STANDARD_INPUT:
        return [pattern]
    if not pattern.exists() and (url := url_of(pattern)):
        return _expand_url(url, suffixes)
    if pattern.is_dir():
        found = [path for path in sorted(pattern.rglob("*")) if path.is_file() and _wanted(path, suffixes)]
        if not found:
            raise DataError(f"{pattern}: no file ends in {', '.join(suffixes)}; name the files themselves")
        return found
    if pattern.exists():
        return [pattern]
    names = [Path(name) for name in sorted(glob.glob(str(pattern), recursive=True)) if Path(name).exists()]
    if not names:
        raise DataError(f"{pattern}: no such file or directory; check the path")
    return [path for name in names for path in _expand(name, suffixes)]


def _wanted(path: Path, suffixes: tuple[str, ...]) -> bool:
    """Whether a file's name, without the ending of a packer, ends as asked."""
    hidden = path.name.startswith(".")
    bare = path.with_suffix("") if path.suffix.lower() in PACKED_SUFFIXES else path
    return not hidden and bare.suffix.lower() in suffixes


def read_bytes(path: str | Path, *, limit: int = LIMIT) -> bytes:
    """The content of a file, unpacked (gzip, xz, bzip2, recognised by its first bytes), without byte-order mark.

    Raises FormatError if the packing is damaged or the text is UTF-16, ResourceError above ``limit``.
    """
    path = Path(path)
    with readable(path):
        if path == STANDARD_INPUT:
            content = _unpacked(io.BytesIO(_upto(sys.stdin.buffer, limit, path)), path, limit)
        elif (url := url_of(path)) and not path.exists():
            system, place = _remote(url)
            with system.open(place, "rb") as stream:
                content = _unpacked(stream, path, limit)
        else:
            with path.open("rb") as stream:
                content = _unpacked(stream, path, limit)
    refuse_bytes(content[:HEAD], str(path))
    return content.removeprefix(b"\xef\xbb\xbf")


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn failures of reading a file into errors that name it: FormatError if its packing is damaged, or DataError."""
    try:
        yield
    except EigenparseError:
        raise
    except (*_BROKEN_PACKING, OSError) as problem:
        if isinstance(problem, FileNotFoundError) or getattr(problem, "errno", None) is not None:
            reason = getattr(problem, "strerror", None) or "no such file"
            raise DataError(
                f"{path}: cannot be read ({reason}); check the path and its permissions"
            ) from None
        raise FormatError(
            f"the compressed file is damaged ({problem})",
            source=str(path),
            line=1,
            remedy="copy or compress it again",
        ) from None


@contextmanager
def unpacked(path: Path) -> Iterator[Readable]:
    """A stream of a file, unpacked as its first bytes say; failures are those of ``readable``."""
    with readable(path), path.open("rb") as stream:
        opener = unpacker(stream.peek(6))  # of a pipe, too, as the shell's <(...)
        yield stream if opener is None else opener(stream)


def read_head(path: Path) -> bytes:
    """The first bytes of a file, unpacked; what cannot be unpacked is given as it is."""
    with path.open("rb") as stream:
        head = stream.read(HEAD)
        opener = unpacker(head)
        if opener is None:
            return head
        stream.seek(0)
        try:
            return opener(stream).read(HEAD)
        except (*_BROKEN_PACKING, OSError):
            return head


def _unpacked(stream: IO[bytes], path: Path, limit: int) -> bytes:
    """All that a stream holds, unpacked."""
    if not stream.seekable():  # a pipe, as the shell's <(...)
        stream = io.BytesIO(_upto(stream, limit, path))
    head = stream.read(6)
    stream.seek(0)
    opener = unpacker(head)
    if opener is None:
        return _upto(stream, limit, path)
    packed = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    return _upto(opener(stream), min(limit, max(FREE_EXPANSION, EXPANSION * packed)), path)


def _upto(stream: Readable, limit: int, path: Path) -> bytes:
    """All that a stream holds, or an error as soon as it is more than ``limit`` bytes."""
    blocks: list[bytes] = []
    size = 0
    while block := stream.read(_BLOCK):
        size += len(block)
        if size > limit:
            raise ResourceError(f"{path}: more than {limit} bytes after unpacking; split the file")
        blocks.append(block)
    return b"".join(blocks)


def read_text(path: str | Path) -> str:
    """The content of a UTF-8 file as text; FormatError names the line that is not UTF-8."""
    content = read_bytes(path)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
    raise FormatError(
        "the text is not UTF-8", source=str(path), line=line, remedy="convert the file to UTF-8"
    )


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """A stream to a file that appears complete or not at all, whatever interrupts; devices are written to."""
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        with target.open("wb") as stream:
            yield stream
        return
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as problem:
        raise DataError(f"{path}: cannot be written ({problem.strerror}); check the directory") from None
    _unfinished.add(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, 0o644)
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    finally:
        _unfinished.discard(name)


def discard_unfinished() -> None:
    """Remove the files that are being written, for a process that ends now."""
    for name in tuple(_unfinished):
        Path(name).unlink(missing_ok=True)


def sweep(folder: str | Path, name: str | None = None) -> None:
    """Remove what a killed process left of files it was writing to a folder, or of one file there."""
    for left in Path(folder).glob(".*.part"):
        if name is None or left.name.startswith(f".{name}."):
            left.unlink(missing_ok=True)


def write_whole(path: str | Path, content: bytes) -> None:
    """Write a file that is either complete or absent."""
    with whole_file(path) as stream:
        stream.write(content)
