"""Work on a cluster that nobody does ends with a sentence, and a signal ends every wait."""

import pathlib
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from tests.cli.calls import call
from tests.run.processes import (
    be_killed,
    has_ended,
    long_step,
    small_cluster,
    small_step,
    started,
    until,
    worker_words,
)

from eigenparse.errors import OptionError, ResourceError
from eigenparse.run.cluster import check_address, on_cluster
from eigenparse.run.local import on_this_machine
from eigenparse.run.presence import Presence

distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask and its event loop
LOADED = 240.0  # seconds more that a busy machine may take
MAIN = "from eigenparse.cli.main import main; main()"


@pytest.fixture(scope="module")
def deserted() -> Iterator[Any]:
    """A scheduler without workers."""
    with distributed.LocalCluster(n_workers=0, dashboard_address=None, host="127.0.0.1") as made:
        yield made


def test_a_cluster_without_workers_is_given_up(deserted: Any) -> None:
    begun = time.monotonic()
    with (
        on_cluster(deserted.scheduler_address, wait=2) as run,
        pytest.raises(ResourceError, match=r"no worker has stayed for 2 seconds.*start workers"),
    ):
        list(run.map_ordered(small_step, range(3)))
    assert 2 <= time.monotonic() - begun < 2 + LOADED


def test_all_workers_killed_at_once(tmp_path: pathlib.Path) -> None:
    with small_cluster(tmp_path) as cluster, on_cluster(cluster.address, wait=15) as run:
        results = run.map_ordered(small_step, range(10_000))
        assert [next(results), next(results)] == [0, 1]
        for worker in cluster.workers:
            worker.kill()
        begun = time.monotonic()
        with pytest.raises(ResourceError, match="no worker has stayed"):
            list(results)
        assert time.monotonic() - begun < 15 + LOADED


def test_a_worker_that_dies_again_and_again(tmp_path: pathlib.Path) -> None:
    """Each is seen by the scheduler, none lives long enough to finish anything."""
    dying = tmp_path / "dying.py"
    dying.write_text(
        "import os, threading\n"
        "async def dask_setup(worker):\n"
        "    threading.Timer(0.3, os._exit, (1,)).start()\n"
    )
    over = threading.Event()

    def start_again_and_again(address: str) -> None:
        while not over.is_set():
            with started(*worker_words(address, tmp_path), "--preload", dying) as worker:
                until(over.is_set, worker)

    with small_cluster(tmp_path, 0) as cluster, on_cluster(cluster.address, wait=10) as run:
        thread = threading.Thread(target=start_again_and_again, args=(cluster.address,))
        thread.start()
        begun = time.monotonic()
        try:
            with pytest.raises(ResourceError, match=r"no worker has stayed|workers died"):
                list(run.map_ordered(long_step, range(2)))
            assert time.monotonic() - begun < 10 + LOADED
        finally:
            over.set()
            thread.join()


def test_a_scheduler_that_stands_still(tmp_path: pathlib.Path) -> None:
    with small_cluster(tmp_path, 1) as cluster, on_cluster(cluster.address, wait=10) as run:
        results = run.map_ordered(small_step, range(10_000))
        next(results)
        cluster.scheduler.send_signal(signal.SIGSTOP)
        begun = time.monotonic()
        with pytest.raises(ResourceError, match=r"has not answered|went away"):
            list(results)
        assert time.monotonic() - begun < 10 + LOADED


def test_long_tasks_of_steady_workers_are_awaited(tmp_path: pathlib.Path) -> None:
    with small_cluster(tmp_path, 1) as cluster, on_cluster(cluster.address, wait=10) as run:
        assert list(run.map_ordered(long_step, range(1))) == [0]


def test_presence_trusts_only_who_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The law of giving up, on a clock of its own."""
    now = [0.0]
    monkeypatch.setattr("eigenparse.run.presence.time.monotonic", lambda: now[0])

    def given_up_at(workers: Any) -> float | None:
        now[0] = 0.0
        presence = Presence(None, 60.0)
        for tick in range(200):
            now[0] = float(tick)
            presence._note({name: {"id": name, "nthreads": 2} for name in workers(tick)})
            if presence.given_up:
                return now[0]
        return None

    assert given_up_at(lambda tick: []) == 60
    assert given_up_at(lambda tick: [f"w{tick}"]) == 60  # another one at each look
    assert given_up_at(lambda tick: ["w"]) is None
    assert given_up_at(lambda tick: ["w"] if tick < 30 else []) == 29 + 60
    assert given_up_at(lambda tick: ["w"] if tick > 50 else []) is None


def test_the_time_to_wait_is_an_option(deserted: Any, folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    out, place = tmp_path / "trees", ("--cluster", deserted.scheduler_address, "--wait", 1)
    done = call("parse", folder / "lpcfg.model", folder / "text", "--output", out, *place)
    assert done.code == 1
    assert "no worker has stayed for 1 seconds" in done.err
    assert list(tmp_path.iterdir()) == []
    done = call("train", "lpcfg", folder / "train.ptb", "--states", 2, "--ensemble", 2, "--out", out, *place)
    assert done.code == 1
    assert "no worker has stayed for 1 seconds" in done.err
    assert not out.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_wait_for_a_cluster(
    deserted: Any, folder: pathlib.Path, tmp_path: pathlib.Path, number: int
) -> None:
    out = tmp_path / "trees"
    words = ("parse", folder / "lpcfg.model", folder / "text", "--output", out)
    with started("-c", MAIN, *words, "--cluster", deserted.scheduler_address) as waiting:
        until(lambda: bool(deserted.scheduler.tasks), waiting)
        begun = time.monotonic()
        waiting.send_signal(number)
        _, err = waiting.communicate(timeout=5 + LOADED)
        assert time.monotonic() - begun < 5 + LOADED, err
    assert waiting.returncode == 128 + number, err
    assert b"Traceback" not in err
    assert list(tmp_path.iterdir()) == []
    until(lambda: not deserted.scheduler.tasks)


@pytest.mark.parametrize(
    "address", ["zz://a b", "", "tcp://", "tcp://a b:8786", "http://host:8786", "tcp://host:99999", "host:0"]
)
def test_what_is_no_address_is_refused_at_once(address: str) -> None:
    with pytest.raises(OptionError, match="is not the address of a scheduler"), on_cluster(address):
        pass


@pytest.mark.parametrize(
    "address", ["tcp://host:8786", "host:8786", "host", "tls://10.0.0.1:1", "tcp://[::1]:8786", "ws://h:1/ws"]
)
def test_addresses_of_schedulers_are_accepted(address: str) -> None:
    check_address(address)


def test_a_time_to_wait_is_checked() -> None:
    with pytest.raises(OptionError, match="wait must be more than 0"), on_cluster("tcp://host:1", wait=0):
        pass


@pytest.mark.parametrize("n", [1, 2, 50])
def test_processes_that_are_killed_give_a_sentence(n: int) -> None:
    with pytest.raises(ResourceError, match="worker process died"), on_this_machine(2) as run:
        list(run.map_ordered(be_killed, range(n)))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_wait_for_processes(tmp_path: pathlib.Path, number: int) -> None:
    code = (
        "import signal, sys, time, pathlib\n"
        "from eigenparse.cli.signals import answer_signals\n"
        "from eigenparse.run.local import on_this_machine\n"
        "from tests.run.processes import note_and_sleep\n"
        "if __name__ == '__main__':\n"
        "    answer_signals()\n"
        "    with on_this_machine(2) as run:\n"
        f"        list(run.map_ordered(note_and_sleep, [{str(tmp_path)!r}] * 4))\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    with started(script) as child:
        until(lambda: len(list(tmp_path.glob("*.pid"))) == 2, child)
        pids = [int(path.stem) for path in tmp_path.glob("*.pid")]
        assert len(pids) == 2
        child.send_signal(number)
        _, err = child.communicate(timeout=5 + LOADED)
        assert child.returncode != 0, err
    until(lambda: all(map(has_ended, pids)))
    assert all(map(has_ended, pids))
