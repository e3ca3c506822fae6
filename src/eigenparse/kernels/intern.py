"""Hash tables of 64-bit keys: dense ids in order of first occurrence, and positions of known keys.

A table is open-addressed with linear probing.  It is an int32 array whose length is a power of two and at
least twice the number of keys; a slot holds the position of a key in its list of keys, or -1 if it is empty.
"""

import numpy as np

from eigenparse.kernels.compiled import kernel


@kernel(inline="always")
def mix(a, b):
    """A 64-bit hash of two keys."""
    x = np.uint64(a) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(b) + np.uint64(0x632BE59BD9B4E019)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def mix_columns(a, b, out):
    """out[i] = mix(a[i], b[i])."""
    for i in range(a.size):
        out[i] = mix(a[i], b[i])


@kernel
def empty_table(n):
    """A table with room for n keys."""
    size = 16
    while size < 2 * n:
        size *= 2
    return np.full(size, -1, dtype=np.int32)


@kernel
def find_slot(keys, table, key):
    """The slot of ``table`` that holds the position of ``key`` in ``keys``, or the empty slot where it belongs."""
    mask = table.size - 1
    h = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64((h >> np.uint64(20)) & np.uint64(mask))
    while table[slot] >= 0 and keys[table[slot]] != key:
        slot = (slot + 1) & mask
    return slot


@kernel
def intern_keys(keys, ids, first):
    """Write the dense id of each key and the row where each id first occurs; return the number of ids."""
    table, distinct = empty_table(keys.size), np.empty_like(keys)
    count = 0
    for i in range(keys.size):
        slot = find_slot(distinct, table, keys[i])
        if table[slot] < 0:
            table[slot] = count
            distinct[count], first[count] = keys[i], i
            count += 1
        ids[i] = table[slot]
    return count


@kernel
def is_increasing(keys):
    """Whether every key is larger than the one before it."""
    i = 1
    while i < keys.size and keys[i] > keys[i - 1]:
        i += 1
    return i >= keys.size


@kernel
def find_keys(wanted, keys, out):
    """Write the position in ``keys`` of every wanted key, -1 where absent."""
    if 4 * wanted.size < keys.size and is_increasing(keys):  # a table would take longer than the search
        for i in range(wanted.size):
            place = np.searchsorted(keys, wanted[i])
            out[i] = place if place < keys.size and keys[place] == wanted[i] else -1
        return
    table = empty_table(keys.size)
    for i in range(keys.size):
        slot = find_slot(keys, table, keys[i])
        if table[slot] < 0:
            table[slot] = i
    for i in range(wanted.size):
        out[i] = table[find_slot(keys, table, wanted[i])]
