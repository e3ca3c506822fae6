"""Multinomial log-linear model over sparse binary features: fit by AdaGrad, score."""

from typing import Any, NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel


class Neighbours(NamedTuple):
    """Labels before and after every token, (T,), and log-probabilities of a label given them.

    left: (A + 2, A) log p(a | label before);  right: (A + 2, A) log p(label after | a);  row A is the end of the
    sequence, row A + 1 a token whose neighbours are ignored.
    """

    before: Any
    after: Any
    left: Any
    right: Any


@kernel
def add_scores(ids, weights, scores):
    """scores[t] += sum of the weight rows of the token's features; ids below 0 are absent."""
    n, k = ids.shape
    n_labels = weights.shape[1]
    for t in range(n):
        for j in range(k):
            f = ids[t, j]
            if f >= 0:
                for a in range(n_labels):
                    scores[t, a] += weights[f, a]


# One pass of AdaGrad over the tokens in the order given.  The model of token t with features f is
#   p(a | t) = exp(left[before_t, a] + right[after_t, a] + sum_f w[f, a]) / Z
# and the step of feature f is w -= rate * g / sqrt(sum of g^2), with g = p(a) - [a is right] + decay * w[f, a].
# rows (F, 2 A) holds the weights of a feature and beside them its sums of squares, because both are touched
# together: one cache line fetched instead of two.  Weight decay applies only to the features of the token, so that
# the cost of a token is the number of its features times A.
@kernel(error_model="numpy")  # without checks of divisors, rows are vectorised (SIMD)
def adagrad_pass(ids, labels, order, neighbours, rows, rate, decay):
    """One pass of gradient steps on the negative log-likelihood; returns its sum.  ids: (T, K), -1 is absent."""
    before, after, left, right = neighbours
    n_labels = left.shape[1]
    p, present = np.empty(n_labels, dtype=np.float64), np.empty(ids.shape[1], dtype=np.int64)
    loss = 0.0
    for t in order:
        for a in range(n_labels):
            p[a] = left[before[t], a] + right[after[t], a]
        m = 0
        for j in range(ids.shape[1]):
            if ids[t, j] >= 0:
                present[m] = ids[t, j]
                row = rows[present[m]]
                for a in range(n_labels):
                    p[a] += row[a]
                m += 1
        top = p.max()
        total = 0.0
        for a in range(n_labels):
            p[a] = np.exp(p[a] - top)
            total += p[a]
        loss -= np.log(p[labels[t]] / total)
        for a in range(n_labels):
            p[a] = p[a] / total - (1.0 if a == labels[t] else 0.0)
        for j in range(m):
            row = rows[present[j]]
            weights, squares = row[:n_labels], row[n_labels : 2 * n_labels]
            for a in range(n_labels):
                g = p[a] + decay * weights[a]
                squares[a] += g * g
                weights[a] -= rate * g / np.sqrt(squares[a] + 1e-8)
    return loss


@kernel
def last_scores(ids, rows, scores):
    """scores[t] += the row of the last feature that is present."""
    n, k = ids.shape
    n_labels = rows.shape[1]
    for t in range(n):
        for j in range(k - 1, -1, -1):
            f = ids[t, j]
            if f >= 0:
                for a in range(n_labels):
                    scores[t, a] += rows[f, a]
                break
