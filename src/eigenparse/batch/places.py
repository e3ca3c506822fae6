"""Model files that each worker process loads once, instead of being sent with every task."""

import functools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eigenparse.data import located
from eigenparse.models.registry import load_model


@dataclass(frozen=True, slots=True)
class ModelPlace:
    """A model file; size and time tell one version from another."""

    path: str
    size: int
    time: int

    @classmethod
    def of(cls, path: str | Path) -> "ModelPlace":
        path = located(path)
        found = os.stat(path)
        return cls(str(path.resolve()), found.st_size, found.st_mtime_ns)


@functools.lru_cache(maxsize=2)
def loaded(place: ModelPlace) -> Any:
    """The model at a place."""
    return load_model(place.path)
