"""The latent-variable grammar: frozen arrays, whoever learnt them.

A grammar is a skeleton (labels, rules, lexicon entries and the plain PCFG over them) and one or
more sets of weights over the same skeleton.  Several sets are an ensemble.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, BoolVector, FloatArray, IntMatrix, IntVector, LongVector
from eigenparse.corpus.columns import Label
from eigenparse.errors import DataError
from eigenparse.models.grammar.span_filter import SpanFilter

MOST = 1e6  # no probability of a sound grammar is near it; larger ones would overflow in products


@dataclass(frozen=True, slots=True)
class Skeleton:
    """What is visible of a grammar.

    labels: A.  rules: (R, 3) of (a, b, c), sorted.  symbols: V names, first n_words words, then
    n_classes word classes, then tags that stand for any word of theirs.
    entry_label, entry_symbol: (E,) lexicon entries a -> x, sorted by (symbol, label).
    entry_start: (V + 1,), where each symbol's entries begin.  rule_probability, entry_probability,
    root_probability: the plain PCFG.
    """

    labels: tuple[Label, ...]
    rules: IntMatrix
    symbols: tuple[str, ...]
    entry_label: IntVector
    entry_symbol: IntVector
    entry_start: LongVector
    rule_probability: FloatArray
    entry_probability: FloatArray
    root_probability: FloatArray
    n_words: int = 0
    n_classes: int = 0

    @property
    def n_labels(self) -> int:
        return len(self.labels)

    def is_tag(self) -> BoolVector:
        """Which labels stand over words: (A,)."""
        over = np.zeros(self.n_labels, dtype=bool)
        over[self.entry_label] = True
        return over


@dataclass(frozen=True, slots=True)
class Weights:
    """One set of latent parameters over a skeleton, possibly signed.

    states: (A,) number of latent states m_a.  rule_weight: flat, rule r owns
    [rule_at[r], rule_at[r + 1]) as a tensor (m_a, m_b, m_c).  entry_weight: flat, entry e owns
    m_a values from entry_at[e].  root_weight: flat, label a owns m_a values from state_at[a].

    Notation [cohen-etal-2014]:  rule_weight = C^{a -> b c},  entry_weight = c^inf_{a -> x},
    root_weight = c^1_a.
    """

    states: IntVector
    rule_at: LongVector
    entry_at: LongVector
    state_at: LongVector
    rule_weight: FloatArray
    entry_weight: FloatArray
    root_weight: FloatArray

    @property
    def n_parameters(self) -> int:
        return self.rule_weight.size + self.entry_weight.size + self.root_weight.size


def layout(skeleton: Skeleton, states: IntVector) -> tuple[LongVector, LongVector, LongVector]:
    """Where rules, entries and labels begin in the flat weights: rule_at, entry_at, state_at."""
    m = states.astype(np.int64)
    a, b, c = skeleton.rules.T
    return _ends(m[a] * m[b] * m[c]), _ends(m[skeleton.entry_label]), _ends(m)


def _ends(sizes: LongVector) -> LongVector:
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def plain_weights(skeleton: Skeleton) -> Weights:
    """The plain PCFG as weights with one state a label."""
    states = np.ones(skeleton.n_labels, dtype=np.int32)
    return Weights(
        states,
        *layout(skeleton, states),
        rule_weight=skeleton.rule_probability,
        entry_weight=skeleton.entry_probability,
        root_weight=skeleton.root_probability,
    )


def check_skeleton(skeleton: Skeleton) -> None:
    """Refuse ids and offsets that would lead a kernel outside its arrays."""
    n_labels, n_symbols, n_entries = skeleton.n_labels, len(skeleton.symbols), skeleton.entry_label.size
    start = skeleton.entry_start
    fits = (
        skeleton.rules.ndim == 2
        and skeleton.rules.shape[1] == 3
        and all(x.dtype == np.int32 for x in (skeleton.rules, skeleton.entry_label, skeleton.entry_symbol))
        and _within(skeleton.rules, n_labels)
        and skeleton.entry_symbol.shape == skeleton.entry_label.shape == (n_entries,)
        and _within(skeleton.entry_label, n_labels)
        and _within(skeleton.entry_symbol, n_symbols)
        and start.shape == (n_symbols + 1,)
        and start.dtype == np.int64
        and start[0] == 0
        and start[-1] == n_entries
        and bool(np.all(np.diff(start) >= 0))
        and skeleton.rule_probability.shape == (skeleton.rules.shape[0],)
        and skeleton.entry_probability.shape == (n_entries,)
        and skeleton.root_probability.shape == (n_labels,)
        and all(
            np.all((p >= 0) & (p < MOST))
            for p in (skeleton.rule_probability, skeleton.entry_probability, skeleton.root_probability)
        )
        and 0 <= skeleton.n_words < n_symbols
        and skeleton.n_classes >= 0
        and 0 < skeleton.n_words + skeleton.n_classes <= n_symbols
    )
    if not fits:
        raise DataError("the tables do not fit each other")


def _within(ids: AnyArray, n: int) -> bool:
    return ids.size == 0 or (int(ids.min()) >= 0 and int(ids.max()) < n)


def check_weights(skeleton: Skeleton, weights: Weights) -> Weights:
    """The same weights, or a sentence saying what does not fit the skeleton."""
    rule_at, entry_at, state_at = layout(skeleton, weights.states)
    fits = (
        np.array_equal(rule_at, weights.rule_at)
        and np.array_equal(entry_at, weights.entry_at)
        and np.array_equal(state_at, weights.state_at)
        and weights.rule_weight.shape == (rule_at[-1],)
        and weights.entry_weight.shape == (entry_at[-1],)
        and weights.root_weight.shape == (state_at[-1],)
    )
    if not fits or np.any(weights.states < 1):
        raise DataError("the weights do not fit the grammar's rules and states; train the model again")
    return weights


def rotated(skeleton: Skeleton, weights: Weights, bases: list[FloatArray]) -> Weights:
    """The same grammar in other bases: label a's states become G_a times what they were.

    Inside row vectors turn by the inverse of G_a, root columns by G_a, so every tree and
    sentence keeps its probability.
    """
    inverse = [np.linalg.inv(G) for G in bases]
    rule_weight = np.empty_like(weights.rule_weight, dtype=np.float64)
    for r, (a, b, c) in enumerate(skeleton.rules):
        C = weights.rule_weight[weights.rule_at[r] : weights.rule_at[r + 1]]
        m = weights.states[[a, b, c]]
        turned = np.einsum(
            "ijk,ia,jb,kc->abc", C.reshape(m), inverse[a], bases[b].T, bases[c].T, optimize=True
        )
        rule_weight[weights.rule_at[r] : weights.rule_at[r + 1]] = turned.ravel()
    entry_weight, root_weight = np.empty_like(weights.entry_weight), np.empty_like(weights.root_weight)
    for e, a in enumerate(skeleton.entry_label):
        part = slice(weights.entry_at[e], weights.entry_at[e + 1])
        entry_weight[part] = weights.entry_weight[part] @ inverse[a]
    for a in range(skeleton.n_labels):
        part = slice(weights.state_at[a], weights.state_at[a + 1])
        root_weight[part] = bases[a] @ weights.root_weight[part]
    return replace(weights, rule_weight=rule_weight, entry_weight=entry_weight, root_weight=root_weight)


@dataclass(frozen=True, slots=True)
class TagContext:
    """What stands beside what, for pruning; row or column A is the sentence's margin.

    follow: (A + 1, A + 1), chance of the next tag given this one.  before: (A + 1, A), chance of a
    label given the tag before its span.  after: (A + 1, A), chance of the tag after its span given
    a label.
    """

    follow: FloatArray
    before: FloatArray
    after: FloatArray


@dataclass(frozen=True, slots=True)
class LatentGrammar:
    """A skeleton with one set of weights or several (an ensemble), and what is known about them.

    context: neighbours of tags and labels, for pruning; None prunes by posteriors alone.
    coarse: small weights for pruning between the plain PCFG and the members; may be None.
    report: what the learner says about the learning, JSON values only.  others: grammars of the same
    treebank over other binarisations; their bracket posteriors join in.  span_filter: says which spans
    need no search; None searches all.
    """

    skeleton: Skeleton
    members: tuple[Weights, ...]
    context: TagContext | None = None
    coarse: Weights | None = None
    report: dict[str, Any] = field(default_factory=dict)
    others: tuple["LatentGrammar", ...] = ()
    span_filter: SpanFilter | None = None
