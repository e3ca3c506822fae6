"""A cache of results that several learning runs over the same data share."""

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Once:
    """Results by name.  spared: CPU seconds that later runs saved."""

    spared: float = 0.0
    _kept: dict[Hashable, tuple[Any, float]] = field(default_factory=dict)

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The result of ``make``, which is called once per key."""
        if key in self._kept:
            value, seconds = self._kept[key]
            self.spared += seconds
            return value
        since = time.process_time()
        value = make()
        self._kept[key] = value, time.process_time() - since
        return value
