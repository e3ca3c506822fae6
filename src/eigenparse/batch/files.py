"""Where results go, and the promise that no result replaces something that the same command reads."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from eigenparse.corpus.files import TREE_SUFFIXES, find_files, whole_file
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


def check_files(read: Iterable[str | Path | None], written: Iterable[str | Path | None]) -> None:
    """Refuse, before any work, outputs that cannot be written, that meet, or that would replace an input.

    read: files, folders, globs or URLs.  written: files.  Symbolic links, hard links and other spellings of a path
    name the same file.
    """
    targets = [Path(path) for path in written if path is not None]
    for path in targets:
        _check_target(path)
    taken = {_identity(path): path for path in _inputs(read)}
    for path in targets:
        if not path.exists() or path.is_file():  # devices may be written to twice
            found = taken.setdefault(_identity(path), path)
            if found is not path:
                raise OptionError(
                    f"{path}: the output would replace {found}, which the same command reads or writes; "
                    "name another file"
                )


def _check_target(path: Path) -> None:
    """Refuse early what could not be written after hours of work."""
    folder = path.resolve().parent
    if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        reason = "is a directory" if path.is_dir() else "its directory does not exist or is read-only"
        raise DataError(f"{path}: cannot be written, {reason}; name another file")


def _inputs(read: Iterable[str | Path | None]) -> Iterator[Path]:
    """The files of this machine that inputs name; inputs that name none are refused where they are read."""
    for given in read:
        if given is None:
            continue
        try:
            found = find_files(located(given), suffixes=CORPUS_SUFFIXES)
        except (EigenparseError, OSError, ValueError):
            continue
        yield from (path for path in found if path.is_file())


def _identity(path: Path) -> tuple[object, ...]:
    """Equal for all names of one file."""
    try:
        found = path.stat()
    except OSError:
        return (str(path.resolve()),)
    return (found.st_dev, found.st_ino) if found.st_ino else (str(path.resolve()),)
