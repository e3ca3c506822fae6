"""Marginals over a packed forest under one set of latent weights: forest in, marginals out."""

from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray
from eigenparse.inference.grammar.forest import Forest
from eigenparse.kernels.grammar.chart import ForestMarginals as Marginals
from eigenparse.kernels.grammar.chart import (
    LatentArrays,
    SparseRules,
    forest_marginals,
    large_codes,
    large_weights,
)
from eigenparse.kernels.grammar.said import pruned_again
from eigenparse.kernels.grammar.sample import Rules
from eigenparse.kernels.lanes import shortened
from eigenparse.models.grammar.few import FewValues
from eigenparse.models.grammar.pcfg import Skeleton, Weights

__all__ = ["LatentArrays", "Marginals", "latent_arrays", "marginals", "narrowed", "rules_of", "sparse_arrays"]
MOST_COLUMNS = 1 << 16
TINY = float(np.finfo(np.float32).tiny)


def latent_arrays(weights: Weights) -> LatentArrays:
    """Weights as kernels read them."""
    return _arrays(weights, weights.rule_weight)


def _arrays(weights: Weights, rules: FloatArray) -> LatentArrays:
    ends, none = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.uint16)
    sparse = SparseRules(ends, ends, none, np.empty(0, dtype=rules.dtype))
    return LatentArrays(
        weights.states, weights.rule_at, rules, weights.entry_at, weights.entry_weight,
        weights.state_at, weights.root_weight, sparse,
    )  # fmt: skip


def rules_of(skeleton: Skeleton, weights: Any) -> Rules:
    """The tensors of the rules of a set of weights, or of arrays made of it, as kernels take them."""
    if isinstance(weights, Weights):
        few = isinstance(weights.rules, FewValues)
        weights = sparse_arrays(skeleton, weights, TINY) if few else latent_arrays(weights)
    parts = (weights.states, weights.state_at, weights.rule_at, weights.rule_weight)
    return Rules(skeleton.rules, *parts, weights.sparse)


def sparse_arrays(skeleton: Skeleton, weights: Weights, least: float, *, short: bool = False) -> LatentArrays:
    """The same without the weights of rules below ``least``, or all of them if weights are signed or too many.

    short: weights of a packed file, which are rounded anyway, are rounded again to half the bytes.
    """
    rules, states = weights.rules, weights.states[skeleton.rules]
    widest = int(np.max(states[:, 1].astype(np.int64) * states[:, 2], initial=0))
    if least <= 0 or widest > MOST_COLUMNS or (rules.size and rules.min() < 0):
        return latent_arrays(weights)
    parents = np.ascontiguousarray(states[:, 0])
    if isinstance(rules, FewValues):
        sparse = _of_codes(rules, weights.rule_at, parents, least, short)
        if sparse.value.size:
            return _arrays(weights, np.empty(0, dtype=rules.dtype))._replace(sparse=sparse)
    sparse = large_weights(weights.rule_at, weights.rule_weight, parents, least)
    return latent_arrays(weights)._replace(sparse=sparse)


def _of_codes(
    rules: FewValues, rule_at: AnyArray, parents: AnyArray, least: float, short: bool
) -> SparseRules:
    """The larger weights of a packed file, which are remembered."""
    code = max(int(np.searchsorted(rules.table, least)), 1)  # zeros have no code and are left out anyway
    short = short and rules.dtype == np.float32
    if (code, short) not in rules.kept:
        table = shortened(rules.table) if short else rules.table
        rules.kept[code, short] = large_codes(
            rule_at, rules.gaps, rules.low, rules.high, table, parents, code
        )
    found: SparseRules = rules.kept[code, short]
    return found


def marginals(forest: Forest, weights: Weights | LatentArrays, least_state: float = 0.0) -> Marginals:
    """Tensor inside-outside over a forest [cohen-etal-2014, figure 5].

    least_state: states with a smaller share of their item's marginal are skipped in the outside pass.
    """
    arrays = weights if isinstance(weights, LatentArrays) else latent_arrays(weights)
    return forest_marginals(forest, arrays, least_state)


def narrowed(forest: Forest, found: Marginals, item: float, edge: float) -> tuple[Forest, Marginals] | None:
    """The part of a forest whose marginals reach the thresholds, and its marginals; None if no tree is left."""
    smaller, left = pruned_again(forest, found, item, edge)
    return (smaller, left) if smaller.root.size else None
