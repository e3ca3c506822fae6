"""A binary heap on flat arrays with the best entry on top."""

from typing import Any, NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel


class Heap(NamedTuple):
    """score: (room,).  item: (room, 3), what has the score; equal scores are ordered by item, the smaller first."""

    score: Any
    item: Any


@kernel
def before(heap, p, q):
    """Whether entry p is better than entry q."""
    if heap.score[p] != heap.score[q]:
        return heap.score[p] > heap.score[q]
    for k in range(2):
        if heap.item[p, k] != heap.item[q, k]:
            return heap.item[p, k] < heap.item[q, k]
    return heap.item[p, 2] < heap.item[q, 2]


@kernel
def swap(heap, p, q):
    """Exchange two entries."""
    heap.score[p], heap.score[q] = heap.score[q], heap.score[p]
    for k in range(3):
        heap.item[p, k], heap.item[q, k] = heap.item[q, k], heap.item[p, k]


@kernel
def push(heap, size, score, item):
    """Add an entry to the first ``size`` ones; return the new size."""
    p = size
    heap.score[p] = score
    heap.item[p, 0], heap.item[p, 1], heap.item[p, 2] = item
    while p > 0:
        up = (p - 1) // 2
        if not before(heap, p, up):
            break
        swap(heap, p, up)
        p = up
    return size + 1


@kernel
def pop(heap, size):
    """Move the best entry behind the others, to position size - 1; return the new size, which is that position."""
    size -= 1
    p = np.int64(0)  # a literal 0 has a type of its own, for which callees would be compiled again
    swap(heap, p, size)
    while True:
        child = 2 * p + 1
        if child >= size:
            return size
        if child + 1 < size and before(heap, child + 1, child):
            child += 1
        if not before(heap, child, p):
            return size
        swap(heap, p, child)
        p = child
