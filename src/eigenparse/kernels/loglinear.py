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
def adagrad_pass(ids, labels, order, before, after, left, right, weights, squares, rate, decay):
    """One pass of stochastic gradient steps on the negative log-likelihood; returns its sum.

    The model is p(a | x, neighbours) in proportion to exp(left[before, a] + right[after, a] + weights of
    the features); left and right stay as they are.  Weight decay touches the features of the token.
    """
    k = ids.shape[1]
    n_labels = weights.shape[1]
    p = np.empty(n_labels, dtype=np.float64)
    loss = 0.0
    for t in order:
        for a in range(n_labels):
            p[a] = left[before[t], a] + right[after[t], a]
        for j in range(k):
            f = ids[t, j]
            if f >= 0:
                for a in range(n_labels):
                    p[a] += weights[f, a]
        top = p.max()
        total = 0.0
        for a in range(n_labels):
            p[a] = np.exp(p[a] - top)
            total += p[a]
        loss -= np.log(p[labels[t]] / total)
        for a in range(n_labels):
            p[a] = p[a] / total - (1.0 if a == labels[t] else 0.0)
        for j in range(k):
            f = ids[t, j]
            if f < 0:
                continue
            for a in range(n_labels):
                g = p[a] + decay * weights[f, a]
                squares[f, a] += g * g
                weights[f, a] -= rate * g / np.sqrt(squares[f, a] + 1e-8)
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
