"""Where results go: standard output as they come, or a file that appears when it is whole."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from eigenparse.corpus.files import whole_file
from eigenparse.errors import DataError


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


def check_target(path: Path) -> None:
    """Refuse early what could not be written after hours of work."""
    folder = path.resolve().parent
    if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        reason = "is a directory" if path.is_dir() else "its directory does not exist or is read-only"
        raise DataError(f"{path}: cannot be written, {reason}; name another file")
