"""Expectation maximisation on observed trees: weights in, better weights out."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, LongVector, filled_zeros
from eigenparse.kernels.grammar.tree import Nodes, Sums, Tensors, inside_pass, outside_pass
from eigenparse.learn.grammar.counts import LatentCounts
from eigenparse.learn.grammar.encode import Encoded
from eigenparse.models.grammar.pcfg import Weights


@dataclass(frozen=True, slots=True)
class Expectation:
    """Expected counts, the log-likelihood they came with, and how many trees had no positive mass.

    posterior: of the states of every row, times the weight of its tree; row i owns [at[i], at[i + 1]).  outside: their
    outside values, scaled so that posteriors of a row add to the weight of its tree.
    """

    counts: LatentCounts
    log_likelihood: float
    n_without_mass: int
    posterior: FloatArray
    outside: FloatArray
    at: LongVector


def expected_counts(encoded: Encoded, weights: Weights) -> Expectation:
    """One pass up and one pass down all trees."""
    trees, dtype = encoded.trees, weights.rule_weight.dtype
    width = weights.states[trees.label].astype(np.int64)
    at = np.concatenate(([0], np.cumsum(width)))
    inside, outside = filled_zeros(at[-1], dtype), filled_zeros(at[-1], dtype)
    factor = np.zeros(trees.label.size)
    nodes = Nodes(encoded.schedule, trees.left, trees.right, encoded.rule, encoded.entry, encoded.height, at)
    tensors = Tensors(weights.rule_at, weights.rule_weight, weights.entry_at, weights.entry_weight)
    inside_pass(nodes, tensors, inside, factor)
    root_count, log_total, empty = _roots(encoded, weights, at, inside, factor, outside)
    rule_sum, entry_sum = (filled_zeros(w.size, w.dtype) for w in (weights.rule_weight, weights.entry_weight))
    outside_pass(nodes, tensors, inside, factor, outside, Sums(rule_sum, entry_sum))
    rule_sum *= weights.rule_weight
    counts = LatentCounts(weights.states, rule_sum, entry_sum, root_count)
    inside *= outside
    return Expectation(counts, log_total, empty, inside, outside, at)


def _roots(
    encoded: Encoded,
    weights: Weights,
    at: FloatArray,
    inside: FloatArray,
    factor: FloatArray,
    outside: FloatArray,
) -> tuple[AnyArray, float, int]:
    """Set the roots' outside vectors; expected root counts, total log-likelihood, trees without mass."""
    trees = encoded.trees
    top = trees.root
    width = weights.states[trees.label[top]].astype(np.int64)
    tree = np.repeat(np.arange(top.size), width)
    within = np.arange(tree.size) - np.repeat(np.cumsum(width) - width, width)
    cell, place = at[top][tree] + within, weights.state_at[trees.label[top]][tree] + within
    product = inside[cell] * weights.root_weight[place]
    total = np.bincount(tree, weights=product, minlength=top.size)
    safe = np.where(total != 0, total, 1.0)
    count = np.ones(top.size) if trees.weight is None else trees.weight
    outside[cell] = weights.root_weight[place] / safe[tree] * count[tree]
    expected = product / safe[tree] * count[tree]
    root_count = np.bincount(place, weights=expected, minlength=weights.root_weight.size)
    log_factor = np.add.reduceat(np.log(np.maximum(factor, 1e-300)), trees.offsets[:-1])
    positive = total > 0
    logs = (log_factor[positive] + np.log(total[positive])) * count[positive]
    return root_count, float(np.sum(logs)), int(np.sum(~positive))
