"""The k best trees of a packed forest whose items and edges carry additive scores."""

from typing import Any, NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.heap import Heap, pop, push


class Links(NamedTuple):
    """A forest without its labels: entry is -1 at phrases, edge_at (items + 1,) says where an item's edges begin."""

    entry: Any
    edge_at: Any
    left: Any
    right: Any


class Lists(NamedTuple):
    """The k best derivations below every item: score, edge (-1 at words) and ranks of the children, all (items, k).

    count: (items,), how many there are.
    """

    best: Any
    back: Any
    rank_left: Any
    rank_right: Any
    count: Any


class Rows(NamedTuple):
    """One derivation as post-order rows: its items, its edges (-1 at words) and the rows of the children."""

    item: Any
    edge: Any
    left: Any
    right: Any


def empty_lists(n_items: int, k: int) -> Lists:
    """Empty lists for the k best derivations below each item."""
    shape = (n_items, k)
    back, rank_left, rank_right = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    return Lists(np.empty(shape), back, rank_left, rank_right, np.zeros(n_items, dtype=np.int64))


def empty_rows(n: int) -> Rows:
    """Empty arrays for a derivation of n rows."""
    item, edge = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    return Rows(item, edge, np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32))


# What it computes: below every item p the k derivations (e, i, j) of highest
# item_score[p] + edge_score[e] + best[left[e], i] + best[right[e], j], where i and j are ranks in the children's own
# lists.  Items come in an order in which children stand before their parents, so their lists are complete.  A heap
# holds the edges of p; (e, i, j) is opened from (e, i, j - 1) if j > 0 and otherwise from (e, i - 1, 0), so each
# derivation is met once and the heap never holds more than edges + 2 k entries.
@kernel
def kbest_lists(item_score, edge_score, links, k, lists):
    """Fill the k best derivations below every item."""
    edge_at, left, right, best, count = links.edge_at, links.left, links.right, lists.best, lists.count
    widest = 1
    for p in range(edge_at.size - 1):
        widest = max(widest, edge_at[p + 1] - edge_at[p])
    room, first = widest + 2 * k + 2, np.int64(0)
    heap = Heap(np.empty(room), np.empty((room, 3), dtype=np.int64))
    for p in range(item_score.size):
        if links.entry[p] >= 0:
            best[p, 0], lists.back[p, 0], count[p] = item_score[p], -1, 1
            continue
        size = first
        for e in range(edge_at[p], edge_at[p + 1]):
            if count[left[e]] > 0 and count[right[e]] > 0:
                total = best[left[e], 0] + best[right[e], 0] + edge_score[e]
                size = push(heap, size, total, (e, first, first))
        found = 0
        while size > 0 and found < k:
            size = pop(heap, size)
            e, i, j = heap.item[size]
            best[p, found], lists.back[p, found] = heap.score[size] + item_score[p], e
            lists.rank_left[p, found], lists.rank_right[p, found] = i, j
            found += 1
            x, y = left[e], right[e]
            if j + 1 < count[y]:
                size = push(heap, size, best[x, i] + best[y, j + 1] + edge_score[e], (e, i, j + 1))
            if j == 0 and i + 1 < count[x]:
                size = push(heap, size, best[x, i + 1] + best[y, 0] + edge_score[e], (e, i + 1, first))
        count[p] = found


# What it computes: one derivation of ``kbest_lists`` as rows.  Layout: an item p on the stack is still to be opened,
# and -1 - p stands below both its children and is written when they are; row_of holds the rows of finished items that
# have no parent yet.  So rows come in post-order, children before parents, without recursion.
@kernel
def kbest_rows(root, rank, links, lists, rows):
    """Write the derivation of a rank below an item as rows; returns their number."""
    room = 2 * rows.item.size + 2
    stack, ranks = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    row_of = np.empty(room, dtype=np.int32)
    depth, n, open_rows = 1, 0, 0
    stack[0], ranks[0] = root, rank
    while depth > 0:  # an entry p >= 0 opens an item, -1 - p closes it
        depth -= 1
        p, r = stack[depth], ranks[depth]
        if p >= 0 and lists.back[p, r] >= 0:
            e = lists.back[p, r]
            stack[depth] = -1 - p
            stack[depth + 1], ranks[depth + 1] = links.right[e], lists.rank_right[p, r]
            stack[depth + 2], ranks[depth + 2] = links.left[e], lists.rank_left[p, r]
            depth += 3
            continue
        if p < 0:
            p = -1 - p
            rows.edge[n] = lists.back[p, r]
            rows.right[n], rows.left[n] = row_of[open_rows - 1], row_of[open_rows - 2]
            open_rows -= 2
        else:
            rows.edge[n], rows.left[n], rows.right[n] = -1, -1, -1
        rows.item[n] = p
        row_of[open_rows] = n
        open_rows += 1
        n += 1
    return n
