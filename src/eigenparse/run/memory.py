"""How this process treats memory that it has freed."""

import ctypes

TRIM_THRESHOLD, MMAP_MAX = -1, -4  # numbers of parameters in glibc's malloc.h
MOST = 2**31 - 1


def keep_freed_memory() -> None:
    """Let the C library keep freed memory for the next array instead of returning it to the system.

    Learners allocate large arrays repeatedly, and a fresh page costs more than the sums that fill it.  For a process
    that learns one model and ends; where the C library is not glibc, nothing changes.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return
    mallopt(MMAP_MAX, 0)
    mallopt(TRIM_THRESHOLD, MOST)
