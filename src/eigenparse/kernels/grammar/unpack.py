"""Codes of packed weights in, weights out; invalid codes are refused.

A code is an index into a table of values.  The values that are not zero are written to their places in one pass, so
that no other array of the full length is needed.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from eigenparse.kernels.compiled import kernel

Array = npt.NDArray[Any]


@kernel
def place_after_gaps(gaps: Array, low: Array, high: Array, table: Array, out: Array) -> None:
    """out[gaps[0] + ... + gaps[k] - 1] = table[256 high[k] + low[k]], all of which exists."""
    at = np.int64(-1)
    for k in range(gaps.size):
        at += np.int64(gaps[k])
        out[at] = table[np.int64(high[k]) << 8 | np.int64(low[k])]


@kernel
def place_by_marks(marks: Array, low: Array, high: Array, table: Array, out: Array) -> bool:
    """out[j] = the value of the next code where bit j of ``marks`` is set, the first in a byte being the highest."""
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
def place_shares(
    top: Array,
    label: Array,
    states: Array,
    number: Array,
    shared: Array,
    share: Array,
    shares: Array,
    out: Array,
) -> bool:
    """out = top[e] * shares[row of e] for every lexicon entry e (see ``EntryRows``); whether all rows exist.

    label: (E,) of entries.  states: (A,) of labels, 1 or more.  shared: (A,).
    """
    first, at = np.zeros(states.size + 1, dtype=np.int64), 0
    for a in range(states.size):
        first[a + 1] = first[a] + shared[a] * states[a]
        if shared[a] < 0 or first[a + 1] > share.size:
            return False
    single = first[-1]
    for e in range(label.size):
        a, k = label[e], number[e]
        m = states[a]
        start = single if k == 0 else first[a] + (k - 1) * m
        single += m if k == 0 else 0
        if k < 0 or k > shared[a] or start + m > share.size or at + m > out.size:
            return False
        for h in range(m):
            out[at + h] = top[e] * shares[share[start + h]]
        at += m
    return at == out.size
