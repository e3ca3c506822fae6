"""Finished parts of long work, kept in a folder beside the result and found again after an interruption.

``run.json`` holds the fingerprint of data and settings; every other file is one part (a JSON header and arrays)
and appears whole or not at all, so that a run may be killed at any moment.  A part that was read back is the same
to the bit as one that was computed.
"""

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.corpus.files import sweep, write_whole
from eigenparse.errors import DataError, EigenparseError, OptionError
from eigenparse.models.container import Header, read_container, write_container
from eigenparse.work.progress import tell

Part = tuple[Header, dict[str, AnyArray]]
KIND = "part-of-work"
SECONDS = 20.0  # shorter work is not kept


@dataclass(frozen=True, slots=True)
class Kept:
    """A folder of finished parts; without a folder nothing is kept.  seconds: shorter work is not kept."""

    folder: Path | None = None
    seconds: float = SECONDS
    prefix: str = ""

    def at(self, name: str) -> "Kept":
        """The same folder, for parts whose names begin with ``name``."""
        return replace(self, prefix=f"{self.prefix}{name}-")

    def find(self, name: str) -> Part | None:
        """What was kept under a name, if it is whole; the arrays are the caller's own."""
        if self.folder is None:
            return None
        try:
            kind, header, arrays = read_container(self._path(name))
            types: dict[str, str] = header["types"]
            made = {key: array.copy().view(types[key]) for key, array in arrays.items()}
        except (EigenparseError, KeyError, TypeError, ValueError):
            return None
        return (header["header"], made) if kind == KIND else None

    def keep(self, name: str, part: Part) -> None:
        """Keep a part exactly, infinities included; a worker without access to the folder keeps nothing."""
        if self.folder is None or not self.folder.is_dir():
            return
        header, arrays = part[0], {key: np.ascontiguousarray(a) for key, a in part[1].items()}
        bits = {
            key: a.view(f"u{a.dtype.itemsize}") if a.dtype.kind == "f" else a for key, a in arrays.items()
        }
        types = {key: a.dtype.str for key, a in arrays.items()}
        write_container(self._path(name), kind=KIND, header={"header": header, "types": types}, arrays=bits)

    def _path(self, name: str) -> Path:
        return (self.folder or Path()) / f"{self.prefix}{name}.part"


NOTHING_KEPT = Kept()
_open: list[Path] = []  # folders in use


def fingerprint(*values: Any) -> str:
    """SHA-256 of records, arrays and JSON values, to check that kept work belongs to the same run."""
    total = hashlib.sha256()
    for value in values:
        _add(total, value)
    return total.hexdigest()


def _add(total: Any, value: Any) -> None:
    if isinstance(value, np.ndarray):
        total.update(f"{value.dtype.str}{value.shape}".encode())
        total.update(np.ascontiguousarray(value).data)
    elif is_dataclass(value) and not isinstance(value, type):
        total.update(type(value).__name__.encode())
        for one in fields(value):
            if one.metadata.get("fingerprint", True):
                total.update(one.name.encode())
                _add(total, getattr(value, one.name))
    elif isinstance(value, list | tuple) and any(
        isinstance(one, np.ndarray) or is_dataclass(one) for one in value
    ):
        total.update(f"[{len(value)}]".encode())
        for one in value:
            _add(total, one)
    elif isinstance(value, dict) and any(
        isinstance(one, np.ndarray) or is_dataclass(one) for one in value.values()
    ):
        for key in sorted(value):
            total.update(str(key).encode())
            _add(total, value[key])
    else:
        total.update(json.dumps(value, sort_keys=True, default=repr).encode())


@contextmanager
def kept_beside(out: Path, mark: str, *, resume: bool) -> Iterator[Kept]:
    """The kept work of a result that will be written to ``out``; removed after success.  mark: its fingerprint."""
    out = out.resolve()  # workers may have another current folder
    folder = out.with_name(out.name + ".checkpoint")
    sweep(out.parent, out.name)
    if resume and not folder.exists():
        tell(f"there is no checkpoint {folder}, so the work starts from the beginning")
    kept = _opened(folder, mark, resume=resume)
    _open.append(folder)
    try:
        yield kept
    except BaseException:
        _leave(folder)
        raise
    finally:
        _open.remove(folder)
    shutil.rmtree(folder, ignore_errors=True)


def leave_open() -> None:
    """Leave the folders in use as interrupted work does, for a process that ends now."""
    for folder in tuple(_open):
        _leave(folder)


def _leave(folder: Path) -> None:
    """Keep a folder that has finished parts; remove an empty one."""
    sweep(folder)
    if len(list(folder.glob("*"))) > 1:  # more than run.json
        tell(f"finished parts are kept in {folder}; run the same command with --resume to continue")
    else:
        shutil.rmtree(folder, ignore_errors=True)


def _opened(folder: Path, mark: str, *, resume: bool) -> Kept:
    """The folder with its parts if they belong to the same run and are wanted, else an empty folder."""
    note = folder / "run.json"
    if folder.exists() and not (folder.is_dir() and (note.is_file() or not any(folder.iterdir()))):
        raise DataError(f"{folder}: blocks the checkpoint; move it or choose another --out")
    if resume and note.is_file():
        if _mark(note) != mark:
            raise OptionError(
                f"{folder}: was made from other data or settings; give the same ones, or leave out --resume"
            )
        sweep(folder)
        found = sorted(path.stem for path in folder.glob("*.part"))
        tell(f"continuing with {len(found)} finished part{'s' * (len(found) != 1)} from {folder}")
        return Kept(folder, SECONDS)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.mkdir()
    except OSError as problem:
        raise DataError(f"{folder}: cannot be made ({problem.strerror}); check the directory") from None
    write_whole(note, json.dumps({"fingerprint": mark}).encode())
    return Kept(folder, SECONDS)


def _mark(note: Path) -> str | None:
    """The fingerprint in a checkpoint's note; None if it cannot be read."""
    try:
        content = json.loads(note.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return content.get("fingerprint") if isinstance(content, dict) else None
