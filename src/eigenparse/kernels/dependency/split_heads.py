"""Projective dependency trees in, binary trees of split heads out: one row per word, one per child taken.

A head takes its right children from the nearest outwards, then its left children likewise.  Rows
stand in post-order.  Kinds of rows: 0 a word with all its children; 1 a head before any child;
2 after a right child that is not the last; 3 after a left child that is not the last.
"""

from typing import Any, NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel

WHOLE, BARE, RIGHTWARD, LEFTWARD = 0, 1, 2, 3
LEAST_ROOT = 1e-12  # probability of a root never seen
SMALLEST = 1e-300
KEYS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F],
    dtype=np.uint64,
)


class BinaryTrees(NamedTuple):
    """Rows (N,) of binary trees in post-order.

    left, right: rows of the children, -1 at words.  label: -1 if unknown.  rule, entry: of the grammar, -1 if never
    seen.  offsets: (S + 1,) where trees begin.  groups: where runs of trees over the same words begin, and S.
    """

    left: Any
    right: Any
    label: Any
    rule: Any
    entry: Any
    offsets: Any
    groups: Any


class FlooredGrammar(NamedTuple):
    """Weights of one grammar as in ``models.grammar.pcfg.Weights``.

    floor: (A + 1,) weight of an unseen rule or entry of each label, the last that of an unknown label.
    """

    states: Any
    rule_at: Any
    rule_weight: Any
    entry_at: Any
    entry_weight: Any
    state_at: Any
    root_weight: Any
    floor: Any


class Cells(NamedTuple):
    """Rows of a group: inside vectors, their widths and scales, and the row that stands for each."""

    inside: Any
    width: Any
    scale: Any
    source: Any


# What it computes: for each word of a projective tree its row, and one row more for every child that a head takes,
# as in a shift-reduce parse.  Layout: stack holds words whose rows wait for their head, top_row the row that stands
# for each at present.  Order: words from left to right; a word is reduced as soon as all of its right children are
# there, then takes its left children off the stack, nearest first, and is taken by its own head if that is on the left.
@kernel
def split_heads(head, offsets, kind, owner, left, right):
    """Write 2 n - 1 rows per sentence of n words; return 1 + the first sentence that is no projective tree, or 0.

    head: (T,), counted inside the sentence.  kind, owner (the row of the head word), left, right: (2 T - S,).
    """
    row = 0
    for s in range(offsets.size - 1):
        low, n = offsets[s], offsets[s + 1] - offsets[s]
        n_left, n_right = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
        for i in range(1, n + 1):
            h = head[low + i - 1]
            if h > i:
                n_left[h] += 1
            elif h > 0:
                n_right[h] += 1
        stack, top_row, depth = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64), 0
        for i in range(1, n + 1):
            kind[row] = WHOLE if n_left[i] + n_right[i] == 0 else BARE
            owner[row], left[row], right[row] = low + i - 1, -1, -1
            stack[depth], top_row[depth] = i, row
            depth += 1
            row += 1
            while True:
                w = stack[depth - 1]
                if n_right[w] > 0:
                    break
                while n_left[w] > 0:
                    if depth < 2 or head[low + stack[depth - 2] - 1] != w:
                        return s + 1
                    n_left[w] -= 1
                    kind[row] = WHOLE if n_left[w] == 0 else LEFTWARD
                    owner[row], left[row], right[row] = low + w - 1, top_row[depth - 2], top_row[depth - 1]
                    depth -= 1
                    stack[depth - 1], top_row[depth - 1] = w, row
                    row += 1
                h = head[low + w - 1]
                if h == 0 or h > w:
                    break
                if depth < 2 or stack[depth - 2] != h:
                    return s + 1
                n_right[h] -= 1
                kind[row] = WHOLE if n_right[h] == 0 and n_left[h] == 0 else RIGHTWARD
                owner[row], left[row], right[row] = low + h - 1, top_row[depth - 2], top_row[depth - 1]
                depth -= 1
                top_row[depth - 1] = row
                row += 1
        if n > 0 and depth != 1:
            return s + 1
    return 0


@kernel
def apply_rule(C, at, x, y, v):
    """v[h] = sum over j, k of C[h, j, k] x[j] y[k], C flat from ``at`` on."""
    for h in range(v.size):
        total = 0.0
        for j in range(x.size):
            part = 0.0
            for k in range(y.size):
                part += C[at] * y[k]
                at += 1
            total += part * x[j]
        v[h] = total


@kernel
def mixed(a, b, c):
    """A 64-bit key of three."""
    x = (a ^ KEYS[0]) * KEYS[1] + (b ^ KEYS[2]) * KEYS[3]
    x ^= x >> np.uint64(29)
    x = (x + c) * KEYS[4]
    return x ^ (x >> np.uint64(32))


@kernel
def same_subtrees(trees, g, source, key):
    """Write into source[i - low] the first row of group g whose subtree equals that of row i, itself if none.

    All trees of a group have the same words.  key: (rows,) scratch.
    """
    first, last = trees.groups[g], trees.groups[g + 1]
    low, high = trees.offsets[first], trees.offsets[last]
    left, right = trees.left, trees.right
    size = 2
    while size < 2 * (high - low):
        size *= 2
    slots = np.full(size, -1, dtype=np.int64)
    for tree in range(first, last):
        position = np.uint64(0)
        for i in range(trees.offsets[tree], trees.offsets[tree + 1]):
            if left[i] < 0:
                position += np.uint64(1)
                own = mixed(position, np.uint64(trees.label[i] + 2), np.uint64(1))
            else:
                own = mixed(key[left[i] - low], key[right[i] - low], np.uint64(trees.label[i] + 2))
            key[i - low] = own
            place = own & np.uint64(size - 1)
            while slots[place] >= 0 and key[slots[place]] != own:
                place = (place + np.uint64(1)) & np.uint64(size - 1)
            if slots[place] < 0:
                slots[place] = i - low
            source[i - low] = slots[place]


@kernel
def fill_cell(i, low, trees, g, cells):
    """The inside vector of row i, divided by its largest absolute value, and the log of what it was divided by.

    A rule, lexicon entry or label that was never seen, or has no weight, counts with its floor.
    """
    a = trees.label[i]
    width = g.states[a] if a >= 0 else 1
    cells.width[i - low] = width
    v = cells.inside[i - low, :width]
    least = g.floor[a] if a >= 0 else g.floor[g.states.size]
    below = 0.0
    v[:] = 0.0
    if trees.left[i] >= 0:
        b, c = cells.source[trees.left[i] - low], cells.source[trees.right[i] - low]
        x, y = cells.inside[b, : cells.width[b]], cells.inside[c, : cells.width[c]]
        below = cells.scale[b] + cells.scale[c]
        if trees.rule[i] >= 0:
            apply_rule(g.rule_weight, g.rule_at[trees.rule[i]], x, y, v)
        least *= x.mean() * y.mean()
    elif trees.entry[i] >= 0:
        for h in range(v.size):
            v[h] = g.entry_weight[g.entry_at[trees.entry[i]] + h]
    top = np.abs(v).max()
    if top <= 0.0:
        v[:] = least
        top = max(abs(least), SMALLEST)
    for h in range(v.size):
        v[h] /= top
    cells.scale[i - low] = below + np.log(top)


@kernel
def inside_floored(trees, g, log_p, sign):
    """Write log |p| and the sign of p of every tree into (S,) arrays, with a floor under what was never seen.

    Inside vectors of a group of trees over the same words are computed together: candidate lists share most of their
    subtrees, and each different subtree is computed once.
    """
    longest = 0
    for k in range(trees.groups.size - 1):
        longest = max(longest, trees.offsets[trees.groups[k + 1]] - trees.offsets[trees.groups[k]])
    source, key = np.empty(longest, dtype=np.int64), np.empty(longest, dtype=np.uint64)
    inside, width = np.empty((longest, g.states.max())), np.empty(longest, dtype=np.int64)
    cells = Cells(inside, width, np.empty(longest), source)
    for k in range(trees.groups.size - 1):
        low, high = trees.offsets[trees.groups[k]], trees.offsets[trees.groups[k + 1]]
        same_subtrees(trees, k, source, key)
        for i in range(low, high):
            if source[i - low] == i - low:
                fill_cell(i, low, trees, g, cells)
        for tree in range(trees.groups[k], trees.groups[k + 1]):
            last = trees.offsets[tree + 1] - 1
            top_row, a, p = source[last - low], trees.label[last], 0.0
            if a >= 0:
                for h in range(width[top_row]):
                    p += inside[top_row, h] * g.root_weight[g.state_at[a] + h]
            log_p[tree] = cells.scale[top_row] + np.log(max(abs(p), LEAST_ROOT))
            sign[tree] = -1.0 if p < 0.0 else 1.0


@kernel
def heads_of_rows(label, left, right, position, is_partial, head):
    """Write the heads (n,) of a binary tree in post-order: the partial child heads a row, else the left one.

    label: (rows,); labels beyond ``is_partial`` glue pieces together.  position: (rows,) of words, else -1.
    """
    top = np.empty(label.size, dtype=np.int64)
    for i in range(label.size):
        if position[i] >= 0:
            top[i] = position[i]
            continue
        a, b = label[left[i]], label[right[i]]
        from_right = b < is_partial.size and is_partial[b] and not (a < is_partial.size and is_partial[a])
        up, down = (right[i], left[i]) if from_right else (left[i], right[i])
        top[i] = top[up]
        head[top[down]] = top[up] + 1
    head[top[label.size - 1]] = 0
