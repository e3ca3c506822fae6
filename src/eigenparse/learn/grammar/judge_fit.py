"""Hashed features of candidates and which of them are right in, weights of a logistic model out."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from eigenparse.arrays import AnyArray, FloatArray, IntVector, LongVector, as_ids
from eigenparse.kernels.grammar.judge_weights import add_curvature, judge_odds, logistic_loss

TRUST = 1e-3  # penalty on squared distances of dense weights from "believe what was believed"
MEMORY = 8  # steps that L-BFGS remembers
HALVINGS = 12
HALVES = 0.6  # of the sum of two halves' weights: the ridge draws those of the whole less towards 0
LEAST = 3  # cases that a feature must be seen in


@dataclass(frozen=True, slots=True)
class Cases:
    """Candidates to learn from: rows (N, templates) of features, dense (N, D), and whether each is right (N,)."""

    rows: AnyArray
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


@dataclass(frozen=True, slots=True)
class Fit:
    """How weights are fitted.  ridge: penalty on squared weights.  rounds: of L-BFGS."""

    ridge: float
    bits: int
    rounds: int

    def weights(self, cases: Cases) -> tuple[FloatArray, FloatArray]:
        """Dense weights (D,) and weights of all features (2 ** bits,)."""
        compact, order = _compact(cases, self.bits)
        return self._spread(self._fitted(compact, order.size, self.rounds), order)

    def crossed(self, cases: Cases, at: LongVector) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The same, and probabilities of all cases, each half of the sentences judged by the other, like new ones.

        The halves come first; the whole begins near what they found and needs half as many rounds.
        """
        compact, order = _compact(cases, self.bits)
        first = np.arange(cases.right.size) < at[(at.size - 1) // 2]
        odds, found = np.empty(first.size), []
        for half in (first, ~first):
            found.append(self._fitted(compact.some(half), order.size, self.rounds))
            odds[~half] = _odds(compact.some(~half), found[-1])
        both = self._fitted(compact, order.size, -(-self.rounds // 2), HALVES * (found[0] + found[1]))
        belief: FloatArray = 1.0 / (1.0 + np.exp(-odds))
        return *self._spread(both, order), belief

    def _fitted(
        self, cases: Cases, n_features: int, rounds: int, begin: FloatArray | None = None
    ) -> FloatArray:
        """Dense weights and those of numbered features, by L-BFGS from "believe what was believed" or ``begin``.

        Features occur once or a hundred thousand times, so each weight is measured in units of its own: one over
        the root of the loss's second derivative at the start.  Ten rounds then do the work of hundreds.
        """
        n = cases.dense.shape[1]
        start = np.zeros(n + n_features + 1)
        start[0] = 1.0
        penalty = np.full(start.size, self.ridge, dtype=np.float64)
        penalty[:n] = TRUST
        curvature = penalty.copy()
        add_curvature(cases.rows, cases.dense, curvature[:n], curvature[n:])
        unit = 1.0 / np.sqrt(curvature)
        unit[-1] = 0.0  # of what is seen too seldom

        def loss(scaled: FloatArray) -> tuple[float, FloatArray]:
            value, gradient = penalised_loss(cases, start + scaled * unit, start, penalty)
            return value, gradient * unit

        ahead = np.zeros(start.size) if begin is None else (begin - start) / np.where(unit > 0, unit, 1.0)
        found: FloatArray = start + least_loss(loss, ahead, rounds) * unit
        return found

    def _spread(self, found: FloatArray, order: IntVector) -> tuple[FloatArray, FloatArray]:
        """Dense weights, and those of all features by their own numbers."""
        n = found.size - order.size - 1
        weights = np.zeros(1 << self.bits)
        weights[order] = found[n:-1]
        return found[:n], weights


def _compact(cases: Cases, bits: int) -> tuple[Cases, IntVector]:
    """The same cases with features numbered by how often they occur, and the features in the order of their numbers.

    So the frequent ones stay in the cache; those seen less than LEAST times share the last number.  Numbers without a
    sign are looked up faster.
    """
    count = np.bincount(cases.rows.ravel(), minlength=1 << bits)
    order = np.argsort(-count, kind="stable")[: int(np.sum(count >= LEAST))]
    number: AnyArray = np.full(1 << bits, order.size, dtype=np.uint32)
    number[order] = np.arange(order.size, dtype=np.uint32)
    return Cases(number[cases.rows], cases.dense, cases.right), as_ids(order)


def _odds(cases: Cases, found: FloatArray) -> FloatArray:
    """Log odds of cases under dense weights and those of numbered features."""
    n, odds = cases.dense.shape[1], np.empty(cases.right.size)
    judge_odds(cases.rows, cases.dense, found[:n], found[n:], 1.0, odds)
    return odds


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


def sureness(belief: FloatArray, right: FloatArray) -> float:
    """What log odds are to be multiplied by so that beliefs in what is likely are as often right as they say.

    belief: (N,) of cases that were not learnt from.  Those above one half alone count: of these trees are made.
    """
    chosen = belief > 0.5
    odds, right = np.log(belief[chosen] / (1.0 - belief[chosen])), right[chosen]

    def loss(scale: float) -> float:
        return float(np.sum(np.logaddexp(0.0, scale * odds) - right * scale * odds))

    return float(minimize_scalar(loss, bounds=(0.3, 1.2), method="bounded").x)
