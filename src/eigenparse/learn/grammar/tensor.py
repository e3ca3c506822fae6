"""The method of moments: projected features in, signed tensor weights out [cohen-etal-2014, figure 7]."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, BoolVector, FloatArray, IntVector, LongVector
from eigenparse.kernels.grammar.moments import Phrases, Values, rule_moments
from eigenparse.learn.grammar.encode import Encoded
from eigenparse.learn.grammar.states import NodeFeatures, StateOptions, label_blocks, noisy
from eigenparse.models.grammar.pcfg import Weights, layout

LEAST_ANGLE = 1e-3  # smallest cosine of two means that determine a basis


@dataclass(frozen=True, slots=True)
class Projected:
    """Y = U^T phi and Z = Sigma^-1 V^T psi of every row: row i owns [at[i], at[i + 1]).

    Labels of one state have Y = Z = 1, which is the plain PCFG.  weight: (N,) of each row's tree.
    """

    states: IntVector
    at: LongVector
    inside: FloatArray
    outside: FloatArray
    singular: dict[int, FloatArray]
    weight: FloatArray

    @property
    def weighted_inside(self) -> FloatArray:
        """Y times the weights of the rows."""
        return self.inside * np.repeat(self.weight, np.diff(self.at))

    @property
    def weighted_outside(self) -> FloatArray:
        """Z times the weights of the rows."""
        return self.outside * np.repeat(self.weight, np.diff(self.at))


def project(
    encoded: Encoded,
    features: NodeFeatures,
    wanted: IntVector,
    options: StateOptions,
    seed: int,
    drawn: BoolVector | None = None,
) -> Projected:
    """Project the features of every node (figures 7, step 1, and 8).

    drawn: nodes that moments are taken of, or all; the others get Z = 0, and those drawn stand for them.
    """
    states = np.ones(wanted.size, dtype=np.int32)
    parts: dict[int, tuple[LongVector, FloatArray, FloatArray]] = {}
    singular = {}
    for block in label_blocks(features, options, wanted, seed, drawn):
        a = block.features.label
        rng = np.random.default_rng([seed, a, 1])
        sigma = block.projection.singular
        Y = noisy(block.inside.times(block.projection.left), options, rng)
        Z = noisy(block.outside.times(block.projection.right), options, rng) / sigma.astype(Y.dtype)
        parts[a] = (block.features.rows, *(level(Y, Z) if options.level else (Y, Z)))
        states[a] = sigma.size
        singular[a] = sigma
    label = encoded.trees.label
    at = np.concatenate(([0], np.cumsum(states[label], dtype=np.int64)))
    inside, outside = np.ones(at[-1]), np.ones(at[-1])
    for rows, inner, outer in parts.values():
        cells = at[rows][:, None] + np.arange(inner.shape[1])
        inside[cells], outside[cells] = inner, outer
    if drawn is not None:
        share = np.bincount(label, drawn, states.size) / np.maximum(
            np.bincount(label, minlength=states.size), 1
        )
        outside *= np.repeat(drawn / np.maximum(share[label], 1e-300), states[label])
    return Projected(states, at, inside, outside, singular, encoded.trees.row_weight())


def level(Y: FloatArray, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Y A^T and Z A^-1 of (n, m) rows, with A such that the mean of Z is 1 in every state and the mean of Y is uniform.

    Trees keep their totals.  Unseen events can then have the same weight in all states.  Nothing is done if the
    means are nearly orthogonal.
    """
    m = Y.shape[1]
    y, z = Y.mean(axis=0, dtype=np.float64), Z.mean(axis=0, dtype=np.float64)
    if abs(y @ z) < LEAST_ANGLE * np.linalg.norm(y) * np.linalg.norm(z):
        return Y, Z
    even = np.full(m, 1.0 / np.sqrt(m))
    turn = (
        _complement(even) @ _complement(z / np.linalg.norm(z)).T
    )  # directions without effect on the mean of Z
    A = turn + np.outer(even * (y @ z) / np.sqrt(m) - turn @ y, z) / (y @ z)
    return (Y @ A.T).astype(Y.dtype), (Z @ np.linalg.inv(A)).astype(Z.dtype)


def _complement(unit: FloatArray) -> FloatArray:
    """(m, m - 1) an orthonormal basis of what is orthogonal to a unit vector."""
    return np.linalg.qr(np.column_stack([unit, np.eye(unit.size)]))[0][:, 1:]


def tensor_weights(encoded: Encoded, projected: Projected, smoothing: float) -> Weights:
    """Means of outer products become the weights (figure 7, steps 2 and 3), smoothed in four levels."""
    trees, skeleton, states, at = encoded.trees, encoded.skeleton, projected.states, projected.at
    rule_at, entry_at, state_at = layout(skeleton, states)
    count: AnyArray = np.bincount(trees.label, weights=projected.weight, minlength=states.size)
    count[count == 0] = 1
    place = row_places(trees.label, states, at, state_at)
    mean_inside, mean_outside = (
        np.bincount(place, weights=values, minlength=state_at[-1]) / np.repeat(count, states)
        for values in (projected.weighted_inside, projected.weighted_outside)
    )
    phrases = np.flatnonzero(encoded.rule >= 0)
    rows = phrases[np.argsort(encoded.rule[phrases], kind="stable")]
    first = np.searchsorted(encoded.rule[rows], np.arange(skeleton.rules.shape[0] + 1))
    rule = np.empty(rule_at[-1])
    phrase_rows = Phrases(rows, first, trees.left, trees.right, projected.weight)
    values, means = (
        Values(at, projected.inside, projected.outside),
        Values(state_at, mean_inside, mean_outside),
    )
    rule_moments(skeleton.rules, phrase_rows, values, count, means, float(smoothing), rule_at, rule)
    entry = _entry_means(encoded, projected, entry_at, count)
    root = np.zeros(state_at[-1])
    for top in trees.root:
        a = trees.label[top]
        root[state_at[a] : state_at[a + 1]] += projected.inside[at[top] : at[top + 1]] * projected.weight[top]
    n_trees = projected.weight[trees.root].sum()
    return Weights(states, rule_at, entry_at, state_at, rule, entry, root / n_trees)


def row_places(label: IntVector, states: IntVector, at: LongVector, state_at: LongVector) -> LongVector:
    """Label-state of every latent value of every row."""
    row = np.repeat(np.arange(label.size), states[label])
    return state_at[label[row]] + np.arange(row.size) - at[row]


def _entry_means(
    encoded: Encoded, projected: Projected, entry_at: LongVector, count: FloatArray
) -> FloatArray:
    """Count share times the mean of Z, entry by entry."""
    leaf = np.flatnonzero(encoded.entry >= 0)
    width = projected.states[encoded.trees.label[leaf]].astype(np.int64)
    row = np.repeat(leaf, width)
    within = np.arange(row.size) - np.repeat(np.cumsum(width) - width, width)
    place = entry_at[encoded.entry[row]] + within
    values = projected.outside[projected.at[row] + within] * projected.weight[row]
    total = np.bincount(place, weights=values, minlength=entry_at[-1])
    return total / np.repeat(
        count[encoded.skeleton.entry_label], projected.states[encoded.skeleton.entry_label]
    )
