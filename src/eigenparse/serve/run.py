"""Runs the application until it is told to stop: an address in, an exit after the last answer out."""

import contextlib
import logging
import signal
import socket
import sys
import threading
from asyncio import TimerHandle, Transport
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from eigenparse.errors import OptionError
from eigenparse.serve.guard import LOG
from eigenparse.serve.settings import Settings

MOST_CONNECTIONS = 1000
KEEP_ALIVE = 15
GRACE = 20  # seconds for requests under way when the service is told to stop


class PatientServer(uvicorn.Server):
    """Ends after a signal as after any other end, so that stopping the service is no failure."""

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


def protocol(seconds: float) -> type[H11Protocol]:
    """HTTP/1.1 that gives up on clients whose request line and headers take longer than ``seconds``."""

    class Impatient(H11Protocol):
        _timer: TimerHandle | None = None

        def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._stop()

        def _watch(self) -> None:
            """Keep one timer while no request is under way."""
            if self.cycle is not None and not self.cycle.response_complete:
                self._stop()
            elif self._timer is None:
                self._timer = self.loop.call_later(seconds, self._give_up)

        def _stop(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

        def _give_up(self) -> None:
            self._timer = None
            if (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing():
                self.transport.close()

    return Impatient


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on an address, or a sentence."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(256)
    except (OSError, OverflowError) as problem:
        found.close()
        raise OptionError(f"cannot listen on {host} port {port} ({problem}); choose another --port") from None
    return found


def serve(app: ASGIApp, *, sock: socket.socket, settings: Settings, log: bool = True) -> None:
    """Serve until SIGINT or SIGTERM; requests under way are answered first."""
    _set_log(log)
    config = uvicorn.Config(
        app, http=protocol(settings.body_seconds), ws="none", log_config=None, access_log=False,
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
