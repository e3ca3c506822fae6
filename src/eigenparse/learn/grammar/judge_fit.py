"""Hashed features of candidates and which of them are right in, weights of a logistic model out."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize_scalar

from eigenparse.arrays import AnyArray, FloatArray, IntVector, LongVector, as_ids
from eigenparse.kernels.grammar.judge_weights import Cases, Weights, judge_odds, pull_weights

TRUST = 1e-3  # penalty on squared distances of dense weights from "believe what was believed"
FARTHEST = 0.5  # that a dense weight moves at once
PARTS = 4  # of the sentences, each judged by weights of the others
LEAST = 3  # cases that a feature must be seen in


@dataclass(frozen=True, slots=True)
class Fit:
    """How weights are fitted.  ridge: penalty on squared weights.  passes: over the cases."""

    ridge: float
    bits: int
    passes: int

    def weights(self, cases: Cases) -> tuple[FloatArray, FloatArray]:
        """Dense weights (D,) and weights of all features (2 ** bits,)."""
        compact, order = _compact(cases, self.bits)
        found = _believing(compact, order.size)
        self._improve(compact, np.arange(cases.right.size), found)
        return found.u, self._spread(found.w, order)

    def crossed(self, cases: Cases, at: LongVector) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The same, and probabilities of all cases, each part of the sentences judged by the others, like new ones.

        The parts come first; the whole begins with the mean of what they found, and needs fewer passes for that.
        """
        compact, order = _compact(cases, self.bits)
        n = at.size - 1
        part = np.repeat(np.arange(n) * PARTS // max(n, 1), np.diff(at))
        odds, whole = np.empty(part.size), _believing(compact, order.size)
        whole.u[0] = 0.0
        for number in range(PARTS):
            found, own = _believing(compact, order.size), part == number
            self._improve(compact, np.flatnonzero(~own), found)
            odds[own] = _odds(compact, np.flatnonzero(own), found)
            for total, one, times in zip(whole, found, (PARTS, PARTS - 1, PARTS - 1)):
                total += one / times  # each case was in all parts but one
        replace(self, passes=-(-self.passes // PARTS))._improve(compact, np.arange(part.size), whole)
        return whole.u, self._spread(whole.w, order), 1.0 / (1.0 + np.exp(-odds))

    def _improve(self, cases: Cases, chosen: AnyArray, found: Weights) -> None:
        """Passes over some of the cases by dual coordinate ascent [yu-2011], dense weights by Newton's steps between.

        The ridge is so strong that a few passes come as near to the least loss as dozens of steps along gradients.
        """
        rng, start = np.random.default_rng(0), np.eye(found.u.size)
        for number in range(self.passes):
            slope, bend = TRUST * (found.u - start[0]), TRUST * start
            pull_weights(rng.permutation(chosen), cases, found, self.ridge, slope, bend)
            if number + 1 < self.passes:
                step = np.linalg.solve(bend, slope)
                found.u[:] -= step * min(1.0, FARTHEST / max(float(np.abs(step).max()), 1e-300))

    def _spread(self, w: FloatArray, order: IntVector) -> FloatArray:
        """Weights of all features by their own numbers."""
        weights = np.zeros(1 << self.bits)
        weights[order] = w[:-1]
        return weights


def _believing(cases: Cases, n_features: int) -> Weights:
    """Weights that believe what was believed."""
    u = np.zeros(cases.dense.shape[1])
    u[0] = 1.0
    return Weights(u, np.zeros(n_features + 1), np.zeros(cases.right.size))


def _compact(cases: Cases, bits: int) -> tuple[Cases, IntVector]:
    """The same cases with features numbered by how often they occur, and the features in the order of their numbers.

    So the frequent ones stay in the cache; those seen less than LEAST times share the last number.  Numbers without a
    sign are looked up faster.
    """
    count = np.bincount(cases.rows.ravel(), minlength=1 << bits)
    often = np.flatnonzero(count >= LEAST)
    order = often[np.argsort(-count[often], kind="stable")]
    number: AnyArray = np.full(1 << bits, order.size, dtype=np.uint32)
    number[order] = np.arange(order.size, dtype=np.uint32)
    return Cases(number[cases.rows], cases.dense, cases.right), as_ids(order)


def _odds(cases: Cases, chosen: AnyArray, found: Weights) -> FloatArray:
    """Log odds of some of the cases."""
    odds = np.empty(chosen.size)
    judge_odds(cases.rows[chosen], cases.dense[chosen], found.u, found.w, 1.0, odds)
    return odds


def sureness(belief: FloatArray, right: FloatArray) -> float:
    """What log odds are to be multiplied by so that beliefs in what is likely are as often right as they say.

    belief: (N,) of cases that were not learnt from.  Those above one half alone count: of these trees are made.
    """
    chosen = belief > 0.5
    odds, right = np.log(belief[chosen] / (1.0 - belief[chosen])), right[chosen]

    def loss(scale: float) -> float:
        return float(np.sum(np.logaddexp(0.0, scale * odds) - right * scale * odds))

    return float(minimize_scalar(loss, bounds=(0.3, 1.2), method="bounded").x)
