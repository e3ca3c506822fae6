"""Turns, deadlines and hang-ups, with workers that are coroutines and jobs that take as long as told.

The clock is not the machine's: it leaps to the next thing to happen, so that nothing depends on how busy we are.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from eigenparse.serve import frames
from eigenparse.serve.gate import GRACE, TRIES, Gate, Job
from eigenparse.serve.metrics import Metrics
from eigenparse.serve.refusal import Refusal
from eigenparse.serve.settings import Settings


class Puppet:
    """A worker that sleeps as long as a job says and notes its name when it is done."""

    gone, pid = False, 0

    def __init__(self, done: list[str]) -> None:
        self.done = done

    async def ask(self, content: bytes) -> frames.Message:
        name, seconds = json.loads(content)["job"]
        await asyncio.sleep(seconds)
        self.done.append(name)
        if name == "deadly" or (name == "unlucky" and self.done.count(name) == 1):
            raise asyncio.IncompleteReadError(b"", 1)
        return frames.Message(frames.ANSWER, json.dumps(name).encode())


class Puppets:
    """A crew that hires puppets."""

    ready = True

    def __init__(self) -> None:
        self.done: list[str] = []
        self.hired, self.ended = 0, 0

    async def hire(self) -> Puppet:
        self.hired += 1
        return Puppet(self.done)

    def end(self, worker: Puppet) -> None:
        self.ended += 1

    def close(self) -> None:
        pass


class Leaping(asyncio.SelectorEventLoop):
    """An event loop whose time passes only while it has nothing to do, and then at once."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        select = self._selector.select  # type: ignore[attr-defined]

        def leap(timeout: float | None) -> Any:
            if timeout:
                self.now += timeout
            return select(None if timeout is None else 0)

        self._selector.select = leap  # type: ignore[attr-defined]

    def time(self) -> float:
        return self.now


def job(name: str, seconds: float = 0.0, *, words: int = 100) -> Job:
    return Job({"job": [name, seconds]}, words)


async def asked(gate: Gate, jobs: list[Job], gone: Awaitable[Any] | None = None) -> list[str]:
    """What a request is answered."""

    async def hung_up() -> None:
        await (asyncio.Event().wait() if gone is None else gone)

    async with gate.visit(hung_up()) as visit:
        return [json.loads(one) for one in await visit.answers(jobs)]


def played(play: Callable[[Gate, Puppets], Awaitable[None]], **settings: Any) -> Puppets:
    """Run a play behind a gate of its own."""
    crew = Puppets()

    async def scene() -> None:
        gate = Gate(crew, Settings(**settings), Metrics())  # type: ignore[arg-type]
        try:
            await play(gate, crew)
        finally:
            await gate.close()

    with asyncio.Runner(loop_factory=Leaping) as runner:
        runner.run(scene())
    return crew


def test_answers_come_in_the_order_of_the_jobs() -> None:
    async def play(gate: Gate, crew: Puppets) -> None:
        jobs = [job(str(k), 0.02 * (5 - k)) for k in range(5)]
        assert await asked(gate, jobs) == list("01234")
        assert gate.held == 0

    played(play, workers=3)


def test_requests_take_turns() -> None:
    """A sentence that comes after two batches of a hundred waits for a few sentences, not for the batches."""

    async def play(gate: Gate, crew: Puppets) -> None:
        batches = [asyncio.ensure_future(asked(gate, [job(name, 0.001)] * 100)) for name in ("a", "b")]
        while len(crew.done) < 20:
            await asyncio.sleep(0.001)
        before = len(crew.done)
        assert await asked(gate, [job("one")]) == ["one"]
        assert crew.done.index("one") - before <= 6
        assert not any(batch.done() for batch in batches)
        assert [len(await batch) for batch in batches] == [100, 100]
        assert abs(crew.done[:100].count("a") - crew.done[:100].count("b")) <= 4

    played(play, workers=2)


def test_short_sentences_pass_long_ones() -> None:
    async def play(gate: Gate, crew: Puppets) -> None:
        long = [asyncio.ensure_future(asked(gate, [job("long", 5, words=150)] * 3)) for _ in range(2)]
        await asyncio.sleep(0.05)
        assert await asked(gate, [job("short", words=1)]) == ["short"]
        assert crew.done == ["short"]
        for task in long:
            task.cancel()

    played(play, workers=2)


def test_long_sentences_let_short_ones_pass_but_not_for_ever() -> None:
    """Clients that ask for much and leave soon get no worker while others wait; those that stay get one."""

    async def busy(gate: Gate, end: float) -> None:
        while asyncio.get_running_loop().time() < end:
            await asked(gate, [job("short", 0.02, words=10)])

    async def play(gate: Gate, crew: Puppets) -> None:
        others = [asyncio.ensure_future(busy(gate, 10.0)) for _ in range(12)]
        await asyncio.sleep(0.1)
        for _ in range(3):
            with pytest.raises(Refusal, match="hung up"):
                await asked(gate, [job("left", 1.0, words=150)], asyncio.sleep(0.2))
        assert crew.ended == 0
        assert await asked(gate, [job("long", 1.0, words=150)]) == ["long"]
        assert asyncio.get_running_loop().time() < 5.0
        await asyncio.gather(*others)

    played(play, workers=2)


def test_a_client_that_hangs_up_frees_its_workers() -> None:
    async def play(gate: Gate, crew: Puppets) -> None:
        with pytest.raises(Refusal, match="hung up"):
            await asked(gate, [job("left", 60)] * 5, asyncio.sleep(0.05))
        assert gate.held == 0
        assert await asyncio.wait_for(asked(gate, [job("next")]), GRACE + 5) == ["next"]
        assert crew.done == ["next"]
        assert gate.metrics.given_up["hung_up"] == 1
        await asyncio.sleep(GRACE + 0.2)
        assert gate.metrics.ended["no_longer_wanted"] == crew.ended == 2

    assert played(play, workers=2).hired == 5


def test_a_request_that_is_too_slow_frees_its_workers() -> None:
    async def play(gate: Gate, crew: Puppets) -> None:
        with pytest.raises(Refusal, match="not done within"):
            await asked(gate, [job("slow", 60)] * 5)
        assert await asked(gate, [job("next")]) == ["next"]
        assert "slow" not in crew.done

    played(play, workers=1, seconds=0.6)


def test_what_is_nearly_done_is_no_reason_to_end_a_worker() -> None:
    async def play(gate: Gate, crew: Puppets) -> None:
        with pytest.raises(Refusal):
            await asked(gate, [job("quick", 0.1)], asyncio.sleep(0.02))
        assert await asked(gate, [job("next")]) == ["next"]
        assert crew.ended == 0

    played(play, workers=1)


def test_a_cancelled_request_leaves_nothing_behind() -> None:
    async def play(gate: Gate, crew: Puppets) -> None:
        task = asyncio.ensure_future(asked(gate, [job("x", 60)] * 3))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert gate.held == 0
        assert await asked(gate, [job("next")]) == ["next"]

    played(play, workers=1)


def test_a_job_whose_worker_died_is_tried_again() -> None:
    async def play(gate: Gate, crew: Puppets) -> None:
        assert await asked(gate, [job("a"), job("unlucky"), job("b")]) == ["a", "unlucky", "b"]
        with pytest.raises(Refusal, match="its log says why"):
            await asked(gate, [job("deadly")])
        assert crew.done.count("deadly") == TRIES
        assert gate.metrics.ended["died"] == 1 + TRIES

    played(play, workers=2)
