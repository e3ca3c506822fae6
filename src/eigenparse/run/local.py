"""Tasks and items in, results in the order of the items out, on the cores of this machine."""

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from eigenparse.errors import OptionError, ResourceError

MOST_JOBS = 64  # or four times the cores: more processes would only take memory
S = TypeVar("S")
T = TypeVar("T")


def check_jobs(jobs: int) -> int:
    """The number of workers; 0 stands for all cores that this process may use."""
    if not isinstance(jobs, int) or jobs < 0:
        raise OptionError(f"jobs must be 0 or more, got {jobs!r} instead")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if jobs > (most := max(MOST_JOBS, 4 * cores)):
        raise OptionError(
            f"jobs must be {most} or fewer on {cores} cores, got {jobs} instead; 0 takes all cores"
        )
    return jobs or cores


def thread_map(task: Callable[[S], T], items: Iterable[S], *, jobs: int = 1) -> list[T]:
    """Apply a task to each item in threads; for work that releases the interpreter lock."""
    items = list(items)
    if jobs <= 1 or len(items) <= 1:
        return [task(item) for item in items]
    pool = ThreadPoolExecutor(min(jobs, len(items)))
    try:
        return list(pool.map(task, items))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@dataclass(frozen=True, slots=True)
class LocalRun:
    """Tasks in this process, or in a pool of others."""

    pool: ProcessPoolExecutor | None = None
    jobs: int = 1

    def map_ordered(self, task: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
        """task(item) for each item, in order; at most twice as many are under way as there are processes."""
        if self.pool is None:
            yield from map(task, items)
            return
        waiting: deque[Future[T]] = deque()
        try:
            for item in items:
                waiting.append(self.pool.submit(task, item))
                if len(waiting) >= 2 * self.jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


@contextmanager
def on_this_machine(jobs: int = 1) -> Iterator[LocalRun]:
    """A run on this many processes of this machine, 0 for all cores; 1 means this process."""
    workers = check_jobs(jobs)
    if workers == 1:
        yield LocalRun()
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin)
    try:
        yield LocalRun(pool, workers)
    except BrokenProcessPool:
        raise ResourceError("a worker process died, perhaps because memory ran out; use fewer jobs") from None
    except BaseException:
        for process in list(getattr(pool, "_processes", {}).values()):
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _begin() -> None:
    """Ignore Ctrl-C in workers; the parent process handles it and ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
