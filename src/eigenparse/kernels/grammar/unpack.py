"""Codes of packed weights in, weights out; codes that lie outside of what they stand for are refused.

A code is an index into a table of values.  The values that are not zero are written to their places in one pass, so
that nothing as long as the weights is made on the way.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from eigenparse.kernels.compiled import kernel

Array = npt.NDArray[Any]


@kernel
def place_after_gaps(gaps: Array, low: Array, high: Array, table: Array, out: Array) -> bool:
    """out[gaps[0] + ... + gaps[k] - 1] = table[256 high[k] + low[k]]; whether all of that exists."""
    at = np.int64(-1)
    for k in range(gaps.size):
        gap, code = np.int64(gaps[k]), np.int64(high[k]) << 8 | np.int64(low[k])
        if gap < 1 or gap >= out.size - at or code >= table.size:
            return False
        at += gap
        out[at] = table[code]
    return True


@kernel
def place_by_marks(marks: Array, low: Array, high: Array, table: Array, out: Array) -> bool:
    """The same where bit j of ``marks``, the first in a byte being the highest, says whether out[j] is not zero."""
    k = 0
    for j in range(out.size):
        if marks[j >> 3] >> (7 - (j & 7)) & 1:
            code = np.int64(high[k]) << 8 | np.int64(low[k]) if k < low.size else table.size
            if code >= table.size:
                return False
            out[j] = table[code]
            k += 1
    return k == low.size


@kernel
def place_shares(top: Array, width: Array, share: Array, tops: Array, shares: Array, out: Array) -> bool:
    """out = tops[top[e]] * shares[share] for the width[e] values of every entry e; whether the codes exist."""
    at = 0
    for e in range(width.size):
        if top[e] >= tops.size:
            return False
        largest = tops[top[e]]
        for k in range(at, at + width[e]):
            if share[k] >= shares.size:
                return False
            out[k] = largest * shares[share[k]]
        at += width[e]
    return True
