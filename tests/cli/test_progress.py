"""What somebody who waits is told: the first use of kernels on a machine, once; how far work is, and what remains."""

import gzip
import importlib.util
import io
import json
import pathlib
import re
import socket
import sys
import time
from dataclasses import replace
from unittest import mock

import pytest
from tests.cli.calls import call

from eigenparse.batch.first_use import announce_first_use
from eigenparse.batch.inputs import n_sentences
from eigenparse.batch.requests import ParseRequest
from eigenparse.errors import DataError
from eigenparse.models.registry import Kind, kinds
from eigenparse.models.schema import Schema
from eigenparse.serve import frames, nursery
from eigenparse.work.progress import shown, tell

KIND = Kind("new", "a new one", "train new", Schema(), "somewhere:Model", kernels="fresh.kernels")


@pytest.fixture
def package(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """An installed package whose kernels were never compiled."""
    (tmp_path / "fresh" / "__pycache__").mkdir(parents=True)
    for name in ("__init__", "kernels"):
        (tmp_path / "fresh" / f"{name}.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "fresh", raising=False)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    return tmp_path / "fresh"


def test_the_first_use_is_announced_once(package: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    announce_first_use(KIND)
    said = capsys.readouterr().err
    assert "first run only" in said
    assert said.count("\n") == 1
    (package / "__pycache__" / "kernels.fill-12.py311.nbi").touch()
    announce_first_use(KIND)
    assert capsys.readouterr().err == ""


def test_a_first_training_is_announced_after_a_first_parse(
    package: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (package / "learning.py").touch()
    (package / "__pycache__" / "kernels.fill-12.py311.nbi").touch()
    kind = replace(KIND, learning="fresh.learning")
    announce_first_use(kind)
    assert capsys.readouterr().err == ""
    announce_first_use(kind, learning=True)
    assert "first training only" in capsys.readouterr().err
    (package / "__pycache__" / "learning.sums-3.py311.nbi").touch()
    announce_first_use(kind, learning=True)
    assert capsys.readouterr().err == ""


def test_the_process_that_loads_the_model_says_first_that_it_compiles(
    model: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ours, theirs = socket.socketpair()
    monkeypatch.setattr(nursery, "announce_first_use", lambda kind: tell(f"compiling {kind.name}"))
    monkeypatch.setattr(nursery, "make_bench", mock.Mock(side_effect=DataError("enough")))
    monkeypatch.setattr(nursery.signal, "signal", mock.Mock())
    settings = json.dumps({"path": str(model), "universal": None})
    monkeypatch.setattr(sys, "argv", ["nursery", str(theirs.detach()), settings])
    nursery.main()
    with ours:
        assert frames.receive(ours) == (frames.REFUSED, b'["DataError", "enough"]', False)
    assert capsys.readouterr().err.splitlines()[0] == "eigenparse: compiling lpcfg-packed"


def test_kinds_without_kernels_and_kept_caches_stay_silent(
    package: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    announce_first_use(replace(KIND, kernels=None))
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/nowhere")
    announce_first_use(KIND)
    assert capsys.readouterr().err == ""


def test_every_kind_names_a_module_that_exists() -> None:
    for kind in kinds():
        for module in (kind.kernels, kind.learning):
            assert module is None or importlib.util.find_spec(module) is not None


class Terminal(io.StringIO):
    """A screen that keeps what was written to it."""

    def isatty(self) -> bool:
        return True


def test_remaining_time_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with shown("parsing") as progress:
        for done in range(1, 8):
            progress("sentences", done, 10)
            time.sleep(0.12)  # the bar is drawn ten times a second
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue())
    assert "parsing: sentences" in text
    assert re.search(r"[5-7]/10 0:00:0\d 0:00:0\d", text)


@pytest.mark.parametrize(
    ("content", "n"),
    [
        ("a b .\nc d .\n\n", 3),
        ("A dog barks.\nIt sees us.\n", 2),
        ("A dog barks. It\nsees us. And\nruns.\n", None),
        ("1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n\n" * 4, 4),
        ("(TOP (S (NN dog)))\n", None),
    ],
)
def test_a_file_says_how_much_there_is(tmp_path: pathlib.Path, content: str, n: int | None) -> None:
    (tmp_path / "t").write_text(content)
    assert n_sentences(ParseRequest(source=tmp_path / "t")) == n
    (tmp_path / "t").write_bytes(gzip.compress(content.encode()))
    assert n_sentences(ParseRequest(source=tmp_path / "t")) is None


def test_parsing_tells_how_far_it_is(model: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (tmp_path / "t.txt").write_text("the man saw the dog .\n" * 5)
    told = []
    with mock.patch("eigenparse.work.work.shown") as show:
        show.return_value.__enter__.return_value = lambda *words: told.append(words)
        done = call("parse", model, tmp_path / "t.txt", "--output", tmp_path / "out")
    assert done.code == 0, done.err
    assert told[-1] == ("sentences", 5, 5)
    assert done.err.strip().endswith("5 lines, 30 words: 5 ok")
