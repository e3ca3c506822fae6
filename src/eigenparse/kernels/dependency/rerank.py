"""Candidate trees and weights in, scores and weights after a pass of margin-based updates out.

Features of a candidate are hashed tag patterns of its arcs (``families``), additional patterns given by the
user, and a few dense numbers.
Family 0: left child, head and right child.  Family 1: child, head and grandparent, with sides.
Family 2: neighbouring children of one side with their head.
"""

from typing import Any, NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.dependency.margin import shift, squared_distance, step_size

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


class Features(NamedTuple):
    """Which features are used.  families: (3,) booleans.  shift: 64 - bits of the table of weights."""

    families: Any
    patterns: Any
    shift: Any


class Lists(NamedTuple):
    """Candidate trees of all sentences, the first found[s] of them.

    heads: (k, T).  offsets: (S + 1,).  found: (S,).  dense: (S, k, D) scores.  tags: (T,) and keys: (A, T) of words.
    """

    heads: Any
    offsets: Any
    found: Any
    dense: Any
    tags: Any
    keys: Any


class DenseWeights(NamedTuple):
    """Weights (D,) of dense scores and the sum of clock times update, as in ``margin.Averaged``."""

    weights: Any
    drift: Any


@kernel
def pattern(kind, a, b, c, shift):
    """Feature row of three tag keys and a kind."""
    x = (a + kind) * FAMILY_KEYS[0] + (b ^ kind) * FAMILY_KEYS[1] + c * FAMILY_KEYS[2] + kind * FAMILY_KEYS[3]
    x ^= x >> np.uint64(29)
    return (x * FAMILY_KEYS[4]) >> shift


# What it computes: features f(y) of a tree as rows of a hashed table, three families of patterns over tags: a head
# with a child on each side, a word with its head and the head's head, and a head with two neighbouring children on
# one side.  Layout: rows as many as fit, the same row may occur several times.  Order: by word, so that the
# features of equal trees are equal in order too.
@kernel
def tree_rows(head, tags, families, shift, rows):
    """Write the feature rows of one tree (as many as fit); return their number.

    tags: (n,) keys.  families: (3,) booleans.
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


@kernel
def n_rows(n_words, n_patterns):
    """The largest number of rows of a tree."""
    return 8 * n_words + 8 + n_patterns * n_words


@kernel
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


@kernel
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


@kernel
def pattern_rows(head, part, sides, shift, rows):
    """Write one row per word and user pattern; return their number."""
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


@kernel
def candidate_scores(lists, s, features, weights, dense_weights, rows, counts, totals):
    """Scores of the candidates of sentence s; their rows (c, R) and counts (c,) are kept for an update.

    score = sum of the weights of all rows + dense weights times dense scores.
    """
    low, high, dense = lists.offsets[s], lists.offsets[s + 1], lists.dense[s]
    part = role_parts(lists.keys[:, low:high], features.patterns)
    room = n_rows(high - low, 0)
    for c in range(counts.size):
        head = lists.heads[c, low:high]
        counts[c] = tree_rows(head, lists.tags[low:high], features.families, features.shift, rows[c, :room])
        counts[c] += pattern_rows(head, part, features.patterns.sides, features.shift, rows[c, counts[c] :])
        totals[c] = 0.0
        for d in range(dense_weights.size):
            totals[c] += dense_weights[d] * dense[c, d]
        for k in range(counts[c]):
            totals[c] += weights[rows[c, k]]


@kernel
def list_buffers(lists, s, features):
    """Buffers for the feature rows of the candidates of sentence s, and for their numbers."""
    k, n = lists.found[s], lists.offsets[s + 1] - lists.offsets[s]
    rows = np.empty((k, n_rows(n, features.patterns.sides.shape[0])), dtype=np.uint64)
    return rows, np.empty(k, dtype=np.int64)


@kernel
def choose_all(lists, features, weights, dense_weights, choice, scores):
    """Write the best candidate of every sentence into choice (S,) and all scores into scores (S, k)."""
    for s in range(lists.offsets.size - 1):
        rows, counts = list_buffers(lists, s, features)
        candidate_scores(lists, s, features, weights, dense_weights, rows, counts, scores[s])
        choice[s] = np.argmax(scores[s, : lists.found[s]])


@kernel
def target_and_rival(totals, wrong):
    """The candidate with the fewest wrong heads (the best scored of them), and the best under score + cost."""
    target, rival = 0, 0
    for c in range(totals.size):
        if wrong[c] < wrong[target] or (wrong[c] == wrong[target] and totals[c] > totals[target]):
            target = c
        if totals[c] + wrong[c] > totals[rival] + wrong[rival]:
            rival = c
    return target, rival


@kernel
def rerank_pass(lists, gold, order, features, clock, sparse, dense):
    """One pass of margin updates towards the best candidate of each list; return (clock, updates).

    gold: (T,) heads.  sparse, dense: weights of hashed and of dense features, which are changed.
    """
    n_updates = 0
    for s in order:
        clock += 1.0
        k = lists.found[s]
        if k < 2:
            continue
        rows, counts = list_buffers(lists, s, features)
        totals, wrong = np.empty(k), np.zeros(k)
        candidate_scores(lists, s, features, sparse.weights, dense.weights, rows, counts, totals)
        for c in range(k):
            for i in range(lists.offsets[s], lists.offsets[s + 1]):
                wrong[c] += lists.heads[c, i] != gold[i]
        target, rival = target_and_rival(totals, wrong)
        slack = totals[rival] - totals[target] + wrong[rival] - wrong[target]
        if wrong[rival] > wrong[target] and slack > 0.0:
            plus, minus = rows[target, : counts[target]], rows[rival, : counts[rival]]
            move(plus, minus, lists.dense[s, target] - lists.dense[s, rival], slack, clock, sparse, dense)
            n_updates += 1
    return clock, n_updates


@kernel
def move(plus, minus, step, slack, clock, sparse, dense):
    """Move sparse and dense weights by tau times the difference of features; step: that of the dense ones."""
    norm = squared_distance(plus, minus, sparse.delta)
    for d in range(step.size):
        norm += step[d] * step[d]
    tau = step_size(slack, norm, sparse.ceiling)
    shift(plus, tau, clock, sparse)
    shift(minus, tau, clock, sparse)
    for d in range(step.size):
        dense.weights[d] += tau * step[d]
        dense.drift[d] += clock * tau * step[d]
