"""Gold trees and weights in, weights after one pass of margin-based updates out.

One-best MIRA [crammer-etal-2006, mcdonald-2006] with the cost of wrong heads added while decoding:
if the best tree y under score + cost is not the gold tree g, the weights move by tau times the
difference of their features, tau = min(C, (score(y) + cost(y) - score(g)) / |f(g) - f(y)|^2).
"""

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.dependency.arborescence import best_arborescence
from eigenparse.kernels.dependency.arc_features import (
    arc_rows,
    pair_rows,
    row_buffer,
    score_arcs,
    score_pairs,
    sentence_parts,
)
from eigenparse.kernels.dependency.eisner import NO_ENDS, NO_SIBLINGS, best_tree
from eigenparse.kernels.dependency.margin import shift, squared_distance, step_size


@kernel
def sentence_scores(p, t, weights, second, is_open):
    """Scores of open arcs and, in the second order, of all neighbouring children by open arcs."""
    n = p.between.shape[0] - 1
    scores = np.empty((n + 1, n + 1))
    score_arcs(p, t, weights, is_open, scores)
    if not second:
        return scores, NO_SIBLINGS, NO_ENDS
    siblings = np.zeros((n + 1, n + 1, n + 1), dtype=np.float32)
    ends = np.zeros((2, n + 1, n + 1))
    score_pairs(p, t, weights, is_open, siblings, ends)
    return scores, siblings, ends


@kernel
def decode(scores, siblings, ends, crossing, head):
    """Best tree, projective or (first order only) with crossing arcs allowed; return its score."""
    if crossing:
        return best_arborescence(scores, head)
    return best_tree(scores, siblings, ends, head)


@kernel
def tree_total(head, scores, siblings, ends):
    """Score of one tree."""
    n = head.size
    total = 0.0
    for m in range(1, n + 1):
        total += scores[head[m - 1], m]
    if siblings.size == 0:
        return total
    for h in range(n + 1):
        for side in range(1 if h == 0 else 0, 2):
            step = 1 if side == 1 else -1
            stop = n + 1 if side == 1 else 0
            last = h
            for m in range(h + step, stop, step):
                if head[m - 1] == h:
                    total += siblings[h, last, m]
                    last = m
            total += ends[side, h, last]
    return total


@kernel
def append(rows, c, buffer, count):
    """Append the first c rows to the buffer; return the new count.  A loop compiles faster than a slice."""
    for k in range(c):
        buffer[count + k] = rows[k]
    return count + c


@kernel
def collect_rows(head, other, p, t, second, rows, buffer):
    """Feature rows of a tree into ``buffer``, arcs that ``other`` shares left out; return their number."""
    n = head.size
    count = np.int64(0)
    for m in range(1, n + 1):
        if head[m - 1] != other[m - 1]:
            c = arc_rows(np.int64(head[m - 1]), m, p, t, rows)
            count = append(rows, c, buffer, count)
    if not second:
        return count
    for h in range(n + 1):
        for side in range(1 if h == 0 else 0, 2):
            step = 1 if side == 1 else -1
            stop = n + 1 if side == 1 else 0
            last = n + 1
            for m in range(h + step, stop + step, step):
                if m == stop or head[m - 1] == h:
                    c = pair_rows(side, h, last, n + 1 if m == stop else m, p, t, rows)
                    count = append(rows, c, buffer, count)
                    last = m
    return count


@kernel
def add_costs(scores, gold):
    """Add 1 to the score of every wrong arc, so that the best tree is the one that violates the margin most."""
    n = gold.size
    for m in range(1, n + 1):
        for h in range(n + 1):
            if h != gold[m - 1]:
                scores[h, m] += 1.0


# What it computes: one-best MIRA [mcdonald-2006].  With f(y) the features of a tree, w the weights and cost(y) the
# number of wrong heads, the guess y maximises  w f(y) + cost(y);  if it is not the gold tree z, w moves by
# tau (f(z) - f(y)),  tau = min(C, (w f(y) + cost(y) - w f(z)) / |f(z) - f(y)|^2).  Layout: weights are one hashed
# table; a tree's features are rows of it.  Order: sentence by sentence, since each update changes the next scores.
@kernel
def mira_pass(words, gold, order, compiled, second, crossing, clock, averaged):
    """One pass over the sentences in ``order``; return (updates, wrong heads, clock).

    For each sentence: features become scores of arcs (and of neighbouring children, if ``second``), wrong arcs get
    their cost, the best tree is found, and where it is not the gold tree the weights move.  Scoring arcs is
    nearly all of the work; features are made from parts that are hashed once per word (``arc_features``), and arcs
    that are not open are passed over.
    words: all sentences.  gold: (T,) heads.  compiled: templates, and which arcs are open.  averaged: weights
    that are changed.
    """
    t, opened = compiled
    n_updates, n_wrong = 0, 0
    rows = row_buffer(t)
    for s in order:
        target = gold[words.offsets[s] : words.offsets[s + 1]]
        n = target.size
        if n == 0:
            continue
        clock += 1.0
        p = sentence_parts(words, s, t, second)
        is_open = opened.flags[opened.at[s] : opened.at[s + 1]].reshape(n + 1, n + 1)
        scores, siblings, ends = sentence_scores(p, t, averaged.weights, second, is_open)
        add_costs(scores, target)
        guess = np.empty(n, dtype=np.int32)
        total = decode(scores, siblings, ends, crossing, guess)
        wrong = 0
        for m in range(n):
            wrong += guess[m] != target[m]
        n_wrong += wrong
        slack = total - tree_total(target, scores, siblings, ends)
        if wrong == 0 or slack <= 0.0:
            continue
        room = wrong * rows.size + (3 * n + 3) * t.n_pair
        plus, minus = np.empty(room, dtype=np.uint64), np.empty(room, dtype=np.uint64)
        plus = plus[: collect_rows(target, guess, p, t, second, rows, plus)]
        minus = minus[: collect_rows(guess, target, p, t, second, rows, minus)]
        tau = step_size(slack, squared_distance(plus, minus, averaged.delta), averaged.ceiling)
        shift(plus, tau, clock, averaged)
        shift(minus, tau, clock, averaged)
        n_updates += 1
    return n_updates, n_wrong, clock
