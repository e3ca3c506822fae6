"""Rounds of k-means: rows and centres in, better centres out."""

import numpy as np

from eigenparse.kernels.compiled import kernel

CHUNK = 256  # rows whose distances are computed together


@kernel
def assign_rows(rows, centres, state):
    """The nearest centre of every row, in ``state``; whether any of them changed."""
    square, changed = np.empty(centres.shape[0], dtype=rows.dtype), False
    for c in range(square.size):
        square[c] = np.dot(centres[c], centres[c])
    for start in range(0, rows.shape[0], CHUNK):
        product = np.dot(rows[start : start + CHUNK], centres.T)
        for i in range(product.shape[0]):
            best, least = 0, np.inf
            for c in range(square.size):
                distance = square[c] - 2 * product[i, c]
                if distance < least:
                    best, least = c, distance
            changed = changed or state[start + i] != best
            state[start + i] = best
    return changed


@kernel
def sum_rows(rows, weight, state, total, size):
    """Weighted sums of the rows of each centre, and how much they weigh."""
    total[:], size[:] = 0.0, 0.0
    for i in range(rows.shape[0]):
        own, w = total[state[i]], weight[i]
        size[state[i]] += w
        for j in range(rows.shape[1]):
            own[j] += w * rows[i, j]


@kernel
def fill_empty(rows, weight, state, centres, total, size):
    """Give every centre without rows one of those that are farthest from their own centres."""
    empty = np.flatnonzero(size == 0)
    if empty.size == 0:
        return
    distance = np.empty(rows.shape[0], dtype=rows.dtype)
    for i in range(rows.shape[0]):
        gap = rows[i] - centres[state[i]]
        distance[i] = np.dot(gap, gap)
    far = np.argsort(-distance, kind="mergesort")
    for k in range(empty.size):
        i = far[k]
        old, new = state[i], empty[k]
        part = rows[i] * weight[i]
        total[old] -= part
        total[new] = part
        size[old] -= weight[i]
        size[new] = weight[i]


@kernel
def improve_centres(rows, weight, centres, most, tolerance):
    """Rounds of k-means in place: until no row changes its centre, or centres move less than ``tolerance`` in all."""
    state = np.full(rows.shape[0], -1, dtype=np.int32)
    total, size = np.empty_like(centres), np.empty(centres.shape[0], dtype=rows.dtype)
    for _ in range(most):
        changed = assign_rows(rows, centres, state)
        sum_rows(rows, weight, state, total, size)
        fill_empty(rows, weight, state, centres, total, size)
        moved = 0.0
        for c in range(size.size):
            for j in range(centres.shape[1]):
                value = total[c, j] / size[c] if size[c] > 0 else centres[c, j]
                moved += (value - centres[c, j]) ** 2
                centres[c, j] = value
        if not changed or moved <= tolerance:
            break
