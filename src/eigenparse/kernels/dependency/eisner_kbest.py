"""The same chart as ``eisner``, with the k best values of every cell; distinct trees out."""

from typing import Any, NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel
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
from eigenparse.kernels.heap import Heap, pop, push


class Edges(NamedTuple):
    """The ways to build a cell: one or two cells below (-1 for none) and what they add, (m,) each."""

    a: Any
    b: Any
    bonus: Any


class Lists(NamedTuple):
    """Of every cell the k best values (cells, k), where they come from (cells, k, 3), and how many there are."""

    value: Any
    back: Any
    count: Any


# What it computes: the k largest  bonus(e) + value(a_e, r) + value(b_e, s)  over edges e and ranks r, s of the cells
# below, by a heap of candidates [huang-chiang-2005, algorithm 2].  Layout: see ``Lists``; a back pointer is edge and
# both ranks.
@kernel
def merge_edges(edges, lists, heap, out_value, out_back):
    """The k best sums over edges and ranks below them, best first; return how many there are.

    k is the room in out_value.  Each pair of ranks of an edge is reached once: (a, b) brings (a, b + 1), and
    (a + 1, 0) if b = 0.  So the heap never holds more than one entry per edge and two per result.
    """
    value, count = lists.value, lists.count
    size = 0
    for e in range(edges.bonus.size):
        total = edges.bonus[e] + value[edges.a[e], 0]
        if edges.b[e] >= 0:
            total += value[edges.b[e], 0]
        if total > -np.inf:
            size = push(heap, size, total, (e, 0, 0))
    found, out_value[0] = 0, -np.inf
    while found < out_value.size and size > 0:
        size = pop(heap, size)
        e, ra, rb = heap.item[size, 0], heap.item[size, 1], heap.item[size, 2]
        out_value[found] = heap.score[size]
        out_back[found, 0], out_back[found, 1], out_back[found, 2] = e, ra, rb
        found += 1
        a, b = edges.a[e], edges.b[e]
        if b >= 0 and rb + 1 < count[b]:
            total = edges.bonus[e] + value[a, ra] + value[b, rb + 1]
            size = push(heap, size, total, (e, ra, rb + 1))
        if rb == 0 and ra + 1 < count[a]:
            total = edges.bonus[e] + value[a, ra + 1]
            if b >= 0:
                total += value[b, 0]
            size = push(heap, size, total, (e, ra + 1, 0))
    return found


@kernel
def kbest_chart(n, k, scores, siblings, ends, lists):
    """Fill the k best values of every cell; return those of whole trees with their back pointers.

    Cells are filled by width, as in ``eisner.fill_best``; the list of a cell is merged from the lists of the cells
    below, which are shorter and therefore complete.
    """
    second = siblings.size > 0
    w = n + 1
    room = n + 2 * k + 2
    heap = Heap(np.empty(room), np.empty((room, 3), dtype=np.int32))
    a, b, bonus = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n)
    for i in range(1, n + 1):
        for kind in (OUT_R, OUT_L):
            lists.value[(kind * w + i) * w + i, 0] = leaf_value(kind, i, ends, second)
            lists.count[(kind * w + i) * w + i] = 1
    for width in range(1, n):
        for i in range(1, n + 1 - width):
            j = i + width
            for kind in range(5):
                cell = (kind * w + i) * w + j
                m = n_edges(kind, i, j, second)
                for e in range(m):
                    a[e], b[e] = edge_cells(kind, i, j, e, w, second)
                    bonus[e] = edge_bonus(kind, i, j, e, scores, siblings, ends, second)
                edges = Edges(a[:m], b[:m], bonus[:m])
                lists.count[cell] = merge_edges(edges, lists, heap, lists.value[cell], lists.back[cell])
    for r in range(1, n + 1):
        a[r - 1], b[r - 1] = (OUT_L * w + 1) * w + r, (OUT_R * w + r) * w + n
        bonus[r - 1] = root_bonus(r, scores, siblings, ends, second)
    top, top_back = np.empty(k), np.empty((k, 3), dtype=np.int32)
    found = merge_edges(Edges(a[:n], b[:n], bonus[:n]), lists, heap, top, top_back)
    return top[:found], top_back


# What it computes: the k best trees and their totals.  Layout: ``Lists`` over flat cells (5, n + 1, n + 1) as in
# ``eisner``.  ``kbest_chart`` fills them by width and gives the best words under the root with the ranks of both
# halves; each tree is then read off as in ``best_tree``, with the rank of every cell beside it on the stack.
@kernel
def kbest_trees(scores, siblings, ends, heads, totals):
    """Write up to k trees (k, n) and their scores (k,), best first; return how many there are."""
    k, n = heads.shape
    if n == 0:
        totals[0] = 0.0
        return 1
    second = siblings.size > 0
    w = n + 1
    back = np.empty((5 * w * w, k, 3), dtype=np.int32)
    lists = Lists(np.empty((5 * w * w, k)), back, np.zeros(5 * w * w, dtype=np.int32))
    top, top_back = kbest_chart(n, k, scores, siblings, ends, lists)
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
