"""The score of a tree: marginals of one or several models in, item and edge scores out."""

from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import FloatArray, IntVector, LongVector, as_ids, as_offsets
from eigenparse.corpus.columns import Label
from eigenparse.errors import OptionError
from eigenparse.inference.grammar.chart import Marginals
from eigenparse.inference.grammar.forest import Constraints, Forest
from eigenparse.kernels.grammar.decode import (
    Chains,
    Worth,
    add_log_conditionals,
    bracket_masses,
    bracket_scores,
    scalar_inside,
    scalar_marginals,
)
from eigenparse.kernels.grammar.said import likely_labels

DECODERS = ("brackets", "labelled-recall", "max-rule")
COMBINATIONS = ("product", "sum")
FLOOR = 1e-12


@dataclass(frozen=True, slots=True)
class Objective:
    """Which tree is best.

    decoder: "brackets" maximises the expected number of right brackets less ``threshold`` for each
    bracket given, after un-binarising; "labelled-recall" the sum of all item marginals
    [goodman-1996]; "max-rule" the product of rule posteriors.  combination: members of an ensemble
    are multiplied ("product") or their marginals added ("sum").
    """

    decoder: str = "brackets"
    combination: str = "sum"
    threshold: float = 0.4
    tag_weight: float = 0.5
    partial_weight: float = 0.01

    def __post_init__(self) -> None:
        if self.decoder not in DECODERS:
            raise OptionError(f"decoder must be one of {', '.join(DECODERS)}, got {self.decoder!r} instead")
        if not 0 <= self.threshold <= 1:
            raise OptionError(f"threshold must be between 0 and 1, got {self.threshold} instead")
        if self.combination not in COMBINATIONS:
            raise OptionError(
                f"combination must be one of {', '.join(COMBINATIONS)}, got {self.combination!r} instead"
            )


@dataclass(frozen=True, slots=True)
class BracketTable:
    """The symbols of each label, none at partial ones: chain[chain_at[a]:chain_at[a + 1]].

    wide: the same over several words, where a label that is also a tag is a phrase.  ids: names; bracket
    symbols and tags have ids of their own, shared by all tables made with the same dictionary.
    """

    chain_at: LongVector
    chain: IntVector
    wide: IntVector
    ids: dict[tuple[str, bool], int]


def bracket_table(
    labels: Sequence[Label],
    is_tag: Sequence[bool],
    ids: dict[tuple[str, bool], int],
    both: Container[int] = (),
) -> BracketTable:
    """Number the symbols of all labels in ``ids``; is_tag says which labels stand over words.

    both: numbers of labels that stand over words and over phrases.
    """
    at: list[int] = [0]
    chain: list[int] = []
    wide: list[int] = []
    for a, (label, tag) in enumerate(zip(labels, is_tag)):
        last = len(label.chain) - 1
        names = [] if label.partial else [(s, tag and i == last) for i, s in enumerate(label.chain)]
        chain.extend(ids.setdefault(name, len(ids)) for name in names)
        wide.extend(ids.setdefault((s, tag and a not in both), len(ids)) for s, tag in names)
        at.append(len(chain))
    return BracketTable(as_offsets(at), as_ids(chain), as_ids(wide), ids)


def chains_of(table: BracketTable, width: int) -> Chains:
    """The table as kernels read it, for a sentence of ``width - 1`` words."""
    return Chains(table.chain_at, table.chain, table.wide, len(table.ids), width)


@dataclass(frozen=True, slots=True)
class Belief:
    """Combined non-negative marginals of the items and edges of a forest."""

    item: FloatArray
    edge: FloatArray


def combine(forest: Forest, members: Sequence[Marginals], combination: str) -> Belief:
    """One belief from all members.

    Several members under "product": each member is taken as its conditional edge probabilities,
    these are multiplied, and marginals follow from a scalar inside-outside pass.
    """
    if len(members) == 1:
        return Belief(np.abs(members[0].item), np.abs(members[0].edge))
    if combination == "sum":
        item = sum((np.abs(m.item) for m in members), np.zeros(forest.label.size)) / len(members)
        edge = sum((np.abs(m.edge) for m in members), np.zeros(forest.rule.size)) / len(members)
        return Belief(item, edge)
    edge_log, item_log = np.zeros(forest.rule.size), np.zeros(forest.label.size)
    root_log = np.zeros(forest.root.size)
    for m in members:
        add_log_conditionals(forest.edge_at, m.item, m.edge, FLOOR, edge_log)
        root_log += np.log(np.maximum(np.abs(m.item[forest.root]), FLOOR))
    return product_belief(forest, edge_log, item_log, root_log)


def product_belief(
    forest: Forest, edge_log: FloatArray, item_log: FloatArray, root_log: FloatArray
) -> Belief:
    """Marginals of the distribution over trees that edge, word and root log weights define."""
    inside, item, edge = np.empty(forest.label.size), np.zeros(forest.label.size), np.empty(forest.rule.size)
    scalar_inside(forest.entry, forest.edge_at, forest.left, forest.right, edge_log, item_log, inside)
    top = inside[forest.root] + root_log
    weight = np.exp(top - top.max())
    item[forest.root] = weight / weight.sum()
    scalar_marginals(forest.edge_at, forest.left, forest.right, edge_log, inside, item, edge)
    return Belief(item, edge)


@dataclass(frozen=True, slots=True)
class Brackets:
    """Posteriors of (span, symbol) pairs by sorted keys (start * width + end) * n_symbols + symbol.

    voices: (V, keys) the posteriors under each grammar of an ensemble, if there are several, and then under the
    small grammars that pruned the charts.
    """

    keys: LongVector
    masses: FloatArray
    voices: FloatArray
    width: int


def brackets(forest: Forest, belief: Belief, table: BracketTable) -> Brackets:
    """Bracket and tag posteriors of one forest."""
    width = forest.n_words + 1
    keys, masses, rough = bracket_masses(forest, (belief.item, forest.posterior), chains_of(table, width))
    return Brackets(keys, masses, rough[None], width)


def likely(found: Brackets, table: BracketTable, n_labels: int, least: float) -> Constraints:
    """Which labels may stand over each span, the first ones of a table: those whose brackets have ``least``."""
    chains = chains_of(table, found.width)
    allowed: Constraints = likely_labels(found.keys, found.masses, least, chains, n_labels)
    return allowed


def mean_brackets(own: Brackets, others: Sequence[Brackets | None]) -> Brackets:
    """The mean of several grammars' posteriors; a grammar without a tree counts as the mean of the others."""
    if not others:
        return own
    heard = [own, *(part for part in others if part is not None)]
    keys, place = np.unique(np.concatenate([part.keys for part in heard]), return_inverse=True)
    places = iter(np.split(place, np.cumsum([part.keys.size for part in heard])[:-1]))
    voices, silent = np.zeros((len(others) + 2, keys.size)), [part is None for part in (own, *others)]
    for voice, part in zip(voices, (own, *others)):
        if part is not None:
            at = next(places)
            voice[at] = part.masses
            voices[-1, at] += part.voices[0] / len(heard)
    masses = voices[:-1].sum(axis=0) / len(heard)
    voices[:-1][silent] = masses
    return Brackets(keys, masses, voices, own.width)


@dataclass(frozen=True, slots=True)
class Scores:
    """What each item and edge adds to a tree's score, and each item's mean bracket posterior."""

    item: FloatArray
    edge: FloatArray
    bracket: FloatArray


def scores(
    forest: Forest, belief: Belief, posteriors: Brackets, table: BracketTable, objective: Objective
) -> Scores:
    """Item and edge scores under an objective; the score of a tree is their sum."""
    item: FloatArray = np.empty(forest.label.size)
    bracket = np.empty(forest.label.size)
    chains = chains_of(table, posteriors.width)
    worth = Worth(objective.threshold, objective.tag_weight, objective.partial_weight)
    bracket_scores(forest, belief.item, chains, posteriors.keys, posteriors.masses, worth, bracket, item)
    if objective.decoder == "max-rule":
        item = np.where(forest.entry >= 0, np.log(np.maximum(belief.item, FLOOR)), 0.0)
        return Scores(item, np.log(np.maximum(belief.edge, FLOOR)), bracket)
    if objective.decoder == "labelled-recall":
        item = belief.item
    return Scores(item, np.zeros(forest.rule.size), bracket)
