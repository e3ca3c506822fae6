"""Packed forests: a grammar and the symbols of a sentence in, pruned items and edges out."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from eigenparse.arrays import BoolVector, FloatArray, IntVector, as_ids
from eigenparse.kernels.grammar.forest import Constraints, RuleIndex, parent_bits
from eigenparse.kernels.grammar.kept_forest import Forest, Thresholds, base_forest, pruned_forest
from eigenparse.kernels.grammar.tag_chain import Choices, Readings, lexicon_choices, read_tags
from eigenparse.models.grammar.pcfg import LatentGrammar, Skeleton

__all__ = [
    "EVERYTHING_OPEN", "NO_PRUNING", "Choices", "Constraints", "Forest", "ForestTooLarge", "Pruning",
    "Readings", "RuleIndex", "build_forest", "choices", "flat_readings", "forest_of", "prune", "read_words",
    "rule_index", "unconstrained", "widened",
]  # fmt: skip
WITHOUT_RULES = (
    16  # numbers that pairs without rules take in turn, so that sums over pairs seldom wait for each other
)
EVERYTHING_OPEN: BoolVector = np.empty(0, dtype=bool)


@dataclass(frozen=True, slots=True)
class Pruning:
    """Thresholds of pruning.

    beam: least share of a cell's best figure of merit.  tag: least posterior of a word's tag.
    item, edge: least posteriors under the plain PCFG.  coarse_item, coarse_edge: the same under
    the small latent grammar, where there is one.  state: least share of an item's marginal for a
    state to be used in the outside pass.  weight: smaller weights of rules between states are skipped.
    max_edges: maximum number of edges of a forest.
    """

    beam: float = 5e-4
    tag: float = 1e-4
    item: float = 1e-4
    edge: float = 1e-5
    coarse_item: float = 3e-4
    coarse_edge: float = 1e-4
    state: float = 1e-4
    weight: float = 1e-7
    max_edges: int = 60_000_000


class ForestTooLarge(Exception):  # noqa: N818  (an answer, not an error)
    """A sentence has more edges than ``Pruning.max_edges``; a narrower search may fit."""


NO_PRUNING = Pruning(
    beam=0.0, tag=0.0, item=0.0, edge=0.0, coarse_item=0.0, coarse_edge=0.0, state=0.0, weight=0.0
)


def rule_index(skeleton: Skeleton) -> RuleIndex:
    """Look-up tables of a skeleton; make them once for many sentences."""
    n = skeleton.n_labels
    pair = skeleton.rules[:, 1].astype(np.int64) * n + skeleton.rules[:, 2]
    order = as_ids(np.lexsort((-skeleton.rule_probability, pair)))
    pairs, first = np.unique(pair[order], return_index=True)
    number = np.tile(np.arange(n, dtype=np.int32) % WITHOUT_RULES, n)
    number[pairs] = np.arange(WITHOUT_RULES, WITHOUT_RULES + pairs.size)
    at = as_ids(np.concatenate((np.zeros(WITHOUT_RULES), first, [order.size])))
    probability = np.ascontiguousarray(skeleton.rule_probability[order])
    parent = as_ids(skeleton.rules[order, 0])
    most = int(np.diff(at).max(initial=0))
    return RuleIndex(number, at, order, parent, probability, parent_bits(at, parent), most)


def choices(skeleton: Skeleton, symbols: IntVector) -> Choices:
    """The lexicon entries of a sentence's symbols."""
    return lexicon_choices(
        as_ids(symbols), skeleton.entry_start, skeleton.entry_label, skeleton.entry_probability
    )


def widened(skeleton: Skeleton, words: Choices, share: float = 1e-3) -> Choices:
    """The same words, each with the readings of unknown words added at a small weight."""
    if skeleton.n_classes == 0:  # the grammar has no class for unknown words
        return words
    n, free = words.at.size - 1, choices(skeleton, np.full(1, skeleton.n_words, dtype=np.int32))
    parts = []
    for i in range(n):
        own = slice(int(words.at[i]), int(words.at[i + 1]))
        new = ~np.isin(free.label, words.label[own])
        top = (words.probability[own].max(initial=0.0) or 1.0) / max(
            free.probability.max(initial=0.0), 1e-300
        )
        parts.append((
            np.concatenate([words.entry[own], free.entry[new]]),
            np.concatenate([words.label[own], free.label[new]]),
            np.concatenate([words.probability[own], free.probability[new] * (share * top)]),
            np.concatenate([words.emission[own], np.full(int(new.sum()), share * top)]),
        ))  # fmt: skip
    at = np.concatenate(([0], np.cumsum([part[0].size for part in parts])))
    entry, label, probability, emission = (np.concatenate(column) for column in zip(*parts))
    return Choices(words.symbol, as_ids(at), as_ids(entry), as_ids(label), probability, emission)


def unconstrained(skeleton: Skeleton) -> Constraints:
    """No constraint on any span."""
    return _everything(skeleton.n_labels)


@lru_cache
def _everything(n_labels: int) -> Constraints:
    return Constraints(np.empty(0, dtype=np.int32), np.ones((1, n_labels), dtype=bool))


def read_words(grammar: LatentGrammar, words: Choices) -> Readings:
    """Posteriors of tags, and how well each label fits between its neighbours; all alike without a context."""
    context = grammar.context
    if context is None:
        return flat_readings(grammar.skeleton, words)
    return read_tags(words, context.follow, context.before, context.after)


def flat_readings(skeleton: Skeleton, words: Choices) -> Readings:
    """Uniform readings."""
    n, widest = words.at.size - 1, max(int(np.diff(words.at).max(initial=1)), 1)
    ones = np.ones((n + 1, skeleton.n_labels))
    return Readings(np.ones((n, widest)), ones, ones)


def build_forest(
    grammar: LatentGrammar, index: RuleIndex, words: Choices, limits: Constraints, pruning: Pruning
) -> Forest | None:
    """The plain PCFG's forest of a sentence, pruned; None if nothing spans it.

    Raises ForestTooLarge if it has more than ``pruning.max_edges`` edges.
    """
    return forest_of(grammar, index, words, read_words(grammar, words), limits, EVERYTHING_OPEN, pruning)


def forest_of(
    grammar: LatentGrammar, index: RuleIndex, words: Choices, readings: Readings, limits: Constraints,
    is_open: BoolVector, pruning: Pruning,
) -> Forest | None:  # fmt: skip
    """The same from given readings, over the open spans (all, if ``is_open`` is empty)."""
    least = Thresholds(pruning.beam, pruning.tag, pruning.item, pruning.edge, pruning.max_edges)
    forest, too_large = base_forest(
        words, readings, index, limits, is_open, grammar.skeleton.root_probability, least
    )
    if too_large:
        raise ForestTooLarge
    return forest if forest.root.size else None


def prune(
    forest: Forest, marginal: FloatArray, edge_marginal: FloatArray, item: float, edge: float
) -> Forest | None:
    """The part of a forest whose marginals reach the thresholds; None if no tree is left."""
    smaller: Forest = pruned_forest(forest, marginal, edge_marginal, item, edge)[0]
    return smaller if smaller.root.size else None
