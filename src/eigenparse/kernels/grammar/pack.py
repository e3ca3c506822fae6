"""Preparation of weights for packing: find the large ones, and number equal rows."""

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.intern import empty_table, mix


@kernel
def count_above(values, least):
    """How many values are larger than ``least``."""
    count = 0
    for j in range(values.size):
        count += float(values[j]) > least
    return count


@kernel
def take_above(values, least, gaps, taken):
    """The values larger than ``least``, and for each how many places it stands after the one before it."""
    last, k = -1, 0
    for j in range(values.size):
        if float(values[j]) > least:
            gaps[k], taken[k] = j - last, values[j]
            last = j
            k += 1


@kernel
def same_row(values, at, e, f):
    """Whether the rows of two entries, of the same width, hold the same."""
    h, width = 0, at[e + 1] - at[e]
    while h < width and values[at[e] + h] == values[at[f] + h]:
        h += 1
    return h == width


@kernel
def number_rows(label, at, values, number, first):
    """Number the different rows [at[e], at[e + 1]) of ``values`` under each label, in order of first occurrence.

    Returns how many there are; first: the entry where each occurs first.
    """
    table, count = empty_table(label.size), 0
    mask = table.size - 1
    for e in range(label.size):
        h = mix(label[e], 0)
        for j in range(at[e], at[e + 1]):
            h = mix(h, values[j])
        slot = np.int64(h & np.uint64(mask))
        while table[slot] >= 0:
            f = first[table[slot]]
            if label[f] == label[e] and same_row(values, at, e, f):
                break
            slot = (slot + 1) & mask
        if table[slot] < 0:
            table[slot], first[count] = count, e
            count += 1
        number[e] = table[slot]
    return count
