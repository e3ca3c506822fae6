"""The service in this process, and in one of its own."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from starlette.testclient import TestClient
from tests.api.small import english

from eigenparse.serve.app import create_app
from eigenparse.serve.settings import Settings

SENTENCE = "the woman opened the box with a key ."


@contextlib.contextmanager
def service(**limits: Any) -> Iterator[TestClient]:
    """A client of the small grammar's service, without sockets."""
    app = create_app(english(), name="small", settings=Settings(**limits))
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
        """Send a signal; the exit code and what was written to standard error after the first line."""
        if self.child.poll() is None:
            self.child.send_signal(number)
        _, err = self.child.communicate(timeout=120)
        return self.child.returncode, err


@contextlib.contextmanager
def running(model: pathlib.Path, *options: Any) -> Iterator[Process]:
    """A server process on a free port."""
    code = "from eigenparse.cli.main import main; main()"
    child = subprocess.Popen(
        [sys.executable, "-c", code, "serve", str(model), "--port", "0", *map(str, options)],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert child.stderr is not None
    first = child.stderr.readline()
    found = re.search(r"http://([\d.]+):(\d+)/", first)
    assert found, first + child.stderr.read()
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
