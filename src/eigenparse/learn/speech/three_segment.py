"""The fixed HMM with three segments per phone: labelled frames in, a diagonal refinement HMM out.

It replaces the HTK system of [stratos-2013, figure 8].  A phone is entered in its first segment, stays or
goes on to the next one, and may be left from any (phones can be shorter than three frames).  Segments are
learnt by EM from equal thirds; codes are emitted by segments.
"""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.features.speech.phones import CODE
from eigenparse.features.tagger.templates import parse_template
from eigenparse.learn.tagger.base import Bigram, Labelled, fit_bigram
from eigenparse.learn.tagger.emission import BackoffEmission, fit_emission
from eigenparse.learn.tagger.latent import (
    Parameters,
    StateCounts,
    em,
    independent_counts,
    state_observations,
)
from eigenparse.models.tagger.rhmm import Operators, RefinementHMM
from eigenparse.threads import one_thread
from eigenparse.work.work import Work

SEGMENTS = 3


@dataclass(frozen=True, slots=True)
class SegmentChoices:
    """pseudo: counts that every permitted step gets; weight: smoothing of a segment's codes by the phone's."""

    pseudo: float = 0.5
    weight: float = 2.0
    strength: float = 1.0


def thirds(data: Labelled) -> AnyArray:
    """The segment of every frame if each run of a phone is cut into three equal parts, (T, 3), 0 or 1."""
    n = data.labels.size
    begins = np.ones(n, dtype=bool)
    begins[1:] = data.labels[1:] != data.labels[:-1]
    begins[data.first] = True
    start = np.flatnonzero(begins)
    length = np.diff(np.append(start, n))
    run = np.cumsum(begins) - 1
    segment = SEGMENTS * (np.arange(n) - start[run]) // length[run]
    return (segment[:, None] == np.arange(SEGMENTS)).astype(np.float64)


def first_counts(data: Labelled) -> StateCounts:
    """Counts of equal thirds."""
    return independent_counts(data, thirds(data), np.full(len(data.names), SEGMENTS, dtype=np.int32))


def segment_operators(
    data: Labelled, counts: StateCounts, bigram: Bigram, choices: SegmentChoices
) -> Operators:
    """Probabilities of staying, going on and leaving by segment, and of the next phone by phone."""
    A, S = len(data.names), SEGMENTS
    pairs = counts.pair_counts.reshape(A, A, S, S)  # [b, a, h', h]
    values = np.zeros((A, A, S, S))
    starts, stops = np.zeros((A, S)), np.zeros((A, S))
    starts[:, 0] = bigram.first
    for a in range(A):
        stay, leave, end = _steps(data, counts, pairs, a, choices.pseudo)
        values[a, a] = stay
        onward = _onward(bigram, a, end, choices.strength)
        values[:, a, 0, :] += onward[:A, None] * leave
        stops[a] = onward[A] * leave
    flat = (starts.reshape(-1), stops.reshape(-1), counts.block, values.reshape(-1))
    return Operators(counts.states, True, *flat, bigram.first, bigram.base, bigram.last)


def _steps(
    data: Labelled, counts: StateCounts, pairs: AnyArray, a: int, pseudo: float
) -> tuple[AnyArray, AnyArray, float]:
    """p(h' | h, same phone) as (3, 3), p(leave | h) as (3,), and how often the phone ends an utterance."""
    S = SEGMENTS
    last = data.last[data.labels[data.last] == a]
    ending = counts.gamma[last].sum(axis=0)
    permitted = np.eye(S) + np.eye(S, k=-1)
    inner = (pairs[a, a] + pseudo) * permitted
    others = np.arange(pairs.shape[0]) != a
    leave = pairs[others, a].sum(axis=(0, 1)) + ending + pseudo
    total = inner.sum(axis=0) + leave
    return inner / total, leave / total, float(ending.sum())


def _onward(bigram: Bigram, a: int, ending: float, strength: float) -> AnyArray:
    """p(next phone or end | phone a is left), (A + 1,); never a itself, because a run of a phone is one phone."""
    count = np.append(bigram.pairs[:, a], ending)
    count[a] = 0.0
    usual = np.append(bigram.pairs.sum(axis=1) - np.diag(bigram.pairs), bigram.stops.sum()) + 0.5
    usual[a] = 0.0
    made = count + strength * usual / usual.sum()
    return made / made.sum()


def fit_three_segment(
    data: Labelled, *, rounds: int = 10, choices: SegmentChoices = SegmentChoices(), work: Work = Work()
) -> RefinementHMM:
    """Learn from the column ``code`` by rounds of EM from equal thirds."""
    templates, bigram = (parse_template(CODE),), fit_bigram(data)

    def maximised(counts: StateCounts) -> Parameters:
        operators = segment_operators(data, counts, bigram, choices)
        return operators, state_observations(data, counts, templates, choices.weight)

    with one_thread():
        work.stage("emission")
        emission = fit_emission(BackoffEmission((CODE,), rare=0, strength=1.0), data)
        work.stage("states")
        parameters, report = em(data, lambda: (first_counts(data), {}), maximised, rounds, work)
    operators, observations = parameters
    about = {"method": "three-segment", "states": SEGMENTS, "rounds": rounds, **report}
    words = tuple(sorted(data.sequences.columns[0].symbols))
    given = (data.sequences.names, data.label, data.names)
    return RefinementHMM(*given, operators, emission, observations, words, about)
