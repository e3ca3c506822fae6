"""Posteriors and outcomes in, their calibration out."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import BoolVector, FloatArray, LongVector
from eigenparse.errors import DataError
from eigenparse.report.content import Curves, Series


@dataclass(frozen=True, slots=True)
class Calibration:
    """Bins of posteriors.  claimed, true: means in each bin that is not empty; count: how many there are.

    error: mean distance between claim and truth over all of them (expected calibration error).
    """

    claimed: FloatArray
    true: FloatArray
    count: LongVector
    error: float


def calibrate(posterior: FloatArray, is_true: BoolVector, *, bins: int = 10) -> Calibration:
    """Compare posteriors (n,) with outcomes (n,) in bins of equal width."""
    if posterior.shape != is_true.shape or posterior.size == 0:
        raise DataError("posteriors and outcomes differ in number, or there are none; give one of each")
    place = np.minimum((posterior * bins).astype(np.int64), bins - 1)
    count = np.bincount(place, minlength=bins)
    kept = np.flatnonzero(count)
    n = count[kept]
    claimed = np.bincount(place, weights=posterior, minlength=bins)[kept] / n
    true = np.bincount(place, weights=is_true, minlength=bins)[kept] / n
    error = float(np.sum(n * np.abs(claimed - true)) / posterior.size)
    return Calibration(claimed, true, n, error)


def calibration_curves(named: dict[str, Calibration]) -> Curves:
    """Posteriors against observed frequencies, with the line of perfect calibration."""
    lines = [Series("perfect", (0.0, 1.0), (0.0, 1.0))]
    lines += [
        Series(f"{name} (error {one.error:.3f})", tuple(one.claimed.tolist()), tuple(one.true.tolist()))
        for name, one in named.items()
    ]
    return Curves("Calibration of posteriors", "posterior", "share that is in the gold tree", tuple(lines))
