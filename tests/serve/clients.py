"""The service in this process, and in one of its own."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from starlette.testclient import TestClient
from tests.api.small import english
from tests.run.processes import has_ended

from eigenparse.serve.app import create_app
from eigenparse.serve.settings import Settings

SENTENCE = "the woman opened the box with a key ."
PATIENCE = 240.0  # seconds that anything may take on a busy machine


@contextlib.contextmanager
def service(**limits: Any) -> Iterator[TestClient]:
    """A client of the small grammar's service, without sockets."""
    app = create_app(english(), name="small", settings=Settings(**{"seconds": PATIENCE, **limits}))
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client


def refused(answer: Any, status: int, code: str) -> str:
    """The sentence of a refusal, which has a status, a code and nothing else."""
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert set(answer.json()) == {"error"}
    assert set(error) == {"code", "message"}
    assert error["code"] == code
    assert "Traceback" not in answer.text
    return str(error["message"])


def children(pid: int) -> list[int]:
    """The processes that a process has started and that have not ended."""
    named = pathlib.Path(f"/proc/{pid}/task").glob("*/children")
    found = [int(child) for path in named for child in path.read_text().split()]
    return [child for child in found if not has_ended(child)]


def asked(client: TestClient, path: str, **body: Any) -> Any:
    """What a service answers to a request that it must serve."""
    answer = client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def nursery(client: TestClient) -> int:
    """The process that forks the workers of a service in this process."""
    return int(client.app.app.state.service.gate._crew._nursery.child.pid)  # type: ignore[attr-defined]


def workers(pid: int, n: int) -> list[int]:
    """The worker processes of a nursery, once there are so many."""
    until(lambda: len(children(pid)) == n)
    return children(pid)


def until(happened: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Wait for something that must happen."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.02)


@contextlib.contextmanager
def frozen(client: TestClient, n: int) -> Iterator[list[int]]:
    """The n workers of a service, standing still until the block ends."""
    client.get("/states", params={"label": "NN"})  # which has a worker of its own for a while
    pids = workers(nursery(client), n)
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield pids
    finally:
        for pid in set(pids) & set(children(nursery(client))):
            os.kill(pid, signal.SIGCONT)


@dataclass(frozen=True, slots=True)
class Process:
    """A running ``eigenparse serve``."""

    child: "subprocess.Popen[str]"
    host: str
    port: int

    @property
    def address(self) -> str:
        return f"http://{self.host}:{self.port}"

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Send a signal; the exit code and what was written to standard error after the address."""
        if self.child.poll() is None:
            self.child.send_signal(number)
        _, err = self.child.communicate(timeout=120)
        return self.child.returncode, err


@contextlib.contextmanager
def running(model: pathlib.Path, *options: Any) -> Iterator[Process]:
    """A server process on a free port."""
    code = "from eigenparse.cli.main import main; main()"
    options = ("--seconds", PATIENCE, *options)
    child = subprocess.Popen(
        [
            sys.executable,
            "-c",
            code,
            "serve",
            str(model),
            "--port",
            "0",
            "--seconds",
            str(PATIENCE),
            *map(str, options),
        ],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert child.stderr is not None
    said, found = "", None
    while found is None:  # a first use says that it compiles before it says where it listens
        line = child.stderr.readline()
        assert line, said
        said, found = said + line, re.search(r"http://([\d.]+):(\d+)/", line)
    process = Process(child, found.group(1), int(found.group(2)))
    try:
        _wait(process)
        yield process
    finally:
        process.stop(signal.SIGKILL)


def _wait(process: Process) -> None:
    """The socket listens from the beginning, so the first answer comes when the service is ready."""
    with urllib.request.urlopen(f"{process.address}/health", timeout=300) as answer:
        assert answer.status == 200
