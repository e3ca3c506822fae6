"""Keys of tokens and their neighbours: columns with offsets in, mixed 64-bit keys out."""

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.intern import mix


@kernel
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


@kernel
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
