"""A scheduler that is killed leaves a sentence and a checkpoint; the same command goes on from there without it."""

import pathlib
import signal
import subprocess
import sys
from contextlib import ExitStack

import pytest
from tests.run.conftest import inside
from tests.run.processes import WAIT, small_cluster, started, until

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
ENSEMBLE = ["train", "lpcfg", "train.ptb", "--states", 2, "--em-rounds", 2, "--ensemble", 4]
ARCS = ["train", "dependency", "train.conllu", "--passes", 150, "--bits", 12]
PATIENT = "from eigenparse.cli.main import main; main()"
EAGER = (  # a checkpoint after every pass, and few seconds for a scheduler to come back
    "from eigenparse.work import kept; kept.SECONDS = 0.0;"
    "from eigenparse.run import cluster; cluster.SECONDS = 4;" + PATIENT
)


@pytest.mark.parametrize(
    "command",
    [pytest.param(ENSEMBLE, id="ensemble"), pytest.param(ARCS, id="passes", marks=pytest.mark.thorough)],
)
def test_a_killed_scheduler_leaves_a_checkpoint(
    folder: pathlib.Path, tmp_path: pathlib.Path, command: list[object]
) -> None:
    given, out = inside(folder, command), tmp_path / "a.model"
    parts = tmp_path / "a.model.checkpoint"
    with ExitStack() as stack:
        cluster = stack.enter_context(small_cluster(tmp_path))
        words = ("-c", EAGER, *given, "--out", out, "--cluster", cluster.address)
        learning = stack.enter_context(started(*words))
        until(lambda: any(parts.glob("[!.]*.part")), learning)
        cluster.scheduler.send_signal(signal.SIGKILL)
        _, err = learning.communicate(timeout=WAIT)
    told = err.decode()
    assert learning.returncode == 1, told
    assert "the scheduler went away" in told
    assert "--resume" in told
    assert "Traceback" not in told
    assert any(parts.glob("[!.]*.part"))
    assert not out.exists()
    for more in (("--resume", "--out", out), ("--out", tmp_path / "whole.model")):
        done = subprocess.run(
            [sys.executable, "-c", PATIENT, *map(str, (*given, *more))], capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
    assert out.read_bytes() == (tmp_path / "whole.model").read_bytes()
    assert not parts.exists()
