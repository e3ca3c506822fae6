"""Typical words and phrases of every latent state, computed once by a separate worker."""

import asyncio
import json
import logging
from typing import Any

from eigenparse.serve import frames
from eigenparse.serve.crew import LOG, Crew
from eigenparse.serve.refusal import internal, too_slow

Profile = dict[str, list[dict[str, Any]]]


class Profiles:
    """The states of all labels."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self._found: Profile | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> "asyncio.Task[None]":
        """Begin the work if it has not begun."""
        if self._task is None or (self._task.done() and self._found is None):
            self._task = asyncio.ensure_future(self._work())
        return self._task

    async def of(self, label: str, *, seconds: float) -> list[dict[str, Any]] | None:
        """The states of a label; None for a label that the grammar does not have."""
        if self._found is None:
            await asyncio.wait((self.start(),), timeout=seconds)
            if not self.start().done():
                raise too_slow(seconds)
        if self._found is None:
            raise internal()
        return self._found.get(label)

    async def _work(self) -> None:
        """Hire a worker for the job."""
        try:
            worker = await self._crew.hire()
            try:
                said = await worker.ask(json.dumps({"task": "profiles"}).encode())
            finally:
                self._crew.end(worker)
        except (OSError, EOFError) as problem:
            logging.getLogger(LOG).error("typical words of states were not found (%s)", problem)
            return
        if said.kind != frames.ANSWER:
            logging.getLogger(LOG).error("%s", said.content.decode(errors="replace"))
            return
        self._found = json.loads(said.content)

    async def close(self) -> None:
        """Stop the work if it is under way."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
