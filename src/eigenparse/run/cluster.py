"""The ordered map on a Dask cluster that the user already has (extra ``cluster``)."""

import importlib
import logging
import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from eigenparse.errors import EigenparseError, OptionError, ResourceError

S = TypeVar("S")
T = TypeVar("T")
RETRIES = 5  # of a task whose worker is lost
WINDOW = 3  # tasks sent ahead of the results, for each thread of the cluster
LARGE = "distributed.admin.large-graph-warning-threshold"
SECONDS = 15  # to wait for the scheduler
ASKING = 2.0  # seconds between two looks at who is there


@dataclass(frozen=True, slots=True)
class ClusterRun:
    """Tasks on the workers of a scheduler.  client: of ``distributed``."""

    client: Any
    address: str

    def map_ordered(self, task: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
        """task(item) for each item, in order; lost workers' tasks are done again elsewhere."""
        waiting: deque[Any] = deque()
        ahead, asked = 0, -math.inf
        try:
            for item in items:
                waiting.append(self.client.submit(task, item, pure=False, retries=RETRIES))
                if time.monotonic() - asked > ASKING:  # the scheduler has other things to do
                    ahead, asked = self._ahead(), time.monotonic()
                while len(waiting) >= ahead:
                    yield self._result(waiting.popleft())
            while waiting:
                yield self._result(waiting.popleft())
        finally:
            for future in waiting:
                future.cancel()

    def _ahead(self) -> int:
        """How many tasks may be under way: some for each thread, whoever has joined or left meanwhile."""
        known = self.client.scheduler_info(n_workers=-1).get("workers", {})
        return max(WINDOW * sum(int(worker.get("nthreads", 1)) for worker in known.values()), 4)

    def _result(self, future: Any) -> Any:
        """What a task gave, or a sentence about what happened to it."""
        dask = _distributed()
        try:
            return future.result()
        except EigenparseError:
            raise
        except dask.KilledWorker:
            raise ResourceError(
                "several workers died of the same task, perhaps for want of memory; give them more"
            ) from None
        except (dask.CancelledError, CancelledError, OSError, TimeoutError) as problem:
            raise ResourceError(
                f"{self.address}: the scheduler went away ({type(problem).__name__}); "
                "start it again and run the same command, with --resume where there is one"
            ) from None


def _distributed() -> Any:
    """The library, or the name of the extra that brings it."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise OptionError("--cluster needs the extra `cluster`; pip install 'eigenparse[cluster]'") from None


@contextmanager
def on_cluster(address: str) -> Iterator[ClusterRun]:
    """A connection to a scheduler such as ``tcp://host:8786``."""
    dask = _distributed()
    try:
        client = dask.Client(address, timeout=SECONDS, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as problem:
        raise ResourceError(
            f"{address}: no scheduler answers ({problem}); check the address, as tcp://host:8786"
        ) from None
    quiet = importlib.import_module("dask").config.set(
        {LARGE: "1 TB"}
    )  # tasks carry their data, as they should
    log = logging.getLogger("distributed.client")
    level = log.level
    log.setLevel(logging.CRITICAL)  # what went wrong is said in a sentence, by us
    try:
        with quiet:
            yield ClusterRun(client, address)
    finally:
        client.close(timeout=5)
        log.setLevel(level)
