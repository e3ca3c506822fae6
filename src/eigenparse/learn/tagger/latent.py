"""Refinement HMM with probabilities: clusters of views or random states, then expectation-maximisation."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, IntVector, LongVector, generator
from eigenparse.features.tagger.templates import Template
from eigenparse.inference.tagger.chain import chain_of, vector_rows
from eigenparse.kernels.tagger.em import expected_states, outer_counts
from eigenparse.learn.tagger.base import Bigram, Labelled
from eigenparse.learn.tagger.spectral import ChainViews, estimate_observations, rows_by_label
from eigenparse.models.tagger.rhmm import Observations, Operators, operator_arrays, operators_of
from eigenparse.spectral.chain_moments import sums_by
from eigenparse.spectral.cluster import cluster_rows
from eigenparse.work.kept import Part
from eigenparse.work.work import Work


@dataclass(frozen=True, slots=True)
class LatentChoices:
    """states: maximum number per label; rounds of EM; strength, weight: smoothing of transitions, emission."""

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


Start = tuple[StateCounts, dict[str, Any]]  # the start of EM, and facts about it for the report
Parameters = tuple[Operators, Observations]


def cluster_states(data: Labelled, views: ChainViews, choices: LatentChoices, seed: int) -> StateCounts:
    """One state per token by k-means on the label's projected views, singular values left in."""
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
    return independent_counts(data, gamma, states)


def random_states(data: Labelled, choices: LatentChoices, seed: int) -> StateCounts:
    """Random distributions of states, near uniform, as a start of EM."""
    A = len(data.names)
    count = np.bincount(data.labels, minlength=A)
    states = np.clip(count // choices.tokens_per_state, 1, choices.states).astype(np.int32)
    rng = generator(seed, 13)
    gamma = rng.gamma(2.0, size=(data.labels.size, choices.states))
    gamma[np.arange(choices.states)[None] >= states[data.labels][:, None]] = 0.0
    gamma /= gamma.sum(axis=1, keepdims=True)
    return independent_counts(data, gamma, states)


def independent_counts(data: Labelled, gamma: AnyArray, states: IntVector) -> StateCounts:
    """Counts of state distributions (T, m) that were chosen token by token."""
    size = np.outer(states, states).astype(np.int64).reshape(-1)
    ends = np.cumsum(size)
    block, counts = ends - size, np.zeros(int(ends[-1]))
    outer_counts(data.inner, data.labels, gamma, states, block, counts)
    return StateCounts(states, block, gamma, counts)


def maximise(
    data: Labelled,
    counts: StateCounts,
    bigram: Bigram,
    templates: tuple[Template, ...],
    choices: LatentChoices,
) -> Parameters:
    """Parameters from expected counts, backed off to what the labels alone say."""
    operators = _transitions(data, counts, bigram, state_shares(data, counts), choices.strength)
    return operators, state_observations(data, counts, templates, choices.weight)


def state_observations(
    data: Labelled, counts: StateCounts, templates: tuple[Template, ...], weight: float
) -> Observations:
    """p(state | key, label) / p(state | label) of every key, backed off from fine to coarse keys."""
    prior = state_shares(data, counts)
    seen = estimate_observations(data, counts.gamma, templates, prior[data.labels], weight)
    share = prior[seen.row_label]
    vectors = seen.vectors / np.where(share > 0.0, share, 1.0)
    vectors[0] = 1.0
    return replace(seen, vectors=vectors)


def state_shares(data: Labelled, counts: StateCounts) -> AnyArray:
    """p(h | a), (A, m)."""
    total = sums_by(data.labels, counts.gamma, len(data.names))
    total[total.sum(axis=1) == 0.0, 0] = 1.0
    return total / total.sum(axis=1, keepdims=True)


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
    flat = (np.concatenate(starts), np.concatenate(stops), counts.block, values)
    return Operators(m, True, *flat, bigram.first, bigram.base, bigram.last)


def _share(count: AnyArray, usual: AnyArray, total: AnyArray, strength: float) -> AnyArray:
    """(count + strength * usual) / (total + strength); ``usual`` where there is no count at all."""
    bottom = np.asarray(total + strength, dtype=np.float64)
    return np.where(bottom > 0.0, (count + strength * usual) / np.where(bottom > 0.0, bottom, 1.0), usual)


def _view(values: AnyArray, counts: StateCounts, b: int, a: int, n_labels: int) -> AnyArray:
    at, rows, columns = int(counts.block[b * n_labels + a]), int(counts.states[b]), int(counts.states[a])
    return values[at : at + rows * columns].reshape(rows, columns)


def expect(data: Labelled, operators: Operators, observations: Observations) -> tuple[StateCounts, float]:
    """Expected counts under the model, and log p(labels, words) relative to the words' emission by label."""
    cand = np.arange(data.labels.size + 1, dtype=np.int64)
    vector = vector_rows(observations, data.sequences, cand, data.labels)
    gamma = np.zeros((data.labels.size, observations.vectors.shape[1]))
    pairs = np.zeros(operators.values.size)
    chain = chain_of(operators, observations)
    value = expected_states(data.sequences.offsets, data.labels, vector, chain, gamma, pairs)
    return StateCounts(operators.states, operators.block, gamma, pairs), float(value)


def em(
    data: Labelled,
    first: Callable[[], Start],
    maximised: Callable[[StateCounts], Parameters],
    rounds: int,
    work: Work = Work(),
) -> tuple[Parameters, dict[str, Any]]:
    """Maximise the counts of the start, then ``rounds`` times expect and maximise.

    Besides the parameters: what the start reported, and ``log_likelihood``, one value for each round.
    """

    def part(parameters: Parameters, about: dict[str, Any], trace: list[float]) -> Part:
        header = {"templates": parameters[1].templates, "about": about, "trace": trace}
        return header, operator_arrays(*parameters)

    def start() -> Part:
        counts, about = first()
        return part(maximised(counts), about, [])

    def step(number: int, state: Part) -> Part:
        header, arrays = state
        counts, value = expect(data, *operators_of(arrays, True, header["templates"]))
        return part(maximised(counts), header["about"], [*header["trace"], value])

    header, arrays = work.rounds("EM", rounds, start, step)
    report = {"log_likelihood": header["trace"]} if rounds else {}
    return operators_of(arrays, True, header["templates"]), header["about"] | report
