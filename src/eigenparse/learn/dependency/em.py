"""States or parameters in, proper latent tree models out: counts, smoothing, rounds of EM."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.features.dependency.channels import parents
from eigenparse.inference.dependency.deptree import TreeCounts
from eigenparse.learn.dependency.blocks import TreeBlock, count_block, sum_blocks
from eigenparse.models.dependency.deptree import DepTree
from eigenparse.work.kept import Part
from eigenparse.work.work import Work


@dataclass(frozen=True, slots=True)
class Smoothing:
    """Pseudo-counts: transitions towards the mean child of the side, symbols towards their share.

    unseen: count of the symbol for unknown words.
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


def from_counts(counts: TreeCounts, named: DepTree, smoothing: Smoothing) -> DepTree:
    """Smoothed relative frequencies; ``named`` has the estimator, channels and symbols."""
    start = counts.start + 0.1
    transition = counts.transition.copy()
    for side in range(2):
        mean = counts.transition[side].sum(axis=1) + 1e-3
        transition[side] += smoothing.transition * (mean / mean.sum())[:, None]
    observation = np.empty_like(counts.observation)
    base = 0
    for names in named.symbols:
        part = counts.observation[base : base + len(names)]
        share = part.sum(axis=1) + 1e-6
        share[0] = max(share[0], smoothing.unseen)
        part = part + smoothing.observation * (share / share.sum())[:, None]
        observation[base : base + len(names)] = part / part.sum(axis=0)
        base += len(names)
    return replace(
        named,
        start=start / start.sum(),
        transition=transition / transition.sum(axis=1, keepdims=True),
        observation=observation,
    )


def em_rounds(
    first: Callable[[], DepTree], blocks: list[TreeBlock], rounds: int, smoothing: Smoothing, work: Work
) -> DepTree:
    """Rounds of EM from a proper model; its ``about`` lists the log-likelihood before each round."""

    def start() -> Part:
        return _parts(first())

    def step(number: int, state: Part) -> Part:
        model = DepTree.from_parts(*state)
        counts: TreeCounts = sum_blocks(work, count_block, blocks, model=model)
        trace = [*model.about["log_likelihood"], counts.log_likelihood]
        return _parts(
            replace(from_counts(counts, model, smoothing), about=model.about | {"log_likelihood": trace})
        )

    return DepTree.from_parts(*work.rounds("rounds", rounds, start, step))


def _parts(model: DepTree) -> Part:
    """Header and arrays, laid out in memory as they are when kept work is read back."""
    header, arrays = model.to_parts()
    return header, {name: np.ascontiguousarray(array) for name, array in arrays.items()}


def positive(
    start: FloatArray, transition: FloatArray, observation: FloatArray, floor: float
) -> tuple[FloatArray, ...]:
    """Parameters with zeros made positive, so that EM can change them."""
    k = start.size
    return (
        start * (1 - floor) + floor / k,
        transition * (1 - floor) + floor / k,
        np.maximum(observation, floor / observation.shape[0]),
    )
