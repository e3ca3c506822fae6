"""Output streams and files, and the check that no output replaces a file that the same command reads."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO

from eigenparse.corpus.files import TREE_SUFFIXES, find_files, url_of, whole_file
from eigenparse.data import located
from eigenparse.errors import DataError, EigenparseError, OptionError

CORPUS_SUFFIXES = (*TREE_SUFFIXES, ".conllu", ".conll", ".wav", ".flac", ".sph", ".phn", ".eig", ".model")


@contextmanager
def result_stream(path: Path | None) -> Iterator[IO[bytes]]:
    """A binary stream to standard output or, whole or not at all, to a file; devices are written to."""
    if path is None:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with whole_file(path) as stream:
        yield stream


def write_chunks(chunks: Iterable[bytes], path: Path | None) -> int:
    """Write results as they arrive and return the number of bytes; a file appears only when it is complete."""
    todo, written = iter(chunks), 0
    for first in todo:
        with result_stream(path) as stream:
            for chunk in chain((first,), todo):
                written += stream.write(chunk)
                if path is None and sys.stdin is not None and sys.stdin.isatty():
                    stream.flush()
    return written


def check_files(
    read: Iterable[str | Path | None],
    written: Iterable[str | Path | None],
    folders: Iterable[str | Path | None] = (),
) -> None:
    """Refuse, before any work, outputs that cannot be written, are named twice, or would replace an input.

    read: files, folders, globs or URLs.  written: files.  folders: that files are written into, which no input may
    stand in.  Symbolic links, hard links and other spellings of a path name the same file.
    """
    targets = [Path(path) for path in written if path is not None]
    for path in targets:
        _check_target(path)
    inputs = list(_inputs(read))
    taken = {_identity(path): path for path in inputs}
    for path in targets:
        if path.exists() and not path.is_file():  # a device may be written to twice
            continue
        found = taken.setdefault(_identity(path), path)
        if found is not path:
            raise OptionError(
                f"{path}: the output would replace {found}, which the same command reads or writes; "
                "name another file"
            )
    for folder in (Path(path).resolve() for path in folders if path is not None):
        if folder.is_file() and folder.suffix.lower() not in (".html", ".json"):  # of reports
            raise OptionError(f"{folder}: is a file; name a folder")
        for path in inputs:
            if folder in (path.resolve(), path.resolve().parent, path.absolute().parent):
                raise OptionError(
                    f"{folder}: {path}, which the command reads, is in this folder; name another folder"
                )


def _check_target(path: Path) -> None:
    """Refuse an output that cannot be written before any work is done."""
    if str(path) == "-":
        raise OptionError(
            "-: is no file to write; leave the option out to write to standard output, or name a file"
        )
    folder = path.resolve().parent
    if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        reason = "is a directory" if path.is_dir() else "its directory does not exist or is read-only"
        raise DataError(f"{path}: cannot be written, {reason}; name another file")


def _inputs(read: Iterable[str | Path | None]) -> Iterator[Path]:
    """The files of this machine that inputs name; inputs that name none are refused where they are read."""
    for given in read:
        if given is None:
            continue
        if str(given) == "-":
            given = "/dev/stdin"  # another name of a file that the shell has opened
        try:
            found = find_files(located(given), suffixes=CORPUS_SUFFIXES)
        except (EigenparseError, OSError, ValueError):
            continue
        local = (Path((url_of(path) or str(path)).removeprefix("file://")) for path in found)
        yield from (path for path in local if path.is_file())


def _identity(path: Path) -> tuple[object, ...]:
    """A key that is equal for all names of one file."""
    try:
        found = path.stat()
    except OSError:
        return (str(path.resolve()),)
    return (found.st_dev, found.st_ino) if found.st_ino else (str(path.resolve()),)
