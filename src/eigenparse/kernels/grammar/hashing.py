"""Hashes of features, and log odds."""

import numpy as np

from eigenparse.kernels.compiled import kernel

LEAST_ODDS = 1e-4
_TURN, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)


@kernel
def mix(h, x):
    """A hash of two hashes; it depends on their order."""
    h = (h * _TURN + x) * _TURN
    return h ^ (h >> _SHIFT)


@kernel
def log_odds(p):
    """log p / (1 - p), within bounds."""
    p = min(max(p, LEAST_ODDS), 1.0 - LEAST_ODDS)
    return np.log(p / (1.0 - p))


@kernel
def step(x):
    """The whole number below some log odds, as a hash."""
    return np.uint64(np.int64(np.floor(x)) + 20)
