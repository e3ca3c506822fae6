"""Announce that kernels will be compiled, which happens once per machine."""

import os
from importlib.util import find_spec
from pathlib import Path

from eigenparse.models.registry import Kind
from eigenparse.work.progress import tell


def announce_first_use(kind: Kind, *, learning: bool = False) -> None:
    """One line on standard error if this machine keeps no compiled kernels of a kind, or of its learner, yet."""
    module = (kind.learning if learning else None) or kind.kernels
    if module is None or "NUMBA_CACHE_DIR" in os.environ:
        return
    found = find_spec(module)
    source = Path(found.origin) if found is not None and found.origin else None
    if source is None or not os.access(source.parent, os.W_OK):
        return
    if not any((source.parent / "__pycache__").glob(f"{source.stem}.*.nbi")):
        what = "first training" if learning else "first run"
        tell(f"compiling for this machine ({what} only, up to a minute)")
