"""Announce that kernels will be compiled, which happens once per machine."""

import os
from importlib.util import find_spec
from pathlib import Path

from eigenparse.models.registry import Kind
from eigenparse.work.progress import tell


def announce_first_use(kind: Kind) -> None:
    """One line on standard error if there are no compiled kernels of a kind on this machine yet."""
    if kind.kernels is None or "NUMBA_CACHE_DIR" in os.environ:
        return
    found = find_spec(kind.kernels)
    source = Path(found.origin) if found is not None and found.origin else None
    if source is None or not os.access(source.parent, os.W_OK):
        return
    if not any((source.parent / "__pycache__").glob("*.nbi")):
        tell("compiling for this machine (first run only, about half a minute)")
