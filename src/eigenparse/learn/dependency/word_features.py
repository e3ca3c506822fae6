"""Dependency trees in, inside and outside features of every word out."""

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.features.dependency.channels import channel_names, child_numbers, parents
from eigenparse.spectral.svd import FeatureRows

SCALE_PRIOR = 5.0  # added to a feature's count before scaling


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
    """Feature ids (T, F) with scales sqrt(M / (count + prior)), one active feature per template."""
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
