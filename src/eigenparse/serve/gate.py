"""Bounded work: tasks in, their results out, or a refusal when too many wait or one takes too long."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


class Refusal(Exception):  # noqa: N818  (no error of ours)
    """A request that is not served: an HTTP status, a short code and a sentence for the client."""

    def __init__(self, status: int, code: str, message: str, *, retry: int | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.retry = status, code, message, retry


class Deadline:
    """The moment by which a task must be done; long tasks look at it between their steps."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.end = time.monotonic() + seconds

    def check(self) -> None:
        """Stop a task that nobody waits for any longer."""
        if time.monotonic() > self.end:
            raise too_slow(self.seconds)


def too_slow(seconds: float) -> Refusal:
    """The refusal of a request that takes too long."""
    return Refusal(
        503,
        "too_slow",
        f"not done within {seconds:g} seconds; send less at a time or try again later",
        retry=5,
    )


class Gate:
    """A fixed number of threads with a queue of bounded length before them."""

    def __init__(self, *, workers: int, queue: int, seconds: float) -> None:
        self.room, self.workers, self.seconds = workers + queue, workers, seconds
        self._pool: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()
        self._held = 0

    @property
    def held(self) -> int:
        """Tasks running or waiting."""
        return self._held

    async def run(self, task: Callable[[Deadline], T]) -> T:
        """The result of a task; its place is free again when its thread is, even if nobody waits."""
        with self._lock:
            if self._held >= self.room:
                raise Refusal(
                    503, "busy", f"{self._held} requests are under way; try again in a second", retry=1
                )
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self.workers, thread_name_prefix="eigenparse")
            future = self._pool.submit(task, Deadline(self.seconds))
            self._held += 1
        future.add_done_callback(self._release)
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(future)), self.seconds)
        except TimeoutError:
            future.cancel()
            raise too_slow(self.seconds) from None

    def _release(self, _: "Future[Any]") -> None:
        with self._lock:
            self._held -= 1

    def close(self) -> None:
        """Let what runs finish and drop what waits; the next task opens the gate again."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)
