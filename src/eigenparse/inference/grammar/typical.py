"""What latent states stand for: a grammar in; the likeliest words, rules and phrases of its states out."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import FloatArray, IntVector, LongVector
from eigenparse.inference.grammar.chart import rules_of
from eigenparse.kernels.grammar.sample import improve_yields, rule_masses
from eigenparse.models.grammar.pcfg import Skeleton, Weights

ROUNDS = 30
LONGEST = 12  # words of a phrase that is shown
MOST_STEPS = 200  # signed weights may make the likeliest derivation endless


@dataclass(frozen=True, slots=True)
class StateProfile:
    """One latent state: its likeliest words and expansions, each with its weight.

    words: (word, weight).  phrases: (rule in words, likeliest yield, weight).
    """

    label: str
    state: int
    words: tuple[tuple[str, float], ...]
    phrases: tuple[tuple[str, str, float], ...]


def state_profiles(skeleton: Skeleton, weights: Weights, labels: list[int], top: int) -> list[StateProfile]:
    """The ``top`` words and rules of every state of the labels asked for."""
    yields = _Yields.of(skeleton, weights)
    mass_at = np.concatenate(([0], np.cumsum(weights.states[skeleton.rules[:, 0]], dtype=np.int64)))
    mass = np.zeros(mass_at[-1])
    rule_masses(rules_of(skeleton, weights), mass_at, mass)
    profiles = []
    for a in labels:
        entries = np.flatnonzero((skeleton.entry_label == a) & (skeleton.entry_symbol < skeleton.n_words))
        rules = _whole(skeleton, np.flatnonzero(skeleton.rules[:, 0] == a))
        for h in range(int(weights.states[a])):
            words = _top(weights.entry_weight[weights.entry_at[entries] + h], top)
            found = _top(mass[mass_at[rules] + h], top)
            profiles.append(
                StateProfile(
                    str(skeleton.labels[a]),
                    h,
                    tuple((skeleton.symbols[skeleton.entry_symbol[entries[e]]], v) for e, v in words),
                    tuple(_phrase(skeleton, weights, yields, int(rules[r]), h, v) for r, v in found),
                )
            )
    return profiles


def _whole(skeleton: Skeleton, rules: LongVector) -> LongVector:
    """The rules whose children are whole phrases, as parts of them end in fragments; all rules if there are none."""
    partial = np.array([label.partial for label in skeleton.labels])
    found = rules[~partial[skeleton.rules[rules, 1:]].any(axis=1)]
    return found if found.size else rules


def _top(values: FloatArray, top: int) -> list[tuple[int, float]]:
    """Places and values of the largest positive values."""
    order = np.argsort(-values, kind="stable")[:top]
    return [(int(i), float(values[i])) for i in order if values[i] > 0]


@dataclass(frozen=True, slots=True)
class _Yields:
    """The likeliest derivation of each state: its rule and children, or its lexicon entry."""

    rule: LongVector
    left: LongVector
    right: LongVector
    entry: LongVector

    @classmethod
    def of(cls, skeleton: Skeleton, weights: Weights) -> "_Yields":
        n = int(weights.state_at[-1])
        best, entry = np.zeros(n), np.full(n, -1, dtype=np.int64)
        width = weights.states[skeleton.entry_label].astype(np.int64)
        owner = np.repeat(np.arange(width.size), width)
        within = np.arange(owner.size) - np.repeat(np.cumsum(width) - width, width)
        state = weights.state_at[skeleton.entry_label][owner] + within
        value = np.maximum(
            weights.entry_weight[weights.entry_at[:-1][owner] + within].astype(np.float64), 0.0
        )
        value[skeleton.entry_symbol[owner] >= skeleton.n_words] = 0.0
        np.maximum.at(best, state, value)
        likeliest = np.flatnonzero((value > 0) & (value == best[state]))[
            ::-1
        ]  # the first of equals is written last
        entry[state[likeliest]] = owner[likeliest]
        rule, left, right = (np.full(n, -1, dtype=np.int64) for _ in range(3))
        for _ in range(ROUNDS):
            if not improve_yields(rules_of(skeleton, weights), best, rule, left, right):
                break
        return cls(rule, left, right, entry)

    def words(self, skeleton: Skeleton, state: int) -> list[str]:
        """The words of a state's likeliest derivation, cut short."""
        found: list[str] = []
        stack, steps = [state], 0
        while stack and len(found) < LONGEST and steps < MOST_STEPS:
            s, steps = stack.pop(), steps + 1
            if self.rule[s] >= 0:
                stack += [int(self.right[s]), int(self.left[s])]
            elif self.entry[s] >= 0:
                found.append(skeleton.symbols[skeleton.entry_symbol[self.entry[s]]])
        return [*found, "…"] if stack else found


def _phrase(
    skeleton: Skeleton, weights: Weights, yields: _Yields, rule: int, h: int, weight: float
) -> tuple[str, str, float]:
    """A rule of a state as text, with the words that its likeliest children yield."""
    b, c = (int(x) for x in skeleton.rules[rule, 1:])
    m_b, m_c = int(weights.states[b]), int(weights.states[c])
    first = int(weights.rule_at[rule]) + h * m_b * m_c
    i, j = divmod(int(np.argmax(weights.rule_weight[first : first + m_b * m_c])), m_c)
    children = (int(weights.state_at[b]) + i, int(weights.state_at[c]) + j)
    text = " ".join(word for s in children for word in yields.words(skeleton, s))
    return f"{skeleton.labels[b]} {skeleton.labels[c]}", text, weight


def states_by_size(weights: Weights, counts: IntVector | list[int]) -> list[int]:
    """Labels with the most states first, then the most frequent."""
    order = sorted(range(weights.states.size), key=lambda a: (-int(weights.states[a]), -int(counts[a]), a))
    return order
