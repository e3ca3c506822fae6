"""Candidate trees and weights in, scores and weights after a pass of margin-based updates out.

Features of a candidate are hashed tag patterns of its arcs (``families``), patterns that a user wrote,
and a few dense numbers.
Family 0: left child, head and right child.  Family 1: child, head and grandparent, with sides.
Family 2: neighbouring children of one side with their head.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

N_FAMILIES = 3
FAMILY_KEYS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F],
    dtype=np.uint64,
)
N_ROLES = 6  # a word, its head, its head's head, its neighbour towards the head, its outer children


class Patterns(NamedTuple):
    """Compiled patterns of a user, R of them.

    atoms: (K, 3) pattern, role, attribute, with coefficients (K,).  sides: (R, 4) keys by the side of the
    word and of its head.  edges: (A, 2) keys of the root and of no such word.
    """

    atoms: Any
    coefficients: Any
    sides: Any
    edges: Any


@njit(cache=True, nogil=True)
def pattern(kind, a, b, c, shift):
    """Feature row of three tag keys and a kind."""
    x = (a + kind) * FAMILY_KEYS[0] + (b ^ kind) * FAMILY_KEYS[1] + c * FAMILY_KEYS[2] + kind * FAMILY_KEYS[3]
    x ^= x >> np.uint64(29)
    return (x * FAMILY_KEYS[4]) >> shift


@njit(cache=True, nogil=True)
def tree_rows(head, tags, families, shift, rows):
    """Write the feature rows of one tree (as many as fit); return their number.

    tags: (n,) keys.  families: (N_FAMILIES,) booleans.
    """
    n = head.size
    count, room = 0, rows.size
    root = FAMILY_KEYS[4]
    for m in range(n):
        h = head[m] - 1
        if families[1] and count < room:
            g = head[h] - 1 if h >= 0 else -1
            kind = np.uint64(8 + (m > h) * 2 + (h > g))
            top = root if h < 0 else tags[h]
            above = FAMILY_KEYS[3] if h < 0 else (root if g < 0 else tags[g])
            rows[count] = pattern(kind, tags[m], top, above, shift)
            count += 1
        if h < 0 or not (families[0] or families[2]):
            continue
        for r in range(m + 1, n):
            if head[r] != head[m]:
                continue
            if families[0] and m < h < r and count < room:
                rows[count] = pattern(np.uint64(1), tags[m], tags[h], tags[r], shift)
                count += 1
            if families[2] and (m > h or r < h) and count < room:
                rows[count] = pattern(np.uint64(2 + (m > h)), tags[m], tags[h], tags[r], shift)
                count += 1
                break
    return count


@njit(cache=True, nogil=True)
def n_rows(n_words, n_patterns):
    """Room for the rows of a tree."""
    return 8 * n_words + 8 + n_patterns * n_words


@njit(cache=True, nogil=True)
def role_parts(keys, patterns):
    """(N_ROLES, n + 2, R) sums of coefficient times key; position 0 is the root, n + 1 no such word."""
    n = keys.shape[1]
    part = np.zeros((N_ROLES, n + 2, patterns.sides.shape[0]), dtype=np.uint64)
    for k in range(patterns.atoms.shape[0]):
        r, role, attribute = patterns.atoms[k]
        for i in range(n):
            part[role, i + 1, r] += patterns.coefficients[k] * keys[attribute, i]
        part[role, 0, r] += patterns.coefficients[k] * patterns.edges[attribute, 0]
        part[role, n + 1, r] += patterns.coefficients[k] * patterns.edges[attribute, 1]
    return part


@njit(cache=True, nogil=True)
def neighbour(head, m):
    """The nearest child of the same head between word m (from 1) and the head; n + 1 if there is none."""
    h = head[m - 1]
    step = 1 if h > m else -1
    i = m + step
    while h > 0 and i != h:
        if head[i - 1] == h:
            return i
        i += step
    return head.size + 1


@njit(cache=True, nogil=True)
def pattern_rows(head, part, sides, shift, rows):
    """Write one row a word and pattern of a user; return their number."""
    n, n_patterns = head.size, sides.shape[0]
    left, right = np.full(n + 1, n + 1), np.full(n + 1, n + 1)
    for m in range(n, 0, -1):
        if head[m - 1] > m:
            left[head[m - 1]] = m
    for m in range(1, n + 1):
        if head[m - 1] < m:
            right[head[m - 1]] = m
    count = 0
    for m in range(1, n + 1):
        h = head[m - 1]
        g = head[h - 1] if h > 0 else n + 1
        s = neighbour(head, m)
        side = (m > h) * 2 + (h > g)
        for r in range(n_patterns):
            x = part[0, m, r] + part[1, h, r] + part[2, g, r] + part[3, s, r]
            x += part[4, left[m], r] + part[5, right[m], r] + sides[r, side]
            x ^= x >> np.uint64(29)
            rows[count] = (x * FAMILY_KEYS[4]) >> shift
            count += 1
    return count


@njit(cache=True, nogil=True)
def candidate_scores(
    heads, dense, tags, families, keys, patterns, shift, weights, dense_weights, rows, counts, totals
):
    """Scores of the candidates (c, n) of one sentence; their rows (c, R) and counts (c,) are kept."""
    part = role_parts(keys, patterns)
    room = n_rows(heads.shape[1], 0)
    for c in range(heads.shape[0]):
        counts[c] = tree_rows(heads[c], tags, families, shift, rows[c, :room])
        counts[c] += pattern_rows(heads[c], part, patterns.sides, shift, rows[c, counts[c] :])
        totals[c] = 0.0
        for d in range(dense_weights.size):
            totals[c] += dense_weights[d] * dense[c, d]
        for k in range(counts[c]):
            totals[c] += weights[rows[c, k]]


@njit(cache=True, nogil=True)
def choose_all(
    heads,
    offsets,
    found,
    dense,
    tags,
    families,
    keys,
    patterns,
    shift,
    weights,
    dense_weights,
    choice,
    scores,
):
    """Write the best candidate of every sentence into choice (S,) and all scores into scores (S, k)."""
    for s in range(offsets.size - 1):
        low, high = offsets[s], offsets[s + 1]
        rows = np.empty((found[s], n_rows(high - low, patterns.sides.shape[0])), dtype=np.uint64)
        counts = np.empty(found[s], dtype=np.int64)
        candidate_scores(
            heads[: found[s], low:high], dense[s], tags[low:high], families, keys[:, low:high], patterns, shift,
            weights, dense_weights, rows, counts, scores[s],
        )  # fmt: skip
        choice[s] = np.argmax(scores[s, : found[s]])


@njit(cache=True, nogil=True)
def rerank_pass(
    heads, offsets, found, dense, tags, gold, order, families, keys, patterns, shift, ceiling, clock, weights,
    drift, delta, dense_weights, dense_drift,
):  # fmt: skip
    """One pass of margin updates towards the best candidate of each list; return (clock, updates)."""
    n_updates = 0
    for s in order:
        low, high = offsets[s], offsets[s + 1]
        k = found[s]
        clock += 1.0
        if k < 2:
            continue
        rows = np.empty((k, n_rows(high - low, patterns.sides.shape[0])), dtype=np.uint64)
        counts, totals, wrong = np.empty(k, dtype=np.int64), np.empty(k), np.zeros(k)
        candidate_scores(
            heads[:k, low:high], dense[s], tags[low:high], families, keys[:, low:high], patterns, shift,
            weights, dense_weights, rows, counts, totals,
        )  # fmt: skip
        for c in range(k):
            for i in range(low, high):
                wrong[c] += heads[c, i] != gold[i]
        target, rival = 0, 0
        for c in range(k):
            if wrong[c] < wrong[target] or (wrong[c] == wrong[target] and totals[c] > totals[target]):
                target = c
        for c in range(k):
            if totals[c] + wrong[c] > totals[rival] + wrong[rival]:
                rival = c
        slack = totals[rival] - totals[target] + wrong[rival] - wrong[target]
        if wrong[rival] > wrong[target] and slack > 0.0:
            move(
                rows[target], counts[target], rows[rival], counts[rival], dense[s, target] - dense[s, rival],
                slack, ceiling, clock, weights, drift, delta, dense_weights, dense_drift,
            )  # fmt: skip
            n_updates += 1
    return clock, n_updates


@njit(cache=True, nogil=True)
def move(
    plus,
    n_plus,
    minus,
    n_minus,
    step,
    slack,
    ceiling,
    clock,
    weights,
    drift,
    delta,
    dense_weights,
    dense_drift,
):
    """Move sparse and dense weights by tau times the difference of features."""
    for k in range(n_plus):
        delta[plus[k]] += 1
    for k in range(n_minus):
        delta[minus[k]] -= 1
    norm = 0.0
    for k in range(n_plus):
        norm += delta[plus[k]]
    for k in range(n_minus):
        norm -= delta[minus[k]]
    for d in range(step.size):
        norm += step[d] * step[d]
    tau = min(ceiling, slack / norm) if norm > 0.0 else 0.0
    for k in range(n_plus + n_minus):
        row = plus[k] if k < n_plus else minus[k - n_plus]
        weights[row] += tau * delta[row]
        drift[row] += clock * tau * delta[row]
        delta[row] = 0
    for d in range(step.size):
        dense_weights[d] += tau * step[d]
        dense_drift[d] += clock * tau * step[d]
