"""The real server process: slow and broken clients, signals, addresses."""

import contextlib
import json
import pathlib
import signal
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from tests.serve.clients import SENTENCE, Process, running

from eigenparse.cli.serve import serve as verb
from eigenparse.errors import OptionError


@pytest.fixture(scope="module")
def server(model: pathlib.Path) -> Iterator[Process]:
    """One server for all gentle tests; its log must not hold a traceback at the end."""
    with running(model) as found:
        yield found
        code, err = found.stop()
        assert code == 0, err
        assert "Traceback" not in err
        assert err.rstrip().endswith("stopped")


def alive(server: Process) -> bool:
    with urllib.request.urlopen(f"{server.address}/health", timeout=120) as answer:
        return bool(answer.status == 200)


@contextlib.contextmanager
def connected(server: Process) -> Iterator[socket.socket]:
    with socket.create_connection((server.host, server.port), timeout=120) as connection:
        yield connection


def everything(connection: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


def head(length: int, path: str = "/parse") -> bytes:
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: localhost",
        "Content-Type: application/json",
        f"Content-Length: {length}",
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def test_requests_that_never_come_are_given_up(model: pathlib.Path) -> None:
    with running(model, "--body-seconds", 0.5) as server:
        with connected(server) as connection:
            connection.sendall(head(100) + b'{"sent')
            begun = time.monotonic()
            said = everything(connection)
            assert b" 408 " in said.split(b"\r\n")[0]
            assert b"after 0.5 seconds" in said
            assert 0.3 < time.monotonic() - begun < 10
        with connected(server) as silent, connected(server) as dripping:
            dripping.sendall(b"GET /health HTTP/1.1\r\nHost: loc")
            assert everything(silent) == b""
            assert everything(dripping) == b""
        with connected(server) as polite:
            request = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
            polite.sendall(request)
            said = b""
            while not said.endswith(b"}"):
                said += polite.recv(65536)
            assert said.startswith(b"HTTP/1.1 200")
            polite.sendall(request[:20])  # the second request of the connection is as slow
            assert everything(polite) == b""
        assert alive(server)


def test_slow_bodies_that_arrive_in_time_are_served(server: Process) -> None:
    body = json.dumps({"sentence": SENTENCE}).encode()
    with connected(server) as connection:
        connection.sendall(head(len(body)))
        for i in range(0, len(body), 16):
            connection.sendall(body[i : i + 16])
            time.sleep(0.02)
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("chunked", [False, True])
def test_bodies_that_are_too_large_are_read_so_that_the_answer_arrives(
    server: Process, chunked: bool
) -> None:
    large = b" " * 10_485_760
    sent = head(len(large)) + large
    if chunked:
        start = head(len(large)).replace(b"Content-Length: 10485760", b"Transfer-Encoding: chunked")
        sent = start + 160 * (b"10000\r\n" + b" " * 65536 + b"\r\n") + b"0\r\n\r\n"
    with connected(server) as connection:
        connection.sendall(sent)
        parts = []
        while part := connection.recv(65536):  # a connection cut while we send would raise here or above
            parts.append(part)
        assert b" 413 " in b"".join(parts).split(b"\r\n")[0]
    assert alive(server)


@pytest.mark.parametrize(
    "sent",
    [
        b"\x00\xff" * 50 + b"\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /health HTTP/1.1\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        b"POST /parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n",
        b"POST /parse HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_broken_requests_are_refused(server: Process, sent: bytes) -> None:
    with connected(server) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        status = everything(connection).split(b" ")[1:2]
        assert not status or status[0][:1] == b"4"
    assert alive(server)


def test_clients_that_go_away_leave_nothing_behind(server: Process) -> None:
    body = json.dumps({"sentences": [SENTENCE] * 20}).encode()
    for _ in range(20):
        with connected(server) as connection:
            connection.sendall(head(len(body)) + body)
    end = time.monotonic() + 120
    while time.monotonic() < end:
        with urllib.request.urlopen(f"{server.address}/health", timeout=120) as answer:
            if json.load(answer)["under_way"] == 0:
                return
        time.sleep(0.1)
    raise AssertionError("work is still under way")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_is_under_way_is_answered_before_the_end(model: pathlib.Path, number: int) -> None:
    body = json.dumps({"sentences": [" ".join([SENTENCE] * 6)] * 40}).encode()
    with running(model, "--workers", 1) as server:
        statuses: list[int] = []

        def ask() -> None:
            request = urllib.request.Request(
                f"{server.address}/parse", data=body, headers={"content-type": "application/json"}
            )
            with urllib.request.urlopen(request, timeout=300) as answer:
                statuses.append(len(json.load(answer)["results"]))

        thread = threading.Thread(target=ask)
        thread.start()
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with urllib.request.urlopen(f"{server.address}/health", timeout=120) as answer:
                if json.load(answer)["under_way"]:
                    break
        code, err = server.stop(number)
        thread.join()
        assert statuses == [40]
        assert code == 0
        assert err.rstrip().endswith("stopped")


def test_other_hosts_and_taken_ports_are_refused(server: Process, model: pathlib.Path) -> None:
    request = urllib.request.Request(f"{server.address}/health", headers={"host": "elsewhere.example"})
    with pytest.raises(urllib.error.HTTPError) as refusal:
        urllib.request.urlopen(request, timeout=120)
    refusal.value.close()
    assert refusal.value.code == 421
    with pytest.raises(OptionError, match="cannot listen on"):
        verb(str(model), port=server.port)
