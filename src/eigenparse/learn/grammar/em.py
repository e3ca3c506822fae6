"""Expectation maximisation on observed trees: weights in, better weights out."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, LongVector, filled_zeros
from eigenparse.corpus.columns import Trees
from eigenparse.kernels.grammar.tree import Tensors, entry_counts, inside_pass, outside_pass, rule_counts
from eigenparse.learn.grammar.counts import LatentCounts
from eigenparse.learn.grammar.encode import Encoded
from eigenparse.learn.grammar.subtrees import Subtrees, every_row
from eigenparse.models.grammar.pcfg import Weights


@dataclass(frozen=True, slots=True)
class Expectation:
    """Expected counts, the log-likelihood they came with, and how many trees had no positive probability.

    posterior: of the states of every node, times the weights of the trees that it occurs in; node i owns
    [at[i], at[i + 1]).  outside: their outside values, scaled so that posteriors of a node add to these weights.
    """

    counts: LatentCounts
    log_likelihood: float
    n_without_mass: int
    posterior: FloatArray
    outside: FloatArray
    at: LongVector


class Passes(NamedTuple):
    """Inside and outside vectors of nodes, the scale factors of the former, and counts at the roots.

    root: expected counts of states of roots.
    """

    at: LongVector
    inside: FloatArray
    factor: FloatArray
    outside: FloatArray
    root: FloatArray
    log_likelihood: float
    n_without_mass: int


def expected_counts(encoded: Encoded, weights: Weights, nodes: Subtrees | None = None) -> Expectation:
    """One pass up and one pass down all trees.  nodes: of the trees; every row by itself unless given."""
    if nodes is None:
        nodes = every_row(encoded.trees, encoded.rule, encoded.entry, len(encoded.skeleton.rules))
    found = both_passes(encoded.trees, nodes, weights)
    at, inside, factor, outside, *_ = found
    rule, entry = np.empty_like(weights.rule_weight), filled_zeros(weights.entry_weight.size, inside.dtype)
    flat = nodes.over(at)
    entry_counts(flat, weights.entry_at, inside, outside, entry)
    flat = flat._replace(sharing=nodes.rule_sharing)
    rule_counts(flat, nodes.by_rule, nodes.rule_first, _tensors(weights), inside, factor, outside, rule)
    inside *= outside
    counts = LatentCounts(weights.states, rule, entry, found.root)
    return Expectation(counts, found.log_likelihood, found.n_without_mass, inside, outside, at)


def posteriors(trees: Trees, nodes: Subtrees, weights: Weights) -> tuple[FloatArray, LongVector]:
    """Posteriors of the states of every node, node i owning [at[i], at[i + 1]), and ``at``."""
    found = both_passes(trees, nodes, weights)
    return np.multiply(found.inside, found.outside, out=found.inside), found.at


def both_passes(trees: Trees, nodes: Subtrees, weights: Weights) -> Passes:
    """Inside and outside vectors of all nodes."""
    dtype, tensors = weights.rule_weight.dtype, _tensors(weights)
    at = np.concatenate(([0], np.cumsum(weights.states[nodes.label], dtype=np.int64)))
    inside, outside = filled_zeros(at[-1], dtype), filled_zeros(at[-1], dtype)
    factor = np.zeros(nodes.label.size)
    flat = nodes.over(at)
    inside_pass(flat, tensors, inside, factor)
    root, log_total, empty = _roots(trees, nodes, weights, (at, inside, factor, outside))
    outside_pass(flat, tensors, inside, factor, outside)
    return Passes(at, inside, factor, outside, root, log_total, empty)


def _tensors(weights: Weights) -> Tensors:
    return Tensors(weights.rule_at, weights.rule_weight, weights.entry_at, weights.entry_weight)


def _roots(
    trees: Trees, nodes: Subtrees, weights: Weights, vectors: tuple[AnyArray, ...]
) -> tuple[AnyArray, float, int]:
    """Set the roots' outside vectors; expected root counts, total log-likelihood, trees without mass.

    vectors: at, inside, factor and outside of the nodes.
    """
    at, inside, factor, outside = vectors
    top = nodes.node[trees.root]
    width = weights.states[nodes.label[top]].astype(np.int64)
    tree = np.repeat(np.arange(top.size), width)
    within = np.arange(tree.size) - np.repeat(np.cumsum(width) - width, width)
    cell, place = at[top][tree] + within, weights.state_at[nodes.label[top]][tree] + within
    product = inside[cell] * weights.root_weight[place]
    total = np.bincount(tree, weights=product, minlength=top.size)
    safe = np.where(total != 0, total, 1.0)
    count = np.ones(top.size) if trees.weight is None else trees.weight
    np.add.at(outside, cell, (weights.root_weight[place] / safe[tree] * count[tree]).astype(outside.dtype))
    expected = product / safe[tree] * count[tree]
    root_count = np.bincount(place, weights=expected, minlength=weights.root_weight.size)
    log_factor = np.add.reduceat(np.log(np.maximum(factor, 1e-300))[nodes.node], trees.offsets[:-1])
    positive = total > 0
    logs = (log_factor[positive] + np.log(total[positive])) * count[positive]
    return root_count, float(np.sum(logs)), int(np.sum(~positive))
