"""Which tags stand beside which tags and labels: trees in, smoothed tables for pruning out."""

import numpy as np

from eigenparse.arrays import FloatArray, IntVector
from eigenparse.corpus.columns import Trees
from eigenparse.features.tree import NodeView
from eigenparse.models.pcfg import TagContext

UNSEEN = 0.05  # share of each row that follows the overall frequencies


def tag_context(trees: Trees, view: NodeView) -> TagContext:
    """Count neighbours of every span; row or column A is the margin of the sentence."""
    margin = len(trees.labels)
    label = trees.label
    before = np.where(view.tag_before >= 0, view.tag_before, margin)
    after = np.where(view.tag_after >= 0, view.tag_after, margin)
    leaf = trees.left < 0
    follow = _table(label[leaf], after[leaf], margin + 1, margin + 1)
    first = leaf & (view.tag_before < 0)
    follow += _table(np.full(int(first.sum()), margin), label[first], margin + 1, margin + 1)
    return TagContext(
        follow=_smoothed(follow, 1).astype(np.float32),
        before=_smoothed(_table(before, label, margin + 1, margin), 1).astype(np.float32),
        after=_smoothed(_table(after, label, margin + 1, margin), 0).astype(np.float32),
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
