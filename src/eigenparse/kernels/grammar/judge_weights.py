"""A logistic model over hashed features: features and weights in, log odds, loss and gradient out.

The log odds of row r are  z = u . dense[r] + sum over t of w[rows[r, t]].
"""

import numpy as np

from eigenparse.kernels.compiled import kernel

STEP = 0.01  # weights of features are stored in steps of this size; the rounding is negligible


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


@kernel(error_model="numpy")
def logistic_loss(rows, dense, right, u, w, by_u, by_w):
    """Summed loss of rows, and its gradient added to by_u and by_w.

    With z the log odds of a row and y whether its bracket is right, the loss is log(1 + e^z) - y z
    and its derivative by z is 1 / (1 + e^-z) - y.
    """
    loss = 0.0
    for r in range(rows.shape[0]):
        z = 0.0
        for k in range(u.size):
            z += u[k] * dense[r, k]
        for t in range(rows.shape[1]):
            z += w[rows[r, t]]
        tail = np.exp(-abs(z))
        loss += np.log1p(tail) + max(z, 0.0) - right[r] * z
        slope = (1.0 if z >= 0.0 else tail) / (1.0 + tail) - right[r]
        for k in range(u.size):
            by_u[k] += slope * dense[r, k]
        for t in range(rows.shape[1]):
            by_w[rows[r, t]] += slope
    return loss


@kernel
def add_curvature(rows, dense, by_u, by_w):
    """Add the second derivative of the loss by each weight where the log odds are the first dense features."""
    for r in range(rows.shape[0]):
        tail = np.exp(-abs(dense[r, 0]))
        spread = tail / (1.0 + tail) ** 2
        for k in range(by_u.size):
            by_u[k] += spread * dense[r, k] ** 2
        for t in range(rows.shape[1]):
            by_w[rows[r, t]] += spread


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
