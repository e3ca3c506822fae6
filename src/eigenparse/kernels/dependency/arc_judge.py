"""Likely arcs of a second-order chart, re-scored by a second model: candidate heads in, new scores and trees out.

The chart gives every arc a posterior.  A word's candidate heads are the likeliest ones, at most MOST and none below
LEAST.  The judge is a log-linear model of the head of each word among its candidates,

    p(h | m) ~ exp(trust * log posterior(h, m) + sum of the weights of its features),

whose features look at the best tree of the chart: the head of the head, the nearest sisters on both sides, the
outermost children, their relations, and the position of the head relative to the one in that tree.  Trees are those of
the first-order chart over log p(h | m).  Positions are written as in ``arc_features``; n + 1 is "no such word".
"""

from typing import Any, NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.dependency.arc_decoding import scores_of
from eigenparse.kernels.dependency.arc_features import (
    BUCKET,
    LONGEST,
    N_BUCKETS,
    between_tables,
    role_part,
)
from eigenparse.kernels.dependency.eisner import NO_ENDS, NO_SIBLINGS, arc_posteriors, best_tree
from eigenparse.kernels.dependency.eisner_kbest import kbest_trees

MOST = 8
LEAST = 3e-4
N_ROLES = 7  # head, modifier, inner and outer sister, head's head, outermost children
SURE = 1e-3  # smaller derivatives are skipped
TINY = 1e-30  # lower bound of posteriors


class Candidates(NamedTuple):
    """Heads that words may have: heads (T, MOST), -1 for none; scores (T, MOST) float32 log p; tree (T,) believed."""

    heads: Any
    scores: Any
    tree: Any


class JudgeWeights(NamedTuple):
    """templates: compiled.  weights: (2^bits,).  trust: (1,) the weight of log posteriors."""

    templates: Any
    weights: Any
    trust: Any


class Sight(NamedTuple):
    """The parts of the features of one sentence's arcs, (roles, n + 2, R), and its best tree."""

    parts: Any
    summary: Any
    tree: Any
    left: Any
    right: Any


@kernel
def chart_all(words, compiled, weights, second, scale, found):
    """Write the candidates of all words under p(tree) ~ exp(scale * score), and the best trees."""
    for s in range(words.offsets.size - 1):
        low, n = words.offsets[s], words.offsets[s + 1] - words.offsets[s]
        if n == 0:
            continue
        scores, siblings, ends = scores_of(words, s, compiled, weights, second)
        tree = found.tree[low : low + n]
        best_tree(scores, siblings, ends, tree)
        marginal = np.empty((n + 1, n + 1))
        arc_posteriors(scores * scale, siblings * np.float32(scale), ends * scale, marginal)
        for m in range(1, n + 1):
            marginal[tree[m - 1], m] = max(marginal[tree[m - 1], m], LEAST)
            for k in range(MOST):
                h = np.argmax(marginal[:, m])
                if marginal[h, m] < LEAST:
                    break
                found.heads[low + m - 1, k] = h
                found.scores[low + m - 1, k] = np.log(min(marginal[h, m], 1.0))
                marginal[h, m] = 0.0


@kernel
def sight_of(words, s, t, tree):
    """The feature parts of sentence s.  tree: (n,) heads of its best tree."""
    low, n = words.offsets[s], tree.size
    _, summary = between_tables(words.tags[low : low + n], words.classes[low : low + n])
    parts = np.empty((N_ROLES, n + 2, t.blocks[4]), dtype=np.uint64)
    for role in range(N_ROLES):
        parts[role] = role_part(
            words.keys[:, low : low + n], t.edge_keys, t.atoms, t.coefficients, role, t.blocks[4]
        )
    left, right = np.full(n + 1, n + 1), np.full(n + 1, n + 1)
    for m in range(1, n + 1):
        h = tree[m - 1]
        if m < h and left[h] > n:
            left[h] = m
        if m > h:
            right[h] = m
    return Sight(parts, summary, tree, left, right)


@kernel
def sister(h, start, stop, step, tree):
    """The first child of h in the best tree among the words from ``start`` up to, not including, ``stop``."""
    for k in range(start, stop, step):
        if tree[k - 1] == h:
            return k
    return tree.size + 1


@kernel
def is_below(h, above, tree):
    """Whether word h is a descendant of a word (or of the root, 0) in the best tree."""
    while h > 0:
        h = tree[h - 1]
        if h == above:
            return True
    return False


@kernel
def place_of(h, m, tree):
    """The relation of a candidate head to the head b of m in the best tree.

    0 it is b, 1 the head of b, 2 a child of b, 3 below m, 4 further below b, 5 elsewhere.
    """
    b = tree[m - 1]
    if h == b:
        return 0
    if b > 0 and tree[b - 1] == h:
        return 1
    if h > 0 and tree[h - 1] == b:
        return 2
    if is_below(h, m, tree):
        return 3
    return 4 if is_below(h, b, tree) else 5


@kernel
def judge_rows(h, m, sight, t, rows):
    """Write the feature rows of candidate h -> m."""
    n = sight.tree.size
    side = 1 if m > h else 0
    step = 2 * side - 1
    low, high = min(h, m), max(h, m)
    inner = sister(h, m - step, h, -step, sight.tree)
    outer = sister(h, m + step, n + 1 if side == 1 else 0, step, sight.tree)
    above = np.int64(sight.tree[h - 1]) if h > 0 else n + 1
    places = (h, m, inner, outer, above, sight.left[m], sight.right[m])
    for c in range(4):
        code = t.codes[side, 0]
        if c == 1:
            code = t.codes[side, 1 + BUCKET[min(high - low, LONGEST)]]
        elif c == 2:
            code = t.codes[side, 1 + N_BUCKETS + sight.summary[low, high]]
        elif c == 3:
            code += t.tag_keys[place_of(h, m, sight.tree)]
        for r in range(t.blocks[c], t.blocks[c + 1]):
            total = code
            for role in range(N_ROLES):
                total += sight.parts[role, places[role], r]
            rows[r] = total >> t.shift


@kernel
def head_shares(m, sight, judge, candidates, rows, share):
    """Write p(h | m) of the candidates of word m into share (MOST,) and their features into rows (MOST, R).

    candidates: heads and log posteriors, (MOST,) each.
    """
    heads, beliefs = candidates
    top, total = -np.inf, 0.0
    for k in range(MOST):
        if heads[k] >= 0:
            judge_rows(np.int64(heads[k]), m, sight, judge.templates, rows[k])
            share[k] = judge.trust[0] * beliefs[k]
            for r in range(rows.shape[1]):
                share[k] += judge.weights[rows[k, r]]
            top = max(top, share[k])
    for k in range(MOST):
        share[k] = np.exp(share[k] - top) if heads[k] >= 0 else 0.0
        total += share[k]
    share /= total


@kernel
def judge_all(words, judge, found):
    """Replace the log posteriors of all candidates by log p(h | m) of the judge."""
    t = judge.templates
    rows, share = np.empty((MOST, t.blocks[4]), dtype=np.uint64), np.empty(MOST)
    for s in range(words.offsets.size - 1):
        low, high = words.offsets[s], words.offsets[s + 1]
        sight = sight_of(words, s, t, found.tree[low:high])
        for m in range(1, high - low + 1):
            heads, scores = found.heads[low + m - 1], found.scores[low + m - 1]
            if heads[1] < 0:
                scores[0] = 0.0
                continue
            head_shares(m, sight, judge, (heads, scores), rows, share)
            for k in range(MOST):
                scores[k] = np.log(max(share[k], TINY))


@kernel
def judged_scores(s, offsets, found):
    """(n + 1, n + 1) judged scores of the arcs of sentence s; arcs that are no candidates have none."""
    low, high = offsets[s], offsets[s + 1]
    scores = np.full((high - low + 1, high - low + 1), -np.inf)
    for m in range(low, high):
        for k in range(MOST):
            if found.heads[m, k] >= 0:
                scores[found.heads[m, k], m - low + 1] = found.scores[m, k]
    return scores


@kernel
def judged_trees(offsets, found, heads, totals, count):
    """Write up to k trees per sentence into heads (k, T), scores into totals (S, k), their numbers into count (S,)."""
    for s in range(offsets.size - 1):
        low, high = offsets[s], offsets[s + 1]
        count[s] = 1
        if high > low:
            scores = judged_scores(s, offsets, found)
            if heads.shape[0] == 1:
                totals[s, 0] = best_tree(scores, NO_SIBLINGS, NO_ENDS, heads[0, low:high])
            else:
                count[s] = kbest_trees(scores, NO_SIBLINGS, NO_ENDS, heads[:, low:high], totals[s])


# One pass of AdaGrad on the log-likelihood of heads that are among the candidates.  The derivative by the score of a
# candidate is p(h | m) - [h is the head]; a weight moves by rate * g / sqrt(1 + sum of g^2), so that features seen
# once or twice hardly move.
@kernel(error_model="numpy")
def judge_pass(words, gold, order, judge, found, squares, rate):
    """One pass over the sentences in ``order``; return the loss.  gold: (T,) heads.  squares: trust's own is last."""
    t, weights, trust = judge.templates, judge.weights, judge.trust
    rows = np.empty((MOST, t.blocks[4]), dtype=np.uint64)
    share, loss = np.empty(MOST), 0.0
    for s in order:
        low, high = words.offsets[s], words.offsets[s + 1]
        sight = sight_of(words, s, t, found.tree[low:high])
        for m in range(1, high - low + 1):
            heads, beliefs = found.heads[low + m - 1], found.scores[low + m - 1]
            if heads[1] < 0 or not np.any(heads == gold[low + m - 1]):
                continue
            head_shares(m, sight, judge, (heads, beliefs), rows, share)
            slope_of_trust = 0.0
            for k in range(MOST):
                slope = share[k]
                if heads[k] == gold[low + m - 1]:
                    loss -= np.log(max(slope, TINY))
                    slope -= 1.0
                if heads[k] < 0 or abs(slope) < SURE:
                    continue
                slope_of_trust += slope * beliefs[k]
                for r in range(rows.shape[1]):
                    row = rows[k, r]
                    squares[row] += slope * slope
                    weights[row] -= rate * slope / np.sqrt(1.0 + squares[row])
            squares[-1] += slope_of_trust * slope_of_trust
            trust[0] -= rate * slope_of_trust / np.sqrt(1.0 + squares[-1])
    return loss
