"""A scheduler that is killed leaves a sentence and a checkpoint; the same command goes on from there without it."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest
from tests.run.test_cluster import inside

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
WAIT = 120.0  # seconds for anything to happen
ENSEMBLE = ["train", "lpcfg", "train.ptb", "--states", 2, "--em-rounds", 2, "--ensemble", 4]
ARCS = ["train", "dependency", "train.conllu", "--passes", 40, "--bits", 12]
PATIENT = "from eigenparse.cli.main import main; main()"
EAGER = (  # a checkpoint after every pass, and few seconds for a scheduler to come back
    "from eigenparse.learn import checkpoint; checkpoint.open_checkpoint.__kwdefaults__['seconds'] = 0.0;"
    "from eigenparse.run import cluster; cluster.SECONDS = 4;" + PATIENT
)


def until(happened: Callable[[], bool], process: "subprocess.Popen[bytes] | None" = None) -> None:
    """Wait for something, or for the end of a process that should bring it about."""
    end = time.monotonic() + WAIT
    while not happened() and time.monotonic() < end:
        if process is not None and process.poll() is not None:
            return
        time.sleep(0.02)


@contextmanager
def started(*words: object) -> Iterator["subprocess.Popen[bytes]"]:
    """A process of its own, which does not outlive the block."""
    process = subprocess.Popen(
        [sys.executable, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env={**os.environ, "DASK_DISTRIBUTED__WORKER__LIFETIME__RESTART": "false"},
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=WAIT)


@contextmanager
def small_cluster(folder: pathlib.Path) -> Iterator[tuple["subprocess.Popen[bytes]", str]]:
    """A scheduler and two workers, each a process; the scheduler and its address."""
    note = folder / "scheduler.json"
    with ExitStack() as stack:
        words = ("-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", 0, "--no-dashboard")
        scheduler = stack.enter_context(started(*words, "--scheduler-file", note))
        until(lambda: note.is_file() and note.read_text().endswith("}"), scheduler)
        address = json.loads(note.read_text())["address"]
        for name in ("one", "two"):
            words = (
                "-m",
                "distributed.cli.dask_worker",
                address,
                "--nthreads",
                1,
                "--no-nanny",
                "--no-dashboard",
            )
            stack.enter_context(started(*words, "--name", name, "--local-directory", folder))
        yield scheduler, address


@pytest.mark.parametrize("command", [ENSEMBLE, ARCS], ids=["ensemble", "passes"])
def test_a_killed_scheduler_leaves_a_checkpoint(
    folder: pathlib.Path, tmp_path: pathlib.Path, command: list[object]
) -> None:
    given, out = inside(folder, command), tmp_path / "a.model"
    parts = tmp_path / "a.model.checkpoint"
    with ExitStack() as stack:
        scheduler, address = stack.enter_context(small_cluster(tmp_path))
        words = ("-c", EAGER, *given, "--out", out, "--cluster", address)
        learning = stack.enter_context(started(*words))
        until(lambda: any(parts.glob("*.part-of-model")), learning)
        scheduler.send_signal(signal.SIGKILL)
        _, err = learning.communicate(timeout=WAIT)
    told = err.decode()
    assert learning.returncode == 1, told
    assert "the scheduler went away" in told
    assert "--resume" in told
    assert "Traceback" not in told
    assert any(parts.glob("*.part-of-model"))
    assert not out.exists()
    for more in (("--resume", "--out", out), ("--out", tmp_path / "whole.model")):
        done = subprocess.run(
            [sys.executable, "-c", PATIENT, *map(str, (*given, *more))], capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
    assert out.read_bytes() == (tmp_path / "whole.model").read_bytes()
    assert not parts.exists()
