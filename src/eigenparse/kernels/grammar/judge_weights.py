"""A logistic model over hashed features: features and weights in, log odds and better weights out.

The log odds of row r are  z = u . dense[r] + sum over t of w[rows[r, t]].
"""

from typing import NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel

STEP = 0.01  # weights of features are stored in steps of this size; the rounding is negligible
LEAST_PULL = 1e-6


@kernel
def judge_odds(rows, dense, u, w, unit, odds):
    """Log odds of rows under weights; those of features, w, are multiples of ``unit``."""
    for r in range(odds.size):
        total, z = 0.0, 0.0
        for k in range(u.size):
            total += u[k] * dense[r, k]
        for t in range(rows.shape[1]):
            z += w[rows[r, t]]
        odds[r] = total + unit * z


class Cases(NamedTuple):
    """Candidates to learn from: rows (N, templates) of features, dense (N, D), and whether each is right (N,)."""

    rows: np.ndarray
    dense: np.ndarray
    right: np.ndarray


class Weights(NamedTuple):
    """Weights under way: u (D,), w (F + 1,), and the pull (N,) of every case on w.

    w is the sum of pull[r] / ridge over the features of each case r.  The last of w is that of features without a
    weight, and stays 0.
    """

    u: np.ndarray
    w: np.ndarray
    pull: np.ndarray


@kernel
def pull_of(z, right, pull, reach):
    """The x that solves  x = right - 1 / (1 + exp(-z - (x - pull) reach)), by three steps of Newton's."""
    x = pull
    for _ in range(3):
        odds = z + (x - pull) * reach
        tail = np.exp(-abs(odds))
        p = (1.0 if odds >= 0.0 else tail) / (1.0 + tail)
        x -= (x - right + p) / (1.0 + reach * p * (1.0 - p))
        x = min(max(x, right - 1.0 + LEAST_PULL), right - LEAST_PULL)
    return x


# What it computes: one pass of dual coordinate ascent for the loss  sum over r of log(1 + e^z) - y z  plus ridge / 2
# times the sum of squares of w, where y says whether a case is right.  At the least loss pull[r] = y - 1 / (1 + e^-z)
# for every case; each case in turn gets the pull that fulfils this while the others rest, and w follows.  Layout: every
# feature of a row is 1, so that a change of the pull by x moves z by x times the number of its weighed features over
# ridge.  Order: as given, best at random; slope and bend gather what each case says when it is visited.
@kernel(error_model="numpy")
def pull_weights(order, cases, weights, ridge, slope, bend):
    """Visit the cases of ``order`` once; add the loss's first derivatives by u to slope, the second to bend."""
    rows, dense, right = cases
    u, w, pull = weights
    none = w.size - 1
    for r in order:
        z, n = 0.0, 0
        for t in range(rows.shape[1]):
            z += w[rows[r, t]]
            n += rows[r, t] != none
        for k in range(u.size):
            z += u[k] * dense[r, k]
        x = pull_of(z, right[r], pull[r], n / ridge)
        step = (x - pull[r]) / ridge
        pull[r] = x
        for t in range(rows.shape[1]):
            w[rows[r, t]] += step
        w[none] = 0.0
        spread = abs(x) * (1.0 - abs(x))
        for k in range(u.size):
            slope[k] -= x * dense[r, k]
            for m in range(u.size):
                bend[k, m] += spread * dense[r, k] * dense[r, m]


@kernel
def row_spans(parent, word, offsets, start, end):
    """Half-open spans, in words of the sentence, of the rows of trees in post-order."""
    for s in range(offsets.size - 1):
        n = 0
        for r in range(offsets[s], offsets[s + 1]):
            start[r] = -1
        for r in range(offsets[s], offsets[s + 1]):
            if word[r] >= 0:
                start[r], n = n, n + 1
            end[r] = n
            if parent[r] >= 0 and start[parent[r]] < 0:
                start[parent[r]] = start[r]
