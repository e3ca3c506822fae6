"""Marginals over a packed forest under one set of latent weights: forest in, marginals out."""

from typing import Any

import numpy as np

from eigenparse.inference.grammar.forest import Forest
from eigenparse.kernels.grammar.chart import ForestMarginals as Marginals
from eigenparse.kernels.grammar.chart import LatentArrays, SparseRules, forest_marginals, large_weights
from eigenparse.kernels.grammar.sample import Rules
from eigenparse.models.grammar.pcfg import Skeleton, Weights

__all__ = ["LatentArrays", "Marginals", "latent_arrays", "marginals", "rules_of", "sparse_arrays"]
MOST_COLUMNS = 1 << 16


def latent_arrays(weights: Weights) -> LatentArrays:
    """Weights as kernels read them."""
    ends, none = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.uint16)
    sparse = SparseRules(ends, ends, none, np.empty(0, dtype=weights.rule_weight.dtype))
    return LatentArrays(
        weights.states, weights.rule_at, weights.rule_weight, weights.entry_at, weights.entry_weight,
        weights.state_at, weights.root_weight, sparse,
    )  # fmt: skip


def rules_of(skeleton: Skeleton, weights: Any) -> Rules:
    """The tensors of the rules of a set of weights as kernels take them."""
    return Rules(skeleton.rules, weights.states, weights.state_at, weights.rule_at, weights.rule_weight)


def sparse_arrays(skeleton: Skeleton, weights: Weights, least: float) -> LatentArrays:
    """The same without the weights of rules below ``least``, or all of them where signs or sizes forbid it."""
    arrays, states = latent_arrays(weights), weights.states[skeleton.rules]
    widest = int(np.max(states[:, 1].astype(np.int64) * states[:, 2], initial=0))
    if least <= 0 or widest > MOST_COLUMNS or np.min(weights.rule_weight, initial=0.0) < 0:
        return arrays
    parents = np.ascontiguousarray(states[:, 0])
    return arrays._replace(sparse=large_weights(weights.rule_at, weights.rule_weight, parents, least))


def marginals(forest: Forest, weights: Weights | LatentArrays, least_state: float = 0.0) -> Marginals:
    """Tensor inside-outside over a forest [cohen-etal-2014, figure 5].

    least_state: states with a smaller share of their item's marginal pass nothing on downwards.
    """
    arrays = weights if isinstance(weights, LatentArrays) else latent_arrays(weights)
    found: Marginals = forest_marginals(forest, arrays, least_state)
    return found
