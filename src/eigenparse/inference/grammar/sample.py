"""A grammar and a seed in, trees drawn from it out."""

import numpy as np

from eigenparse.arrays import FloatArray, IntVector, LongVector, as_ids, as_offsets, generator
from eigenparse.corpus.columns import Trees
from eigenparse.errors import DataError, OptionError
from eigenparse.kernels.grammar.sample import EMPTY, Choices, Rows, Rules, draw_tree, rule_masses
from eigenparse.models.grammar.pcfg import LatentGrammar, Skeleton, Weights

STREAM = 0x5A3
MOST_TRIES = 1000


def sample_trees(grammar: LatentGrammar, n: int, *, seed: int = 0, max_words: int = 400) -> Trees:
    """n binary trees; each comes from a member chosen at random.

    Weights are normalised state by state over rules and words, so that every state is a proper
    distribution; symbols that stand for unknown words are left out.  Trees of more than ``max_words``
    words are drawn again.  Fewer trees of the same seed are a prefix of more.  Raises DataError for
    signed weights, which are no distribution.
    """
    if n < 0 or max_words < 1:
        raise OptionError(f"the numbers of trees and words must be positive, got {n} and {max_words} instead")
    _check(grammar)
    tables = [_choices(grammar.skeleton, weights) for weights in grammar.members]
    rows = [_tree(grammar, tables, generator(seed, STREAM, i), max_words) for i in range(n)]
    return _joined(grammar.skeleton, rows)


def _check(grammar: LatentGrammar) -> None:
    """Refuse parameters that are no probabilities."""
    signed = any(
        bool(np.any(part < 0))
        for weights in grammar.members
        for part in (weights.rule_weight, weights.entry_weight, weights.root_weight)
    )
    if signed or grammar.report.get("method") == "tensor":
        raise DataError(
            "a grammar of signed tensors has no distribution to draw from; "
            "train with --method cluster, em or pcfg instead"
        )


def rules_of(skeleton: Skeleton, weights: Weights) -> Rules:
    """The tensors of rules as kernels take them."""
    return Rules(skeleton.rules, weights.states, weights.state_at, weights.rule_at, weights.rule_weight)


def _choices(skeleton: Skeleton, weights: Weights) -> Choices:
    """Rules and words of every state, sorted by state."""
    states, state_at = weights.states, weights.state_at
    parent, n_states = skeleton.rules[:, 0], int(state_at[-1])
    width = states[parent].astype(np.int64)
    mass_at = as_offsets(np.concatenate(([0], np.cumsum(width))))
    mass = np.zeros(mass_at[-1])
    rule_masses(rules_of(skeleton, weights), mass_at, mass)
    rule = np.repeat(np.arange(parent.size), width)
    rule_state = state_at[parent][rule] + np.arange(rule.size) - mass_at[rule]
    entry, entry_state, value = _entries(skeleton, weights)
    state = np.concatenate([rule_state, entry_state])
    order = np.argsort(state, kind="stable")
    none = np.full(rule.size, -1)
    return Choices(
        as_offsets(np.searchsorted(state[order], np.arange(n_states + 1))),
        np.cumsum(np.concatenate([mass, value])[order]),
        as_ids(np.concatenate([rule, np.full(entry.size, -1)])[order]),
        as_ids(np.concatenate([none, entry])[order]),
    )


def _entries(skeleton: Skeleton, weights: Weights) -> tuple[LongVector, LongVector, FloatArray]:
    """Entry, state and weight of everything that a state may emit: words, or classes if it has no words."""
    width = weights.states[skeleton.entry_label].astype(np.int64)
    entry = np.repeat(np.arange(width.size), width)
    within = np.arange(entry.size) - np.repeat(np.cumsum(width) - width, width)
    value = weights.entry_weight[weights.entry_at[:-1][entry] + within].astype(np.float64)
    state = weights.state_at[skeleton.entry_label][entry] + within
    is_word = skeleton.entry_symbol[entry] < skeleton.n_words
    words = np.bincount(state, weights=value * is_word, minlength=int(weights.state_at[-1]))
    keep = (value > 0) & (is_word | (words[state] == 0))
    return entry[keep], state[keep], value[keep]


def _tree(
    grammar: LatentGrammar, tables: list[Choices], rng: np.random.Generator, max_words: int
) -> tuple[IntVector, IntVector, IntVector, IntVector]:
    """Label, left, right and symbol of one tree's rows."""
    member = int(rng.integers(len(tables)))
    skeleton, weights, table = grammar.skeleton, grammar.members[member], tables[member]
    columns = Rows(*(np.empty(2 * max_words - 1, dtype=np.int32) for _ in range(4)))
    root = np.cumsum(weights.root_weight, dtype=np.float64)
    state_label = np.repeat(np.arange(skeleton.n_labels), weights.states)
    rules = rules_of(skeleton, weights)
    for _ in range(MOST_TRIES):
        size = draw_tree(rng, root, state_label, table, rules, skeleton.entry_symbol, columns)
        if size == EMPTY:
            raise DataError(
                "a latent state of the grammar has neither rules nor words to draw; train the model again"
            )
        if size > 0:
            label, left, right, symbol = (column[:size].copy() for column in columns)
            return label, left, right, symbol
    raise DataError(f"no tree of at most {max_words} words came up in {MOST_TRIES} draws; allow more words")


def _joined(skeleton: Skeleton, rows: list[tuple[IntVector, IntVector, IntVector, IntVector]]) -> Trees:
    """Single trees as columns of all."""
    offsets = as_offsets(np.cumsum([0] + [label.size for label, *_ in rows]))
    columns = []
    for k in range(4):
        shift = offsets[:-1] if k in (1, 2) else np.zeros(len(rows), dtype=np.int64)
        parts = [np.where(row[k] >= 0, row[k] + by, -1) for row, by in zip(rows, shift)]
        columns.append(as_ids(np.concatenate(parts)) if parts else as_ids([]))
    label, left, right, symbol = columns
    return Trees(label, left, right, symbol, offsets, skeleton.labels, _printable(skeleton))


def _printable(skeleton: Skeleton) -> tuple[str, ...]:
    """Symbols as words; the class of all words is called <unknown>."""
    return tuple(name or "<unknown>" for name in skeleton.symbols)
