"""Packed forests: a grammar and the symbols of a sentence in, pruned items and edges out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import (
    AnyArray,
    BoolVector,
    FloatArray,
    IntMatrix,
    IntVector,
    LongVector,
    as_ids,
    as_offsets,
)
from eigenparse.kernels.grammar.forest import base_edges, base_inside, boundary_merit, select, tag_posteriors
from eigenparse.models.grammar.pcfg import LatentGrammar, Skeleton


@dataclass(frozen=True, slots=True)
class Pruning:
    """How much of the plain PCFG's chart survives.

    beam: least share of a cell's best figure of merit.  tag: least posterior of a word's tag.
    item, edge: least posteriors under the plain PCFG.  coarse_item, coarse_edge: the same under
    the small latent grammar, where there is one.  state: least share of an item's marginal for a
    state to pass it on.  max_edges: more than these are never held.
    """

    beam: float = 5e-4
    tag: float = 1e-4
    item: float = 1e-4
    edge: float = 1e-5
    coarse_item: float = 3e-4
    coarse_edge: float = 1e-4
    state: float = 1e-4
    max_edges: int = 60_000_000


class ForestTooLarge(Exception):  # noqa: N818  (an answer, not an error)
    """A sentence has more edges than ``Pruning.max_edges``; a narrower search may fit."""


NO_PRUNING = Pruning(beam=0.0, tag=0.0, item=0.0, edge=0.0, coarse_item=0.0, coarse_edge=0.0, state=0.0)


@dataclass(frozen=True, slots=True)
class RuleIndex:
    """Rules by their two children, likeliest first: [pair_at[b * A + c], pair_at[b * A + c + 1]) of the columns.

    rule, parent, probability: one entry a rule.
    """

    pair_at: IntVector
    rule: IntVector
    parent: IntVector
    probability: FloatArray


def rule_index(skeleton: Skeleton) -> RuleIndex:
    """Look-up tables of a skeleton; make them once for many sentences."""
    n = skeleton.n_labels
    pair = skeleton.rules[:, 1].astype(np.int64) * n + skeleton.rules[:, 2]
    order = as_ids(np.lexsort((-skeleton.rule_probability, pair)))
    at = as_ids(np.searchsorted(pair[order], np.arange(n * n + 1)))
    probability = np.ascontiguousarray(skeleton.rule_probability[order])
    return RuleIndex(at, order, as_ids(skeleton.rules[order, 0]), probability)


@dataclass(frozen=True, slots=True)
class Choices:
    """What each word of a sentence may be: entries [at[i], at[i + 1]) with labels and base probabilities.

    emission: a factor on the latent weights of each entry, 1 unless tags are given softly.
    """

    at: IntVector
    entry: IntVector
    label: IntVector
    probability: FloatArray
    emission: FloatArray


@dataclass(frozen=True, slots=True)
class Constraints:
    """Which labels a span may hold: masks (K, A), cell_mask (n * (n + 1),) or empty for none."""

    cell_mask: IntVector
    masks: BoolVector


@dataclass(frozen=True, slots=True)
class Forest:
    """Items (label, start, end) by span length, and edges sorted by (parent, rule).

    entry: lexicon entry of word items, -1 at phrases.  emission: factor on the entry's weights.
    edge_at: (items + 1,), where each item's edges begin.  root: items that may top a tree.
    posterior: under the model that pruned last.
    """

    label: IntVector
    start: IntVector
    end: IntVector
    entry: IntVector
    emission: FloatArray
    edge_at: LongVector
    left: IntVector
    right: IntVector
    rule: IntVector
    root: IntVector
    posterior: FloatArray

    @property
    def n_words(self) -> int:
        return int(self.end.max())


def choices(skeleton: Skeleton, symbols: IntVector) -> Choices:
    """The lexicon entries of a sentence's symbols."""
    first, last = skeleton.entry_start[symbols], skeleton.entry_start[symbols + 1]
    at = np.concatenate(([0], np.cumsum(last - first)))
    entry = np.arange(at[-1]) + np.repeat(first - at[:-1], last - first)
    probability = skeleton.entry_probability[entry]
    return Choices(as_ids(at), as_ids(entry), skeleton.entry_label[entry], probability, np.ones(entry.size))


def widened(skeleton: Skeleton, words: Choices, share: float = 1e-3) -> Choices:
    """The same words, each free to be whatever an unknown word may be, at a small share."""
    if skeleton.n_classes == 0:  # nothing stands for unknown words
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
    return Choices(as_ids(at), as_ids(entry), as_ids(label), probability, emission)


def unconstrained(skeleton: Skeleton) -> Constraints:
    """No constraint on any span."""
    return Constraints(np.empty(0, dtype=np.int32), np.ones((1, skeleton.n_labels), dtype=bool))


def build_forest(
    grammar: LatentGrammar, index: RuleIndex, words: Choices, constraints: Constraints, pruning: Pruning
) -> Forest | None:
    """The plain PCFG's forest of a sentence, pruned; None if nothing spans it.

    Raises ForestTooLarge if it has more than ``pruning.max_edges`` edges.
    """
    skeleton, n = grammar.skeleton, words.at.size - 1
    inside = base_items(
        grammar, index, words, constraints, pruning.beam, pruning.tag, *_merits(grammar, words)
    )
    label, start, end, own = inside.items
    is_root = (start == 0) & (end == n) & (skeleton.root_probability[label] > 0)
    mass = np.where(is_root, inside.value * skeleton.root_probability[label], 0.0)
    if not mass.sum() > 0:
        return None
    posterior = mass / mass.sum()
    edges, belief = inside_edges(inside, index, posterior, pruning)
    if n > 1 and edges.shape[1] == 0:  # the kernel gave up: a root has edges
        raise ForestTooLarge
    entry = np.where(own >= 0, words.entry[np.maximum(own, 0)], -1).astype(np.int32)
    emission = np.where(own >= 0, words.emission[np.maximum(own, 0)], 1.0)
    columns = (label, start, end, entry, emission)
    return _kept(columns, edges, posterior, belief, is_root, pruning.item, pruning.edge)


@dataclass(frozen=True, slots=True)
class BaseItems:
    """Items of the plain PCFG by span length: (label, start, end, choice) and inside values.

    first: first item of each cell.  scale: log scale of each cell's values.
    """

    items: IntMatrix
    value: FloatArray
    first: LongVector
    scale: FloatArray


def base_items(
    grammar: LatentGrammar, index: RuleIndex, words: Choices, limits: Constraints, beam: float, least_tag: float,
    tag: FloatArray, left_merit: FloatArray, right_merit: FloatArray,
) -> BaseItems:  # fmt: skip
    """The items that survive the beam of their cells."""
    return BaseItems(*base_inside(
        words.at[:-1], words.at[1:], words.label, words.probability, tag, least_tag, grammar.skeleton.n_labels,
        index.pair_at, index.parent, index.probability, left_merit, right_merit, beam, limits.cell_mask, limits.masks,
    ))  # fmt: skip


def inside_edges(
    inside: BaseItems, index: RuleIndex, posterior: FloatArray, pruning: Pruning
) -> tuple[IntMatrix, FloatArray]:
    """Edges (parent, left, right, rule) worth keeping and their posteriors; ``posterior`` is filled downwards."""
    n_words, n_labels = int(inside.items[2].max(initial=0)), round(np.sqrt(index.pair_at.size - 1))
    edges: tuple[IntMatrix, FloatArray] = base_edges(
        n_words, inside.items, inside.value, inside.first, inside.scale, n_labels, index.pair_at, index.rule,
        index.parent, index.probability, posterior, pruning.item, pruning.edge, pruning.max_edges,
    )  # fmt: skip
    return edges


def _merits(grammar: LatentGrammar, words: Choices) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Posteriors of tags, and how well each label fits between its neighbours."""
    n, n_labels, context = words.at.size - 1, grammar.skeleton.n_labels, grammar.context
    if context is None:
        ones = np.ones((n + 1, n_labels))
        return np.ones((n, int(np.diff(words.at).max(initial=1)))), ones, ones
    shape = (n, int(np.diff(words.at).max(initial=1)))
    posterior, forward, backward = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    lexicon = (words.at[:-1], words.at[1:], words.label, words.probability)
    tag_posteriors(*lexicon, context.follow, n_labels, posterior, forward, backward)
    left_merit, right_merit = np.empty((n + 1, n_labels)), np.empty((n + 1, n_labels))
    boundary_merit(
        *lexicon, forward, backward, n_labels, context.before, context.after, left_merit, right_merit
    )
    return posterior, left_merit, right_merit


def prune(
    forest: Forest, marginal: FloatArray, edge_marginal: FloatArray, item: float, edge: float
) -> Forest | None:
    """The part of a forest whose marginals reach the thresholds; None if no tree is left."""
    is_root = np.zeros(forest.label.size, dtype=bool)
    is_root[forest.root] = True
    parent = np.repeat(np.arange(forest.label.size, dtype=np.int32), np.diff(forest.edge_at))
    items = (forest.label, forest.start, forest.end, forest.entry, forest.emission)
    return _kept(
        items, (parent, forest.left, forest.right, forest.rule), marginal, edge_marginal, is_root, item, edge
    )


def _kept(
    items: tuple[AnyArray, AnyArray, AnyArray, AnyArray, AnyArray],
    edges: IntMatrix | Sequence[IntVector],
    posterior: FloatArray,
    edge_posterior: FloatArray,
    is_root: BoolVector,
    item_least: float,
    edge_least: float,
) -> Forest | None:
    """Drop what lies below the thresholds, renumber, and sort edges by (parent, rule)."""
    parent, left, right, rule = edges
    keep_item, keep_edge = np.empty(is_root.size, dtype=np.bool_), np.empty(parent.size, dtype=np.bool_)
    select(
        items[3], posterior, parent, left, right, edge_posterior, item_least, edge_least, is_root, keep_item, keep_edge
    )  # fmt: skip
    root = is_root & keep_item
    if not root.any():
        return None
    number = np.cumsum(keep_item).astype(np.int32) - 1
    edge = np.flatnonzero(keep_edge)
    edge = edge[np.lexsort((rule[edge], parent[edge]))]
    label, start, end, entry = (column[keep_item] for column in items[:4])
    emission = items[4][keep_item]
    edge_at = as_offsets(np.searchsorted(number[parent[edge]], np.arange(label.size + 1)))
    return Forest(
        label, start, end, entry, emission, edge_at, number[left[edge]], number[right[edge]], rule[edge],
        number[root], posterior[keep_item],
    )  # fmt: skip
