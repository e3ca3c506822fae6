"""Marginals over a packed forest under one set of latent weights: forest in, marginals out."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import FloatArray, LongVector
from eigenparse.inference.grammar.forest import Forest
from eigenparse.kernels.grammar.chart import chart_inside, chart_outside
from eigenparse.models.grammar.pcfg import Weights


@dataclass(frozen=True, slots=True)
class Marginals:
    """Of each item and edge, and the sentence total they were divided by.

    log_total, sign: log |p(sentence)| over the forest's trees and the sign of p.
    inside, outside: vectors of item p at [at[p], at[p + 1]), scaled so that their product is its marginal.
    """

    item: FloatArray
    edge: FloatArray
    log_total: float
    sign: float
    inside: FloatArray
    outside: FloatArray
    at: LongVector


def marginals(forest: Forest, weights: Weights, least_state: float = 0.0) -> Marginals:
    """Tensor inside-outside over a forest [cohen-etal-2014, figure 5].

    least_state: states with a smaller share of their item's marginal pass nothing on downwards.
    """
    n_items = forest.label.size
    at = np.zeros(n_items + 1, dtype=np.int64)
    np.cumsum(weights.states[forest.label], out=at[1:])
    kind = weights.rule_weight.dtype
    inside, outside, edge_factor = (np.zeros(size, kind) for size in (at[-1], at[-1], forest.rule.size))
    scale, factor = np.zeros(n_items), np.zeros(n_items, kind)
    edges = (forest.edge_at, forest.left, forest.right, forest.rule)
    chart_inside(
        forest.label, forest.entry, *edges, weights.states, weights.rule_at, weights.rule_weight,
        weights.entry_at, weights.entry_weight, forest.emission, at, inside, scale, factor, edge_factor,
    )  # fmt: skip
    total, reference = _set_roots(forest, weights, at, inside, scale, factor, outside)
    item, edge = np.zeros(n_items), np.zeros(forest.rule.size)
    if total != 0:
        outside /= total
        chart_outside(
            forest.label, forest.entry, *edges, weights.rule_at, weights.rule_weight, at, inside, factor, edge_factor,
            outside, item, edge, least_state,
        )  # fmt: skip
    log_total = reference + float(np.log(abs(total))) if total != 0 else -np.inf
    return Marginals(item, edge, log_total, float(np.sign(total)), inside, outside, at)


def _set_roots(
    forest: Forest, weights: Weights, at: LongVector, inside: FloatArray, scale: FloatArray, factor: FloatArray,
    outside: FloatArray,
) -> tuple[float, float]:  # fmt: skip
    """Write root weights into the outside vectors of roots; the sentence total and its log reference."""
    alive = forest.root[factor[forest.root] > 0]
    if alive.size == 0:
        return 0.0, 0.0
    reference, total = float(scale[alive].max()), 0.0
    for p in alive:
        a = forest.label[p]
        cell = slice(at[p], at[p + 1])
        outside[cell] = weights.root_weight[weights.state_at[a] : weights.state_at[a + 1]] * np.exp(
            scale[p] - reference
        )
        total += float(outside[cell] @ inside[cell])
    return total, reference
