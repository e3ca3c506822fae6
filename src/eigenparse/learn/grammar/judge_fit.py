"""Hashed features of candidates and which of them are right in, weights of a logistic model out."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, IntMatrix, IntVector, LongVector, as_ids
from eigenparse.kernels.grammar.judge_weights import judge_odds, logistic_loss

TRUST = 1e-3  # penalty on squared distances of dense weights from "believe what was believed"
MEMORY = 8  # steps that L-BFGS remembers
HALVINGS = 12
LEAST = 2  # cases that a feature must be seen in


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

    Features occur once or a hundred thousand times, so each weight is measured in units of its own: one over the
    root of the loss's second derivative at the start.  Ten rounds then do the work of hundreds.  Features are
    numbered by how often they occur, so that the frequent ones stay in the cache; those seen once, LEAST or
    seldomer, share the last number, whose weight is 0.
    """
    n = cases.dense.shape[1]
    number, order = _frequent(cases.rows, bits)
    compact = Cases(number[cases.rows], cases.dense, cases.right)
    start = np.zeros(n + order.size + 1)
    start[0] = 1.0
    penalty = np.full(start.size, ridge)
    penalty[:n] = TRUST
    unit = 1.0 / np.sqrt(_curvature(compact, start.size) + penalty)
    unit[-1] = 0.0

    def loss(scaled: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = penalised_loss(compact, start + scaled * unit, start, penalty)
        return value, gradient * unit

    found = start + least_loss(loss, np.zeros(start.size), rounds) * unit
    weights = np.zeros(1 << bits)
    weights[order] = found[n:-1]
    return found[:n], weights


def _frequent(rows: IntMatrix, bits: int) -> tuple[IntVector, IntVector]:
    """The number of every feature, the most frequent first, and the features in the order of their numbers."""
    count = np.bincount(rows.ravel(), minlength=1 << bits)
    order = np.argsort(-count, kind="stable")[: int(np.sum(count >= LEAST))]
    number = np.full(1 << bits, order.size, dtype=np.int32)
    number[order] = np.arange(order.size)
    return number, as_ids(order)


def least_loss(
    loss: Callable[[FloatArray], tuple[float, FloatArray]], found: FloatArray, rounds: int
) -> FloatArray:
    """Where a smooth convex function is small: so many steps of L-BFGS [nocedal-1980], each halved until it helps."""
    value, slope = loss(found)
    steps: deque[tuple[FloatArray, FloatArray, float]] = deque(maxlen=MEMORY)
    for _ in range(rounds):
        way = -_newton_like(slope, steps)
        downhill = float(way @ slope)
        size = 1.0 if steps else min(1.0, 1.0 / max(float(np.sqrt(way @ way)), 1e-300))
        for _ in range(HALVINGS):
            new_value, new_slope = loss(found + size * way)
            if new_value <= value + 1e-4 * size * downhill:
                break
            size /= 2
        else:
            return found
        bend = new_slope - slope
        curvature = size * float(way @ bend)
        if curvature > 0:
            steps.append((size * way, bend, curvature))
        found, value, slope = found + size * way, new_value, new_slope
    return found


def _newton_like(slope: FloatArray, steps: Sequence[tuple[FloatArray, FloatArray, float]]) -> FloatArray:
    """The inverse of the second derivative, as the last steps show it, times a slope."""
    found, shares = slope.copy(), []
    for step, bend, curvature in reversed(steps):
        shares.append(float(step @ found) / curvature)
        found -= shares[-1] * bend
    if steps:
        _, bend, curvature = steps[-1]
        found *= curvature / float(bend @ bend)
    for (step, bend, curvature), share in zip(steps, reversed(shares)):
        found += (share - float(bend @ found) / curvature) * step
    return found


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
