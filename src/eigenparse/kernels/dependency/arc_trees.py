"""Heads of words in, facts about the trees they form out; and the nearest projective tree."""

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.dependency.eisner import NO_ENDS, NO_SIBLINGS, best_tree


@kernel
def tree_fault(head, state):
    """Fault code of one sentence and the position it was found at; 0 if the heads are a tree.

    head: (n,) heads counted from 1.  state: (n,) scratch.
    """
    n = head.size
    root = -1
    for i in range(n):
        if head[i] < 0 or head[i] > n:
            return 1, i
        if head[i] == i + 1:
            return 2, i
        if head[i] == 0:
            if root >= 0:
                return 4, i
            root = i
    if root < 0 and n > 0:
        return 3, 0
    state[:] = 0
    for i in range(n):
        j = i + 1
        while j > 0 and state[j - 1] == 0:
            state[j - 1] = i + 1
            j = head[j - 1]
        if j > 0 and state[j - 1] == i + 1:
            return 5, j - 1
    return 0, 0


@kernel
def tree_faults(head, offsets):
    """Fault code and row of each sentence; see the table of faults beside the columns."""
    n_sentences = offsets.size - 1
    fault = np.zeros(n_sentences, dtype=np.int64)
    row = np.zeros(n_sentences, dtype=np.int64)
    for s in range(n_sentences):
        low, high = offsets[s], offsets[s + 1]
        code, position = tree_fault(head[low:high], np.zeros(high - low, dtype=np.int64))
        fault[s] = code
        row[s] = low + position
    return fault, row


@kernel
def projective_flags(head, offsets):
    """(S,) true where no two arcs of a tree cross, the arc from the root at position 0 included."""
    flags = np.ones(offsets.size - 1, dtype=np.bool_)
    for s in range(offsets.size - 1):
        low = offsets[s]
        n = offsets[s + 1] - low
        for i in range(1, n + 1):
            a, b = min(i, head[low + i - 1]), max(i, head[low + i - 1])
            for j in range(a + 1, b):
                h = head[low + j - 1]
                if h < a or h > b:
                    flags[s] = False
    return flags


@kernel
def closest_projective(head, offsets, sentences):
    """Replace the heads of these sentences by the projective tree with the fewest steps of lifting."""
    for s in sentences:
        low = offsets[s]
        n = offsets[s + 1] - low
        scores = np.full((n + 1, n + 1), -1e6)
        for m in range(1, n + 1):
            steps, h = 0, head[low + m - 1]
            while True:
                scores[h, m] = -float(steps)
                if h == 0:
                    break
                h = head[low + h - 1]
                steps += 1
        for m in range(1, n + 1):
            if head[low + m - 1] != 0:
                scores[0, m] = -1e6
        best_tree(scores, NO_SIBLINGS, NO_ENDS, head[low : low + n])
