"""States or parameters in, proper latent tree models out: counts, smoothing, rounds of EM."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.inference.dependency.deptree import TreeCounts
from eigenparse.learn.checkpoint import NOTHING_KEPT, Checkpoint
from eigenparse.learn.dependency.deptree_blocks import TreeBlock, count_block, sum_blocks
from eigenparse.learn.dependency.deptree_features import parents
from eigenparse.learn.rounds import Tell, Underway, after_round, first_or_kept, silent
from eigenparse.models.dependency.deptree import ARRAYS, DepTree, proper_model
from eigenparse.run.local import LocalRun
from eigenparse.run.ordered import OrderedRun

Names = tuple[tuple[str, ...], ...]
Start = tuple[DepTree, dict[str, Any]]  # a proper model, and what is to be reported of it


@dataclass(frozen=True, slots=True)
class Smoothing:
    """Pseudo-counts: transitions towards the mean child of the side, symbols towards their share.

    unseen: count given to the symbol that stands for unknown ones, shared like any other.
    """

    transition: float = 5.0
    observation: float = 5.0
    unseen: float = 0.5


def state_counts(trees: Dependencies, symbols: AnyArray, n_rows: int, state: AnyArray, k: int) -> TreeCounts:
    """Counts of trees whose states are known: (T,) ``state``."""
    up, rows = parents(trees), np.arange(trees.n_words)
    transition = np.zeros((2, k, k))
    child = rows[up >= 0]
    np.add.at(transition, ((up[child] < child).astype(np.int64), state[child], state[up[child]]), 1.0)
    observation = np.zeros((n_rows, k))
    for q in range(symbols.shape[1]):
        np.add.at(observation, (symbols[:, q], state), 1.0)
    start = np.bincount(state[up < 0], minlength=k).astype(float)
    return TreeCounts(start, transition, observation, 0.0)


def from_counts(
    counts: TreeCounts,
    estimator: str,
    channels: tuple[str, ...],
    symbols: tuple[tuple[str, ...], ...],
    smoothing: Smoothing,
) -> DepTree:
    """Smoothed relative frequencies."""
    start = counts.start + 0.1
    transition = counts.transition.copy()
    for side in range(2):
        mean = counts.transition[side].sum(axis=1) + 1e-3
        transition[side] += smoothing.transition * (mean / mean.sum())[:, None]
    observation = np.empty_like(counts.observation)
    base = 0
    for names in symbols:
        part = counts.observation[base : base + len(names)]
        share = part.sum(axis=1) + 1e-6
        share[0] = max(share[0], smoothing.unseen)
        part = part + smoothing.observation * (share / share.sum())[:, None]
        observation[base : base + len(names)] = part / part.sum(axis=0)
        base += len(names)
    return proper_model(
        estimator,
        channels,
        symbols,
        start / start.sum(),
        transition / transition.sum(axis=1, keepdims=True),
        observation,
    )


def em_rounds(
    first: Callable[[], Start],
    named: tuple[str, tuple[str, ...], Names],
    blocks: list[TreeBlock],
    rounds: int,
    smoothing: Smoothing,
    *,
    run: OrderedRun = LocalRun(),
    checkpoint: Checkpoint = NOTHING_KEPT,
    tell: Tell = silent,
) -> tuple[DepTree, Underway]:
    """Rounds of EM from a proper model; the log-likelihood before each round, and the report of the start.

    named: estimator, channels and symbols of the model.  run: where blocks are counted.  checkpoint: where
    rounds are kept and looked for.
    """

    def start() -> Underway:
        model, about = first()
        return Underway(_arrays(model), about=about)

    underway = first_or_kept(checkpoint, start)
    while len(underway.trace) < rounds:
        tell(f"EM, round {len(underway.trace) + 1} of {rounds}")
        model = _model(named, underway.arrays)
        counts: TreeCounts = sum_blocks(run, count_block, blocks, model=model)
        better = _arrays(from_counts(counts, *named, smoothing))
        underway = after_round(checkpoint, underway, better, counts.log_likelihood)
    return _model(named, underway.arrays), underway


def _model(named: tuple[str, tuple[str, ...], Names], arrays: dict[str, AnyArray]) -> DepTree:
    estimator, channels, symbols = named
    return DepTree(estimator, channels, symbols, *(arrays[name] for name in ARRAYS))


def _arrays(model: DepTree) -> dict[str, AnyArray]:
    """The parameters by their names, in the order of memory in which a checkpoint gives them back."""
    return {name: np.ascontiguousarray(getattr(model, name)) for name in ARRAYS}


def positive(
    start: FloatArray, transition: FloatArray, observation: FloatArray, floor: float
) -> tuple[FloatArray, ...]:
    """Parameters moved away from zero, so that EM can move them."""
    k = start.size
    return (
        start * (1 - floor) + floor / k,
        transition * (1 - floor) + floor / k,
        np.maximum(observation, floor / observation.shape[0]),
    )
