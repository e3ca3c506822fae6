"""Inside and outside features of every node: tree columns in, feature ids and scales out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eigenparse.arrays import IntVector
from eigenparse.corpus.columns import Trees
from eigenparse.corpus.heads import feature_rules, rank_table
from eigenparse.errors import OptionError
from eigenparse.kernels.columns import head_rows, other_head_above, spans
from eigenparse.kernels.intern import mix_columns

Keys = npt.NDArray[np.uint64]
LONGEST = 40  # longer spans and margins count as this many words


@dataclass(frozen=True, slots=True)
class NodeView:
    """The columns that feature functions read, one entry per node; -1 where absent.

    label, left, right, parent, symbol (the word id of a preterminal), start, size, before and
    after (words of the sentence left and right of the span), head (tag label of the head word),
    other_head (first different head tag above), is_left (the node is a left child), rule (a key
    of the node's rule), rule_below_left, rule_below_right, marked (the rule above with the foot
    marked), tag_before and tag_after (the preterminal labels beside the span).
    """

    label: Keys
    left: IntVector
    right: IntVector
    parent: IntVector
    symbol: IntVector
    start: IntVector
    size: IntVector
    before: IntVector
    after: IntVector
    head: IntVector
    other_head: IntVector
    rule: Keys
    marked: Keys
    tag_before: IntVector
    tag_after: IntVector


Feature = Callable[[NodeView], Keys]


def key(*columns: npt.ArrayLike) -> Keys:
    """One 64-bit key per row of several integer columns."""
    arrays = [np.asarray(column).astype(np.int64, copy=False).view(np.uint64) for column in columns]
    total = arrays[0]
    for column in arrays[1:]:
        mixed = np.empty(total.size, dtype=np.uint64)
        mix_columns(total, column, mixed)
        total = mixed
    return total


def at(values: npt.ArrayLike, rows: IntVector) -> Keys:
    """values[rows], with 0 where the row is absent; keys are shifted so that 0 means absent."""
    column = np.asarray(values)
    picked = column[np.maximum(rows, 0)].astype(np.uint64) + np.uint64(1)
    return np.where(rows >= 0, picked, np.uint64(0))


def node_view(trees: Trees, symbol: IntVector) -> NodeView:
    """Derive the columns that feature functions read; ``symbol`` is the word id of each node, -1 at phrases."""
    n = trees.label.size
    start, size = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    spans(trees.left, trees.right, trees.offsets, start, size)
    length = np.repeat(size[trees.root], np.diff(trees.offsets))
    parent = trees.parent()
    head = head_tags(trees)
    other = np.empty(n, dtype=np.int32)
    other_head_above(parent, head, other)
    inner = trees.left >= 0
    label = trees.label.astype(np.uint64)
    rule = key(label, at(label, trees.left), at(label, trees.right), np.where(inner, -1, symbol))
    is_left = np.zeros(n, dtype=np.int64)
    is_left[trees.left[inner]] = 1
    marked = np.where(parent >= 0, key(rule[np.maximum(parent, 0)], is_left), np.uint64(0))
    before, after = tags_beside(trees, start, size, length)
    return NodeView(
        label, trees.left, trees.right, parent, symbol, start, size, start, length - start - size,
        head, other, rule, marked, before, after,
    )  # fmt: skip


def tags_beside(
    trees: Trees, start: IntVector, size: IntVector, length: IntVector
) -> tuple[IntVector, IntVector]:
    """Preterminal labels of the words just before and just after each span; -1 at the margins."""
    leaf = np.flatnonzero(trees.left < 0)
    tags = trees.label[leaf]
    words = size[trees.root].astype(np.int64)
    first = np.repeat(np.cumsum(words) - words, np.diff(trees.offsets))
    before = np.where(start > 0, tags[np.maximum(first + start - 1, 0)], -1)
    end = start + size
    after = np.where(end < length, tags[np.minimum(first + end, tags.size - 1)], -1)
    return before.astype(np.int32), after.astype(np.int32)


def head_tags(trees: Trees) -> IntVector:
    """Preterminal label of the head word of every node."""
    symbols = sorted({part for label in trees.labels for part in label.chain})
    index = {symbol: i for i, symbol in enumerate(symbols)}
    bottom = np.array([index[label.chain[-1]] for label in trees.labels], dtype=np.int32)
    top = np.array([index[label.chain[0]] for label in trees.labels], dtype=np.int32)
    partial = np.array([label.partial for label in trees.labels])
    rank, rightmost = rank_table(symbols, feature_rules(symbols))
    head = np.empty(trees.label.size, dtype=np.int32)
    a = trees.label
    head_rows(trees.left, trees.right, bottom[a], top[a], partial[a], rank, rightmost, head)
    return trees.label[head]


def _word_or(view: NodeView, keys: Keys) -> Keys:
    """The rule a -> x at preterminals, ``keys`` elsewhere."""
    return np.where(view.left < 0, view.rule, keys)


def _up(view: NodeView, times: int) -> IntVector:
    """Row of the ancestor ``times`` steps up, -1 beyond the root."""
    row = np.arange(view.label.size, dtype=np.int32)
    for _ in range(times):
        row = np.where(row >= 0, view.parent[np.maximum(row, 0)], -1).astype(np.int32)
    return row


def _long(count: IntVector) -> IntVector:
    return np.minimum(count, LONGEST).astype(np.int32)


INSIDE: Mapping[str, Feature] = {
    "left-child": lambda v: _word_or(v, key(v.label, at(v.label, v.left))),
    "right-child": lambda v: _word_or(v, key(v.label, at(v.label, v.right))),
    "rule": lambda v: v.rule,
    "rule-and-left-rule": lambda v: _word_or(v, key(v.rule, at(v.rule, v.left))),
    "rule-and-right-rule": lambda v: _word_or(v, key(v.rule, at(v.rule, v.right))),
    "head-tag": lambda v: key(v.label, v.head),
    "words": lambda v: key(v.label, _long(v.size)),
}
OUTSIDE: Mapping[str, Feature] = {
    "rule-above": lambda v: key(v.label, v.marked),
    "two-rules-above": lambda v: key(v.label, v.marked, at(v.marked, _up(v, 1))),
    "three-rules-above": lambda v: key(v.label, v.marked, at(v.marked, _up(v, 1)), at(v.marked, _up(v, 2))),
    "parent": lambda v: key(v.label, at(v.label, v.parent)),
    "parent-and-grandparent": lambda v: key(v.label, at(v.label, v.parent), at(v.label, _up(v, 2))),
    "other-head": lambda v: key(v.label, v.other_head),
    "words-before": lambda v: key(v.label, _long(v.before)),
    "words-after": lambda v: key(v.label, _long(v.after)),
}
EXTRA: Mapping[str, Feature] = {
    "left-label": lambda v: key(v.label, at(v.label, v.left)),
    "right-label": lambda v: key(v.label, at(v.label, v.right)),
    "grandparent": lambda v: key(v.label, at(v.label, _up(v, 2))),
    "second-rule-above": lambda v: key(v.label, at(v.marked, _up(v, 1))),
    "tag-before": lambda v: key(v.label, v.tag_before),
    "tag-after": lambda v: key(v.label, v.tag_after),
}
KNOWN: Mapping[str, Feature] = {**INSIDE, **OUTSIDE, **EXTRA}
THESIS_INSIDE = ("rule", "left-label", "right-label", "words")  # children are empty at tags
THESIS_OUTSIDE = ("parent", "grandparent", "rule-above", "second-rule-above")


def feature_keys(
    view: NodeView, names: Sequence[str | Feature], order: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint64]:
    """(n, T) 64-bit keys of the features of the rows in ``order``; they depend on ids only, not on the shard."""
    unknown = [name for name in names if isinstance(name, str) and name not in KNOWN]
    if unknown:
        raise OptionError(f"unknown feature {unknown[0]!r}; choose from {', '.join(KNOWN)}")
    keys = np.empty((order.size, len(names)), dtype=np.uint64)
    for t, name in enumerate(names):
        function = KNOWN[name] if isinstance(name, str) else name
        keys[:, t] = key(function(view)[order], np.full(order.size, t))
    return keys
