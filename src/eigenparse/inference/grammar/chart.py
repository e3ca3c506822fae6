"""Marginals over a packed forest under one set of latent weights: forest in, marginals out."""

from eigenparse.inference.grammar.forest import Forest
from eigenparse.kernels.grammar.chart import ForestMarginals as Marginals
from eigenparse.kernels.grammar.chart import LatentArrays, forest_marginals
from eigenparse.models.grammar.pcfg import Weights

__all__ = ["Marginals", "latent_arrays", "marginals"]


def latent_arrays(weights: Weights) -> LatentArrays:
    """Weights as kernels read them."""
    return LatentArrays(
        weights.states, weights.rule_at, weights.rule_weight, weights.entry_at, weights.entry_weight,
        weights.state_at, weights.root_weight,
    )  # fmt: skip


def marginals(forest: Forest, weights: Weights | LatentArrays, least_state: float = 0.0) -> Marginals:
    """Tensor inside-outside over a forest [cohen-etal-2014, figure 5].

    least_state: states with a smaller share of their item's marginal pass nothing on downwards.
    """
    arrays = weights if isinstance(weights, LatentArrays) else latent_arrays(weights)
    found: Marginals = forest_marginals(forest, arrays, least_state)
    return found
