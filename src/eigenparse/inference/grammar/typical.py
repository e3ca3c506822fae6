"""What latent states stand for: a grammar in; the likeliest words and rules of its states out, and phrases of them."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import FloatArray, IntVector
from eigenparse.inference.grammar.chart import rules_of
from eigenparse.kernels.grammar.sample import rule_masses
from eigenparse.models.grammar.pcfg import LatentGrammar, Skeleton, Weights


@dataclass(frozen=True, slots=True)
class StateProfile:
    """One latent state: its likeliest words and expansions, each with its weight.

    words: (word, weight).  phrases: (rule in words, a phrase of the training trees that shows it or "", weight).
    """

    label: str
    state: int
    words: tuple[tuple[str, float], ...]
    phrases: tuple[tuple[str, str, float], ...]


def state_profiles(grammar: LatentGrammar, labels: list[int], top: int) -> list[StateProfile]:
    """The ``top`` words and rules of every state of the labels asked for, in the first set of weights."""
    skeleton, weights = grammar.skeleton, grammar.members[0]
    shown = {(r, h): phrase for r, h, phrase in grammar.report.get("examples", [])}
    mass_at = np.concatenate(([0], np.cumsum(weights.states[skeleton.rules[:, 0]], dtype=np.int64)))
    mass = np.zeros(mass_at[-1])
    rule_masses(rules_of(skeleton, weights), mass_at, mass)
    profiles = []
    for a in labels:
        entries = np.flatnonzero((skeleton.entry_label == a) & (skeleton.entry_symbol < skeleton.n_words))
        rules = np.flatnonzero(skeleton.rules[:, 0] == a)
        for h in range(int(weights.states[a])):
            words = _top(weights.entry_weight[weights.entry_at[entries] + h], top)
            found = _top(mass[mass_at[rules] + h], top)
            profiles.append(
                StateProfile(
                    str(skeleton.labels[a]),
                    h,
                    tuple((skeleton.symbols[skeleton.entry_symbol[entries[e]]], v) for e, v in words),
                    tuple(
                        (_named(skeleton, int(rules[r])), shown.get((int(rules[r]), h), ""), v)
                        for r, v in found
                    ),
                )
            )
    return profiles


def _top(values: FloatArray, top: int) -> list[tuple[int, float]]:
    """Places and values of the largest positive values."""
    order = np.argsort(-values, kind="stable")[:top]
    return [(int(i), float(values[i])) for i in order if values[i] > 0]


def _named(skeleton: Skeleton, rule: int) -> str:
    return " ".join(str(skeleton.labels[b]) for b in skeleton.rules[rule, 1:])


def states_by_size(weights: Weights, counts: IntVector | list[int]) -> list[int]:
    """Labels with the most states first, then the most frequent."""
    order = sorted(range(weights.states.size), key=lambda a: (-int(weights.states[a]), -int(counts[a]), a))
    return order
