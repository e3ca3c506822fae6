"""A grammar as one proper distribution over trees: weights in, normalised probabilities of every state out.

Parsing keeps the weights that were learnt.  Here each latent state is normalised over its rules, its words, an
unknown word, and the background model for rules and words that were not seen in training; everything is derived from
the model file.  An ensemble is the mean of its members' distributions.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from eigenparse.arrays import BoolVector, FloatArray, IntVector
from eigenparse.corpus.normalise import ROOT
from eigenparse.corpus.word_classes import class_levels
from eigenparse.errors import DataError
from eigenparse.inference.grammar.background import Background, Counts, background, counts_of
from eigenparse.inference.grammar.chart import TINY, rules_of, sparse_arrays
from eigenparse.inference.grammar.forest import rule_index
from eigenparse.inference.spelling import BRACKETS, Spelling, learn_spelling
from eigenparse.kernels.grammar.forest import RuleIndex
from eigenparse.kernels.grammar.masses import next_states, partition, rule_means, word_masses
from eigenparse.kernels.grammar.proper import Ground, Member
from eigenparse.kernels.grammar.sample import Rules
from eigenparse.models.grammar.pcfg import LatentGrammar, Skeleton, Weights
from eigenparse.models.words import WordTable, word_table

ENOUGH = 50  # rare words that a class needs for a spelling model of its own
MOST_SPELT = 20_000  # words whose spelling is kept
RARE = 2.5  # words below this count represent unknown words
LEAST = 0.1  # pseudo-count of the background model
SPARED = 0.5  # count of a known word under a tag that it never had
LONGEST = 2000  # generations of a tree that are followed
SMALL = 1e-11

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words as all members see them.

    spelling: of unknown words; group_symbol: (G,) the class whose entries say which states a group belongs to, -1 for
    none.  kept: (V,) what is left of each word's weight after the discount for unknown words.  unigram: (V,) shares of
    words, without labels; unseen: what is left for unknown ones.  spelt: probabilities of words that were asked for.
    """

    table: WordTable
    spelling: Spelling
    group_symbol: IntVector
    kept: FloatArray
    unigram: FloatArray
    unseen: float
    spelt: dict[str, FloatArray] = field(default_factory=dict, repr=False, compare=False)

    def spelling_logs(self, words: Sequence[str]) -> FloatArray:
        """(words, G) log of the probability of each word's spelling in each group."""
        new = list({word for word in words if word not in self.spelt})
        found = dict(zip(new, self.spelling.logs(new))) if new else {}
        rows = [found[word] if word in found else self.spelt[word] for word in words]
        if len(self.spelt) + len(new) <= MOST_SPELT:
            self.spelt.update(found)
        return np.array(rows).reshape(len(words), self.spelling.n_groups)


@dataclass(frozen=True, slots=True)
class Proper:
    """One grammar's distribution: what its members share, each member, and the log of the mass that ends.

    ground: the background model as kernels take it.  log_mass: (members,) of all finite trees, 0 if the grammar is
    consistent.  labels: complete labels by chain.
    partials: partial labels that rules lead to from each label, without a complete label in between.
    """

    skeleton: Skeleton
    index: RuleIndex
    background: Background
    ground: Ground
    lexicon: Lexicon
    members: tuple[Member, ...]
    log_mass: FloatArray
    labels: dict[tuple[str, ...], list[int]]
    partials: dict[int, set[int]]


def remembered(make: Callable[[LatentGrammar], T]) -> Callable[[LatentGrammar], T]:
    """Decorator: compute a result once and keep it for a few grammars."""
    cache: list[tuple[LatentGrammar, T]] = []

    @functools.wraps(make)
    def made(grammar: LatentGrammar) -> T:
        for known, found in cache:
            if known is grammar:
                return found
        cache[:] = [(grammar, make(grammar)), *cache[:3]]
        return cache[0][1]

    return made


@remembered
def proper_parts(grammar: LatentGrammar) -> tuple[Proper, ...]:
    """The distributions of a grammar and of the others of its ensemble."""
    return tuple(_proper(one) for one in (grammar, *grammar.others))


@remembered
def is_signed(grammar: LatentGrammar) -> bool:
    """Whether a grammar has negative weights, which are no probabilities."""
    return any(member.is_signed for one in (grammar, *grammar.others) for member in one.members)


def projected(grammar: LatentGrammar) -> LatentGrammar:
    """The grammar with negative weights set to zero, which normalisation then makes a distribution."""
    members = tuple(map(_positive, grammar.members))
    return replace(grammar, members=members, others=tuple(map(projected, grammar.others)))


def _proper(grammar: LatentGrammar) -> Proper:
    skeleton, counts = grammar.skeleton, counts_of(grammar)
    ground, lexicon = background(skeleton, counts), lexicon_of(skeleton, counts)
    members, mass = [], []
    for weights in grammar.members:
        member, log_mass = _member(skeleton, _positive(weights), counts, ground, lexicon)
        members.append(member)
        mass.append(log_mass)
    labels: dict[tuple[str, ...], list[int]] = {}
    for a, label in enumerate(skeleton.labels):
        if not label.partial:
            labels.setdefault(label.chain, []).append(a)
    return Proper(
        skeleton,
        rule_index(skeleton),
        ground,
        ground.ground(),
        lexicon,
        tuple(members),
        np.array(mass),
        labels,
        _partials(skeleton),
    )


def _partials(skeleton: Skeleton) -> dict[int, set[int]]:
    below: dict[int, set[int]] = {a: set() for a in range(skeleton.n_labels)}
    partial = [label.partial for label in skeleton.labels]
    for a, b, c in skeleton.rules.tolist():
        below[a].update(x for x in (b, c) if partial[x])
    found = {}
    for a, todo in below.items():
        seen, left = set(todo), list(todo)
        while left:
            new = below[left.pop()] - seen
            seen |= new
            left += new
        found[a] = seen
    return found


def lexicon_of(skeleton: Skeleton, counts: Counts, excluded: frozenset[int] = BRACKETS) -> Lexicon:
    n = skeleton.n_words
    size = np.bincount(
        skeleton.entry_symbol,
        skeleton.entry_probability * counts.token[skeleton.entry_label],
        len(skeleton.symbols),
    )[:n]
    ones, twos = float(np.sum(size < 1.5)), float(np.sum((size >= 1.5) & (size < 2.5)))
    discount = min(max(ones / (ones + 2.0 * twos), 0.1), 0.9) if ones and twos else 0.5
    kept = 1.0 - discount / np.maximum(size, 1.0)
    total = max(float(size.sum()), 1e-300)
    unigram = size * kept / total
    table = word_table(skeleton)
    rare = np.flatnonzero(size < RARE) if np.any(size < RARE) else np.arange(n)
    words = [skeleton.symbols[w] for w in rare]
    group, symbol = _groups(words, table)
    return Lexicon(
        table,
        learn_spelling(words, group, symbol.size, excluded),
        symbol,
        kept,
        unigram,
        1.0 - float(unigram.sum()),
    )


def _groups(words: Sequence[str], table: WordTable) -> tuple[IntVector, IntVector]:
    """The group of each word, and the class of each group: the finest that the grammar knows and enough words have."""
    levels = [(*(name for name in class_levels(word, False) if name in table.classes), "") for word in words]
    names, size = np.unique([name for one in levels for name in one] or [""], return_counts=True)
    large = {"", *names[size >= ENOUGH].tolist()}
    ids: dict[str, int] = {"": 0}
    group = [ids.setdefault(next(name for name in one if name in large), len(ids)) for one in levels]
    return np.array(group, dtype=np.int32), np.array(
        [table.classes.get(name, -1) for name in ids], dtype=np.int32
    )


def _member(
    skeleton: Skeleton, weights: Weights, counts: Counts, ground: Background, lexicon: Lexicon
) -> tuple[Member, float]:
    """One set of weights, normalised state by state, and its log_mass."""
    label = np.repeat(np.arange(skeleton.n_labels), weights.states)
    arrays, rules = sparse_arrays(skeleton, weights, TINY), np.zeros(int(weights.state_at[-1]))
    tensors = rules_of(skeleton, arrays)
    m = weights.states[skeleton.rules].astype(np.int64)
    sums = np.empty(int(np.sum(m[:, 0] * (m[:, 1] + m[:, 2]))))
    rule_means(tensors, sums, rules)
    emits = np.array([not x.partial and x.chain[-1] != ROOT for x in skeleton.labels])[label]
    known, unknown, groups = word_shares(skeleton, weights, lexicon)
    if skeleton.n_classes == 1:  # rare words were learnt as tags
        unknown = unknown + np.maximum(1.0 - rules - known - unknown, 0.0) * (known + unknown > 0)
    words = (known + unknown) * emits
    total = np.maximum(rules + words, 1e-300)
    least = LEAST / (counts.label[label] + 1.0)
    new_rule, new_word = ground.reserved[label], SPARED / (counts.token[label] + 1.0)
    branch, word = new_rule * rules / total + least, (new_word * words / total + least) * emits
    scale = 1.0 / (((1.0 - new_rule) * rules + (1.0 - new_word) * words) / total + branch + word)
    rule_scale, word_scale = (1.0 - new_rule) * scale / total, (1.0 - new_word) * scale / total * emits
    root = weights.root_weight.astype(np.float64) * _at_root(skeleton)[label]
    if not root.sum() > 0:
        raise DataError("no state of the grammar can begin a tree; train the model again")
    root = root / root.sum()
    steps = _Steps(tensors, sums, rule_scale)
    member = Member(
        weights.states, weights.state_at, weights.rule_at, arrays.rule_weight, weights.entry_at, weights.entry_weight,
        arrays.sparse,
        rule_scale, word_scale, unknown * word_scale, groups, branch * scale, word * scale,
        root * (1.0 - ground.root), _prior(steps, root, weights),
    )  # fmt: skip
    if _ends(steps, member, ground):
        return member, 0.0
    return member, float(
        np.log(partition(skeleton.rules, rules * rule_scale, member, ground.ground(), SMALL))
    )


def _positive(weights: Weights) -> Weights:
    """The weights without negative ones, which become zero."""
    if not weights.is_signed:
        return weights
    parts = {name: getattr(weights, name) for name in ("rule_weight", "entry_weight", "root_weight")}
    return replace(weights, **{name: np.maximum(part, 0) for name, part in parts.items() if np.any(part < 0)})


def _at_root(skeleton: Skeleton) -> BoolVector:
    """(A,) labels that a tree may have at its root; TOP only by itself, since TOP over one child is left out."""
    return np.array(
        [not x.partial and (x.chain[0] != ROOT or len(x.chain) == 1) for x in skeleton.labels], dtype=bool
    )


@dataclass(frozen=True, slots=True)
class _Steps:
    """Expected children of the states of a grammar by its rules."""

    rules: Rules
    value: FloatArray
    scale: FloatArray

    def up(self, now: FloatArray) -> FloatArray:
        """(n,) expected value of the children of each state."""
        return self._next(now, True)

    def down(self, now: FloatArray) -> FloatArray:
        """(n,) expected number of children in each state, given numbers of parents in each state."""
        return self._next(now, False)

    def _next(self, now: FloatArray, upwards: bool) -> FloatArray:
        out = np.zeros(now.size)
        next_states(self.rules, self.value, self.scale, now, upwards, out)
        return out


def word_shares(
    skeleton: Skeleton, weights: Weights, lexicon: Lexicon
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(n,) mass of known words, (n,) mass taken off them for unknown ones, (n, G) shares of their groups."""
    n = int(weights.state_at[-1])
    known, unknown = np.zeros(n), np.zeros(n)
    places = (weights.state_at, weights.states, weights.entry_at)
    columns = (skeleton.entry_label, skeleton.entry_symbol)
    word_masses(*columns, places, weights.entry_weight, lexicon.kept, known, unknown)
    groups = np.zeros((n, lexicon.group_symbol.size))
    for g, symbol in enumerate(lexicon.group_symbol.tolist()):
        for e in range(*entries_of(skeleton, symbol)) if symbol >= 0 else ():
            first, m = (
                int(weights.state_at[skeleton.entry_label[e]]),
                int(weights.states[skeleton.entry_label[e]]),
            )
            at = int(weights.entry_at[e])
            groups[first : first + m, g] = weights.entry_weight[at : at + m] * lexicon.spelling.share[g]
    total = groups.sum(axis=1, keepdims=True)
    shares = np.where(total > 0, groups / np.maximum(total, 1e-300), lexicon.spelling.share)
    return known, unknown, shares


def entries_of(skeleton: Skeleton, symbol: int) -> tuple[int, int]:
    """Where the lexicon entries of a symbol begin and end."""
    return int(skeleton.entry_start[symbol]), int(skeleton.entry_start[symbol + 1])


def _prior(steps: _Steps, root: FloatArray, weights: Weights) -> FloatArray:
    """(n,) share of each state in its label: expected visits; uniform for labels that are never visited."""
    total: FloatArray = np.zeros(root.size)
    now: FloatArray = root.astype(np.float64)
    for _ in range(200):
        total += now
        now = steps.down(now)
        if now.sum() <= SMALL * total.sum():
            break
    of = np.add.reduceat(total, weights.state_at[:-1])
    even = np.repeat(1.0 / weights.states, weights.states)
    of = np.repeat(of, weights.states)
    return np.where(of > 0, total / np.maximum(of, 1e-300), even)


def _ends(steps: _Steps, member: Member, ground: Background) -> bool:
    """Whether trees are finite with probability 1: the expected number of nodes decreases with every generation."""
    S, label = ground.branch.size, np.repeat(np.arange(member.states.size), member.states)
    children = ground.child * (2.0 + ground.more / (1.0 - ground.more))[:, None]
    state: FloatArray = np.ones(member.root.size)
    child: FloatArray = np.ones(S)
    opened: FloatArray = np.ones(S)
    for _ in range(LONGEST):
        below = children @ child
        state, child, opened = (
            steps.up(state) + member.branch * below[ground.parent[label]],
            np.bincount(ground.top[label], ground.share[label] * member.prior * state, S)
            + ground.opened * opened,
            ground.unary @ opened + ground.branch * below[:S],
        )
        most = max(state.max(), child.max(), opened.max())
        if most < 0.5 or most > 1e9:
            break
    return bool(most < 0.5)
