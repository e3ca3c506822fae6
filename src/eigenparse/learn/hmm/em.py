"""Proper HMMs from unlabelled symbols: clusters of spectral views or random states, then Baum-Welch."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial

import numpy as np

from eigenparse.arrays import AnyArray, LongVector, generator
from eigenparse.kernels.hmm.chain import expected_counts
from eigenparse.learn.checkpoint import NOTHING_KEPT, Checkpoint
from eigenparse.learn.hmm.spectral import ChainChoices, Symbols, window_views
from eigenparse.learn.rounds import Tell, Underway, after_round, first_or_kept, silent
from eigenparse.models.hmm.chain import ChainModel, proper_chain
from eigenparse.spectral.cluster import cluster_rows


@dataclass(frozen=True, slots=True)
class EmChoices:
    """states k; rounds of EM at most; tolerance: stop when the gain a token is below it; pseudo-counts."""

    states: int = 20
    rounds: int = 10
    tolerance: float = 1e-5
    pseudo: float = 0.1
    window: int = 2
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ChainParameters:
    """start (k,), transition (k, k) as [to, from], emission (n, k)."""

    start: AnyArray
    transition: AnyArray
    emission: AnyArray


def normalised(
    start: AnyArray, transition: AnyArray, emission: AnyArray, *, pseudo: float, unigram: AnyArray
) -> ChainParameters:
    """Probabilities from counts; ``pseudo`` is spread evenly over states and by unigram over symbols."""
    k = start.size
    s, t, e = start + pseudo / k, transition + pseudo / k, emission + pseudo * unigram[:, None]
    return ChainParameters(
        _columns(s[:, None])[:, 0],
        _columns(t),
        _columns(e),
    )


def _columns(counts: AnyArray) -> AnyArray:
    """Columns divided by their sums; even where a column is empty."""
    total = counts.sum(axis=0, keepdims=True)
    share: AnyArray = np.where(total > 0.0, counts / np.where(total > 0.0, total, 1.0), 1.0 / counts.shape[0])
    return share


def random_start(data: Symbols, choices: EmChoices) -> ChainParameters:
    """Random probabilities near the unigram."""
    rng = generator(choices.seed, 23)
    k, n = choices.states, len(data.names)
    unigram = _unigram(data)
    emission = unigram[:, None] * rng.gamma(2.0, size=(n, k))
    transition = rng.dirichlet(np.full(k, 2.0), size=k).T
    return ChainParameters(rng.dirichlet(np.full(k, 2.0)), transition, _columns(emission + 1e-12))


def cluster_start(data: Symbols, choices: EmChoices) -> ChainParameters:
    """Counts of states found by k-means on the projected windows."""
    k, n = choices.states, len(data.names)
    views = window_views(data, ChainChoices(states=k + 1, window=choices.window, seed=choices.seed))
    rows = np.hstack([views.future[:, 1:], views.past[:, 1:] * views.singular])
    state = cluster_rows(np.ascontiguousarray(rows), k, rng=generator(choices.seed, 29))
    inner = _inner(data.offsets)
    transition = np.zeros((k, k))
    np.add.at(transition, (state[inner + 1], state[inner]), 1.0)
    emission = np.zeros((n, k))
    np.add.at(emission, (data.ids, state), 1.0)
    start = np.bincount(state[data.offsets[:-1][np.diff(data.offsets) > 0]], minlength=k).astype(np.float64)
    return normalised(start, transition, emission, pseudo=max(choices.pseudo, 1e-3), unigram=_unigram(data))


def _inner(offsets: LongVector) -> LongVector:
    keep = np.ones(int(offsets[-1]), dtype=bool)
    keep[offsets[1:][np.diff(offsets) > 0] - 1] = False
    return np.flatnonzero(keep)


def _unigram(data: Symbols) -> AnyArray:
    count = np.bincount(data.ids, minlength=len(data.names)) + 0.5
    share: AnyArray = count / count.sum()
    return share


def baum_welch(
    data: Symbols,
    first: Callable[[], ChainParameters],
    choices: EmChoices,
    *,
    checkpoint: Checkpoint = NOTHING_KEPT,
    tell: Tell = silent,
) -> tuple[ChainParameters, list[float]]:
    """Rounds of EM from the parameters of the start; the log-likelihood of the parameters before every round.

    checkpoint: where rounds are kept and looked for.
    """
    underway = first_or_kept(checkpoint, lambda: Underway(_named(first())))
    gamma = np.zeros((data.ids.size, choices.states))
    unigram = _unigram(data)
    while len(underway.trace) < choices.rounds and not _settled(underway.trace, data, choices):
        tell(f"EM, round {len(underway.trace) + 1} of at most {choices.rounds}")
        now = ChainParameters(**underway.arrays)
        sums = (np.zeros_like(now.start), np.zeros_like(now.transition), np.zeros_like(now.emission))
        value = expected_counts(data.ids, data.offsets, now.start, now.transition, now.emission, gamma, *sums)
        now = normalised(*sums, pseudo=choices.pseudo, unigram=unigram)
        underway = after_round(checkpoint, underway, _named(now), float(value))
    return ChainParameters(**underway.arrays), list(underway.trace)


def _named(parameters: ChainParameters) -> dict[str, AnyArray]:
    """The parameters by their names, in the order of memory in which a checkpoint gives them back."""
    return {f.name: np.ascontiguousarray(getattr(parameters, f.name)) for f in fields(parameters)}


def _settled(trace: Sequence[float], data: Symbols, choices: EmChoices) -> bool:
    """Whether the last round gained too little."""
    return len(trace) > 1 and trace[-1] - trace[-2] < choices.tolerance * data.ids.size


def fit_em_hmm(
    data: Symbols,
    unit: str,
    start: str,
    choices: EmChoices,
    *,
    checkpoint: Checkpoint = NOTHING_KEPT,
    tell: Tell = silent,
) -> tuple[ChainModel, list[float]]:
    """A proper HMM by Baum-Welch from ``clusters`` or ``random`` parameters, and EM's trace."""
    make = cluster_start if start == "clusters" else random_start
    tell("clusters" if start == "clusters" else "random start")
    found, trace = baum_welch(data, partial(make, data, choices), choices, checkpoint=checkpoint, tell=tell)
    about = {"method": "em", "start": start, "states": choices.states, "rounds": len(trace)}
    return proper_chain(data.names, unit, found.start, found.transition, found.emission, about), trace
