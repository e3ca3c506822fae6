"""Derived columns of binary trees in post-order: one pass up, one pass down; and sizes of slices."""

import numpy as np

from eigenparse.kernels.compiled import kernel


@kernel
def widest_slice(at):
    """The size of the largest slice [at[i], at[i + 1])."""
    widest = 0
    for i in range(at.size - 1):
        widest = max(widest, at[i + 1] - at[i])
    return widest


@kernel
def spans(left, right, offsets, start, size):
    """First word position within the sentence and number of words of every row."""
    for s in range(offsets.size - 1):
        position = 0
        for i in range(offsets[s], offsets[s + 1]):
            if left[i] < 0:
                start[i] = position
                size[i] = 1
                position += 1
            else:
                start[i] = start[left[i]]
                size[i] = size[left[i]] + size[right[i]]


@kernel
def heights(left, right, height):
    """Longest way down to a word; 0 at preterminals."""
    for i in range(left.size):
        height[i] = 0 if left[i] < 0 else 1 + max(height[left[i]], height[right[i]])


@kernel
def head_rows(left, right, parent_symbol, child_symbol, is_partial, rank, rightmost, head):
    """The preterminal row that heads each row.

    In a binarised phrase, a partial row carries the rank of its best child under the phrase's symbol, so that the
    head is the same as in the flat phrase.
    """
    best = np.empty(left.size, dtype=rank.dtype)
    for i in range(left.size):
        if left[i] < 0:
            head[i], best[i] = i, 0
            continue
        a = parent_symbol[i]
        x, y = left[i], right[i]
        rank_x = best[x] if is_partial[x] else rank[a, child_symbol[x]]
        rank_y = best[y] if is_partial[y] else rank[a, child_symbol[y]]
        take_left = rank_x < rank_y or (rank_x == rank_y and not rightmost[a])
        head[i] = head[x] if take_left else head[y]
        best[i] = rank_x if take_left else rank_y


@kernel
def other_head_above(parent, head_tag, out):
    """The first head tag met going up that differs from the row's own; -1 if there is none."""
    for i in range(parent.size - 1, -1, -1):
        p = parent[i]
        if p < 0:
            out[i] = -1
        elif head_tag[p] != head_tag[i]:
            out[i] = head_tag[p]
        else:
            out[i] = out[p]
