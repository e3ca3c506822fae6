"""Model files: named arrays and a JSON header in, one checked safetensors file out, and back.

The file is a safetensors container.  Its metadata holds one JSON document (``eigenparse``) with
the format version, the kind of model, the header and the SHA-256 of the arrays.  Nothing in it
is ever executed, sizes are checked before anything is allocated, and files appear whole or not
at all.
"""

import hashlib
import json
import math
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, deserialize

from eigenparse.arrays import AnyArray
from eigenparse.corpus.files import whole_file
from eigenparse.corpus.recognise import HEAD, NAMES, recognise
from eigenparse.errors import ModelFileError

FORMAT_VERSION = 1
MAX_HEADER_BYTES = 128 * 1024 * 1024
MOST_DIGITS = 40  # of an integer in a header: it can be turned into a float
DTYPES = {
    "BOOL": "?", "U8": "u1", "I8": "i1", "I16": "<i2", "U16": "<u2", "F16": "<f2", "I32": "<i4", "U32": "<u4",
    "F32": "<f4", "F64": "<f8", "I64": "<i8", "U64": "<u8",
}  # in safetensors' order  # fmt: skip
Header = dict[str, Any]


def digest(arrays: Mapping[str, AnyArray]) -> str:
    """SHA-256 over names, types, shapes and bytes, in name order."""
    total = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        total.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        total.update(_bytes_of(array))
    return total.hexdigest()


def write_container(path: str | Path, *, kind: str, header: Header, arrays: Mapping[str, AnyArray]) -> None:
    """Write header and arrays; the same input always gives the same bytes."""
    contiguous = {name: np.ascontiguousarray(arrays[name]) for name in sorted(arrays)}
    document = {"version": FORMAT_VERSION, "kind": kind, "sha256": digest(contiguous), "header": header}
    text = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    with whole_file(path) as stream:
        stream.write(_front(contiguous, text))
        for name in _in_order(contiguous):
            stream.write(_bytes_of(contiguous[name]))


def _in_order(arrays: Mapping[str, AnyArray]) -> list[str]:
    """Names as safetensors writes arrays: by type, the widest first, then by name."""
    rank = {np.dtype(name): k for k, name in enumerate(DTYPES.values())}
    return sorted(arrays, key=lambda name: (-rank[arrays[name].dtype], name))


def _bytes_of(array: AnyArray) -> memoryview:
    """The bytes of a contiguous array, without copying it, because arrays can be large."""
    return array.reshape(-1).view(np.uint8).data if array.size else memoryview(b"")


def _front(arrays: Mapping[str, AnyArray], text: str) -> bytes:
    """The first part of a safetensors file: the length of a JSON document, and the document."""
    names, layout, end = {np.dtype(name): kind for kind, name in DTYPES.items()}, {}, 0
    for name in _in_order(arrays):
        start, end = end, end + arrays[name].nbytes
        kind, shape = names[arrays[name].dtype], list(arrays[name].shape)
        layout[name] = {"dtype": kind, "shape": shape, "data_offsets": [start, end]}
    about = {"__metadata__": {"eigenparse": text}, **layout}
    front = json.dumps(about, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    front += b" " * (-len(front) % 8)
    return struct.pack("<Q", len(front)) + front


def read_container(path: str | Path) -> tuple[str, Header, dict[str, AnyArray]]:
    """Kind, header and arrays of a file whose checksum is right and whose numbers are finite.

    Raises ModelFileError with one sentence if the file is missing, truncated, altered or not a model.
    """
    document, data = _read(Path(path))
    try:
        arrays = {name: _array(name, part) for name, part in deserialize(data)}  # type: ignore[no-untyped-call]
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
        if array.dtype.kind == "f" and array.size and not np.isfinite([array.min(), array.max()]).all():
            raise ModelFileError(f"{path}: array {name!r} holds values that are not numbers; train it again")
    return kind, header, arrays


def _array(name: str, part: Header) -> AnyArray:
    """One array over the bytes that safetensors found for it."""
    array = np.frombuffer(part["data"], dtype=np.dtype(DTYPES[part["dtype"]])).reshape(part["shape"])
    if array.dtype == np.bool_ and np.any(array.view(np.uint8) > 1):
        raise ValueError(f"array {name!r} has bytes that are neither true nor false")
    return array


def model_kind(path: str | Path) -> str:
    """The kind of a model file, from its header alone."""
    document, _ = _read(Path(path), header_only=True)
    return str(document.get("kind"))


def _read(path: Path, *, header_only: bool = False) -> tuple[Header, bytes]:
    """The JSON document and all bytes of a file that looks like ours."""
    try:
        if path.exists() and not path.is_file():
            raise ModelFileError(f"{path}: not a regular file; name a file that `eigenparse train` wrote")
        with path.open("rb") as stream:
            head = stream.read(8)
            size = os.fstat(stream.fileno()).st_size
            length = struct.unpack("<Q", head)[0] if len(head) == 8 else 0
            if not 2 <= length <= min(size - 8, MAX_HEADER_BYTES):
                kind = recognise(head + stream.read(HEAD))
                raise ModelFileError(
                    f"{path}: not an eigenparse model, or cut short; check the path or copy it again"
                    if kind in ("model", "binary", "empty")
                    else f"{path}: not an eigenparse model but {NAMES[kind]}; name a file that "
                    "`eigenparse train` wrote, or en"
                )
            text = stream.read(length)
            data = b"" if header_only else head + text + stream.read()
    except OSError as problem:
        raise ModelFileError(f"{path}: cannot be read ({problem.strerror}); check the path") from None
    try:
        layout = strict_json(text)
        document = strict_json(layout.pop("__metadata__")["eigenparse"])
        version = document["version"]
        if b"\\ud" in text or b"\\uD" in text:  # an unpaired surrogate, which cannot be printed
            json.dumps((layout, document), ensure_ascii=False).encode()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ModelFileError(f"{path}: not an eigenparse model; check the path or train it again") from None
    if version != FORMAT_VERSION:
        raise ModelFileError(
            f"{path}: model format {str(version)[:20]!r} is not format {FORMAT_VERSION}; "
            "use the eigenparse that wrote it"
        )
    return document, data


def strict_json(text: str | bytes) -> Any:
    """A JSON document; repeated keys, very large integers, infinity and NaN are refused."""
    return json.loads(
        text, object_pairs_hook=_unique_keys, parse_int=_whole, parse_float=_finite, parse_constant=_finite
    )


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError("an integer is too large")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a value is not a number")
    return value


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A dictionary, refusing keys that occur twice."""
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key occurs twice")
    return result
