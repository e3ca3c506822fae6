"""Projective dependency trees in, binary trees of split heads out: one row a word, one a child taken.

A head takes its right children from the nearest outwards, then its left children likewise.  Rows
stand in post-order.  Kinds of rows: 0 a word with all its children; 1 a head before any child;
2 after a right child that is not the last; 3 after a left child that is not the last.
"""

import numpy as np
from numba import njit

WHOLE, BARE, RIGHTWARD, LEFTWARD = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def split_heads(head, offsets, kind, owner, left, right):
    """Write 2 n - 1 rows a sentence of n words; return 1 + the first sentence that is no projective tree, or 0.

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


@njit(cache=True, nogil=True)
def inside_floored(
    left, right, label, rule, entry, states, floor, rule_at, C, entry_at, lexical, offsets, root_at, root, log_p
):  # fmt: skip
    """log p of trees, with a floor under rules, lexicon entries and labels that were never seen.

    label: (N,), -1 if unknown.  floor: (A + 1,) weight of an unseen rule or entry of each label, the last
    of an unknown label.  log_p: (S,), written.
    """
    widest = 1
    for a in range(states.size):
        widest = max(widest, states[a])
    longest = 0
    for s in range(offsets.size - 1):
        longest = max(longest, offsets[s + 1] - offsets[s])
    inside = np.empty((longest, widest))
    n_unknown = states.size
    for s in range(offsets.size - 1):
        low = offsets[s]
        total = 0.0
        for i in range(low, offsets[s + 1]):
            a = label[i]
            na = states[a] if a >= 0 else 1
            v = inside[i - low]
            if left[i] < 0:
                if entry[i] >= 0:
                    e = entry_at[entry[i]]
                    for h in range(na):
                        v[h] = lexical[e + h]
                else:
                    for h in range(na):
                        v[h] = floor[a if a >= 0 else n_unknown]
            else:
                x, y = left[i] - low, right[i] - low
                b, c = label[left[i]], label[right[i]]
                nb, nc = states[b] if b >= 0 else 1, states[c] if c >= 0 else 1
                if rule[i] >= 0:
                    at = rule_at[rule[i]]
                    for h in range(na):
                        sum_h = 0.0
                        for j in range(nb):
                            sum_j = 0.0
                            for k in range(nc):
                                sum_j += C[at] * inside[y, k]
                                at += 1
                            sum_h += sum_j * inside[x, j]
                        v[h] = sum_h
                else:
                    mean_x, mean_y = 0.0, 0.0
                    for j in range(nb):
                        mean_x += inside[x, j]
                    for k in range(nc):
                        mean_y += inside[y, k]
                    for h in range(na):
                        v[h] = floor[a if a >= 0 else n_unknown] * mean_x * mean_y / (nb * nc)
            top = 0.0
            for h in range(na):
                top = max(top, abs(v[h]))
            if top > 0.0:
                for h in range(na):
                    v[h] /= top
                total += np.log(top)
            else:
                total = -np.inf
        i = offsets[s + 1] - 1
        a, p = label[i], 0.0
        if a >= 0:
            for h in range(states[a]):
                p += inside[i - low, h] * root[root_at[a] + h]
        log_p[s] = total + np.log(max(p, 1e-12))
