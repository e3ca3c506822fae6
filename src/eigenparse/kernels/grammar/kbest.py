"""The k best trees of a packed forest whose items and edges carry additive scores."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def push(heap_score, heap_edge, heap_i, heap_j, size, score, edge, i, j):
    """Add an entry to a max-heap; ties go to the smaller edge, then the smaller ranks."""
    p = size
    heap_score[p], heap_edge[p], heap_i[p], heap_j[p] = score, edge, i, j
    while p > 0:
        up = (p - 1) // 2
        if not before(heap_score, heap_edge, heap_i, heap_j, p, up):
            break
        swap(heap_score, heap_edge, heap_i, heap_j, p, up)
        p = up
    return size + 1


@njit(cache=True, nogil=True)
def pop(heap_score, heap_edge, heap_i, heap_j, size):
    """Move the best entry to position size - 1 and restore the heap before it."""
    size -= 1
    p = np.int64(0)  # a bare 0 has a type of its own, and callees would be compiled once more for it
    swap(heap_score, heap_edge, heap_i, heap_j, p, size)
    while True:
        child = 2 * p + 1
        if child >= size:
            return size
        if child + 1 < size and before(heap_score, heap_edge, heap_i, heap_j, child + 1, child):
            child += 1
        if not before(heap_score, heap_edge, heap_i, heap_j, child, p):
            return size
        swap(heap_score, heap_edge, heap_i, heap_j, p, child)
        p = child


@njit(cache=True, nogil=True)
def before(heap_score, heap_edge, heap_i, heap_j, p, q):
    """Whether entry p is better than entry q."""
    if heap_score[p] != heap_score[q]:
        return heap_score[p] > heap_score[q]
    if heap_edge[p] != heap_edge[q]:
        return heap_edge[p] < heap_edge[q]
    if heap_i[p] != heap_i[q]:
        return heap_i[p] < heap_i[q]
    return heap_j[p] < heap_j[q]


@njit(cache=True, nogil=True)
def swap(heap_score, heap_edge, heap_i, heap_j, p, q):
    """Exchange two entries."""
    heap_score[p], heap_score[q] = heap_score[q], heap_score[p]
    heap_edge[p], heap_edge[q] = heap_edge[q], heap_edge[p]
    heap_i[p], heap_i[q] = heap_i[q], heap_i[p]
    heap_j[p], heap_j[q] = heap_j[q], heap_j[p]


@njit(cache=True, nogil=True)
def kbest_lists(
    item_score, item_entry, edge_at, left, right, edge_score, k, best, back, rank_left, rank_right, count
):
    """The k best derivations below every item: score, edge and the ranks of its children.

    best, back, rank_left, rank_right: (items, k); count: (items,).  A derivation (edge, i, j) is
    opened from (edge, i, j - 1) if j > 0 and otherwise from (edge, i - 1, 0), so each is met once.
    """
    widest = 1
    for p in range(edge_at.size - 1):
        widest = max(widest, edge_at[p + 1] - edge_at[p])
    room, first = widest + 2 * k + 2, np.int64(0)
    heap_score, heap_edge = np.empty(room), np.empty(room, dtype=np.int64)
    heap_i, heap_j = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    for p in range(item_score.size):
        if item_entry[p] >= 0:
            best[p, 0], back[p, 0], count[p] = item_score[p], -1, 1
            continue
        size = first
        for e in range(edge_at[p], edge_at[p + 1]):
            if count[left[e]] > 0 and count[right[e]] > 0:
                total = best[left[e], 0] + best[right[e], 0] + edge_score[e]
                size = push(heap_score, heap_edge, heap_i, heap_j, size, total, e, first, first)
        found = 0
        while size > 0 and found < k:
            size = pop(heap_score, heap_edge, heap_i, heap_j, size)
            total, e, i, j = heap_score[size], heap_edge[size], heap_i[size], heap_j[size]
            best[p, found], back[p, found] = total + item_score[p], e
            rank_left[p, found], rank_right[p, found] = i, j
            found += 1
            x, y = left[e], right[e]
            if j + 1 < count[y]:
                next_total = best[x, i] + best[y, j + 1] + edge_score[e]
                size = push(heap_score, heap_edge, heap_i, heap_j, size, next_total, e, i, j + 1)
            if j == 0 and i + 1 < count[x]:
                next_total = best[x, i + 1] + best[y, 0] + edge_score[e]
                size = push(heap_score, heap_edge, heap_i, heap_j, size, next_total, e, i + 1, first)
        count[p] = found


@njit(cache=True, nogil=True)
def kbest_rows(root, rank, back, rank_left, rank_right, left, right, item, edge, left_row, right_row):
    """One derivation as post-order rows: its items, edges (-1 at words) and children; returns their number."""
    room = 2 * item.size + 2
    stack, ranks = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    row_of = np.empty(room, dtype=np.int32)
    depth, n, open_rows = 1, 0, 0
    stack[0], ranks[0] = root, rank
    while depth > 0:  # an entry p >= 0 opens an item, -1 - p closes it
        depth -= 1
        p, r = stack[depth], ranks[depth]
        if p >= 0 and back[p, r] >= 0:
            e = back[p, r]
            stack[depth] = -1 - p
            stack[depth + 1], ranks[depth + 1] = right[e], rank_right[p, r]
            stack[depth + 2], ranks[depth + 2] = left[e], rank_left[p, r]
            depth += 3
            continue
        if p < 0:
            p = -1 - p
            edge[n] = back[p, r]
            right_row[n], left_row[n] = row_of[open_rows - 1], row_of[open_rows - 2]
            open_rows -= 2
        else:
            edge[n], left_row[n], right_row[n] = -1, -1, -1
        item[n] = p
        row_of[open_rows] = n
        open_rows += 1
        n += 1
    return n
