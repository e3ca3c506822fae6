"""Run the application until it is told to stop; requests in progress are answered first."""

import contextlib
import logging
import signal
import socket
import struct
import sys
import threading
from asyncio import TimerHandle, Transport
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from eigenparse.errors import OptionError
from eigenparse.serve.crew import LOG
from eigenparse.serve.settings import Settings

MOST_CONNECTIONS = 1000
KEEP_ALIVE = 15
LEAST_READ = 1 << 16  # bytes that a client must read between two checks
NO_LINGER = struct.pack("ii", 1, 0)  # unread data is discarded, also by the operating system
GRACE = 20  # seconds for requests under way when the service is told to stop


class PatientServer(uvicorn.Server):
    """A server that exits with status 0 after a signal."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Finish what is under way at SIGINT and SIGTERM."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {s: signal.signal(s, self.handle_exit) for s in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def protocol(settings: Settings) -> type[H11Protocol]:
    """HTTP/1.1 that gives up on clients that neither send their request nor read their answer in time."""

    class Impatient(H11Protocol):
        _reading: TimerHandle | None = None
        _writing: TimerHandle | None = None
        _unread = 0

        def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            transport.set_write_buffer_limits(high=0)  # so that every unread byte is noticed
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._reading, self._writing = stopped(self._reading), stopped(self._writing)

        def pause_writing(self) -> None:
            """The client has not read everything yet: check again later."""
            super().pause_writing()
            self._unread = self.transport.get_write_buffer_size()
            self._writing = self.loop.call_later(settings.write_seconds, self._look)

        def resume_writing(self) -> None:
            super().resume_writing()
            self._writing = stopped(self._writing)

        def _look(self) -> None:
            """Disconnect a client that has read hardly anything since the last check."""
            left = self.transport.get_write_buffer_size()
            if left > self._unread - LEAST_READ:
                connection = self.transport.get_extra_info("socket")
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
                self.transport.abort()
                return
            self._unread = left
            self._writing = self.loop.call_later(settings.write_seconds, self._look)

        def _watch(self) -> None:
            """Keep one timer while no request is under way."""
            if self.cycle is not None and not self.cycle.response_complete:
                self._reading = stopped(self._reading)
            elif self._reading is None:
                self._reading = self.loop.call_later(settings.body_seconds, self._give_up)

        def _give_up(self) -> None:
            self._reading = None
            if (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing():
                self.transport.close()

    return Impatient


def stopped(timer: TimerHandle | None) -> TimerHandle | None:
    """Stop a timer; None, to be kept in its place."""
    if timer is not None:
        timer.cancel()
    return None


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on an address; OptionError if that is not possible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(256)
    except (OSError, OverflowError) as problem:
        found.close()
        raise OptionError(
            f"cannot listen on {host} port {port} ({problem}); choose another --host or --port"
        ) from None
    return found


def serve(app: ASGIApp, *, sock: socket.socket, settings: Settings, log: bool = True) -> None:
    """Serve until SIGINT or SIGTERM; requests under way are answered first."""
    _set_log(log)
    config = uvicorn.Config(
        app, http=protocol(settings), ws="none", log_config=None, access_log=False,
        server_header=False, limit_concurrency=MOST_CONNECTIONS, timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=GRACE, lifespan="on",
    )  # fmt: skip
    PatientServer(config).run(sockets=[sock])


def _set_log(log: bool) -> None:
    """Requests and failures to standard error, one line each."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    for name, level in ((LOG, logging.INFO if log else logging.ERROR), ("uvicorn.error", logging.ERROR)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
