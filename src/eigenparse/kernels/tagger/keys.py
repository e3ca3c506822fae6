"""Keys of tokens and their neighbours: columns with offsets in, mixed 64-bit keys out."""

import numpy as np
from numba import njit

from eigenparse.kernels.intern import mix


@njit(cache=True, nogil=True)
def shift_keys(values, offsets, offset, key):
    """key[t] = mix(key[t], values[t + offset]) within each sequence; boundaries have their own value."""
    for s in range(offsets.size - 1):
        low, high = offsets[s], offsets[s + 1]
        for t in range(low, high):
            u = t + offset
            if u < low:
                key[t] = mix(key[t], np.uint64(11400714819323198485))
            elif u >= high:
                key[t] = mix(key[t], np.uint64(9650029242287828579))
            else:
                key[t] = mix(key[t], values[u])


@njit(cache=True, nogil=True)
def neighbour_runs(ids, offsets, before, after):
    """The nearest token before and after with another id, -1 at the ends of the sequence."""
    for s in range(offsets.size - 1):
        low, high = offsets[s], offsets[s + 1]
        for t in range(low, high):
            if t == low:
                before[t] = -1
            else:
                before[t] = t - 1 if ids[t - 1] != ids[t] else before[t - 1]
        for t in range(high - 1, low - 1, -1):
            if t == high - 1:
                after[t] = -1
            else:
                after[t] = t + 1 if ids[t + 1] != ids[t] else after[t + 1]


@njit(cache=True, nogil=True)
def build_table(keys, table):
    """Open-addressing table of positions in ``keys``; ``table`` is a power of two long, filled with -1."""
    mask = table.size - 1
    for i in range(keys.size):
        slot = np.int64(keys[i] & np.uint64(mask))
        while table[slot] >= 0:
            slot = (slot + 1) & mask
        table[slot] = i


@njit(cache=True, nogil=True)
def find_keys(wanted, keys, table, out):
    """Position in ``keys`` of every wanted key, -1 where absent."""
    mask = table.size - 1
    for i in range(wanted.size):
        slot = np.int64(wanted[i] & np.uint64(mask))
        out[i] = -1
        while table[slot] >= 0:
            if keys[table[slot]] == wanted[i]:
                out[i] = table[slot]
                break
            slot = (slot + 1) & mask
