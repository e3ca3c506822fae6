"""Multinomial log-linear model over sparse binary features: fit by AdaGrad, score."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True, error_model="numpy")  # no check of divisors, so that rows are done by SIMD
def adagrad_pass(ids, labels, order, before, after, left, right, rows, rate, decay):
    """One pass of stochastic gradient steps on the negative log-likelihood; returns its sum.

    The model is p(a | x, neighbours) in proportion to exp(left[before, a] + right[after, a] + weights of
    the features); left and right stay as they are.  Weight decay touches the features of the token.
    rows: (F, 2 A), the weights of a feature and beside them, in the same memory, its sums of squares.
    """
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


@njit(cache=True, nogil=True)
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
