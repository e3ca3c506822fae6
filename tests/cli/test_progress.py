"""What is said on a terminal, and only there."""

import pathlib
import sys

import pytest

import eigenparse.cli.progress as progress


@pytest.fixture
def package(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """An installed package whose kernels were never compiled."""
    (tmp_path / "kernels" / "grammar" / "__pycache__").mkdir(parents=True)
    monkeypatch.setattr(progress, "__file__", str(tmp_path / "cli" / "progress.py"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    return tmp_path / "kernels" / "grammar"


def test_the_first_use_is_announced_once(
    package: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress.announce_first_use("parse")
    assert "the first time only" in capsys.readouterr().err
    (package / "__pycache__" / "chart.fill-12.py311.nbi").touch()
    progress.announce_first_use("parse")
    assert capsys.readouterr().err == ""


def test_pipes_and_verbs_without_kernels_stay_silent(
    package: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress.announce_first_use("draw")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    progress.announce_first_use("parse")
    assert capsys.readouterr().err == ""


def test_every_verb_names_a_module_that_exists() -> None:
    kernels = pathlib.Path(progress.__file__).parent.parent / "kernels"
    assert all((kernels / f"{name}.py").exists() for name in progress.KERNELS.values())
