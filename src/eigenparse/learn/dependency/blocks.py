"""Dependency trees in blocks of sentences; counts and moments as sums over blocks, in their order, out.

Where blocks begin depends on the trees alone, so the sums are the same to the bit wherever they are made.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sparse

from eigenparse.arrays import AnyArray, BoolVector, FloatArray, IntMatrix, IntVector, LongVector, Sums, frozen
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.features.dependency.channels import parents
from eigenparse.inference.dependency.deptree import TreeCounts, count_symbols, score_symbols
from eigenparse.learn.dependency.dictionary import arc_counts
from eigenparse.learn.dependency.instruments import InstrumentMoments, WordViews, instrument_moments
from eigenparse.learn.dependency.moments import FamilyMoments, family_moments
from eigenparse.models.dependency.deptree import DepTree
from eigenparse.run.ordered import reduce_grouped
from eigenparse.threads import one_thread
from eigenparse.work.work import Work

SENTENCES = 4000  # in a block


@dataclass(frozen=True, slots=True)
class TreeBlock:
    """Trees and what is observed of their words: head (T,), offsets (S + 1,), symbols (T, Q)."""

    head: IntVector
    offsets: LongVector
    symbols: IntMatrix

    def __reduce__(self) -> tuple[Any, ...]:
        return _sent, (self.head, self.offsets, self.symbols)


def _sent(head: IntVector, offsets: LongVector, symbols: IntMatrix) -> TreeBlock:
    """The block as another process gets it: arrays stay writable or not, because compiled code depends on it."""
    return TreeBlock(frozen(head), frozen(offsets), np.array(symbols))


def tree_blocks(trees: Dependencies, symbols: IntMatrix) -> list[TreeBlock]:
    """All sentences in blocks, without their words; at least one block."""
    found = []
    for start in range(0, max(len(trees), 1), SENTENCES):
        offsets = trees.offsets[start : start + SENTENCES + 1]
        rows = slice(int(offsets[0]), int(offsets[-1]))
        found.append(TreeBlock(frozen(trees.head[rows]), frozen(offsets - offsets[0]), symbols[rows]))
    return found


def sum_blocks(work: Work, task: Callable[..., Any], blocks: list[TreeBlock], **given: Any) -> Any:
    """task(block, **given) of all blocks, added from first to last."""
    return reduce_grouped(work.run, partial(_alone, task=task, given=given), blocks)


def _alone(block: TreeBlock, *, task: Callable[..., Any], given: dict[str, Any]) -> Any:
    with one_thread():  # several threads would add up sums in varying order
        return task(block, **given)


def count_block(block: TreeBlock, model: DepTree) -> TreeCounts:
    """Expected counts of a proper model."""
    return count_symbols(model, block.head, block.offsets, block.symbols)


def not_positive(block: TreeBlock, model: DepTree) -> int:
    """Number of trees whose total is not positive."""
    symbols = np.ascontiguousarray(block.symbols[:, : len(model.channels)])
    return score_symbols(model, block.head, block.offsets, symbols).n_not_positive


def pair_block(block: TreeBlock, n_symbols: int) -> sparse.csr_matrix:
    """Counts of the first channel's symbols with their neighbours."""
    return arc_counts(block, block.symbols[:, 0], n_symbols)


@dataclass(frozen=True, slots=True)
class SpectralSums(Sums):
    """The sums that the spectral estimators need; blocks are added.

    family: of words with children on both sides.  word: sum of y over all words (k,); left, right: sums of
    y_parent y_child' over the arcs of each side (k, k); then how many words and arcs there were.
    """

    family: FamilyMoments
    word: FloatArray
    left: FloatArray
    right: FloatArray
    n_words: int
    n_left: int
    n_right: int


def spectral_block(block: TreeBlock, U: FloatArray) -> SpectralSums:
    """Moments of the first channel under the dictionary U (W, k), children averaged on each side."""
    word = block.symbols[:, 0]
    Y, up = U[word], parents(block)
    rows = np.arange(up.size)
    is_left, is_right = up > rows, (up >= 0) & (up < rows)
    left, right = side_means(Y, up, is_left), side_means(Y, up, is_right)
    both = np.flatnonzero(left[1] * right[1])
    family = family_moments(left[0][both], Y[both], right[0][both], word[both], U.shape[0], Y[up < 0])
    a, b = rows[is_left], rows[is_right]
    pairs = (Y[up[a]].T @ Y[a], Y[up[b]].T @ Y[b])
    return SpectralSums(family, Y.sum(axis=0), pairs[0], pairs[1], rows.size, a.size, b.size)


def instrument_block(
    block: TreeBlock, U: FloatArray, shape: BoolVector, n_symbols: int, n_words: int
) -> InstrumentMoments:
    """Moments of every word with the projections of its neighbours."""
    Y, k = U[block.symbols[:, 0]], U.shape[1]
    up = parents(block)
    rows = np.arange(up.size)
    is_left, is_right = up > rows, (up >= 0) & (up < rows)
    above = np.zeros((rows.size, 2 * k))
    for side, chosen in enumerate((is_left, is_right)):
        above[chosen, side * k : (side + 1) * k] = Y[up[chosen]]
    views = WordViews(
        own=Y,
        left=side_means(Y, up, is_left)[0],
        right=side_means(Y, up, is_right)[0],
        above=above,
        symbols=block.symbols,
        shape=shape,
        is_root=up < 0,
        weight=np.full(rows.size, 1.0 / n_words),
    )
    return instrument_moments(views, n_symbols)


def side_means(Y: FloatArray, up: AnyArray, chosen: AnyArray) -> tuple[FloatArray, AnyArray]:
    """Mean projection (T, k) of the chosen children of every word, and how many they are (T,)."""
    n, k = Y.shape
    child = np.flatnonzero(chosen)
    number = np.bincount(up[child], minlength=n)
    total = np.stack([np.bincount(up[child], Y[child, j], minlength=n) for j in range(k)], axis=1)
    return total / np.maximum(number, 1)[:, None], number
