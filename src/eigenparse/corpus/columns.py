"""Frozen integer columns: what the readers produce and everything else consumes."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import FloatArray, IntVector, LongVector
from eigenparse.errors import DataError


class Cut:
    """Base of records whose columns are cut into sentences, trees or sequences by ``offsets`` (S + 1,)."""

    __slots__ = ()
    offsets: LongVector

    def __len__(self) -> int:
        return self.offsets.size - 1


@dataclass(frozen=True, slots=True)
class Treebank(Cut):
    """Trees of any arity as columns in post-order: children before their parent, root last.

    label, parent, word: (N,); ``parent`` is -1 at roots, ``word`` is -1 at phrases, and a row
    with a word is a preterminal whose ``label`` is the tag.  The children of a row are, in
    order, the rows whose parent it is.  offsets: (S + 1,).  line: (S,), where each tree began.
    weight: (S,), how many times each tree counts when a grammar is learnt; None: once.
    """

    label: IntVector
    parent: IntVector
    word: IntVector
    offsets: LongVector
    line: LongVector
    labels: tuple[str, ...]
    words: tuple[str, ...]
    weight: FloatArray | None = None


def sentences_of(treebank: Treebank) -> list[tuple[str, ...]]:
    """The words of every tree."""
    words = treebank.words
    bounds = zip(treebank.offsets[:-1].tolist(), treebank.offsets[1:].tolist())
    return [tuple(words[w] for w in treebank.word[i:j].tolist() if w >= 0) for i, j in bounds]


@dataclass(frozen=True, slots=True)
class Label:
    """A label of a binary tree, kept as structure so that no character needs escaping.

    chain: the collapsed unary chain from top to bottom (one symbol if nothing was collapsed).
    partial: an intermediate node of binarisation, written ``@X``.
    siblings, above: what horizontal and vertical markovisation record.
    """

    chain: tuple[str, ...]
    partial: bool = False
    siblings: tuple[str, ...] = ()
    above: tuple[str, ...] = ()

    def __str__(self) -> str:
        name = "|".join(self.chain)
        if self.above:
            name += "^" + "^".join(self.above)
        if self.siblings:
            name += "<" + ",".join(self.siblings) + ">"
        return "@" + name if self.partial else name


@dataclass(frozen=True, slots=True)
class Trees(Cut):
    """Binary trees as columns in post-order; children come before their parent, roots last.

    label, left, right, word: (N,); -1 where absent.  A row has either two children or a word.
    Child ids count rows from the start of the whole column.  offsets: (S + 1,).  weight: as in ``Treebank``.
    """

    label: IntVector
    left: IntVector
    right: IntVector
    word: IntVector
    offsets: LongVector
    labels: tuple[Label, ...]
    words: tuple[str, ...]
    weight: FloatArray | None = None

    def row_weight(self) -> FloatArray:
        """(N,) the weight of each row's tree."""
        if self.weight is None:
            return np.ones(self.label.size)
        return np.repeat(self.weight, np.diff(self.offsets))

    @property
    def root(self) -> LongVector:
        """Row of each tree's root."""
        return self.offsets[1:] - 1

    def parent(self) -> IntVector:
        """Row of each row's parent, -1 at roots."""
        up = np.full(self.label.size, -1, dtype=np.int32)
        inner = np.flatnonzero(self.left >= 0).astype(np.int32)
        up[self.left[inner]] = inner
        up[self.right[inner]] = inner
        return up

    def take(self, start: int, stop: int) -> "Trees":
        """Trees ``start`` up to ``stop`` as columns of their own, with the same symbols."""
        low, high = int(self.offsets[start]), int(self.offsets[stop])
        part = slice(low, high)
        left, right = self.left[part], self.right[part]
        return Trees(
            label=self.label[part],
            left=np.where(left >= 0, left - np.int32(low), left),
            right=np.where(right >= 0, right - np.int32(low), right),
            word=self.word[part],
            offsets=self.offsets[start : stop + 1] - low,
            labels=self.labels,
            words=self.words,
            weight=None if self.weight is None else self.weight[start:stop],
        )


def check_trees(trees: Trees) -> Trees:
    """The same trees, or a sentence saying which column is broken."""
    n = trees.label.size
    inner = trees.left >= 0
    rows = np.arange(n)
    if trees.offsets[-1] != n or np.any(np.diff(trees.offsets) < 1):
        raise DataError("tree offsets do not cut the columns into non-empty trees; read the corpus again")
    if np.any(inner != (trees.right >= 0)) or np.any(inner == (trees.word >= 0)):
        raise DataError("a row has neither two children nor one word; binarise and collapse the trees first")
    if np.any(trees.left[inner] >= rows[inner]) or np.any(trees.right[inner] >= rows[inner]):
        raise DataError("a child stands after its parent; columns must be in post-order")
    return trees
