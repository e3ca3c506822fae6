"""Which tags stand beside which tags and labels: trees in, smoothed tables for pruning out."""

from collections.abc import Iterable

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, IntVector
from eigenparse.corpus.columns import Trees
from eigenparse.features.grammar.tree import NodeView
from eigenparse.models.grammar.pcfg import TagContext

Context = tuple[FloatArray, FloatArray, FloatArray]
UNSEEN = 0.05  # share of each row that follows the overall frequencies


def context_counts(trees: Trees, view: NodeView) -> Context:
    """How often tags follow tags, and labels stand after and before tags; row or column A is the sentence's margin."""
    margin = len(trees.labels)
    label = trees.label
    before = np.where(view.tag_before >= 0, view.tag_before, margin)
    after = np.where(view.tag_after >= 0, view.tag_after, margin)
    leaf = trees.left < 0
    first = leaf & (view.tag_before < 0)
    weight = trees.row_weight()
    square, oblong = (margin + 1, margin + 1), (margin + 1, margin)
    follow = _table(label[leaf], after[leaf], weight[leaf], square)
    follow += _table(np.full(int(first.sum()), margin), label[first], weight[first], square)
    return follow, _table(before, label, weight, oblong), _table(after, label, weight, oblong)


def tag_context(parts: Iterable[Context]) -> TagContext:
    """Chances from the counts of all shards."""
    follow, before, after = (sum(tables[1:], tables[0]) for tables in zip(*parts, strict=True))
    return TagContext(
        follow=_smoothed(follow, 1).astype(np.float32),
        before=_smoothed(before, 1).astype(np.float32),
        after=_smoothed(after, 0).astype(np.float32),
    )


def _table(rows: IntVector, columns: IntVector, weight: FloatArray, shape: tuple[int, int]) -> FloatArray:
    place = rows.astype(np.int64) * shape[1] + columns
    flat: AnyArray = np.bincount(place, weights=weight, minlength=shape[0] * shape[1])
    return flat.reshape(shape)


def _smoothed(counts: FloatArray, axis: int) -> FloatArray:
    """Relative frequencies along ``axis``, mixed with the overall ones."""
    overall = counts.sum(axis=1 - axis, keepdims=True) / max(counts.sum(), 1.0)
    share = counts / np.maximum(counts.sum(axis=axis, keepdims=True), 1.0)
    return (1 - UNSEEN) * share + UNSEEN * overall
