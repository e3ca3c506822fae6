"""A test that hangs fails, and says where it hung."""

import pathlib
import subprocess
import sys

import pytest


def test_every_test_has_a_time_limit(pytestconfig: pytest.Config) -> None:
    assert 0 < float(pytestconfig.getini("timeout")) <= 900


def test_a_hang_becomes_a_failure_with_a_name(tmp_path: pathlib.Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import threading\n\ndef test_that_hangs():\n    threading.Event().wait()\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", "timeout=2", "-o",
         "timeout_method=thread", str(tmp_path)],
        capture_output=True, text=True, timeout=120, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode != 0
    assert "in test_that_hangs" in done.stdout + done.stderr
