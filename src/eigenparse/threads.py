"""Linear algebra in one thread: several threads would add up sums in any order, so that results would not repeat."""

from importlib import import_module

from threadpoolctl import threadpool_limits


def one_thread() -> threadpool_limits:
    """Limit linear algebra to one thread, from now on or as a context.

    Only libraries that are loaded already are limited.  Kernels load SciPy's when they first multiply matrices, so it
    is loaded here.
    """
    import_module("scipy.linalg.cython_blas")
    return threadpool_limits(limits=1)
