"""Pruning of arcs before second-order parsing: a small model of heads in, open arcs out.

The first-order model gives every word a distribution over its heads,

    p(h | m) = exp(score(h, m)) / sum over h' of exp(score(h', m)),

with few templates and a small table, so that scoring all arcs of a sentence is cheap.  An arc is open if
p(h | m) >= LEAST * max over h' of p(h' | m), at most MOST heads per word, or if it is in the best projective tree of
the small model, so that there is always a tree [rush-petrov-2012].  Sentences of up to SHORT words are not pruned.
"""

from typing import Any, NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.dependency.arc_features import arc_rows, row_buffer, score_arcs, sentence_parts
from eigenparse.kernels.dependency.eisner import NO_ENDS, NO_SIBLINGS, best_tree

LEAST = np.exp(-7.0)
MOST = 10
SHORT = 6


class Pruning(NamedTuple):
    """Compiled templates and weights (2^bits,) of the small model; no weights: all arcs are open."""

    templates: Any
    weights: Any


class Opened(NamedTuple):
    """Whether each arc is open, sentence after sentence; at: (S + 1,) where those of each sentence begin."""

    flags: Any
    at: Any


@kernel
def head_scores(words, s, pruning):
    """Scores (n + 1, n + 1) of all arcs under the small model."""
    p = sentence_parts(words, s, pruning.templates, pruning.weights.size < 0)
    n = p.between.shape[0] - 1
    scores = np.empty((n + 1, n + 1))
    score_arcs(p, pruning.templates, pruning.weights, np.ones((n + 1, n + 1), dtype=np.bool_), scores)
    return p, scores


@kernel
def open_arcs(words, s, pruning):
    """(n + 1, n + 1) whether arc h -> m of sentence s is open."""
    n = words.offsets[s + 1] - words.offsets[s]
    if pruning.weights.size == 0 or n <= SHORT:
        return np.ones((n + 1, n + 1), dtype=np.bool_)
    _, scores = head_scores(words, s, pruning)
    is_open = np.zeros((n + 1, n + 1), dtype=np.bool_)
    for m in range(1, n + 1):
        scores[m, m] = -np.inf
        top = scores[:, m].max()
        floor = top + np.log(LEAST)
        if n > MOST:
            floor = max(floor, np.partition(scores[:, m], n - MOST + 1)[n - MOST + 1])
        for h in range(n + 1):
            is_open[h, m] = scores[h, m] >= floor
    head = np.empty(n, dtype=np.int32)
    best_tree(scores, NO_SIBLINGS, NO_ENDS, head)
    for m in range(n):
        is_open[head[m], m + 1] = True
    return is_open


@kernel
def open_all(words, gold, pruning):
    """Open arcs of all sentences for training: those of the gold trees are, too."""
    at = np.zeros(words.offsets.size, dtype=np.int64)
    for s in range(at.size - 1):
        n = words.offsets[s + 1] - words.offsets[s]
        at[s + 1] = at[s] + (n + 1) * (n + 1)
    flags = np.empty(at[-1], dtype=np.bool_)
    for s in range(at.size - 1):
        low, high = words.offsets[s], words.offsets[s + 1]
        is_open = open_arcs(words, s, pruning)
        for m in range(low, high):
            is_open[gold[m], m - low + 1] = True
        flags[at[s] : at[s + 1]] = is_open.ravel()
    return Opened(flags, at)


# One pass of AdaGrad on the log-likelihood of heads: the derivative by score(h, m) is p(h | m) - [h is the head], and
# weights of features move by rate * g / sqrt(sum of g^2).  Arcs whose derivative is tiny are skipped.
@kernel(error_model="numpy")
def head_pass(words, gold, order, pruning, squares, rate):
    """One pass over the sentences in ``order``; return how many heads were not the likeliest.  gold: (T,) heads."""
    t, weights = pruning.templates, pruning.weights
    rows = row_buffer(t)
    n_wrong = 0
    for s in order:
        target = gold[words.offsets[s] : words.offsets[s + 1]]
        n = target.size
        p, scores = head_scores(words, s, pruning)
        for m in range(1, n + 1):
            scores[m, m] = -np.inf
            n_wrong += np.argmax(scores[:, m]) != target[m - 1]
            share = np.exp(scores[:, m] - scores[:, m].max())
            share /= share.sum()
            for h in range(n + 1):
                slope = share[h] - (1.0 if h == target[m - 1] else 0.0)
                if abs(slope) < 1e-3:
                    continue
                count = arc_rows(h, m, p, t, rows)
                for k in range(count):
                    squares[rows[k]] += slope * slope
                    weights[rows[k]] -= rate * slope / np.sqrt(squares[rows[k]])
    return n_wrong
