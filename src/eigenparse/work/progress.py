"""Progress and messages of long-running work: one callback and one function."""

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from eigenparse.errors import printable

T = TypeVar("T")


class Progress(Protocol):
    """Called with the current stage and, where they are known, the finished steps and their total."""

    def __call__(self, stage: str, done: int | None = None, total: int | None = None) -> None: ...


def silent(stage: str, done: int | None = None, total: int | None = None) -> None:
    """A progress callback that does nothing."""


def tell(sentence: str) -> None:
    """Print a message on standard error; every message of the package goes through here."""
    lines = [printable(line) for line in sentence.split("\n")]  # it may quote what a file holds
    sys.stderr.write("eigenparse: " + "\n".join(lines) + "\n")


@contextmanager
def shown(title: str) -> Iterator[Progress]:
    """A callback that shows stage, steps, time and remaining time on a terminal, and nothing elsewhere."""
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def show(stage: str, done: int | None = None, total: int | None = None) -> None:
            bar.update(task, description=f"{title}: {stage}", completed=done or 0, total=total)

        yield show


def counted(items: Iterable[T], title: str, *, total: int | None = None) -> Iterator[T]:
    """The same items, counted on a terminal while they pass."""
    with shown(title) as progress:
        for done, item in enumerate(items, 1):
            yield item
            progress("", done, total)


def _peak_megabytes() -> int:
    """Peak memory of this process; 0 if the system does not report it."""
    try:
        import resource
    except ImportError:  # not on Windows
        return 0
    scale = 1024 * 1024 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // scale


@dataclass(slots=True)
class Stages:
    """A stopwatch: CPU seconds of every stage, and the peak memory at its end in megabytes."""

    seconds: dict[str, float] = field(default_factory=dict)
    megabytes: dict[str, int] = field(default_factory=dict)
    _name: str = ""
    _since: float = 0.0

    def start(self, name: str) -> None:
        """End the stage before and begin another."""
        self.stop()
        self._name, self._since = name, time.process_time()

    def stop(self) -> None:
        """End the current stage."""
        if self._name:
            spent = time.process_time() - self._since
            self.seconds[self._name] = self.seconds.get(self._name, 0.0) + spent
            self.megabytes[self._name] = _peak_megabytes()
            self._name = ""
