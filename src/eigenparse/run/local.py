"""Tasks and items in, results in the order of the items out, on the cores of this machine."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from eigenparse.errors import OptionError, ResourceError

S = TypeVar("S")
T = TypeVar("T")


def check_jobs(jobs: int) -> int:
    """The number of workers; 0 stands for all cores that this process may use."""
    if jobs < 0:
        raise OptionError(f"jobs must be 0 or more, got {jobs} instead")
    if jobs:
        return jobs
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def thread_map(task: Callable[[S], T], items: Iterable[S], *, jobs: int = 1) -> list[T]:
    """Apply a task to each item in threads; for work that lets go of the interpreter lock."""
    items = list(items)
    if jobs <= 1 or len(items) <= 1:
        return [task(item) for item in items]
    pool = ThreadPoolExecutor(min(jobs, len(items)))
    try:
        return list(pool.map(task, items))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def process_map(task: Callable[[S], T], items: Iterable[S], *, jobs: int = 1) -> list[T]:
    """Apply a task to each item in processes of their own; task and items must be importable values."""
    items = list(items)
    if jobs <= 1 or len(items) <= 1:
        return [task(item) for item in items]
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, len(items)), mp_context=context, initializer=_leave_interrupts)
    try:
        return list(pool.map(task, items))
    except BrokenProcessPool:
        raise ResourceError("a worker process died, perhaps for want of memory; use fewer jobs") from None
    except BaseException:
        for process in list(getattr(pool, "_processes", {}).values()):
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _leave_interrupts() -> None:
    """Let the parent alone answer Ctrl-C; it ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
