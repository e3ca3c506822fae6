"""The real server process: slow and broken clients, signals, addresses."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from unittest import mock

import pytest
from tests.run.processes import has_ended
from tests.serve.clients import SENTENCE, Process, children, running, until, workers

from eigenparse.cli.serve import serve as verb
from eigenparse.errors import ModelFileError, OptionError
from eigenparse.serve.run import LEAST_READ, protocol
from eigenparse.serve.settings import Settings


@pytest.fixture(scope="module")
def server(model: pathlib.Path) -> Iterator[Process]:
    """One server for all gentle tests; its log must not hold a traceback at the end."""
    with running(model) as found:
        yield found
        code, err = found.stop()
        assert code == 0, err
        assert "Traceback" not in err
        assert "never retrieved" not in err
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
    with running(model, "--body-seconds", 2) as server:
        with connected(server) as connection:
            connection.sendall(head(100) + b'{"sent')
            said = everything(connection)
            assert b" 408 " in said.split(b"\r\n")[0]
            assert b"after 2 seconds" in said
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
    until(lambda: under_way(server) == 0)


def under_way(server: Process) -> int:
    with urllib.request.urlopen(f"{server.address}/health", timeout=120) as answer:
        return int(json.load(answer)["under_way"])


def metric(server: Process, name: str) -> float:
    with urllib.request.urlopen(f"{server.address}/metrics", timeout=120) as answer:
        lines = [line for line in answer.read().decode().splitlines() if line.startswith(f"{name} ")]
    return float(lines[0].rsplit(" ", 1)[1])


def test_a_client_that_hangs_up_frees_its_worker_at_once(model: pathlib.Path) -> None:
    """Workers stand still, as in a kernel that takes long; they are ended and others take their places."""
    body = json.dumps({"sentences": [SENTENCE] * 20}).encode()
    with running(model, "--workers", 2, "--seconds", 600) as server:
        urllib.request.urlopen(f"{server.address}/states?label=NN", timeout=120).close()
        [nursery] = children(server.child.pid)
        pids = workers(nursery, 3)
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        with connected(server) as connection:
            connection.sendall(head(len(body)) + body)
            until(lambda: under_way(server) == 1)
        until(lambda: under_way(server) == 0)  # a second later on a machine that has nothing else to do
        until(lambda: not set(pids) & set(children(nursery)))
        request = urllib.request.Request(
            f"{server.address}/parse",
            data=json.dumps({"sentence": SENTENCE}).encode(),
            headers={"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            assert answer.status == 200
        assert metric(server, 'eigenparse_given_up_total{reason="hung_up"}') == 1
        code, err = server.stop()
        assert code == 0
        assert "never retrieved" not in err
        assert "Traceback" not in err


def held_by_server(server: Process, connection: socket.socket) -> bool:
    """Whether the server's end of a connection is still open."""
    ours, theirs = f":{connection.getsockname()[1]:04X}", f":{server.port:04X}"
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, state = line.split()[:4]
        if local.endswith(theirs) and remote.endswith(ours) and state in ("01", "04"):  # open, or unread
            return True
    return False


def test_clients_that_never_read_are_cut_off(model: pathlib.Path) -> None:
    asked = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 400
    with running(model, "--quiet", "--write-seconds", 1) as server, contextlib.ExitStack() as stack:
        silent = [stack.enter_context(socket.socket()) for _ in range(20)]
        for connection in silent:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect((server.host, server.port))
            connection.sendall(asked)
        assert alive(server)
        until(lambda: not any(held_by_server(server, connection) for connection in silent))
        assert alive(server)


def test_clients_that_read_slowly_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has read enough since the last look gets more time; looks are made by hand here."""
    looks: list[Callable[[], None]] = []
    one = object.__new__(protocol(Settings()))
    monkeypatch.setattr("uvicorn.protocols.http.h11_impl.H11Protocol.pause_writing", lambda self: None)
    one.transport, one.loop = mock.Mock(), mock.Mock()
    one.loop.call_later = lambda seconds, look: looks.append(look)
    unread = one.transport.get_write_buffer_size
    unread.return_value = 10 * LEAST_READ
    one.pause_writing()
    for _ in range(4):
        unread.return_value -= 2 * LEAST_READ
        looks.pop()()
        one.transport.abort.assert_not_called()
    unread.return_value -= LEAST_READ - 1
    looks.pop()()
    one.transport.abort.assert_called_once()
    assert not looks


def test_no_process_outlives_the_service(model: pathlib.Path) -> None:
    with running(model) as server:
        [nursery] = children(server.child.pid)
        until(lambda: len(children(nursery)) >= 2)
        family = [nursery, *children(nursery)]
        server.stop(signal.SIGKILL)
        until(lambda: all(map(has_ended, family)))


def test_models_that_cannot_be_served_give_a_sentence(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ModelFileError, match="no such file"):
        verb(str(tmp_path / "absent.model"), port=0)
    (tmp_path / "broken.model").write_bytes(b"x" * 1000)
    with pytest.raises(ModelFileError):
        verb(str(tmp_path / "broken.model"), port=0)


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
        until(lambda: under_way(server) > 0 or bool(statuses))
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
