"""Dependency trees in, inside and outside features of every word out, and words projected by their arcs."""

from typing import Protocol

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import svds

from eigenparse.arrays import AnyArray, FloatArray, generator
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.errors import OptionError
from eigenparse.inference.dependency.deptree import channel_names, child_numbers
from eigenparse.spectral.svd import FeatureRows

SCALE_PRIOR = 5.0  # added to a feature's count before scaling


class Shapes(Protocol):
    """Trees without their words: head (T,), offsets (S + 1,)."""

    @property
    def head(self) -> AnyArray: ...

    @property
    def offsets(self) -> AnyArray: ...


def parents(trees: Shapes) -> AnyArray:
    """(T,) row of every word's head, -1 at roots."""
    start = np.repeat(trees.offsets[:-1], np.diff(trees.offsets))
    return np.where(trees.head > 0, start + trees.head - 1, -1)


def outer_children(trees: Dependencies) -> tuple[AnyArray, AnyArray]:
    """(T,) rows of every word's leftmost left child and rightmost right child, -1 if none."""
    up, rows = parents(trees), np.arange(trees.n_words)
    leftmost, rightmost = np.full(rows.size, -1), np.full(rows.size, -1)
    left, right = rows[up > rows], rows[(up >= 0) & (up < rows)]
    leftmost[up[left[::-1]]] = left[::-1]
    rightmost[up[right]] = right
    return leftmost, rightmost


def _shifted(values: AnyArray, rows: AnyArray) -> AnyArray:
    """Values at other rows, 0 where the row is -1; values themselves count from 1."""
    return np.where(rows >= 0, values[rows] + 1, 0)


def _features(columns: list[AnyArray]) -> FeatureRows:
    """Feature ids (T, F) with scales sqrt(M / (count + prior)), one active feature a template."""
    ids, scales, base = [], [], 0
    for column in columns:
        _, packed, counts = np.unique(column, return_inverse=True, return_counts=True)
        ids.append(packed.ravel() + base)
        scales.append(np.sqrt(column.size / (counts + SCALE_PRIOR)))
        base += counts.size
    return FeatureRows(
        np.ascontiguousarray(np.stack(ids, axis=1), dtype=np.int32), np.concatenate(scales).astype(np.float32)
    )


def _joined(*columns: AnyArray) -> AnyArray:
    """One number for each combination of small numbers."""
    code = np.zeros(columns[0].size, dtype=np.int64)
    for column in columns:
        code = code * (int(column.max(initial=0)) + 1) + column
    return code


def inside_outside(trees: Dependencies) -> tuple[FeatureRows, FeatureRows]:
    """Features of a word with its subtree, and of the tree around it."""
    forms, form = channel_names(trees, "form")
    _, word = np.unique(np.array(forms, dtype=object).astype(str), return_inverse=True)
    word = word.ravel()[form]
    tag = channel_names(trees, "tag")[1].astype(np.int64)
    up, rows = parents(trees), np.arange(trees.n_words)
    left, right = (np.minimum(number, 3) for number in child_numbers(trees))
    first, last = outer_children(trees)
    side = np.where(up < 0, 0, np.where(up > rows, 1, 2))
    above = np.where(up >= 0, up[up], -1)
    distance = channel_names(trees, "distance")[1]
    inside = [
        word, tag, _joined(tag, left, right), _joined(left, right), _joined(tag, _shifted(tag, first)),
        _joined(tag, _shifted(tag, last)), _shifted(word, first), _shifted(word, last), _joined(word, left),
    ]  # fmt: skip
    outside = [
        _joined(side, _shifted(tag, up)), _joined(side, _shifted(word, up)),
        _joined(side, _shifted(tag, up), _shifted(tag, above)), _joined(side, distance),
        _joined(side, _shifted(tag, up), distance), _joined(side, _shifted(left, up), _shifted(right, up)),
        _joined(side, _shifted(tag, up), _shifted(left, up), _shifted(right, up)),
    ]  # fmt: skip
    return _features(inside), _features(outside)


def arc_counts(trees: Shapes, symbol: AnyArray, n_symbols: int) -> sparse.csr_matrix:
    """Counts (W, 4 W) of symbols with their neighbours: the head and the children, told apart by side."""
    up = parents(trees)
    child = np.flatnonzero(up >= 0)
    head, side = up[child], (up[child] < child).astype(np.int64)
    a, b = symbol[child].astype(np.int64), symbol[head].astype(np.int64)
    row = np.concatenate([a, b])
    column = np.concatenate([b + side * n_symbols, a + (2 + side) * n_symbols])
    return sparse.coo_matrix((np.ones(row.size), (row, column)), shape=(n_symbols, 4 * n_symbols)).tocsr()


def arc_dictionary(counts: sparse.csr_matrix, k: int) -> FloatArray:
    """U (W, k): leading left singular vectors of square-rooted counts of symbols with their neighbours."""
    n_symbols = counts.shape[0]
    if not 1 <= k < n_symbols:
        raise OptionError(
            f"{k} states need more than {k} observed symbols, got {n_symbols}; use fewer states"
        )
    counts = counts.sqrt()
    over_row = 1.0 / np.sqrt(np.maximum(np.asarray(counts.sum(axis=1)).ravel(), 1.0))
    over_column = 1.0 / np.sqrt(np.maximum(np.asarray(counts.sum(axis=0)).ravel(), 1.0))
    scaled = sparse.diags(over_row) @ counts @ sparse.diags(over_column)
    U, s, _ = svds(scaled, k=k, v0=generator(0, 7).standard_normal(n_symbols))
    U = U[:, np.argsort(-s)]
    return np.asarray(U * np.sign(U[np.abs(U).argmax(axis=0), np.arange(k)]))
