"""Start-up of ``parse`` with a grammar: the model is read in a thread of its own while kernels are loaded."""

import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from eigenparse.cli.parse import ParseRequest
from eigenparse.models.grammar.kind import GRAMMARS
from eigenparse.models.registry import load_model

BLAS = "scipy.linalg.cython_blas"


def run(request: ParseRequest) -> None:
    """Parse a file or standard input."""
    with ThreadPoolExecutor(1) as pool, quick_imports():
        pending = pool.submit(load_model, request.model, *GRAMMARS)
        from eigenparse.cli.parse_lpcfg import parse_all, warm_up

        warm_up()
        grammar = pending.result()
    parse_all(grammar, request)


@contextmanager
def quick_imports() -> Iterator[None]:
    """Leave out what parsing does not need: the collector's rounds, and numba's look for BLAS in scipy.

    No kernel of parsing multiplies matrices by BLAS, and importing scipy.linalg takes as long as numba.
    """
    wanted = BLAS not in sys.modules
    gc.disable()
    if wanted:
        sys.modules[BLAS] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        gc.enable()
        if wanted:
            del sys.modules[BLAS]
