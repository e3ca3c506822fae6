"""Dense ids for 64-bit keys, in order of first occurrence."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, inline="always")
def mix(a, b):
    """A well-spread 64-bit key of two keys."""
    x = np.uint64(a) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(b) + np.uint64(0x632BE59BD9B4E019)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(cache=True, nogil=True)
def mix_columns(a, b, out):
    """out[i] = mix(a[i], b[i])."""
    for i in range(a.size):
        out[i] = mix(a[i], b[i])


@njit(cache=True, nogil=True)
def intern_keys(keys, ids, first):
    """Write the dense id of each key and the row where each id first occurs; return their number."""
    n = keys.size
    bits = 4
    while (1 << bits) < 2 * n:
        bits += 1
    shift = np.uint64(64 - bits)
    mask = (1 << bits) - 1
    table = np.full(1 << bits, -1, dtype=np.int32)
    count = 0
    for i in range(n):
        slot = np.int64((keys[i] * np.uint64(0x9E3779B97F4A7C15)) >> shift)
        while True:
            seen = table[slot]
            if seen < 0:
                table[slot] = count
                first[count] = i
                ids[i] = count
                count += 1
                break
            if keys[first[seen]] == keys[i]:
                ids[i] = seen
                break
            slot = (slot + 1) & mask
    return count
