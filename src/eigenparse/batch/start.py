"""A quick start of parsing: the model is read in a thread of its own while the kernels are imported."""

import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import numpy as np

from eigenparse.batch.places import ModelPlace, loaded
from eigenparse.batch.requests import ParseRequest
from eigenparse.work.work import Where

NOT_NEEDED = "scipy.linalg.cython_blas"


def parse(path: Path, asked: ParseRequest, where: Where) -> Iterator[bytes]:
    """Parse with a grammar, as ``eigenparse.batch.parse_grammar`` does."""
    with ThreadPoolExecutor(1) as pool, quick_imports():
        pending = pool.submit(loaded, ModelPlace.of(path))
        grammars = import_module("eigenparse.batch.parse_grammar")
        _warm_up()
        pending.result()
    yield from grammars.parse(path, asked, where)


def _warm_up() -> None:
    """Call one kernel: the first call of a process loads the compiler's tables."""
    none = np.empty(0, dtype=np.int32)
    import_module("eigenparse.kernels.columns").heights(none, none, none)


@contextmanager
def quick_imports() -> Iterator[None]:
    """Skip what parsing does not need: garbage collection, and SciPy's BLAS, which numba would import.

    No kernel of parsing multiplies matrices by BLAS; importing it is a tenth of the CPU time of ``eigenparse parse``.
    """
    known = NOT_NEEDED in sys.modules
    gc.disable()
    if not known:
        sys.modules[NOT_NEEDED] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        gc.enable()
        if not known:
            del sys.modules[NOT_NEEDED]
