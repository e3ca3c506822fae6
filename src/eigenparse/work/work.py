"""How work is run: where tasks run, which parts are kept, how progress is shown, and random streams.

Learners and batches get a ``Work`` and never ask whether they run in this process, in several, or on a cluster,
whether progress is shown, or whether an earlier run was interrupted.
"""

import functools
import operator
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from eigenparse.arrays import generator
from eigenparse.run.local import LocalRun, check_jobs
from eigenparse.run.ordered import OrderedRun, open_run
from eigenparse.work.kept import NOTHING_KEPT, Kept, Part, kept_beside
from eigenparse.work.progress import Progress, Stages, shown, silent

S = TypeVar("S")
T = TypeVar("T")
Step = Callable[[int, Part], Part]


@dataclass(frozen=True, slots=True)
class Work:
    """run: where tasks run.  kept: finished parts.  progress: callback for the current stage.  stages: time spent.

    The result of any work depends on its data, options and seed alone: not on the place where it runs, nor on
    what was kept.
    """

    run: OrderedRun = LocalRun()
    kept: Kept = NOTHING_KEPT
    progress: Progress = silent
    stages: Stages = field(default_factory=Stages, compare=False)

    def at(self, name: str) -> "Work":
        """The same work for a part with a name of its own: parts of different names are kept apart."""
        return replace(self, kept=self.kept.at(name))

    def here(self) -> "Work":
        """The same work inside a task: done in the worker's own process, silently, keeping parts in the same folder."""
        return Work(kept=self.kept)

    @property
    def is_here(self) -> bool:
        """Whether tasks are done in this process, one after the other, so that they may report their progress."""
        return isinstance(self.run, LocalRun) and self.run.pool is None

    def task(self) -> "Work":
        """What to hand to a task: this work if tasks are done in this process, else ``here()``."""
        return self if self.is_here else self.here()

    def stage(self, name: str, done: int | None = None, total: int | None = None) -> None:
        """Begin a stage, or report its progress."""
        if done is None:
            self.stages.start(name)
        self.progress(name, done, total)

    def map(self, task: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
        """task(item) for each item, in order; task, items and results must be importable values."""
        return self.run.map_ordered(task, items)

    def add_up(self, task: Callable[[S], T], items: Iterable[S]) -> Any:
        """The results added from first to last, so that the sum has the same bits wherever it is computed."""
        return functools.reduce(operator.add, self.run.map_ordered(task, items))

    def part(self, name: str, compute: Callable[[], Part], *, always: bool = False) -> Part:
        """A header and arrays that an earlier run kept, or computed now.

        It is kept if computing it took long; always: keep it in any case.
        """
        found = self.kept.find(name)
        if found is not None:
            self.progress(f"{name}: found finished")
            return found
        began = time.monotonic()
        made = compute()
        if always or time.monotonic() - began >= self.kept.seconds:
            self.kept.keep(name, made)
        return made

    def rounds(self, name: str, total: int, first: Callable[[], Part], step: Step) -> Part:
        """The state after ``total`` steps; the state is a header and arrays, and each step returns the next one.

        step: gets the number of the step and the state before it.  The state is kept after a step if it was last kept
        long enough ago; an interrupted run continues after the last step that was kept.
        """
        began = kept = time.monotonic()
        found = self.kept.find(name)
        done, state = (int(found[0]["done"]), (found[0]["header"], found[1])) if found else (0, first())
        if found:
            self.progress(f"{name}: continuing after step {done}", done, total)
        elif time.monotonic() - began >= self.kept.seconds:
            self._keep_round(name, 0, state)
        for number in range(done, total):
            state = step(number, state)
            self.progress(name, number + 1, total)
            if time.monotonic() - kept >= self.kept.seconds:
                self._keep_round(name, number + 1, state)
                kept = time.monotonic()
        return state

    def _keep_round(self, name: str, done: int, state: Part) -> None:
        self.kept.keep(name, ({"done": done, "header": state[0]}, state[1]))

    @staticmethod
    def random(seed: int, *stream: int) -> np.random.Generator:
        """The generator of a seed and a path of stream numbers, independent of every other path."""
        return generator(seed, *stream)


@dataclass(frozen=True, slots=True)
class Where:
    """Where work runs, as given by the user.

    jobs: processes of this machine, 0 for all cores.  cluster: address of a Dask scheduler.  resume: continue an
    interrupted run.  wait: seconds without a worker of the cluster after which the work is given up.
    """

    jobs: int = 1
    cluster: str | None = None
    resume: bool = False
    wait: float = 60.0

    @property
    def workers(self) -> int:
        """The number of processes or threads of this machine; OptionError if it is negative."""
        return check_jobs(self.jobs)


@contextmanager
def open_work(
    title: str, where: Where = Where(), *, out: Path | None = None, mark: str = "", show: bool = True
) -> Iterator[Work]:
    """Work that shows its progress, runs where the user wants it, and is kept beside ``out`` until it is done.

    mark: the fingerprint of data and options that kept parts must agree with.  show: False for silent work.
    """
    watched = shown(title) if show else nullcontext(silent)
    with watched as progress, open_run(where.cluster, where.jobs, wait=where.wait) as run:
        if out is None:
            yield Work(run, NOTHING_KEPT, progress)
            return
        with kept_beside(out, mark, resume=where.resume) as kept:
            yield Work(run, kept, progress)
