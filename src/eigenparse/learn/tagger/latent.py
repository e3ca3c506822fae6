"""Refinement HMM with probabilities: clusters of views or random states, then expectation-maximisation."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, IntVector, LongVector, generator
from eigenparse.features.tagger.templates import Template
from eigenparse.kernels.hmm.bigram import choose_vectors
from eigenparse.kernels.tagger.em import expected_states, outer_counts
from eigenparse.learn.checkpoint import NOTHING_KEPT, Checkpoint
from eigenparse.learn.rounds import Tell, Underway, after_round, first_or_kept, silent
from eigenparse.learn.tagger.base import Bigram, Labelled
from eigenparse.learn.tagger.spectral import ChainViews, estimate_observations, rows_by_label
from eigenparse.models.tagger.rhmm import OBSERVATION_ARRAYS, OPERATOR_ARRAYS, Observations, Operators
from eigenparse.spectral.cluster import cluster_rows


@dataclass(frozen=True, slots=True)
class LatentChoices:
    """states: at most so many a label; rounds of EM; strength, weight: smoothing of transitions, emission."""

    states: int = 8
    rounds: int = 10
    strength: float = 2.0
    weight: float = 2.0
    tokens_per_state: int = 20


@dataclass(frozen=True, slots=True)
class StateCounts:
    """What EM adds up.  gamma: (T, m) states of tokens; pair_counts: laid out as blocks C^{b|a}[h', h]."""

    states: IntVector
    block: LongVector
    gamma: AnyArray
    pair_counts: AnyArray


Start = tuple[StateCounts, dict[str, Any]]  # where EM starts, and what is to be reported of it


def layout(data: Labelled, states: IntVector) -> tuple[LongVector, int]:
    """Where the block of every label pair begins, and the length of all of them."""
    size = np.outer(states, states).astype(np.int64).reshape(-1)
    ends = np.cumsum(size)
    return ends - size, int(ends[-1])


def cluster_states(data: Labelled, views: ChainViews, choices: LatentChoices, seed: int) -> StateCounts:
    """One state a token by k-means on the label's projected views, singular values left in."""
    A = len(data.names)
    gamma = np.zeros((data.labels.size, choices.states))
    states = np.ones(A, dtype=np.int32)
    for a, rows in enumerate(rows_by_label(data.labels, A)):
        k = max(1, min(choices.states, rows.size // choices.tokens_per_state))
        chosen = np.zeros(rows.size, dtype=np.int32)
        if k > 1:
            chosen = cluster_rows(views.joined(a, rows), k, rng=generator(seed, 11, a))
        states[a] = int(chosen.max(initial=0)) + 1
        gamma[rows, chosen] = 1.0
    return _independent_counts(data, gamma, states)


def random_states(data: Labelled, choices: LatentChoices, seed: int) -> StateCounts:
    """Soft random states: near uniform, so that EM finds its own way."""
    A = len(data.names)
    count = np.bincount(data.labels, minlength=A)
    states = np.clip(count // choices.tokens_per_state, 1, choices.states).astype(np.int32)
    rng = generator(seed, 13)
    gamma = rng.gamma(2.0, size=(data.labels.size, choices.states))
    gamma[np.arange(choices.states)[None] >= states[data.labels][:, None]] = 0.0
    gamma /= gamma.sum(axis=1, keepdims=True)
    return _independent_counts(data, gamma, states)


def _independent_counts(data: Labelled, gamma: AnyArray, states: IntVector) -> StateCounts:
    block, size = layout(data, states)
    counts = np.zeros(size)
    outer_counts(data.inner, data.labels, gamma, states, block, counts)
    return StateCounts(states, block, gamma, counts)


def maximise(
    data: Labelled,
    counts: StateCounts,
    bigram: Bigram,
    templates: tuple[Template, ...],
    choices: LatentChoices,
) -> tuple[Operators, Observations]:
    """Parameters from expected counts, backed off to what the labels alone say."""
    prior = state_shares(data, counts)
    operators = _transitions(data, counts, bigram, prior, choices.strength)
    own = prior[data.labels]
    seen = estimate_observations(data, counts.gamma, templates, own, choices.weight)
    vectors = seen.vectors / np.where(prior[seen.row_label] > 0.0, prior[seen.row_label], 1.0)
    vectors[0] = 1.0
    return operators, Observations(seen.templates, seen.keys, seen.row_at, seen.row_label, vectors)


def state_shares(data: Labelled, counts: StateCounts) -> AnyArray:
    """p(h | a), (A, m)."""
    A, m = len(data.names), counts.gamma.shape[1]
    total = np.stack(
        [np.bincount(data.labels, weights=counts.gamma[:, j], minlength=A) for j in range(m)], axis=1
    )
    total[total.sum(axis=1) == 0.0, 0] = 1.0
    shares: AnyArray = total / total.sum(axis=1, keepdims=True)
    return shares


def _transitions(
    data: Labelled, counts: StateCounts, bigram: Bigram, prior: AnyArray, strength: float
) -> Operators:
    """t(b, h' | a, h) = p(b | a, h) p(h' | b, a, h), each backed off one condition at a time; so the ends."""
    A, m = len(data.names), counts.states
    values = np.empty(counts.pair_counts.size)
    starts, stops = [], []
    first, last = data.first, data.last
    for a in range(A):
        out = [_view(counts.pair_counts, counts, b, a, A) for b in range(A)]
        stop = counts.gamma[last[data.labels[last] == a], : m[a]].sum(axis=0)
        leaving = np.stack([block.sum(axis=0) for block in out] + [stop])  # (A + 1, m_a)
        usual = np.append(bigram.base[:, a], bigram.last[a])[:, None]
        to_label = _share(leaving, usual, leaving.sum(axis=0), strength)
        for b in range(A):
            arrive = _share(out[b].sum(axis=1), prior[b, : m[b]], out[b].sum(), strength)
            into = _share(out[b], arrive[:, None], out[b].sum(axis=0), strength)
            _view(values, counts, b, a, A)[:] = to_label[b] * into
        stops.append(to_label[A])
        begin = counts.gamma[first[data.labels[first] == a], : m[a]].sum(axis=0)
        starts.append(bigram.first[a] * _share(begin, prior[a, : m[a]], begin.sum(), strength))
    return Operators(
        m,
        True,
        np.concatenate(starts),
        np.concatenate(stops),
        counts.block,
        values,
        bigram.first,
        bigram.base,
        bigram.last,
    )


def _share(count: AnyArray, usual: AnyArray, total: AnyArray, strength: float) -> AnyArray:
    """(count + strength * usual) / (total + strength); ``usual`` where there is no count at all."""
    bottom = np.asarray(total + strength, dtype=np.float64)
    share: AnyArray = np.where(
        bottom > 0.0, (count + strength * usual) / np.where(bottom > 0.0, bottom, 1.0), usual
    )
    return share


def _view(values: AnyArray, counts: StateCounts, b: int, a: int, n_labels: int) -> AnyArray:
    at, rows, columns = int(counts.block[b * n_labels + a]), int(counts.states[b]), int(counts.states[a])
    return values[at : at + rows * columns].reshape(rows, columns)


def expect(data: Labelled, operators: Operators, observations: Observations) -> tuple[StateCounts, float]:
    """Expected counts under the model, and log p(labels, words) relative to the words' emission by label."""
    n = data.labels.size
    vector = np.zeros(n, dtype=np.int64)
    levels = observations.levels(data.sequences)
    cand = np.arange(n + 1, dtype=np.int64)
    choose_vectors(cand, data.labels, levels, observations.row_at, observations.row_label, vector)
    gamma = np.zeros((n, observations.vectors.shape[1]))
    pairs = np.zeros(operators.values.size)
    o = operators
    model = (o.state_at, o.pair_at, o.start, o.base, o.block, o.values)
    value = expected_states(
        data.sequences.offsets,
        data.labels,
        vector,
        observations.vectors,
        o.states,
        model,
        o.stop,
        gamma,
        pairs,
    )
    return StateCounts(o.states, o.block, gamma, pairs), float(value)


def em(
    data: Labelled,
    first: Callable[[], Start],
    bigram: Bigram,
    templates: tuple[Template, ...],
    choices: LatentChoices,
    *,
    checkpoint: Checkpoint = NOTHING_KEPT,
    tell: Tell = silent,
) -> tuple[Operators, Observations, Underway]:
    """Maximise the counts of the start, then ``rounds`` times expect and maximise; trace and report of it.

    checkpoint: where rounds are kept and looked for.
    """

    def start() -> Underway:
        counts, about = first()
        return Underway(part_arrays(*maximise(data, counts, bigram, templates, choices)), about=about)

    underway = first_or_kept(checkpoint, start)
    texts = tuple(template.text for template in templates)
    operators, observations = part_of(underway.arrays, texts)
    while len(underway.trace) < choices.rounds:
        tell(f"EM, round {len(underway.trace) + 1} of {choices.rounds}")
        counts, value = expect(data, operators, observations)
        operators, observations = maximise(data, counts, bigram, templates, choices)
        underway = after_round(checkpoint, underway, part_arrays(operators, observations), value)
    return operators, observations, underway


def part_arrays(operators: Operators, observations: Observations) -> dict[str, AnyArray]:
    """The parameters of EM by their names."""
    arrays = {name: getattr(operators, name) for name in OPERATOR_ARRAYS}
    return arrays | {f"observation_{name}": getattr(observations, name) for name in OBSERVATION_ARRAYS}


def part_of(arrays: dict[str, AnyArray], templates: tuple[str, ...]) -> tuple[Operators, Observations]:
    """The inverse."""
    operators = Operators(diagonal=True, **{name: arrays[name] for name in OPERATOR_ARRAYS})
    return operators, Observations(
        templates, **{name: arrays[f"observation_{name}"] for name in OBSERVATION_ARRAYS}
    )
