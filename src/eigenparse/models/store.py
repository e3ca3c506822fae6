"""Model files: named arrays and a JSON header in, one checked safetensors file out, and back.

The file is a safetensors container.  Its metadata holds one JSON document (``eigenparse``) with
the format version, the kind of model, the header and the SHA-256 of the arrays.  Nothing in it
is ever executed, sizes are checked before anything is allocated, and files appear whole or not
at all.
"""

import hashlib
import json
import os
import struct
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from eigenparse.arrays import AnyArray
from eigenparse.errors import ModelFileError

FORMAT_VERSION = 1
MAX_HEADER_BYTES = 256 * 1024 * 1024
Header = dict[str, Any]


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file that is either complete or absent, whatever interrupts."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent or Path("."))
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def digest(arrays: Mapping[str, AnyArray]) -> str:
    """SHA-256 over names, types, shapes and bytes, in name order."""
    total = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        total.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        total.update(array.reshape(-1).view(np.uint8).data if array.size else b"")
    return total.hexdigest()


def save_model(path: str | Path, *, kind: str, header: Header, arrays: Mapping[str, AnyArray]) -> None:
    """Write a model file; the same input always gives the same bytes."""
    contiguous = {name: np.ascontiguousarray(arrays[name]) for name in sorted(arrays)}
    document = {"version": FORMAT_VERSION, "kind": kind, "sha256": digest(contiguous), "header": header}
    text = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    write_atomically(Path(path), save(contiguous, metadata={"eigenparse": text}))


def load_model(path: str | Path) -> tuple[str, Header, dict[str, AnyArray]]:
    """Kind, header and arrays of a model file.

    Raises ModelFileError with one sentence if the file is missing, cut, altered or foreign.
    """
    document, content = _read(Path(path))
    try:
        arrays = load(content)
    except (SafetensorError, ValueError, KeyError, TypeError) as problem:
        raise ModelFileError(
            f"{path}: not a readable model file ({problem}); train or copy it again"
        ) from None
    header, kind = document.get("header"), document.get("kind")
    if not isinstance(header, dict) or not isinstance(kind, str):
        raise ModelFileError(f"{path}: the model header is incomplete; train or copy it again")
    if digest(arrays) != document.get("sha256"):
        raise ModelFileError(f"{path}: the checksum does not match, so the file was altered; copy it again")
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ModelFileError(f"{path}: array {name!r} holds values that are not numbers; train it again")
    return kind, header, arrays


def model_kind(path: str | Path) -> str:
    """The kind of a model file, from its header alone."""
    document, _ = _read(Path(path), header_only=True)
    return str(document.get("kind"))


def _read(path: Path, *, header_only: bool = False) -> tuple[Header, bytes]:
    """The JSON document and the content (whole, or up to the arrays) of a file that looks like ours."""
    try:
        with path.open("rb") as stream:
            head = stream.read(8)
            size = path.stat().st_size
            length = struct.unpack("<Q", head)[0] if len(head) == 8 else 0
            if not 2 <= length <= min(size - 8, MAX_HEADER_BYTES):
                raise ModelFileError(
                    f"{path}: not an eigenparse model, or cut short; check the path or copy it again"
                )
            stream.seek(0)
            content = stream.read(8 + length if header_only else -1)
    except OSError as problem:
        raise ModelFileError(f"{path}: cannot be read ({problem.strerror}); check the path") from None
    try:
        outer = json.loads(content[8 : 8 + length], object_pairs_hook=_unique_keys)
        document = json.loads(outer["__metadata__"]["eigenparse"], object_pairs_hook=_unique_keys)
        version = document["version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ModelFileError(f"{path}: not an eigenparse model; check the path or train it again") from None
    if version != FORMAT_VERSION:
        raise ModelFileError(
            f"{path}: model format {version} is not format {FORMAT_VERSION}; use the eigenparse that wrote it"
        )
    return document, content


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A dictionary, refusing keys that occur twice."""
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key occurs twice")
    return result
