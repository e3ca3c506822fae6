"""Which tags stand beside which tags and labels: trees in, smoothed tables for pruning out."""

import numpy as np

from eigenparse.arrays import FloatArray, IntVector
from eigenparse.corpus.columns import Trees
from eigenparse.features.grammar.tree import NodeView
from eigenparse.models.grammar.pcfg import TagContext

UNSEEN = 0.05  # share of each row that follows the overall frequencies


def tag_context(trees: Trees, view: NodeView) -> TagContext:
    """Neighbours of every span; row or column A is the margin of the sentence."""
    return smoothed_context(*context_counts(trees, view))


def context_counts(trees: Trees, view: NodeView) -> tuple[FloatArray, FloatArray, FloatArray]:
    """How often tags follow tags, and labels stand after and before tags; counts of shards add."""
    margin = len(trees.labels)
    label = trees.label
    before = np.where(view.tag_before >= 0, view.tag_before, margin)
    after = np.where(view.tag_after >= 0, view.tag_after, margin)
    leaf = trees.left < 0
    follow = _table(label[leaf], after[leaf], margin + 1, margin + 1)
    first = leaf & (view.tag_before < 0)
    follow += _table(np.full(int(first.sum()), margin), label[first], margin + 1, margin + 1)
    return follow, _table(before, label, margin + 1, margin), _table(after, label, margin + 1, margin)


def smoothed_context(follow: FloatArray, before: FloatArray, after: FloatArray) -> TagContext:
    """Chances from counts."""
    return TagContext(
        follow=_smoothed(follow, 1).astype(np.float32),
        before=_smoothed(before, 1).astype(np.float32),
        after=_smoothed(after, 0).astype(np.float32),
    )


def _table(rows: IntVector, columns: IntVector, n_rows: int, n_columns: int) -> FloatArray:
    flat = np.bincount(rows.astype(np.int64) * n_columns + columns, minlength=n_rows * n_columns)
    return flat.reshape(n_rows, n_columns).astype(np.float64)


def _smoothed(counts: FloatArray, axis: int) -> FloatArray:
    """Relative frequencies along ``axis``, mixed with the overall ones."""
    overall = counts.sum(axis=1 - axis, keepdims=True) / max(counts.sum(), 1.0)
    share = counts / np.maximum(counts.sum(axis=axis, keepdims=True), 1.0)
    mixed: FloatArray = (1 - UNSEEN) * share + UNSEEN * overall
    return mixed
