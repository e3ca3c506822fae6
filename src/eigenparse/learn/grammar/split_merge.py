"""Split-merge EM [petrov-etal-2006]: encoded trees and states that labels may have in, expected counts out.

In every cycle the states of a label are split in two and moved apart by noise, EM runs, the half of the splits
whose loss of likelihood is smallest is undone, and EM runs again.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, IntVector, LongVector, as_ids, generator
from eigenparse.learn.grammar.counts import LatentCounts, hard_counts
from eigenparse.learn.grammar.em import Expectation, expected_counts
from eigenparse.learn.grammar.encode import Encoded
from eigenparse.models.grammar.pcfg import Skeleton, Weights, layout

NOISE = 0.01
SPLIT_ROUNDS, MERGE_ROUNDS = 6, 4
MERGED = 0.5  # share of the splits that are undone
SPLIT_STREAM = 4
Estimate = Callable[[LatentCounts], Weights]


@dataclass(frozen=True, slots=True)
class Refined:
    """A finer set of states over a coarser one.

    states: (A,) of the finer one.  parent: (sum m_a,) the coarse state, within its label, of each fine state.
    """

    states: IntVector
    parent: IntVector


def split_merge(encoded: Encoded, wanted: IntVector, estimate: Estimate, seed: int) -> LatentCounts:
    """Expected counts of states that were split and merged, ``wanted`` (A,) of a label at most."""
    rng = generator(seed, SPLIT_STREAM)
    one = np.ones(wanted.size, dtype=np.int32)
    counts = hard_counts(encoded, np.zeros(encoded.trees.label.size, dtype=np.int32), one, dtype=np.float32)
    for _ in range(math.ceil(math.log2(max(int(wanted.max()), 1))) + 1):
        refined = split_states(counts, wanted, encoded.skeleton)
        if int(refined.states.sum()) == int(counts.states.sum()):
            break
        weights = estimate(split_counts(counts, refined, encoded.skeleton, rng))
        for _ in range(SPLIT_ROUNDS - 1):
            weights = estimate(expected_counts(encoded, weights, encoded.distinct).counts)
        found = expected_counts(encoded, weights)
        counts = merge_counts(found.counts, merges(encoded, found, refined), encoded.skeleton)
        for _ in range(MERGE_ROUNDS):
            counts = expected_counts(encoded, estimate(counts), encoded.distinct).counts
    return counts


def split_states(counts: LatentCounts, wanted: IntVector, skeleton: Skeleton) -> Refined:
    """Every state split in two; only the most frequent ones of a label if all would be too many."""
    at = layout(skeleton, counts.states)[2]
    mass = state_mass(counts, skeleton)
    parents = []
    for a, (m, most) in enumerate(zip(counts.states.tolist(), wanted.tolist())):
        heavy = np.argsort(-mass[at[a] : at[a + 1]], kind="stable")[: min(m, max(most - m, 0))]
        parents.append(np.sort(np.concatenate([np.arange(m), heavy])))
    return Refined(as_ids([part.size for part in parents]), as_ids(np.concatenate(parents)))


def state_mass(counts: LatentCounts, skeleton: Skeleton) -> FloatArray:
    """Expected uses of every state: (sum m_a,)."""
    up, entry, _ = _cells(skeleton, counts.states, np.arange(counts.states.sum()))
    n = int(counts.states.sum())
    return np.asarray(
        np.bincount(up[0], counts.rule, n) + np.bincount(entry, counts.entry, n), dtype=np.float64
    )


def _cells(
    skeleton: Skeleton, states: IntVector, value: AnyArray
) -> tuple[tuple[AnyArray, AnyArray, AnyArray], AnyArray, AnyArray]:
    """``value`` (sum m_a,) of the states of each cell: of parent and children of rule cells, of entries, of roots."""
    rule_at, entry_at, state_at = layout(skeleton, states)
    rule = np.repeat(np.arange(len(skeleton.rules)), np.diff(rule_at))
    within = np.arange(rule.size) - rule_at[rule]
    a, b, c = skeleton.rules[rule].T
    rows = (
        within // (states[b].astype(np.int64) * states[c]),
        within // states[c] % states[b],
        within % states[c],
    )
    of_rule = tuple(value[state_at[x] + row] for x, row in zip((a, b, c), rows))
    entry = np.repeat(np.arange(skeleton.entry_label.size), np.diff(entry_at))
    of_entry = value[state_at[skeleton.entry_label[entry]] + np.arange(entry.size) - entry_at[entry]]
    return (of_rule[0], of_rule[1], of_rule[2]), of_entry, value


def _places(skeleton: Skeleton, refined: Refined, coarse: IntVector) -> tuple[AnyArray, AnyArray, AnyArray]:
    """The coarse cell of every fine cell of rules, entries and roots."""
    (a, b, c), entry, root = _cells(skeleton, refined.states, refined.parent.astype(np.int64))
    fine, wide = layout(skeleton, refined.states), layout(skeleton, coarse)
    rule = np.repeat(np.arange(len(skeleton.rules)), np.diff(fine[0]))
    _, left, right = skeleton.rules[rule].T
    place = wide[0][rule] + (a * coarse[left] + b) * coarse[right] + c
    return (
        place,
        np.repeat(wide[1][:-1], np.diff(fine[1])) + entry,
        np.repeat(wide[2][:-1], refined.states) + root,
    )


def split_counts(
    counts: LatentCounts, refined: Refined, skeleton: Skeleton, rng: np.random.Generator
) -> LatentCounts:
    """Counts shared out among the parts of each state, unequally by up to NOISE."""

    def shared(values: FloatArray, place: LongVector) -> FloatArray:
        share = values / np.maximum(np.bincount(place, minlength=values.size), 1)
        spread = share[place] * (1 + NOISE * (2 * rng.random(place.size) - 1))
        return np.asarray(spread.astype(values.dtype))

    parts = zip((counts.rule, counts.entry, counts.root), _places(skeleton, refined, counts.states))
    return LatentCounts(refined.states, *(shared(values, place) for values, place in parts))


def merge_counts(counts: LatentCounts, refined: Refined, skeleton: Skeleton) -> LatentCounts:
    """Counts of states that were merged: ``refined`` says which coarse state each of the states belongs to."""
    at = layout(skeleton, refined.states)[2]
    coarse = as_ids(np.maximum.reduceat(refined.parent, at[:-1]) + 1)
    sizes = (int(part[-1]) for part in layout(skeleton, coarse))
    parts = zip((counts.rule, counts.entry, counts.root), _places(skeleton, refined, coarse), sizes)
    summed = (np.bincount(place, values, size).astype(values.dtype) for values, place, size in parts)
    return LatentCounts(coarse, *summed)


def merges(encoded: Encoded, found: Expectation, refined: Refined) -> Refined:
    """Undo the half of the splits that cost least; states are renumbered."""
    at = layout(encoded.skeleton, refined.states)[2]
    label = np.repeat(np.arange(refined.states.size), refined.states)
    second = np.zeros(refined.parent.size, dtype=bool)  # the second part of a split state
    second[1:] = (np.diff(refined.parent) == 0) & (np.diff(label) == 0)
    gain = split_gains(encoded, found, at)[second]
    order = np.argsort(gain, kind="stable")
    kept = np.ones(refined.parent.size, dtype=bool)
    kept[np.flatnonzero(second)[order[: int(MERGED * order.size)]]] = False
    number = np.cumsum(kept) - 1
    return Refined(refined.states, as_ids(number - number[at[:-1]][label]))


def split_gains(encoded: Encoded, found: Expectation, at: LongVector) -> FloatArray:
    """Log-likelihood that would be lost if each state were merged with the one before it: (sum m_a,).

    Notation [petrov-etal-2006, 2.3]:  at one node, with in and out scaled so that sum_h in_h out_h = 1, the tree's
    probability shrinks by 1 - in_1 out_1 - in_2 out_2 + (p_1 in_1 + p_2 in_2) (out_1 + out_2).
    Nodes are taken one at a time.
    """
    width = np.diff(found.at)
    row = np.repeat(np.arange(width.size), width)
    state = at[encoded.trees.label[row]] + np.arange(row.size) - found.at[row]
    weight = encoded.trees.row_weight()[row]
    post, out = (values.astype(np.float64) / weight for values in (found.posterior, found.outside))
    inner = np.divide(post, out, out=np.zeros_like(post), where=out > 0)
    mass = np.bincount(state, post * weight, int(at[-1]))
    here = np.flatnonzero(row[1:] == row[:-1]) + 1  # a cell and the one before it belong to one node
    one, two = here - 1, here
    share = mass[state[two]] / np.maximum(mass[state[one]] + mass[state[two]], 1e-300)
    merged = ((1 - share) * inner[one] + share * inner[two]) * (out[one] + out[two])
    kept = np.maximum(1 - post[one] - post[two] + merged, 1e-12)
    return np.asarray(np.bincount(state[two], -np.log(kept) * weight[two], int(at[-1])))
