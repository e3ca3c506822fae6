"""A grammar and a seed in, trees drawn from its proper distribution out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, LongVector, as_ids, as_offsets, generator
from eigenparse.corpus.brackets import parse_trees
from eigenparse.corpus.cleaning import strip_label
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.normalise import ROOT
from eigenparse.errors import DataError, OptionError
from eigenparse.inference.grammar.chart import rules_of
from eigenparse.inference.grammar.probability import CAPITAL, other_case
from eigenparse.inference.grammar.proper import Proper, is_signed, proper_parts
from eigenparse.kernels.grammar.proper import Member
from eigenparse.kernels.grammar.sample import draw, rule_masses
from eigenparse.kernels.lanes import LANES
from eigenparse.models.grammar.pcfg import LatentGrammar, Skeleton, Weights

STREAM = 0x5A3
MOST_TRIES = 1000
MOST_STEPS = 40  # nodes drawn for each word allowed, before a tree counts as too long
RULE, ENTRY, UNKNOWN, BRANCH, WORD = range(5)
Scales = tuple[FloatArray, FloatArray]  # (n,) factors of each state's rules and words
STATE, CHILD, OPEN, MANY, TEXT = range(5)  # what is still to be drawn, and text still to be written


def sample_trees(grammar: LatentGrammar, n: int, *, seed: int = 0, max_words: int = 400) -> Treebank:
    """n trees; each comes from a member chosen at random, so that they are drawn from the mean of all members.

    Trees of more than ``max_words`` words are drawn again.  With the same seed, a smaller sample is a prefix of a
    larger one. Raises DataError for signed weights, which are no distribution.
    """
    if n < 0 or max_words < 1:
        raise OptionError(f"the numbers of trees and words must be positive, got {n} and {max_words} instead")
    if is_signed(grammar):
        raise DataError(
            "a grammar of signed tensors has no distribution to draw from; "
            "add --project for the nearest one, or train with another --method"
        )
    tables = [_table(part, member) for part in proper_parts(grammar) for member in part.members]
    lines = [_tree(tables, generator(seed, STREAM, i), max_words) for i in range(n)]
    if not lines:
        none = as_ids([])
        return Treebank(none, none, none, as_offsets([0]), as_offsets([]), (), ())
    return parse_trees("\n".join(lines))


@dataclass(frozen=True, slots=True)
class Becoming:
    """The expansions of each state: state s draws from [at[s], at[s + 1]), by running sums of probabilities.

    kind: ``RULE``, ``ENTRY`` or another; number: of the rule or lexicon entry, or of the state itself.
    """

    at: LongVector
    running: FloatArray
    kind: AnyArray
    number: AnyArray

    def draw(self, s: int, rng: np.random.Generator) -> tuple[int, int]:
        """Kind and number of a random expansion of a state."""
        t = draw(self.running, self.at[s], self.at[s + 1], rng.random())
        return int(self.kind[t]), int(self.number[t])


def becoming(
    skeleton: Skeleton,
    weights: Weights | Member,
    kept: FloatArray,
    scale: Scales,
    further: dict[int, FloatArray],
) -> Becoming:
    """Rules and words of all states, scaled, and further kinds with one probability per state.

    kept: (V,) what is left of each word's weight.
    """
    states, state_at = weights.states, weights.state_at
    parent, n = skeleton.rules[:, 0], int(state_at[-1])
    mass_at = as_offsets(np.concatenate(([0], np.cumsum(states[parent], dtype=np.int64))))
    mass = np.zeros(mass_at[-1])
    rule_masses(rules_of(skeleton, weights), mass_at, mass)
    rule = np.repeat(np.arange(parent.size), states[parent])
    rule_state = state_at[parent][rule] + np.arange(rule.size) - mass_at[rule]
    width = states[skeleton.entry_label].astype(np.int64)
    entry = np.repeat(np.arange(width.size), width)
    within = np.arange(entry.size) - np.repeat(np.cumsum(width) - width, width)
    symbol, entry_state = skeleton.entry_symbol[entry], state_at[skeleton.entry_label][entry] + within
    value = weights.entry_weight[weights.entry_at[:-1][entry] + within] * scale[1][entry_state]
    value = value * np.append(kept, 0.0)[np.where(symbol < skeleton.n_words, symbol, -1)]
    own = np.arange(n)
    columns = [
        (rule_state, mass * scale[0][rule_state], RULE, rule),
        (entry_state, value, ENTRY, entry),
        *((own, p, kind, own) for kind, p in further.items()),
    ]
    state = np.concatenate([column[0] for column in columns])
    order = np.argsort(state, kind="stable")
    kind = np.concatenate([np.full(column[0].size, column[2]) for column in columns])[order]
    return Becoming(
        as_offsets(np.searchsorted(state[order], np.arange(n + 1))),
        np.cumsum(np.concatenate([column[1] for column in columns])[order]), kind,
        np.concatenate([column[3] for column in columns])[order],
    )  # fmt: skip


def drawn_children(
    skeleton: Skeleton, weights: Weights | Member, rule: int, s: int, rng: np.random.Generator
) -> tuple[int, int]:
    """States of the two children of a rule whose parent is in the state s."""
    a, b, c = skeleton.rules[rule].tolist()
    size, h = int(weights.states[b]) * int(weights.states[c]), s - int(weights.state_at[a])
    if isinstance(weights, Member) and weights.sparse.value.size:
        row = int(weights.sparse.first_row[rule]) + h
        low, high = (LANES * int(at) for at in weights.sparse.row_at[row : row + 2])
        k = low + picked(weights.sparse.value[low:high], rng)
        place = LANES * int(weights.sparse.block[k // LANES]) + k % LANES
    else:
        first = int(weights.rule_at[rule]) + h * size
        place = picked(weights.rule_weight[first : first + size], rng)
    i, j = divmod(place, int(weights.states[c]))
    return int(weights.state_at[b]) + i, int(weights.state_at[c]) + j


def picked(weights: AnyArray, rng: np.random.Generator) -> int:
    """A random index with probability proportional to its weight."""
    running = np.cumsum(weights, dtype=np.float64)
    return int(draw(running, 0, running.size, rng.random()))


@dataclass(frozen=True, slots=True)
class _Table:
    """One member of a grammar.  label: (n,) of every state."""

    part: Proper
    member: Member
    label: LongVector
    becoming: Becoming


def _table(part: Proper, member: Member) -> _Table:
    further = {UNKNOWN: member.unknown, BRANCH: member.branch, WORD: member.word}
    scale = (member.rule_scale, member.word_scale)
    found = becoming(part.skeleton, member, part.lexicon.kept, scale, further)
    return _Table(part, member, np.repeat(np.arange(member.states.size), member.states), found)


def _tree(tables: Sequence[_Table], rng: np.random.Generator, max_words: int) -> str:
    """One tree in brackets."""
    table = tables[int(rng.integers(len(tables)))]
    for _ in range(MOST_TRIES):
        drawn = _Draw(table, rng, max_words).tree()
        if drawn:
            return drawn
    raise DataError(f"no tree of at most {max_words} words came up in {MOST_TRIES} draws; allow more words")


@dataclass(slots=True)
class _Draw:
    """One tree being drawn top down, from left to right, with a stack of pending items."""

    table: _Table
    rng: np.random.Generator
    max_words: int
    n_words: int = 0

    def tree(self) -> str:
        """The tree in brackets, empty if it grew too large."""
        self.n_words = 0
        out: list[str] = []
        todo = self._root()
        for _ in range(MOST_STEPS * self.max_words + MOST_STEPS):
            if not todo:
                return "".join(out)
            kind, what = todo.pop()
            if kind == TEXT:
                out.append(what)
            else:
                todo += reversed(self._expand(kind, what))
            if self.n_words > self.max_words:
                break
        return ""

    def _root(self) -> list[tuple[int, Any]]:
        member, ground = self.table.member, self.table.part.background
        if self.rng.random() >= ground.root:
            s = self._pick(member.root)
            if self.table.part.skeleton.labels[self.table.label[s]].chain == (ROOT,):
                return [(STATE, s)]
            return [(TEXT, ")"), (STATE, s), (TEXT, f"({ROOT} ")]
        if self.rng.random() < ground.root_top:
            return [(TEXT, ")"), (MANY, ground.more.size - 1), (TEXT, f"({ROOT} ")]
        return [(TEXT, ")"), (CHILD, self._pick(ground.root_child)), (TEXT, f"({ROOT} ")]

    def _expand(self, kind: int, what: Any) -> list[tuple[int, Any]]:
        """Expand one pending item, from left to right."""
        member, ground = self.table.member, self.table.part.background
        if kind == STATE:
            return self._state(int(what))
        if kind == MANY:
            n = 2
            while self.rng.random() < ground.more[what]:
                n += 1
            return [(CHILD, self._pick(ground.child[what])) for _ in range(n)]
        if kind == CHILD:
            if self.rng.random() < ground.opened[what]:
                return [(OPEN, what)]
            a = self._pick(np.where((ground.top == what) & (ground.share > 0), ground.share, 0.0))
            low, high = member.state_at[a], member.state_at[a + 1]
            return [(STATE, int(low) + self._pick(member.prior[low:high]))]
        names = list(ground.symbols)
        name = names[what] if what < len(names) else self._name()
        point = self.rng.random()
        if point < ground.word[what]:
            below: tuple[int, Any] = (TEXT, self._word(None))
        elif point < ground.word[what] + ground.branch[what]:
            below = (MANY, what)
        else:
            below = (OPEN, self._pick(ground.unary[what]))
        return [(TEXT, f"({name} "), below, (TEXT, ")")]

    def _state(self, s: int) -> list[tuple[int, Any]]:
        """A label in one of its states: its chain, over a word or over children."""
        table, part, member = self.table, self.table.part, self.table.member
        a = int(table.label[s])
        kind, number = table.becoming.draw(s, self.rng)
        if kind == RULE:
            below: list[tuple[int, Any]] = [
                (STATE, x) for x in drawn_children(part.skeleton, member, number, s, self.rng)
            ]
        elif kind == BRANCH:
            below = [(MANY, int(part.background.parent[a]))]
        elif kind == ENTRY:
            below = [(TEXT, self._cased(part.skeleton.symbols[part.skeleton.entry_symbol[number]]))]
        else:
            below = [(TEXT, self._word(member.groups[s] if kind == UNKNOWN else None))]
        label = part.skeleton.labels[a]
        if label.partial:
            return below
        return [(TEXT, "".join(f"({name} " for name in label.chain)), *below, (TEXT, ")" * len(label.chain))]

    def _word(self, groups: FloatArray | None) -> str:
        """An unknown word of a group drawn with these shares; without shares any word."""
        lexicon = self.table.part.lexicon
        if groups is None:
            w = self._pick(np.append(lexicon.unigram, lexicon.unseen))
            if w < lexicon.unigram.size:
                return self._cased(self.table.part.skeleton.symbols[w])
            groups = lexicon.spelling.share
        return self._cased(lexicon.spelling.draw(self._pick(groups), self.rng))

    def _cased(self, word: str) -> str:
        """The word as it is written: the first may get a capital."""
        self.n_words += 1
        small, large = other_case(word)
        if self.n_words == 1 and word == small != large and self.rng.random() < CAPITAL:
            return large
        return word

    def _name(self) -> str:
        """The name of a label that was never seen."""
        lexicon, ground = self.table.part.lexicon, self.table.part.background
        while True:
            name = lexicon.spelling.draw(self._pick(lexicon.spelling.share), self.rng)
            if name not in ground.symbols and strip_label(name) == name:
                return name

    def _pick(self, weights: AnyArray) -> int:
        return picked(weights, self.rng)
