"""The fixed HMM with three segments a phone: labelled frames in, a diagonal refinement HMM out.

In the place of the HTK system of [stratos-2013, figure 8].  A phone is entered in its first segment, stays or
goes on to the next one, and may be left from any (phones can be shorter than three frames).  Segments are
learnt by EM from equal thirds; codes are emitted by segments.
"""

import time
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from eigenparse.arrays import AnyArray, LongVector
from eigenparse.corpus.sequences import Sequences
from eigenparse.features.speech.phones import CODE, PHONE
from eigenparse.features.tagger.templates import Template, parse_template
from eigenparse.kernels.tagger.em import outer_counts
from eigenparse.learn.checkpoint import NOTHING_KEPT, Checkpoint
from eigenparse.learn.rounds import Tell, Underway, after_round, first_or_kept, silent
from eigenparse.learn.tagger.base import Bigram, Labelled, fit_bigram, labelled
from eigenparse.learn.tagger.emission import BackoffEmission, fit_emission
from eigenparse.learn.tagger.kept import TaggerReport
from eigenparse.learn.tagger.latent import StateCounts, expect, layout, part_arrays, part_of, state_shares
from eigenparse.learn.tagger.spectral import estimate_observations
from eigenparse.models.tagger.rhmm import Observations, Operators, RefinementHMM

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
    gamma: AnyArray = (segment[:, None] == np.arange(SEGMENTS)).astype(np.float64)
    return gamma


def first_counts(data: Labelled) -> StateCounts:
    """Counts of equal thirds."""
    states = np.full(len(data.names), SEGMENTS, dtype=np.int32)
    block, size = layout(data, states)
    gamma, pairs = thirds(data), np.zeros(size)
    outer_counts(data.inner, data.labels, gamma, states, block, pairs)
    return StateCounts(states, block, gamma, pairs)


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
    flat: LongVector = counts.block
    return Operators(
        counts.states,
        True,
        starts.reshape(-1),
        stops.reshape(-1),
        flat,
        values.reshape(-1),
        bigram.first,
        bigram.base,
        bigram.last,
    )


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
    """p(next phone or end | phone a is left), (A + 1,); never a itself, for runs of a phone are one phone."""
    count = np.append(bigram.pairs[:, a], ending)
    count[a] = 0.0
    usual = np.append(bigram.pairs.sum(axis=1) - np.diag(bigram.pairs), bigram.stops.sum()) + 0.5
    usual[a] = 0.0
    made = count + strength * usual / usual.sum()
    share: AnyArray = made / made.sum()
    return share


def segment_observations(
    data: Labelled, counts: StateCounts, templates: tuple[Template, ...], weight: float
) -> Observations:
    """p(code | phone, segment) / p(code | phone)."""
    prior = state_shares(data, counts)
    seen = estimate_observations(data, counts.gamma, templates, prior[data.labels], weight)
    share = prior[seen.row_label]
    vectors = seen.vectors / np.where(share > 0.0, share, 1.0)
    vectors[0] = 1.0
    return Observations(seen.templates, seen.keys, seen.row_at, seen.row_label, vectors)


def _segments(
    data: Labelled, rounds: int, choices: SegmentChoices, checkpoint: Checkpoint, tell: Tell
) -> tuple[Operators, Observations, list[float]]:
    """Rounds of EM from equal thirds."""
    bigram, templates = fit_bigram(data), (parse_template(CODE),)

    def maximise(counts: StateCounts) -> dict[str, AnyArray]:
        operators = segment_operators(data, counts, bigram, choices)
        return part_arrays(operators, segment_observations(data, counts, templates, choices.weight))

    underway = first_or_kept(checkpoint, lambda: Underway(maximise(first_counts(data))))
    while len(underway.trace) < rounds:
        tell(f"EM, round {len(underway.trace) + 1} of {rounds}")
        counts, value = expect(data, *part_of(underway.arrays, (CODE,)))
        underway = after_round(checkpoint, underway, maximise(counts), value)
    return *part_of(underway.arrays, (CODE,)), list(underway.trace)


def fit_three_segment(
    corpus: Sequences,
    *,
    rounds: int = 10,
    choices: SegmentChoices = SegmentChoices(),
    checkpoint: Checkpoint = NOTHING_KEPT,
    tell: Tell = silent,
) -> tuple[RefinementHMM, TaggerReport]:
    """Learn from the columns ``code`` and ``phone``; the report has EM's trace.

    checkpoint: where rounds are kept and looked for.
    """
    clock = time.perf_counter()
    data = labelled(corpus, PHONE)
    emission = BackoffEmission((CODE,), rare=0, strength=1.0)
    with threadpool_limits(limits=1):
        made = fit_emission(emission, data.sequences, data.labels, len(data.names))
        operators, observations, trace = _segments(data, rounds, choices, checkpoint, tell)
    about = {"method": "three-segment", "states": SEGMENTS, "rounds": rounds}
    model = RefinementHMM(
        data.sequences.names,
        PHONE,
        data.names,
        operators,
        made,
        observations,
        tuple(sorted(data.sequences.columns[0].symbols)),
        about,
    )
    seconds = {"states": time.perf_counter() - clock}
    return model, TaggerReport(
        seconds=seconds, states=dict.fromkeys(data.names, SEGMENTS), log_likelihood=trace
    )
