"""What several learning runs over the same data have in common, each thing made once."""

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Once:
    """Results by name.  spared: CPU seconds that later runs did not spend; alone they would have."""

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
