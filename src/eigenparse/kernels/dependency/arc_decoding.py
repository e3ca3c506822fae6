"""Weights and hashed sentences in; trees, k-best lists, arc posteriors and relations out."""

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.dependency.arc_features import arc_rows, row_buffer, sentence_parts
from eigenparse.kernels.dependency.arc_training import decode, sentence_scores
from eigenparse.kernels.dependency.eisner_kbest import kbest_trees
from eigenparse.kernels.dependency.pruning import open_arcs


@kernel
def scores_of(words, s, compiled, weights, second):
    """Scores of the arcs of sentence s and of neighbouring children.  compiled: templates, and a ``Pruning``."""
    t, pruning = compiled
    p = sentence_parts(words, s, t, second)
    return sentence_scores(p, t, weights, second, open_arcs(words, s, pruning))


@kernel
def parse_all(words, compiled, weights, second, crossing, head, totals):
    """Write the best tree of every sentence into head (T,) and its score into totals (S,)."""
    for s in range(words.offsets.size - 1):
        low, high = words.offsets[s], words.offsets[s + 1]
        if high > low:
            scores, siblings, ends = scores_of(words, s, compiled, weights, second)
            totals[s] = decode(scores, siblings, ends, crossing, head[low:high])


@kernel
def parse_kbest(words, compiled, weights, second, heads, totals, found):
    """Write up to k trees per sentence into heads (k, T), scores into totals (S, k), counts into found (S,)."""
    for s in range(words.offsets.size - 1):
        low, high = words.offsets[s], words.offsets[s + 1]
        if high == low:
            found[s] = 1
            continue
        scores, siblings, ends = scores_of(words, s, compiled, weights, second)
        found[s] = kbest_trees(scores, siblings, ends, heads[:, low:high], totals[s])


@kernel
def label_scores(h, m, p, t, weights, rows, total):
    """Write the scores of all relations for arc h -> m; return the number of feature rows."""
    count = arc_rows(np.int64(h), m, p, t, rows)
    total[:] = 0.0
    for k in range(count):
        row = weights[rows[k]]
        for c in range(total.size):
            total[c] += row[c]
    return count


@kernel
def label_all(words, head, t, weights, relation):
    """Write the best relation of every arc into relation (T,)."""
    rows, total = row_buffer(t), np.empty(weights.shape[1])
    for s in range(words.offsets.size - 1):
        low, high = words.offsets[s], words.offsets[s + 1]
        # always False, but not a literal, which would be compiled separately
        p = sentence_parts(words, s, t, t.n_pair < 0)
        for m in range(1, high - low + 1):
            label_scores(head[low + m - 1], m, p, t, weights, rows, total)
            relation[low + m - 1] = np.argmax(total)


@kernel
def label_pass(words, head, gold, order, t, clock, averaged):
    """One pass of multiclass margin updates over gold arcs; return (mistakes, clock).

    The features of an arc are the same for every relation, so the squared distance of two relations is twice their
    number, and only two columns of the weights (2^bits, L) move.
    """
    weights, drift = averaged.weights, averaged.drift
    rows, total = row_buffer(t), np.empty(weights.shape[1])
    wrong = 0
    for s in order:
        low, high = words.offsets[s], words.offsets[s + 1]
        clock += 1.0
        p = sentence_parts(words, s, t, t.n_pair < 0)
        for m in range(1, high - low + 1):
            right = gold[low + m - 1]
            count = label_scores(head[low + m - 1], m, p, t, weights, rows, total)
            target = total[right]
            total[right] = -np.inf
            rival = np.argmax(total)
            slack = 1.0 + total[rival] - target
            if slack > 0.0:
                wrong += slack > 1.0
                tau = np.float32(min(averaged.ceiling, slack / (2.0 * count)))
                for k in range(count):
                    weights[rows[k], right] += tau
                    weights[rows[k], rival] -= tau
                    drift[rows[k], right] += clock * tau
                    drift[rows[k], rival] -= clock * tau
    return wrong, clock
