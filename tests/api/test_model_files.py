"""Model files against the reference library, and hostile ones against a sentence."""

import json
import pathlib
import struct

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load, save

from eigenparse.errors import ModelFileError
from eigenparse.models.container import DTYPES, digest, model_kind, read_container, write_container

ARRAYS = {
    "double": np.arange(6.0).reshape(2, 3),
    "single": np.arange(3, dtype=np.float32),
    "ids": np.arange(5, dtype=np.int32),
    "long": np.arange(2),
    "flags": np.array([True, False, True]),
    "bytes": np.arange(7, dtype=np.uint8),
    "none": np.empty((0, 4)),
}


def test_what_is_written_is_read_as_the_reference_library_reads_it(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "m"
    write_container(path, kind="k", header={"a": [1, "ü"]}, arrays=ARRAYS)
    kind, header, arrays = read_container(path)
    theirs = load(path.read_bytes())
    assert (kind, header, model_kind(path)) == ("k", {"a": [1, "ü"]}, "k")
    assert set(arrays) == set(ARRAYS) == set(theirs)
    for name, array in ARRAYS.items():
        for found in (arrays[name], theirs[name]):
            assert found.dtype == array.dtype
            assert found.shape == array.shape
            assert np.array_equal(found, array)
        assert arrays[name].flags.aligned
        assert arrays[name].flags.writeable


def test_bytes_are_those_of_the_reference_library(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "m"
    every = ARRAYS | {f'{k}ü"{name}': np.ones(3, dtype=name) for k, name in enumerate(DTYPES.values())}
    write_container(path, kind="k", header={"a": [1, "ü", 'x"y\u2028']}, arrays=every)
    with safe_open(path, "numpy") as file:
        assert path.read_bytes() == save(every, metadata=file.metadata())


def rewritten(folder: pathlib.Path, change: object, *, tail: bytes = b"") -> pathlib.Path:
    """A file whose layout was changed by ``change(layout)`` while its checksum still fits."""
    arrays = {name: ARRAYS[name] for name in ("double", "ids")}
    text = json.dumps({"version": 1, "kind": "k", "sha256": digest(arrays), "header": {}})
    whole = save(arrays, metadata={"eigenparse": text})
    length = struct.unpack("<Q", whole[:8])[0]
    layout = json.loads(whole[8 : 8 + length])
    change(layout)  # type: ignore[operator]
    new = json.dumps(layout).encode()
    path = folder / "hostile"
    path.write_bytes(struct.pack("<Q", len(new)) + new + whole[8 + length :] + tail)
    return path


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("shape", [2, 4]),
        ("shape", [-2, -3]),
        ("shape", [2**40, 3]),
        ("shape", ["2", 3]),
        ("dtype", "F32"),
        ("dtype", "OBJECT"),
        ("data_offsets", [0, 2**50]),
        ("data_offsets", [8, 56]),
        ("data_offsets", [-48, 0]),
        ("data_offsets", [0]),
        ("data_offsets", None),
    ],
)
def test_layouts_that_lead_astray_are_refused(tmp_path: pathlib.Path, key: str, value: object) -> None:
    path = rewritten(tmp_path, lambda layout: layout["double"].update({key: value}))
    with pytest.raises(ModelFileError):
        read_container(path)


def test_nothing_may_be_left_over_or_missing(tmp_path: pathlib.Path) -> None:
    assert read_container(rewritten(tmp_path, lambda layout: None))[0] == "k"
    with pytest.raises(ModelFileError, match="not fully covered"):
        read_container(rewritten(tmp_path, lambda layout: None, tail=b"more"))
    with pytest.raises(ModelFileError):
        read_container(rewritten(tmp_path, lambda layout: layout.pop("ids")))
    with pytest.raises(ModelFileError):
        read_container(rewritten(tmp_path, lambda layout: layout.update({"ids": layout["double"]})))
    with pytest.raises(ModelFileError):
        read_container(rewritten(tmp_path, lambda layout: layout.update({"ids": 7})))


def test_values_that_are_no_numbers_are_refused(tmp_path: pathlib.Path) -> None:
    write_container(tmp_path / "m", kind="k", header={}, arrays={"a": np.array([1.0, np.nan])})
    with pytest.raises(ModelFileError, match="not numbers"):
        read_container(tmp_path / "m")
