"""From latent counts to proper probabilities: counts in, weights out."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eigenparse.arrays import FloatArray, IntVector, filled_zeros
from eigenparse.kernels.grammar.counts import (
    Annotated,
    Layout,
    annotated_counts,
    divide_by_totals,
    entry_totals,
    rule_totals,
    smooth_rule_counts,
)
from eigenparse.learn.grammar.encode import Encoded
from eigenparse.models.grammar.pcfg import Skeleton, Weights, layout


@dataclass(frozen=True, slots=True)
class LatentCounts:
    """Counts, hard or expected, laid out as weights are; they add over shards, in double precision."""

    states: IntVector
    rule: FloatArray
    entry: FloatArray
    root: FloatArray

    def __add__(self, other: "LatentCounts") -> "LatentCounts":
        rule, entry = (one.astype(np.float64, copy=False) for one in (self.rule, self.entry))
        return LatentCounts(self.states, rule + other.rule, entry + other.entry, self.root + other.root)


def _place(skeleton: Skeleton, states: IntVector) -> Layout:
    """The layout of the counts, as kernels take it."""
    return Layout(skeleton.rules, skeleton.entry_label, states, *layout(skeleton, states))


def hard_counts(
    encoded: Encoded, state: IntVector, states: IntVector, *, dtype: npt.DTypeLike = np.float64
) -> LatentCounts:
    """Counts of trees whose rows carry a latent state."""
    trees, skeleton = encoded.trees, encoded.skeleton
    place = _place(skeleton, states)
    state_at = place.state_at
    rule, entry = filled_zeros(place.rule_at[-1], dtype), filled_zeros(place.entry_at[-1], dtype)
    rows = Annotated(trees.left, trees.right, encoded.rule, encoded.entry, state)
    annotated_counts(rows, place, trees.row_weight(), rule, entry)
    top = trees.root
    tops = state_at[trees.label[top]] + state[top]
    root = np.bincount(tops, weights=trees.weight, minlength=state_at[-1]).astype(np.float64)
    return LatentCounts(states, rule, entry, root)


def estimate(
    skeleton: Skeleton,
    counts: LatentCounts,
    *,
    rule_smoothing: float,
    state_mixing: float = 0.0,
    in_place: bool = False,
) -> Weights:
    """Relative frequencies of counts, rules smoothed by back-off with constant ``rule_smoothing``.

    ``state_mixing`` moves that share of each state's lexical counts to the label's other states.  ``in_place``: the
    counts may be overwritten by the weights of rules, which saves memory.
    """
    states = counts.states
    place = _place(skeleton, states)
    rule_at, entry_at, state_at = place.rule_at, place.entry_at, place.state_at
    rule, entry = counts.rule if in_place else counts.rule.copy(), counts.entry.copy()
    of_words, total = np.zeros(state_at[-1]), np.zeros(state_at[-1])
    entry_totals(place, entry, of_words)
    rule_totals(place, rule, total)
    if rule_smoothing > 0:
        share = (total + of_words) / np.maximum(
            np.repeat(np.add.reduceat(total + of_words, state_at[:-1]), states), 1e-300
        )
        total[:] = 0.0
        smooth_rule_counts(place, rule, share, rule_smoothing, total)
    total += of_words
    divide_by_totals(place, total, rule, entry)
    if state_mixing > 0:
        mean = np.add.reduceat(entry, entry_at[:-1]) / states[skeleton.entry_label]
        entry = (1 - state_mixing) * entry + state_mixing * np.repeat(mean, states[skeleton.entry_label])
    return Weights(
        states, rule_at, entry_at, state_at, rule, entry, counts.root / max(counts.root.sum(), 1e-300)
    )
