"""The ordered map on a Dask cluster that the user already has (extra ``cluster``)."""

import asyncio
import importlib
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

from eigenparse.errors import EigenparseError, OptionError, ResourceError
from eigenparse.run.presence import Presence, ask

S = TypeVar("S")
T = TypeVar("T")
RETRIES = 5  # of a task whose worker is lost
WINDOW = 3  # tasks sent ahead of the results, for each thread of the cluster
LARGE = "distributed.admin.large-graph-warning-threshold"
SECONDS = 15  # to wait for the scheduler
WAIT = 60.0  # seconds without a worker after which the work is given up
LEAVE = 1.5  # seconds for each of the two steps of closing the connection
PROTOCOLS = ("tcp", "tls", "ucx", "ucxx", "ws", "wss", "inproc")
AGAIN = "run the same command again, with --resume where there is one"


@dataclass(frozen=True, slots=True)
class ClusterRun:
    """Tasks on the workers of a scheduler.

    client: of ``distributed``.  presence: the workers there, and how long to wait when there are none.
    """

    client: Any
    address: str
    presence: Presence

    def map_ordered(self, task: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
        """task(item) for each item, in order; tasks of lost workers are done again elsewhere."""
        waiting: deque[Any] = deque()
        try:
            for item in items:
                waiting.append(self.client.submit(task, item, pure=False, retries=RETRIES))
                self.presence.look()
                while len(waiting) >= max(WINDOW * self.presence.threads, 4):
                    yield self._result(waiting.popleft())
            while waiting:
                yield self._result(waiting.popleft())
        finally:
            self._drop(waiting)

    def _result(self, future: Any) -> Any:
        """The result of a task, or an error that says what happened to it."""
        dask = _distributed()
        try:
            return self._awaited(future)
        except EigenparseError:
            raise
        except dask.KilledWorker:
            raise ResourceError(
                "several workers died of the same task, perhaps because memory ran out; give them more"
            ) from None
        except (dask.CancelledError, CancelledError, OSError, TimeoutError) as problem:
            if future.status == "error":  # the task itself failed
                raise
            raise ResourceError(
                f"{self.address}: the scheduler went away ({type(problem).__name__}); start it again and {AGAIN}"
            ) from None

    def _awaited(self, future: Any) -> Any:
        """The result of a task; while waiting, check that there are workers left."""
        loop = self.client.loop.asyncio_loop
        result = asyncio.run_coroutine_threadsafe(_gathered(future), loop)
        self.presence.begin()
        try:
            while not wait([result], timeout=self.presence.every).done:
                self.presence.look()
                if self.presence.given_up and not result.done():
                    raise self._no_worker()
            return result.result()
        finally:
            result.cancel()

    def _no_worker(self) -> ResourceError:
        """The error when no worker is left."""
        seconds = f"{self.presence.wait:g} seconds"
        if not self.presence.answered:
            return ResourceError(
                f"{self.address}: the scheduler has not answered for {seconds}; start it again and {AGAIN}"
            )
        return ResourceError(
            f"{self.address}: no worker has stayed for {seconds} (--wait); start workers and {AGAIN}"
        )

    def _drop(self, futures: Sequence[Any]) -> None:
        """Tell the scheduler to drop these tasks; it need not answer."""
        if futures:
            with suppress(Exception):
                ask(self.client, _cancelled(self.client, list(futures)), LEAVE)


async def _gathered(future: Any) -> Any:
    return await future


async def _cancelled(client: Any, futures: list[Any]) -> None:
    await client.cancel(futures, asynchronous=True)


def _distributed() -> Any:
    """The library, or the name of the extra that brings it."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise OptionError("--cluster needs the extra `cluster`; pip install 'eigenparse[cluster]'") from None


def check_address(address: str) -> None:
    """Refuse what cannot be the address of a scheduler, before anything is loaded or tried."""
    scheme, _, place = address.rpartition("://")
    try:
        found = urlsplit(f"//{place}")
        possible = bool(found.hostname) and found.port != 0
    except ValueError:
        possible = False
    if not possible or scheme not in ("", *PROTOCOLS) or any(c.isspace() for c in address):
        raise OptionError(f"{address!r} is not the address of a scheduler; write it as tcp://host:8786")


@contextmanager
def on_cluster(address: str, wait: float = WAIT) -> Iterator[ClusterRun]:
    """A connection to a scheduler such as ``tcp://host:8786``.

    wait: seconds without a worker after which the work is given up with a ResourceError.
    """
    check_address(address)
    if not wait > 0:
        raise OptionError(f"wait must be more than 0 seconds, got {wait:g} instead")
    dask = _distributed()
    try:
        client = dask.Client(address, timeout=min(SECONDS, wait), set_as_default=False)
    except (OSError, ValueError, TimeoutError) as problem:
        raise ResourceError(
            f"{address}: no scheduler answers ({problem}); check the address, for example tcp://host:8786"
        ) from None
    quiet = importlib.import_module("dask").config.set({LARGE: "1 TB"})  # tasks carry their data
    log = logging.getLogger("distributed.client")
    level = log.level
    log.setLevel(logging.CRITICAL)  # errors are reported by this package, in one line
    try:
        with quiet:
            yield ClusterRun(client, address, Presence(client, wait))
    finally:
        with suppress(TimeoutError):
            client.close(timeout=LEAVE)
        log.setLevel(level)
