"""Hashed features of candidates and which of them are right in, weights of a logistic model out."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import fmin_l_bfgs_b

from eigenparse.arrays import AnyArray, FloatArray, IntMatrix, LongVector
from eigenparse.kernels.grammar.judge_weights import judge_odds, logistic_loss

TRUST = 1e-3  # penalty on squared distances of dense weights from "believe what was believed"
MEMORY = 8


@dataclass(frozen=True, slots=True)
class Cases:
    """Candidates to learn from: rows (N, templates) of features, dense (N, D), and whether each is right (N,)."""

    rows: IntMatrix
    dense: FloatArray
    right: FloatArray

    def some(self, chosen: AnyArray) -> "Cases":
        """Part of the cases."""
        return Cases(self.rows[chosen], self.dense[chosen], self.right[chosen])


def penalised_loss(
    cases: Cases, weights: FloatArray, start: FloatArray, penalty: FloatArray
) -> tuple[float, FloatArray]:
    """Logistic loss plus penalty / 2 . (weights - start) ** 2, and the gradient; dense weights come first."""
    n = cases.dense.shape[1]
    gradient = penalty * (weights - start)
    loss = 0.5 * float(gradient @ (weights - start))
    loss += logistic_loss(
        cases.rows, cases.dense, cases.right, weights[:n], weights[n:], gradient[:n], gradient[n:]
    )
    return loss, gradient


def fit_weights(cases: Cases, ridge: float, bits: int, rounds: int) -> tuple[FloatArray, FloatArray]:
    """Dense weights (D,) and weights of all features (2 ** bits,) by L-BFGS from "believe what was believed".

    Features occur once or a hundred thousand times, so each weight is measured in units of its own: one
    over the root of the loss's second derivative at the start.  Thirty rounds then do the work of hundreds.
    """
    used = np.zeros(1 << bits, dtype=bool)
    used[cases.rows.ravel()] = True
    number = (np.cumsum(used) - 1).astype(np.int32)
    compact = Cases(number[cases.rows], cases.dense, cases.right)
    n = cases.dense.shape[1]
    start = np.zeros(n + int(used.sum()))
    start[0] = 1.0
    penalty = np.full(start.size, ridge)
    penalty[:n] = TRUST
    unit = 1.0 / np.sqrt(_curvature(compact, start.size) + penalty)

    def loss(scaled: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = penalised_loss(compact, scaled * unit, start, penalty)
        return value, gradient * unit

    scaled, _, _ = fmin_l_bfgs_b(loss, start / unit, maxiter=rounds, m=MEMORY)
    found = scaled * unit
    weights = np.zeros(1 << bits)
    weights[used] = found[n:]
    return found[:n], weights


def _curvature(cases: Cases, size: int) -> FloatArray:
    """The second derivative of the loss by each weight, at the start."""
    n = cases.dense.shape[1]
    belief = 1.0 / (1.0 + np.exp(-cases.dense[:, 0]))
    spread = belief * (1.0 - belief)
    total: FloatArray = np.empty(size)
    total[:n] = spread @ cases.dense**2
    total[n:] = np.bincount(
        cases.rows.ravel(), weights=np.repeat(spread, cases.rows.shape[1]), minlength=size - n
    )
    return total


@dataclass(frozen=True, slots=True)
class Fit:
    """Settings of ``fit_weights``."""

    ridge: float
    bits: int
    rounds: int

    def weights(self, cases: Cases) -> tuple[FloatArray, FloatArray]:
        """Dense weights, and weights of all features."""
        return fit_weights(cases, self.ridge, self.bits, self.rounds)

    def crossed(self, cases: Cases, at: LongVector) -> FloatArray:
        """Probabilities of all cases, each half of the sentences judged by the other, as new ones will be."""
        first = np.arange(cases.right.size) < at[(at.size - 1) // 2]
        odds = np.empty(first.size)
        for half in (first, ~first):
            other = cases.some(~half)
            part = np.empty(other.right.size)
            judge_odds(other.rows, other.dense, *self.weights(cases.some(half)), part)
            odds[~half] = part
        found: FloatArray = 1.0 / (1.0 + np.exp(-odds))
        return found
