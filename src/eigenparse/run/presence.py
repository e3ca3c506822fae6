"""The workers of a cluster: number of threads, and time without any worker."""

import asyncio
import math
import time
from collections.abc import Coroutine
from typing import Any

STEADY = 5.0  # seconds after which a new worker counts as steady
LOOK = 1.0  # seconds between two queries
ANSWER = 3.0  # time limit of a query in seconds
LOOKS = 4  # minimum number of failed queries before the work is given up


class Presence:
    """Queries the workers of a scheduler from time to time, and records since when there is no steady one.

    A worker that keeps dying and restarting is not counted.
    client: of ``distributed``.  wait: seconds without a steady worker after which to give up.
    """

    def __init__(self, client: Any, wait: float) -> None:
        self.wait, self.every = wait, min(LOOK, wait / 8)
        self.threads, self.answered = 0, True
        self._client = client
        self._first_seen: dict[str, float] = {}
        self._looked = -math.inf
        self._steady, self._looks = time.monotonic(), 0

    def begin(self) -> None:
        """Restart the clock, after a result or before a new wait."""
        self._steady, self._looks = time.monotonic(), 0

    def look(self) -> None:
        """Ask the scheduler for its workers, unless that was done a moment ago."""
        now = time.monotonic()
        if now - self._looked < self.every:
            return
        try:
            known = ask(self._client, self._client.scheduler.identity(n_workers=-1), ANSWER)
        except Exception:  # the scheduler is gone or does not answer; its futures will tell which
            self.answered, known = False, {}
        else:
            self.answered = True
        self._note(known.get("workers", {}))

    def _note(self, workers: dict[str, Any]) -> None:
        """Remember when each worker was first seen."""
        now = time.monotonic()
        self._looked, self._looks = now, self._looks + 1
        self.threads = sum(int(worker.get("nthreads", 1)) for worker in workers.values())
        names = {str(worker.get("id", address)) for address, worker in workers.items()}
        self._first_seen = {name: self._first_seen.get(name, now) for name in names}
        if any(now - first >= min(STEADY, self.wait / 4) for first in self._first_seen.values()):
            self.begin()

    @property
    def given_up(self) -> bool:
        """Whether no worker was there for the whole waiting time."""
        return self._looks >= LOOKS and time.monotonic() - self._steady >= self.wait


def ask(client: Any, question: Coroutine[Any, Any, Any], seconds: float) -> Any:
    """The answer to a question put on the client's own event loop, or TimeoutError."""
    asked = asyncio.run_coroutine_threadsafe(question, client.loop.asyncio_loop)
    try:
        return asked.result(timeout=seconds)
    finally:
        asked.cancel()
