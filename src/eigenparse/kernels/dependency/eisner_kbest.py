"""The same chart as ``eisner``, with the k best values of every cell; distinct trees out."""

import numpy as np
from numba import njit

from eigenparse.kernels.dependency.eisner import (
    ARC_L,
    ARC_R,
    OUT_L,
    OUT_R,
    edge_bonus,
    edge_cells,
    leaf_value,
    n_edges,
    root_bonus,
)


@njit(cache=True, nogil=True)
def push(heap, keys, size, key, item):
    """Add an item to a binary heap with the largest key on top; return the new size."""
    i = size
    while i > 0 and keys[(i - 1) // 2] < key:
        keys[i] = keys[(i - 1) // 2]
        heap[i] = heap[(i - 1) // 2]
        i = (i - 1) // 2
    keys[i] = key
    heap[i, 0], heap[i, 1], heap[i, 2] = item
    return size + 1


@njit(cache=True, nogil=True)
def pop(heap, keys, size):
    """Remove the top (read it first); return the new size."""
    size -= 1
    key = keys[size]
    e, ra, rb = heap[size, 0], heap[size, 1], heap[size, 2]
    i = 0
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and keys[child + 1] > keys[child]:
            child += 1
        if keys[child] <= key:
            break
        keys[i] = keys[child]
        heap[i] = heap[child]
        i = child
    keys[i] = key
    heap[i, 0], heap[i, 1], heap[i, 2] = e, ra, rb
    return size


@njit(cache=True, nogil=True)
def merge_edges(edge_a, edge_b, bonus, value, count, k, heap, keys, out_value, out_back):
    """The k best sums over edges and ranks below them, best first; return how many there are.

    Each pair of ranks of an edge is reached once: (a, b) brings (a, b + 1), and (a + 1, 0) if b = 0.
    """
    size = 0
    for e in range(bonus.size):
        total = bonus[e] + value[edge_a[e], 0]
        if edge_b[e] >= 0:
            total += value[edge_b[e], 0]
        size = push(heap, keys, size, total, (e, 0, 0))
    found = 0
    while found < k and size > 0:
        total = keys[0]
        e, ra, rb = heap[0, 0], heap[0, 1], heap[0, 2]
        size = pop(heap, keys, size)
        out_value[found] = total
        out_back[found, 0], out_back[found, 1], out_back[found, 2] = e, ra, rb
        found += 1
        a, b = edge_a[e], edge_b[e]
        if b >= 0 and rb + 1 < count[b]:
            size = push(heap, keys, size, bonus[e] + value[a, ra] + value[b, rb + 1], (e, ra, rb + 1))
        if rb == 0 and ra + 1 < count[a]:
            total = bonus[e] + value[a, ra + 1]
            if b >= 0:
                total += value[b, 0]
            size = push(heap, keys, size, total, (e, ra + 1, 0))
    return found


@njit(cache=True, nogil=True)
def kbest_chart(n, k, scores, siblings, ends, value, back, count):
    """Fill the k best values of every cell; return those of whole trees with their back pointers."""
    second = siblings.size > 0
    w = n + 1
    heap = np.empty((n + 2 * k + 2, 3), dtype=np.int32)
    keys = np.empty(n + 2 * k + 2)
    edge_a, edge_b = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    bonus = np.empty(n)
    for i in range(1, n + 1):
        for kind in (OUT_R, OUT_L):
            value[(kind * w + i) * w + i, 0] = leaf_value(kind, i, ends, second)
            count[(kind * w + i) * w + i] = 1
    for width in range(1, n):
        for i in range(1, n + 1 - width):
            j = i + width
            for kind in range(5):
                cell = (kind * w + i) * w + j
                m = n_edges(kind, i, j, second)
                for e in range(m):
                    edge_a[e], edge_b[e] = edge_cells(kind, i, j, e, w, second)
                    bonus[e] = edge_bonus(kind, i, j, e, scores, siblings, ends, second)
                count[cell] = merge_edges(
                    edge_a[:m], edge_b[:m], bonus[:m], value, count, k, heap, keys, value[cell], back[cell]
                )
    for r in range(1, n + 1):
        edge_a[r - 1], edge_b[r - 1] = (OUT_L * w + 1) * w + r, (OUT_R * w + r) * w + n
        bonus[r - 1] = root_bonus(r, scores, siblings, ends, second)
    top, top_back = np.empty(k), np.empty((k, 3), dtype=np.int32)
    found = merge_edges(edge_a, edge_b, bonus, value, count, k, heap, keys, top, top_back)
    return top[:found], top_back


@njit(cache=True, nogil=True)
def kbest_trees(scores, siblings, ends, heads, totals):
    """Write up to k trees (k, n) and their scores (k,), best first; return how many there are."""
    k, n = heads.shape
    if n == 0:
        totals[0] = 0.0
        return 1
    second = siblings.size > 0
    w = n + 1
    value = np.empty((5 * w * w, k))
    back = np.empty((5 * w * w, k, 3), dtype=np.int32)
    count = np.zeros(5 * w * w, dtype=np.int32)
    top, top_back = kbest_chart(n, k, scores, siblings, ends, value, back, count)
    stack = np.empty((4 * w + 4, 2), dtype=np.int64)
    for t in range(top.size):
        totals[t] = top[t]
        root = top_back[t, 0] + 1
        heads[t, root - 1] = 0
        stack[0, 0], stack[0, 1] = (OUT_L * w + 1) * w + root, top_back[t, 1]
        stack[1, 0], stack[1, 1] = (OUT_R * w + root) * w + n, top_back[t, 2]
        size = 2
        while size > 0:
            size -= 1
            cell, rank = stack[size, 0], stack[size, 1]
            kind, i, j = cell // (w * w), cell // w % w, cell % w
            if i == j:
                continue
            if kind == ARC_R:
                heads[t, j - 1] = i
            elif kind == ARC_L:
                heads[t, i - 1] = j
            a, b = edge_cells(kind, i, j, back[cell, rank, 0], w, second)
            stack[size, 0], stack[size, 1] = a, back[cell, rank, 1]
            size += 1
            if b >= 0:
                stack[size, 0], stack[size, 1] = b, back[cell, rank, 2]
                size += 1
    return top.size
