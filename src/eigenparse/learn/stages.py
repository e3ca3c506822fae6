"""Time and memory by stage of a learning run."""

import resource
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

Progress = Callable[[str], None]


def _silent(stage: str) -> None:
    pass


@dataclass(slots=True)
class Stages:
    """A stopwatch: CPU seconds of every stage and the largest memory so far, in megabytes."""

    tell: Progress = _silent
    seconds: dict[str, float] = field(default_factory=dict)
    megabytes: dict[str, int] = field(default_factory=dict)
    _name: str = ""
    _since: float = 0.0

    def start(self, name: str) -> None:
        """End the stage before, begin another, and say so."""
        self.stop()
        self._name, self._since = name, time.process_time()
        self.tell(name)

    def stop(self) -> None:
        """End the stage under way."""
        if self._name:
            spent = time.process_time() - self._since
            self.seconds[self._name] = self.seconds.get(self._name, 0.0) + spent
            self.megabytes[self._name] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            self._name = ""


@dataclass(slots=True)
class Once:
    """What several learning runs over the same trees have in common, each thing made once.

    spared: CPU seconds that later runs did not spend; they belong to what a run alone would take.
    """

    spared: float = 0.0
    _kept: dict[Hashable, tuple[Any, float]] = field(default_factory=dict)

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What ``make`` gives, or gave when it was first called for this key."""
        if key in self._kept:
            value, seconds = self._kept[key]
            self.spared += seconds
            return value
        since = time.process_time()
        value = make()
        self._kept[key] = value, time.process_time() - since
        return value
