"""Schedulers, workers and commands as processes of their own, none of which outlives its block."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

WAIT = 300.0  # seconds for anything to happen
ROOT = pathlib.Path(__file__).parents[2]
PLACES = os.pathsep.join([str(ROOT), str(ROOT / "src")])  # where tasks of tests are found, too


def until(happened: Callable[[], bool], process: "subprocess.Popen[bytes] | None" = None) -> None:
    """Wait for something, or for the end of a process that should bring it about."""
    end = time.monotonic() + WAIT
    while not happened() and time.monotonic() < end:
        if process is not None and process.poll() is not None:
            return
        time.sleep(0.02)


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or only waits to be forgotten."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


@contextmanager
def started(*words: object) -> Iterator["subprocess.Popen[bytes]"]:
    """A process of its own, which does not outlive the block."""
    process = subprocess.Popen(
        [sys.executable, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": PLACES, "DASK_DISTRIBUTED__WORKER__LIFETIME__RESTART": "false"},
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=WAIT)


@dataclass(frozen=True, slots=True)
class SmallCluster:
    """A scheduler and its workers, each a process."""

    scheduler: "subprocess.Popen[bytes]"
    address: str
    workers: "tuple[subprocess.Popen[bytes], ...]"


def worker_words(address: str, folder: pathlib.Path) -> tuple[object, ...]:
    """The command of a worker that nobody starts again."""
    options = ("--nthreads", 1, "--no-nanny", "--no-dashboard", "--local-directory", folder)
    return ("-m", "distributed.cli.dask_worker", address, *options)


@contextmanager
def small_cluster(folder: pathlib.Path, n_workers: int = 2) -> Iterator[SmallCluster]:
    """A scheduler and some workers."""
    note = folder / "scheduler.json"
    with ExitStack() as stack:
        words = ("-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", 0, "--no-dashboard")
        scheduler = stack.enter_context(started(*words, "--scheduler-file", note))
        until(lambda: note.is_file() and note.read_text().endswith("}"), scheduler)
        address = json.loads(note.read_text())["address"]
        words = worker_words(address, folder)
        workers = tuple(stack.enter_context(started(*words, "--name", k)) for k in range(n_workers))
        if workers:
            from distributed import Client

            with Client(address, set_as_default=False, timeout=WAIT) as client:
                client.wait_for_workers(n_workers, timeout=WAIT)
        yield SmallCluster(scheduler, address, workers)


# Tasks; they are here because processes find this module by the name that it has in pytest.


def small_step(k: int) -> int:
    time.sleep(0.05)
    return k


def long_step(k: int) -> int:
    time.sleep(12)
    return k


def be_killed(k: int) -> int:
    """End as the kernel ends a process for which there is no memory."""
    os.kill(os.getpid(), signal.SIGKILL)
    return k


def note_and_sleep(folder: str) -> None:
    (pathlib.Path(folder) / f"{os.getpid()}.pid").touch()
    time.sleep(600)
