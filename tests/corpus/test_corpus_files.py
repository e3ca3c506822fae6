"""Finding, unpacking and writing files."""

import bz2
import gzip
import io
import lzma
import pathlib

import pytest

from eigenparse.corpus.brackets import parse_trees, read_trees
from eigenparse.corpus.files import find_files, read_bytes, read_text, write_whole
from eigenparse.errors import DataError, FormatError, ResourceError

TEXT = "\ufeff( (S (NN é)) )\r\n(X y)\r\n".encode()
PLAIN = TEXT[3:]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, bz2.compress])
def test_packed_files_read_alike(pack: "type[bytes]", tmp_path: pathlib.Path) -> None:
    path = tmp_path / "trees.mrg"
    path.write_bytes(pack(TEXT))
    assert read_bytes(path) == PLAIN
    assert read_trees(path).words == ("é", "y")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(TEXT))))
    assert read_trees("-").words == ("é", "y")


def test_patterns(tmp_path: pathlib.Path) -> None:
    for name in ("b.mrg", "a.ptb.gz", "c/d.PSD", "c/e.tree.xz", "notes.md", ".hidden.mrg", "f.zip"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"(A b)")

    def names(*patterns: str) -> list[str]:
        return [str(path.relative_to(tmp_path)) for path in find_files([tmp_path / p for p in patterns])]

    assert names(".") == ["a.ptb.gz", "b.mrg", "c/d.PSD", "c/e.tree.xz"]
    assert names("b.mrg", "c") == ["b.mrg", "c/d.PSD", "c/e.tree.xz"]
    assert names("*.m*") == ["b.mrg", "notes.md"]
    assert names("**/*.xz") == ["c/e.tree.xz"]
    assert names("notes.md") == ["notes.md"]
    assert find_files("-") == [pathlib.Path("-")]
    (tmp_path / "c" / "[odd].mrg").write_bytes(b"(A b)")
    assert names("c/[odd].mrg") == ["c/[odd].mrg"]


def test_patterns_that_name_nothing(tmp_path: pathlib.Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"nothing\.mrg: no such file or directory; check the path"):
        find_files(tmp_path / "nothing.mrg")
    with pytest.raises(DataError, match=r"no such file"):
        find_files(tmp_path / "*.mrg")
    with pytest.raises(DataError, match=r"no file ends in \.ptb, .*; name the files themselves"):
        find_files(tmp_path / "empty")


def test_unpacking_stops_at_the_limit(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "bomb.mrg"
    path.write_bytes(gzip.compress(b" " * 3_000_000))
    with pytest.raises(ResourceError, match="more than 1000 bytes after unpacking; split the file"):
        read_bytes(path, limit=1000)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
def test_damaged_packing(pack: "type[bytes]", tmp_path: pathlib.Path) -> None:
    path = tmp_path / "cut.mrg"
    packed = pack(TEXT * 1000)
    for content in (packed[: len(packed) // 2], packed[:12], packed[:20] + b"\0" * 30 + packed[50:]):
        path.write_bytes(content)
        with pytest.raises(
            FormatError, match=r"cut\.mrg:1: the compressed file is damaged .*; copy or compress"
        ):
            read_bytes(path)


def test_encodings(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "other.mrg"
    path.write_bytes("(A b)".encode("utf-16"))
    with pytest.raises(
        FormatError, match=r"other\.mrg:1: the text is UTF-16 or UTF-32; convert the file to UTF-8"
    ):
        read_trees(path)
    path.write_bytes(b"(A b)\n# \xe9\n(A \xe9)\n")
    with pytest.raises(FormatError, match=r"other\.mrg:3: the text is not UTF-8"):
        read_trees(path)
    with pytest.raises(FormatError, match=r"other\.mrg:2: the text is not UTF-8"):
        read_text(path)
    path.write_bytes(TEXT)
    assert read_text(path) == PLAIN.decode()


def test_unreadable(tmp_path: pathlib.Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read_bytes(tmp_path)


def test_files_appear_whole_or_not_at_all(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out"
    write_whole(path, b"old")

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_devices_links_and_missing_directories(tmp_path: pathlib.Path) -> None:
    write_whole("/dev/null", b"gone")
    assert pathlib.Path("/dev/null").is_char_device()
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new"
    with pytest.raises(DataError, match=r"none/out: cannot be written .*; check the directory"):
        write_whole(tmp_path / "none" / "out", b"")


def test_bom_inside_text_is_text() -> None:
    assert parse_trees("(A \ufeffb)").words == ("\ufeffb",)
