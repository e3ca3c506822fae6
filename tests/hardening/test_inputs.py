"""Hostile models, corpora and texts, one trick a test: a sentence, little memory, no harm."""

import bz2
import gzip
import hashlib
import json
import lzma
import os
import pathlib
import struct
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from tests.cli.calls import call
from tests.hardening.targets import refused_or_read

from eigenparse.corpus import files
from eigenparse.corpus.brackets import parse_trees
from eigenparse.corpus.conllu import read_conllu
from eigenparse.corpus.files import read_bytes
from eigenparse.corpus.label_sources import read_labelled
from eigenparse.errors import FormatError, ModelFileError, ResourceError
from eigenparse.evaluate.evalb_params import read_params
from eigenparse.models.container import digest, model_kind, read_container, write_container

MEGABYTE = 1 << 20


@contextmanager
def little_memory(limit: int) -> Iterator[None]:
    """Fail if more than ``limit`` bytes are held at any moment."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < limit
    finally:
        tracemalloc.stop()


def written(path: pathlib.Path, document: Any, layout: dict[str, Any], data: bytes = b"") -> pathlib.Path:
    """A safetensors file with any layout."""
    text = document if isinstance(document, str) else json.dumps(document)
    head = json.dumps({"__metadata__": {"eigenparse": text}, **layout}).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + data)
    return path


def document(arrays: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"version": 1, "kind": "test", "sha256": digest(arrays), "header": {}, **more}


def test_a_sound_file_is_read(tmp_path: pathlib.Path) -> None:
    value = np.arange(3.0)
    layout = {"a": {"dtype": "F64", "shape": [3], "data_offsets": [0, 24]}}
    path = written(tmp_path / "m", document({"a": value}), layout, value.tobytes())
    assert np.array_equal(read_container(path)[2]["a"], value)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 7,
        struct.pack("<Q", 2**63) + b"{}",
        struct.pack("<Q", 2**30) + b"{}",
        struct.pack("<Q", 2) + b"{}",
        struct.pack("<Q", 2) + b"[]",
        struct.pack("<Q", 100_000) + b"[" * 100_000,
        b"\x80\x04\x95" + b"pickle" * 10,
        b"PK\x03\x04" + b"\0" * 50,
    ],
    ids=["empty", "short", "huge", "1GB", "bare", "list", "deep", "pickle", "zip"],
)
def test_foreign_heads(tmp_path: pathlib.Path, content: bytes) -> None:
    path = tmp_path / "m"
    path.write_bytes(content)
    with little_memory(8 * MEGABYTE):
        for read in (read_container, model_kind):
            with pytest.raises(ModelFileError, match="not an eigenparse model"):
                read(path)


def test_a_header_of_one_gigabyte_is_not_read(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "m"
    with path.open("wb") as stream:
        stream.write(struct.pack("<Q", 2**30))
        stream.truncate(2**30 + 100)  # holes: no disk is used
    with little_memory(MEGABYTE), pytest.raises(ModelFileError, match="not an eigenparse model"):
        read_container(path)


BAD_LAYOUTS: dict[str, dict[str, Any]] = {
    "shape larger than data": {"a": {"dtype": "F64", "shape": [2**40], "data_offsets": [0, 24]}},
    "overflowing shape": {"a": {"dtype": "F64", "shape": [2**63, 2**63], "data_offsets": [0, 24]}},
    "end beyond the file": {"a": {"dtype": "F64", "shape": [2**36], "data_offsets": [0, 2**39]}},
    "negative shape": {"a": {"dtype": "F64", "shape": [-3], "data_offsets": [0, 24]}},
    "true as a size": {"a": {"dtype": "U8", "shape": [True, 24], "data_offsets": [0, 24]}},
    "overlap": {
        "a": {"dtype": "F64", "shape": [3], "data_offsets": [0, 24]},
        "b": {"dtype": "F64", "shape": [2], "data_offsets": [8, 24]},
    },
    "gap": {"a": {"dtype": "F64", "shape": [2], "data_offsets": [8, 24]}},
    "rest": {"a": {"dtype": "F64", "shape": [2], "data_offsets": [0, 16]}},
    "foreign type": {"a": {"dtype": "O", "shape": [3], "data_offsets": [0, 24]}},
    "no place": {"a": {"dtype": "F64", "shape": [3]}},
    "text as place": {"a": {"dtype": "F64", "shape": [3], "data_offsets": "xy"}},
    "many dimensions": {"a": {"dtype": "F64", "shape": [1] * 99 + [3], "data_offsets": [0, 24]}},
}


@pytest.mark.parametrize("name", BAD_LAYOUTS)
def test_layouts_that_lead_astray(tmp_path: pathlib.Path, name: str) -> None:
    value = np.arange(3.0)
    path = written(tmp_path / "m", document({"a": value}), BAD_LAYOUTS[name], value.tobytes())
    with little_memory(MEGABYTE), pytest.raises(ModelFileError):
        read_container(path)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_no_numbers(tmp_path: pathlib.Path, value: float) -> None:
    write_container(tmp_path / "m", kind="test", header={}, arrays={"a": np.array([1.0, value])})
    with pytest.raises(ModelFileError, match="not numbers"):
        read_container(tmp_path / "m")


def test_keys_that_occur_twice(tmp_path: pathlib.Path) -> None:
    for text in ('{"version": 1, "version": 1}', '{"version": 1, "kind": "a", "kind": "b", "header": {}}'):
        path = written(tmp_path / "m", text, {})
        with pytest.raises(ModelFileError, match="not an eigenparse model"):
            read_container(path)


def test_changed_bytes_meet_the_checksum(tmp_path: pathlib.Path) -> None:
    write_container(tmp_path / "m", kind="test", header={"x": 1}, arrays={"a": np.arange(4.0)})
    content = bytearray((tmp_path / "m").read_bytes())
    content[-1] ^= 1
    (tmp_path / "m").write_bytes(content)
    with pytest.raises(ModelFileError, match="checksum"):
        read_container(tmp_path / "m")


@pytest.mark.parametrize("name", ["../../escape", "/etc/passwd", "a\0b", "C:\\x", "~"])
def test_names_of_arrays_are_never_paths(tmp_path: pathlib.Path, name: str) -> None:
    before = sorted(tmp_path.parent.rglob("*"))
    folder = tmp_path / "here"
    folder.mkdir()
    write_container(folder / "m", kind="test", header={}, arrays={name: np.arange(2.0)})
    assert list(read_container(folder / "m")[2]) == [name]
    assert sorted(tmp_path.parent.rglob("*")) == sorted([*before, folder, folder / "m"])


def test_special_files_are_refused(tmp_path: pathlib.Path) -> None:
    """A pipe would wait for ever, a device would never end."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", pathlib.Path("/dev/zero"), tmp_path):
        with pytest.raises(ModelFileError):
            read_container(path)
        assert call("parse", path, stdin="a\n").code == 1


def test_a_version_from_the_future_is_named_briefly(tmp_path: pathlib.Path) -> None:
    path = written(tmp_path / "m", {"version": "\x1b[2J" * 1000}, {})
    with pytest.raises(ModelFileError) as caught:
        read_container(path)
    assert len(str(caught.value)) < 300
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
def test_zip_bombs(tmp_path: pathlib.Path, pack: Any) -> None:
    """64 MB are always allowed, beyond that 200 times the packed size."""
    path = tmp_path / "bomb.ptb"
    path.write_bytes(pack(b"(" * (80 * MEGABYTE)))
    with little_memory(200 * MEGABYTE), pytest.raises(ResourceError, match="after unpacking"):
        read_bytes(path)
    assert read_bytes_of(tmp_path, pack(b"(A b)\n" * 1000)) == b"(A b)\n" * 1000


def read_bytes_of(folder: pathlib.Path, content: bytes) -> bytes:
    (folder / "packed").write_bytes(content)
    return read_bytes(folder / "packed")


def test_xz_that_asks_for_memory(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = lzma.compress(b"(A b)\n" * 9, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 512 * MEGABYTE}])
    with pytest.raises(FormatError, match="damaged"):
        read_bytes_of(tmp_path, packed)
    two = lzma.compress(b"(A b)\n") + lzma.compress(b"(C d)\n") + b"\0" * 8
    assert read_bytes_of(tmp_path, two) == b"(A b)\n(C d)\n"
    with pytest.raises(FormatError, match="damaged"):
        read_bytes_of(tmp_path, lzma.compress(b"(A b)\n" * 9)[:-20])


def test_one_line_without_end(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines for ``parse`` are held one at a time, and none longer than 10 MB."""
    from eigenparse.batch.lines import open_lines

    path = tmp_path / "long.gz"
    path.write_bytes(gzip.compress(b"a" * (60 * MEGABYTE)))
    with little_memory(45 * MEGABYTE), pytest.raises(FormatError, match="too long"):
        list(open_lines(path))


STRANGE = {
    "not UTF-8": b"\xff\xfe\x00a",
    "broken UTF-8": b"abc \xe2\x82 def\n",
    "surrogate": b"abc \xed\xa0\x80\n",
    "NUL": b"a\0b c\n",
    "escape": b"\x1b[2Jx y\n",
    "right to left": "\u202eabc \u2066x\u2069\n".encode(),
    "line separators": "a\u2028b\u0085c\n".encode(),
    "a megabyte": b"word " * 200_000 + b"\n",
    "one word of a megabyte": b"w" * MEGABYTE + b"\n",
    "only brackets": b"(" * 200_000,
    "no line ends": b"1\ta\t_\n" * 1000,
}


@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize(
    "read", [read_conllu, read_labelled, read_params, lambda path: parse_trees(path.read_bytes())],
    ids=["conllu", "columns", "prm", "brackets"],
)  # fmt: skip
def test_strange_texts(name: str, read: Any, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(STRANGE[name])
    refused_or_read(read, path)


@pytest.mark.parametrize("name", [n for n in STRANGE if n not in ("a megabyte", "one word of a megabyte")])
def test_strange_sentences_are_parsed_or_refused(
    name: str, tmp_path: pathlib.Path, model: pathlib.Path
) -> None:
    path = tmp_path / "text"
    path.write_bytes(STRANGE[name])
    done = call("parse", model, path, "--max-length", 50)
    assert done.code in (0, 1)
    assert "Traceback" not in done.err
    if done.code == 0:
        assert len(done.lines) == STRANGE[name].decode().rstrip("\n").count("\n") + 1


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("grammar")
    (folder / "t.ptb").write_text("(TOP (S (NP (NNS dogs)) (VP (VBD saw) (NP (NNS men)))))\n" * 20)
    assert call("train", "lpcfg", folder / "t.ptb", "--states", 2, "--out", folder / "m").code == 0
    return folder / "m"


def test_limits_of_parse(model: pathlib.Path) -> None:
    """--max-length skips with an empty line, --memory narrows the search; each line keeps its place."""
    long = "dogs saw men " * 40
    done = call("parse", model, "--max-length", 10, stdin=f"dogs saw men\n{long}\nmen saw dogs\n")
    assert done.code == 0
    assert [bool(line) for line in done.lines] == [True, False, True]
    assert "--max-length" in done.err
    narrow = call("parse", model, "--memory", 1, stdin=f"{long}\n")
    assert narrow.code == 0
    assert narrow.lines[0].startswith("(TOP")


def test_read_only_folders_are_refused_before_the_work(tmp_path: pathlib.Path, model: pathlib.Path) -> None:
    done = call("train", "lpcfg", model.parent / "t.ptb", "--out", tmp_path / "absent" / "m")
    assert done.code == 1
    assert "cannot be written" in done.err


def test_the_checksum_covers_names_types_and_shapes() -> None:
    value = np.arange(4, dtype=np.int32)
    digests = {
        digest({"a": value}), digest({"b": value}), digest({"a": value.reshape(2, 2)}), digest({"a": value.view("u4")})
    }  # fmt: skip
    assert len(digests) == 4
    assert all(len(text) == hashlib.sha256().digest_size * 2 for text in digests)
    assert files.LIMIT == 2**31 - 1
