"""Proper HMMs from unlabelled symbols: clusters of spectral views or random states, then Baum-Welch."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from eigenparse.arrays import AnyArray, LongVector, generator
from eigenparse.kernels.hmm.chain import Hmm, expected_counts
from eigenparse.learn.hmm.spectral import ChainChoices, Symbols, window_views
from eigenparse.models.hmm.chain import ChainModel, proper_chain
from eigenparse.spectral.cluster import cluster_rows
from eigenparse.work.kept import Part
from eigenparse.work.work import Work


@dataclass(frozen=True, slots=True)
class EmChoices:
    """states k; rounds of EM at most; tolerance: stop when the gain per token is below it; pseudo: counts added."""

    states: int = 20
    rounds: int = 10
    tolerance: float = 1e-5
    pseudo: float = 0.1
    window: int = 2
    seed: int = 0


def normalised(counts: Hmm, pseudo: float, unigram: AnyArray) -> Hmm:
    """Probabilities from counts; ``pseudo`` is spread evenly over states and by unigram over symbols."""
    k = counts.start.size
    return Hmm(
        _columns((counts.start + pseudo / k)[:, None])[:, 0],
        _columns(counts.T + pseudo / k),
        _columns(counts.E + pseudo * unigram[:, None]),
    )


def _columns(counts: AnyArray) -> AnyArray:
    """Columns divided by their sums; uniform if a column is empty."""
    total = counts.sum(axis=0, keepdims=True)
    return np.where(total > 0.0, counts / np.where(total > 0.0, total, 1.0), 1.0 / counts.shape[0])


def random_start(data: Symbols, choices: EmChoices) -> Hmm:
    """Random probabilities near the unigram."""
    rng = generator(choices.seed, 23)
    k, n = choices.states, len(data.names)
    unigram = _unigram(data)
    emission = unigram[:, None] * rng.gamma(2.0, size=(n, k))
    transition = rng.dirichlet(np.full(k, 2.0), size=k).T
    return Hmm(rng.dirichlet(np.full(k, 2.0)), transition, _columns(emission + 1e-12))


def cluster_start(data: Symbols, choices: EmChoices) -> Hmm:
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
    return normalised(Hmm(start, transition, emission), max(choices.pseudo, 1e-3), _unigram(data))


def _inner(offsets: LongVector) -> LongVector:
    keep = np.ones(int(offsets[-1]), dtype=bool)
    keep[offsets[1:][np.diff(offsets) > 0] - 1] = False
    return np.flatnonzero(keep)


def _unigram(data: Symbols) -> AnyArray:
    count = np.bincount(data.ids, minlength=len(data.names)) + 0.5
    return count / count.sum()


def baum_welch(
    data: Symbols, first: Callable[[], Hmm], choices: EmChoices, work: Work = Work()
) -> tuple[Hmm, list[float]]:
    """Rounds of EM from the parameters of the start; the log-likelihood of the parameters before every round."""
    gamma, unigram = np.zeros((data.ids.size, choices.states)), _unigram(data)

    def step(number: int, state: Part) -> Part:
        header, arrays = state
        if _settled(header["trace"], data, choices):
            return state
        now = Hmm(**arrays)
        sums = Hmm(*(np.zeros_like(part) for part in now))
        value = float(expected_counts(data.ids, data.offsets, now, gamma, sums))
        return {"trace": [*header["trace"], value]}, _named(normalised(sums, choices.pseudo, unigram))

    header, arrays = work.rounds("EM", choices.rounds, lambda: ({"trace": []}, _named(first())), step)
    return Hmm(**arrays), header["trace"]


def _named(parameters: Hmm) -> dict[str, AnyArray]:
    """The parameters by name, laid out in memory as they are when kept parts are read back."""
    return {name: np.ascontiguousarray(part) for name, part in parameters._asdict().items()}


def _settled(trace: Sequence[float], data: Symbols, choices: EmChoices) -> bool:
    """Whether the last round gained too little."""
    return len(trace) > 1 and trace[-1] - trace[-2] < choices.tolerance * data.ids.size


def fit_em_hmm(data: Symbols, unit: str, start: str, choices: EmChoices, work: Work = Work()) -> ChainModel:
    """A proper HMM by Baum-Welch from ``clusters`` or ``random`` parameters."""
    make = cluster_start if start == "clusters" else random_start
    found, trace = baum_welch(data, partial(make, data, choices), choices, work)
    about = {"method": "em", "start": start, "states": choices.states, "rounds": len(trace)}
    return proper_chain(data.names, unit, *found, about=about | {"log_likelihood": trace})
