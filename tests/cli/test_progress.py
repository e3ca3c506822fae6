"""The first use of kernels on a machine is announced, once."""

import importlib.util
import pathlib
from dataclasses import replace

import pytest

from eigenparse.batch.first_use import announce_first_use
from eigenparse.models.registry import Kind, kinds
from eigenparse.models.schema import Schema

KIND = Kind("new", "a new one", "train new", Schema(), "somewhere:Model", kernels="fresh.kernels")


@pytest.fixture
def package(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """An installed package whose kernels were never compiled."""
    (tmp_path / "fresh" / "__pycache__").mkdir(parents=True)
    for name in ("__init__", "kernels"):
        (tmp_path / "fresh" / f"{name}.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    return tmp_path / "fresh"


def test_the_first_use_is_announced_once(package: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    announce_first_use(KIND)
    said = capsys.readouterr().err
    assert "the first time only" in said
    assert said.count("\n") == 1
    (package / "__pycache__" / "kernels.fill-12.py311.nbi").touch()
    announce_first_use(KIND)
    assert capsys.readouterr().err == ""


def test_kinds_without_kernels_and_kept_caches_stay_silent(
    package: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    announce_first_use(replace(KIND, kernels=None))
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/nowhere")
    announce_first_use(KIND)
    assert capsys.readouterr().err == ""


def test_every_kind_names_a_module_that_exists() -> None:
    for kind in kinds():
        if kind.kernels is not None:
            assert importlib.util.find_spec(kind.kernels) is not None
