"""Bounded, fair work: the jobs of requests in, their answers out, or a refusal.

Requests take turns job by job, so a sentence never waits for a whole batch of others, and short sentences may
overtake long ones for a while.  A request that is over (answered, too slow, or left by its client) loses its workers
within ``GRACE`` seconds.
"""

import asyncio
import contextlib
import itertools
import json
import logging
from collections import Counter, deque
from collections.abc import AsyncIterator, Coroutine, Sequence
from typing import Any, NamedTuple

from eigenparse.serve import frames
from eigenparse.serve.crew import LOG, Crew, Worker
from eigenparse.serve.metrics import Metrics
from eigenparse.serve.refusal import Refusal, busy, gone, internal, too_slow
from eigenparse.serve.settings import Settings

GRACE = 0.3  # seconds in which a worker may finish a job that no client waits for any longer
TRIES = 3  # of a job whose worker dies
AGAIN = 1.0  # seconds before another try to hire a worker
SHORT = 40  # sentences up to this many words count as short
PATIENCE = 1.0  # seconds for which shorter sentences may overtake one of 100 words


class Job(NamedTuple):
    """content: for ``jobs.answered``.  words: approximate length of its sentence, or of one that takes as long."""

    content: dict[str, Any]
    words: int

    @property
    def short(self) -> bool:
        """Whether the sentence is short."""
        return self.words <= SHORT

    @property
    def patience(self) -> float:
        """Seconds for which shorter jobs that arrive later may overtake it."""
        return PATIENCE * (self.words / 100) ** 2


_TURNS = itertools.count()


class Order:
    """The jobs of one request that are still to be done, and the answers that have come."""

    def __init__(self, jobs: Sequence[Job], most: int) -> None:
        self.todo = deque(enumerate(jobs))
        self.answers = [b""] * len(jobs)
        self.over: asyncio.Future[Refusal | None] = asyncio.get_running_loop().create_future()
        self._left, self._room = len(jobs), most
        self._lost: Counter[int] = Counter()
        self.queue_up()

    def queue_up(self) -> None:
        """Take a place in the queue for the next job: ``due`` says where."""
        wait = self.todo[0][1].patience if self.todo else 0.0
        self.due = (asyncio.get_running_loop().time() + wait, next(_TURNS))

    def end(self, why: Refusal | None) -> None:
        """Stop the work for this order; why: None if it is complete."""
        self.todo.clear()
        if not self.over.done():
            self.over.set_result(why)

    def lose(self, place: int, job: Job) -> None:
        """A worker died during a job: another one tries, a limited number of times."""
        self._lost[place] += 1
        if self._lost[place] == TRIES:
            self.end(internal())
        elif not self.over.done():
            self.todo.appendleft((place, job))

    def take(self, place: int, said: frames.Message) -> None:
        """Keep the answer to a job."""
        if said.kind == frames.REFUSED:
            self.end(Refusal.from_bytes(said.content))
        elif said.kind == frames.FAILED:
            logging.getLogger(LOG).error("a job failed\n%s", said.content.decode(errors="replace"))
            self.end(internal())
        else:
            self.answers[place] = said.content
            self._left, self._room = self._left - 1, self._room - len(said.content)
            if self._room < 0:
                self.end(
                    Refusal(413, "too_large", "the answer is too long; ask for fewer sentences or trees")
                )
            elif not self._left:
                self.end(None)


class Visit:
    """One request inside the gate.  gone: a task that ends when the client hangs up."""

    def __init__(self, gate: "Gate", gone: "asyncio.Task[None]") -> None:
        self._gate, self._gone = gate, gone
        self._loop = asyncio.get_running_loop()
        self._end = self._loop.time() + gate.settings.seconds

    async def answers(self, jobs: Sequence[Job]) -> list[bytes]:
        """The answers to jobs, in order, or a refusal."""
        order = Order(jobs, self._gate.settings.max_answer)
        self._gate.add(order)
        try:
            left = max(self._end - self._loop.time(), 0.0)
            await asyncio.wait((order.over, self._gone), timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if not order.over.done():
                why = gone() if self._gone.done() else too_slow(self._gate.settings.seconds)
                order.end(why)
                self._gate.metrics.given_up[why.code] += 1
        finally:
            order.end(internal())  # if this task is cancelled
        if (refusal := order.over.result()) is not None:
            raise refusal
        return order.answers


class Gate:
    """Worker processes with a queue of bounded length before them."""

    def __init__(self, crew: Crew, settings: Settings, metrics: Metrics) -> None:
        self.room, self.settings, self.metrics = settings.workers + settings.queue, settings, metrics
        self.held = 0  # requests inside
        self._crew = crew
        self._orders: list[Order] = []
        self._idle: dict[asyncio.Future[None], bool] = {}  # idle slots, and whether they take only short jobs
        self._slots: list[asyncio.Task[None]] = []

    @property
    def ready(self) -> bool:
        """Whether a request would be served."""
        return self._crew.ready and self.held < self.room

    @contextlib.asynccontextmanager
    async def visit(self, gone: Coroutine[Any, Any, None]) -> AsyncIterator[Visit]:
        """A place for one request, or a refusal if there is none.  gone: ends when the client hangs up."""
        if self.held >= self.room:
            gone.close()
            raise busy(self.held)
        self.open()
        self.held += 1
        watching = asyncio.ensure_future(gone)
        try:
            yield Visit(self, watching)
        finally:
            watching.cancel()
            self.held -= 1

    def open(self) -> None:
        """Have workers wait for jobs, one of them for short ones only; no effect if they do."""
        if not self._slots:
            kinds = [False] * self.settings.workers + [True]
            self._slots = [asyncio.ensure_future(self._slot(short)) for short in kinds]

    async def close(self) -> None:
        """End the workers; the next request opens the gate again."""
        slots, self._slots = self._slots, []
        for slot in slots:
            slot.cancel()
        await asyncio.gather(*slots, return_exceptions=True)
        await asyncio.to_thread(self._crew.close)

    def add(self, order: Order) -> None:
        """Put an order into the queue, and wake as many slots as it has jobs."""
        if order not in self._orders:
            self._orders.append(order)
        for _, job in order.todo:
            if not self._woken(job.short):
                break

    def _woken(self, short: bool) -> bool:
        """Wake the slot that has been idle for the shortest time; False if none may take the job."""
        for slot, short_only in reversed(self._idle.items()):
            if short or not short_only:
                del self._idle[slot]
                slot.set_result(None)
                return True
        return False

    async def _slot(self, short_only: bool) -> None:
        """One worker after another, doing one job after another."""
        worker: Worker | None = None
        try:
            while True:
                worker = worker or await self._hired()
                order, place, job = await self._next(short_only)
                if worker.gone:
                    self._crew.end(worker)
                    worker = await self._hired()
                said = await self._said(worker, order, job)
                while said is not None and said.kind == frames.LACKS:
                    self._crew.end(worker)
                    self._crew.load()
                    worker = await self._hired()
                    said = await self._said(worker, order, job)
                if said is None or said.last:
                    self._crew.end(worker)
                    worker = None
                if said is not None:
                    order.take(place, said)
                else:
                    order.lose(place, job)
                    self.add(order)
        finally:
            if worker is not None:
                self._crew.end(worker)

    async def _hired(self) -> Worker:
        """A new worker, after as many attempts as needed."""
        while True:
            try:
                return await self._crew.hire()
            except Exception as problem:
                logging.getLogger(LOG).error("no worker can be started (%s)", problem)
                await asyncio.sleep(AGAIN)

    async def _next(self, short_only: bool) -> tuple[Order, int, Job]:
        """The next job: each order in turn gives one."""
        while True:
            self._orders = [order for order in self._orders if order.todo]
            able = [order for order in self._orders if order.todo[0][1].short or not short_only]
            if able:
                order = min(able, key=lambda order: order.due)
                place, job = order.todo.popleft()
                order.queue_up()
                return order, place, job
            news: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._idle[news] = short_only
            try:
                await news
            finally:
                self._idle.pop(news, None)

    async def _said(self, worker: Worker, order: Order, job: Job) -> frames.Message | None:
        """A worker's answer to a job; None if it died, or if the order is over long before the job is."""
        asked = asyncio.ensure_future(worker.ask(json.dumps(job.content).encode()))
        try:
            await asyncio.wait((asked, order.over), return_when=asyncio.FIRST_COMPLETED)
            if not asked.done():
                await asyncio.wait((asked,), timeout=GRACE)
            if not asked.done():
                self.metrics.ended["no_longer_wanted"] += 1
                return None
            said = asked.result()
            self.metrics.jobs += said.kind != frames.LACKS
            return said
        except Exception as problem:  # OSError and EOFError, as a rule
            logging.getLogger(LOG).error("worker %d died (%r)", worker.pid, problem)
            self.metrics.ended["died"] += 1
            return None
        finally:
            asked.cancel()
