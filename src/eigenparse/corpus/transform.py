"""Normalised trees in, binary trees with collapsed unary chains out, and exactly back."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, BoolVector, IntVector, LongVector, as_ids, as_offsets
from eigenparse.corpus.columns import Label, Treebank, Trees
from eigenparse.corpus.heads import english_rules, head_children
from eigenparse.corpus.normalise import ROOT, compact, intern
from eigenparse.errors import DataError, OptionError
from eigenparse.kernels.grammar import transform as kernel

Symbols = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Binarisation:
    """How nodes with more than two children become binary, and what intermediate labels record.

    factor: "right" gives X -> c1 @X, "left" its mirror image, "head" builds a phrase from its head
    outwards, the right siblings first (by the head rules for English; elsewhere as "left").
    horizontal: how many generated siblings an intermediate node remembers.  vertical: 1 for the
    node itself, 2 with its parent.
    """

    factor: str = "right"
    horizontal: int = 0
    vertical: int = 1


DEFAULT = Binarisation()
FACTORS = ("right", "left", "head")


@dataclass(frozen=True, slots=True)
class ChainTable:
    """What the inverse needs to know of binary labels; make it once for many calls.

    chain: symbol ids of all labels from top to bottom, cut by ``offsets`` (A + 1,); partial,
    opening (the top symbol): (A,); root: the id of TOP.
    """

    symbols: Symbols
    chain: IntVector
    offsets: LongVector
    partial: BoolVector
    opening: IntVector
    root: int


@dataclass(frozen=True, slots=True)
class _Shape:
    """Binary rows before they have labels.

    source, made: as in ``kernels.grammar.transform.factor``.
    """

    left: IntVector
    right: IntVector
    source: IntVector
    made: IntVector
    offsets: LongVector


@dataclass(frozen=True, slots=True)
class _Links:
    """Per row of a treebank: relatives (-1 if absent) and whether the row is a root left out."""

    n_children: IntVector
    only_child: IntVector
    made_before: IntVector
    innermost: IntVector
    skip: BoolVector


def binarise(treebank: Treebank, options: Binarisation = DEFAULT) -> Trees:
    """Binary trees of normalised ones.

    A root TOP over one child is left out, every unary chain becomes one label down to the tag,
    and wide nodes get intermediate nodes ``@X``.  ``unbinarise`` is the exact inverse.
    Labels come in order of first occurrence, words keep their ids.
    """
    _check(treebank, options)
    links = _link(treebank, options.factor)
    shape = _factor(treebank, links)
    label, labels = _label(treebank, links, shape, options)
    word = treebank.word[shape.source]
    return Trees(label, shape.left, shape.right, word, shape.offsets, labels, treebank.words, treebank.weight)


def _check(treebank: Treebank, options: Binarisation) -> None:
    """Refuse options out of range and trees that are not normalised."""
    if options.factor not in FACTORS:
        raise OptionError(f"factor must be 'right', 'left' or 'head', got {options.factor!r} instead")
    if options.horizontal < 0 or options.vertical < 1:
        raise OptionError(
            "horizontal must be 0 or more and vertical 1 or more, "
            f"got {options.horizontal} and {options.vertical} instead"
        )
    root = treebank.offsets[1:] - 1
    named = np.array([name == ROOT for name in treebank.labels], dtype=np.bool_)[treebank.label[root]]
    wrong = np.flatnonzero(~named | (treebank.word[root] >= 0))
    if wrong.size:
        raise DataError(f"tree {wrong[0] + 1} has no root {ROOT} above its words; normalise the trees first")


def _link(treebank: Treebank, factor: str) -> _Links:
    """Relatives of every row."""
    n = treebank.label.size
    n_children, only, before = (np.empty(n, dtype=np.int32) for _ in range(3))
    kernel.count_children(treebank.parent, n_children)
    kernel.only_children(treebank.parent, n_children, only)
    if np.any((n_children == 0) != (treebank.word >= 0)):
        raise DataError("a node has neither a word nor children; normalise the trees first")
    innermost = _innermost(treebank, factor)
    kernel.link_siblings(treebank.parent, innermost, before)
    # TOP over one child carries no information and is removed, unless its child has that name too.
    root = treebank.offsets[1:] - 1
    child = only[root]
    skip = np.zeros(n, dtype=np.bool_)
    skip[root] = (child >= 0) & (treebank.label[child] != treebank.label[root])
    return _Links(n_children, only, before, innermost, skip)


def _innermost(treebank: Treebank, factor: str) -> IntVector:
    """The child of each phrase that the others are attached to; a word's row is its own."""
    if factor == "head":
        return as_ids(head_children(treebank, english_rules()))
    core = np.arange(treebank.label.size, dtype=np.int32)
    rows = np.flatnonzero(treebank.parent >= 0).astype(np.int32)
    rows = rows if factor == "right" else rows[::-1]  # the last assignment wins
    core[treebank.parent[rows]] = rows
    return core


def _factor(treebank: Treebank, links: _Links) -> _Shape:
    """The binary rows."""
    n = 2 * int(np.count_nonzero(treebank.word >= 0)) - len(treebank)
    left, right, source, made = (np.empty(n, dtype=np.int32) for _ in range(4))
    stop = np.empty(len(treebank), dtype=np.int64)
    relatives = kernel.Relatives(
        treebank.parent, links.made_before, links.innermost, links.n_children, links.skip
    )
    kernel.factor(relatives, treebank.offsets, kernel.Binary(left, right, source, made), stop)
    offsets = as_offsets(np.append(0, stop))
    rank = np.empty(n, dtype=np.int32)
    kernel.post_order(left, right, offsets, rank)
    order = np.argsort(rank)
    left, right = (np.where(side >= 0, rank[side], -1)[order].astype(np.int32) for side in (left, right))
    return _Shape(left, right, source[order], made[order], offsets)


def _label(
    treebank: Treebank, links: _Links, shape: _Shape, options: Binarisation
) -> tuple[IntVector, tuple[Label, ...]]:
    """The label of every binary row."""
    chain, first, rest = _chains(treebank, links)
    top = np.empty(treebank.label.size, dtype=np.int32)
    kernel.chain_tops(links.only_child, links.skip, top)
    partial = shape.made >= 0
    named_by = np.where(partial, shape.source, top[shape.source])
    beside, siblings = _siblings(treebank, links, shape, options.horizontal)
    ancestors, above = _contexts(treebank, treebank.parent, options.vertical - 1)
    over = np.where(shape.left >= 0, ancestors[named_by], 0)
    context, contexts = intern(beside * np.int64(len(above)) + over)
    key = (chain[named_by].astype(np.int64) * 2 + partial) * max(len(contexts), 1) + context
    label, distinct = intern(key)
    names = treebank.labels
    made = []
    for key_chain, key_context in zip(
        *(part.tolist() for part in np.divmod(distinct, max(len(contexts), 1))), strict=True
    ):
        c = contexts[key_context]
        made.append(
            Label(
                chain=_unfold(key_chain // 2, first, rest, names),
                partial=bool(key_chain % 2),
                siblings=siblings[c // len(above)],
                above=above[c % len(above)],
            )
        )
    return label, tuple(made)


def _chains(treebank: Treebank, links: _Links) -> tuple[IntVector, IntVector, IntVector]:
    """Each row's chain of labels down to a word or a wide node, and how chains are made."""
    n = treebank.label.size
    chain, first, rest = (np.empty(n, dtype=np.int32) for _ in range(3))
    table = np.full(1 << (2 * n).bit_length(), -1, dtype=np.int32)
    keys = np.empty(n, dtype=np.int64)
    n_labels = len(treebank.labels)
    kernel.chain_ids(treebank.label, links.only_child, n_labels, table, first, rest, keys, chain)
    return chain, first, rest


def _unfold(chain: int, first: IntVector, rest: IntVector, names: Symbols) -> Symbols:
    """The symbols of a chain from top to bottom."""
    symbols = []
    while chain >= 0:
        symbols.append(names[first[chain]])
        chain = int(rest[chain])
    return tuple(symbols)


def _contexts(treebank: Treebank, before: IntVector, steps: int) -> tuple[LongVector, list[Symbols]]:
    """For each row the labels met in ``steps`` steps along ``before``, nearest first, as an id."""
    n_labels = max(len(treebank.labels), 1)
    context = np.zeros(before.size, dtype=np.int64)
    known: list[Symbols] = [()]
    rows = np.flatnonzero(before >= 0)
    for _ in range(steps):
        met = before[rows]
        ids, distinct = intern(context[met] * n_labels + treebank.label[met])
        longer = [(treebank.labels[k % n_labels], *known[k // n_labels]) for k in distinct.tolist()]
        context = np.zeros(before.size, dtype=np.int64)
        context[rows] = ids.astype(np.int64) + 1
        grown = max(map(len, longer), default=0) > max(map(len, known))
        known = [(), *longer]
        if not grown:
            break
    return context, known


def _siblings(
    treebank: Treebank, links: _Links, shape: _Shape, horizontal: int
) -> tuple[LongVector, list[Symbols]]:
    """For each binary row the siblings it remembers, in the order they were generated, as an id."""
    result = np.zeros(shape.made.size, dtype=np.int64)
    if not horizontal:
        return result, [()]
    context, known = _contexts(treebank, links.made_before, horizontal - 1)
    n_labels = len(treebank.labels)
    rows = np.flatnonzero(shape.made >= 0)
    made = shape.made[rows]
    ids, distinct = intern(context[made] * n_labels + treebank.label[made])
    result[rows] = ids.astype(np.int64) + 1
    nearest = [(treebank.labels[k % n_labels], *known[k // n_labels]) for k in distinct.tolist()]
    return result, [(), *(tuple(reversed(symbols)) for symbols in nearest)]


@dataclass(frozen=True, slots=True)
class Collapsed:
    """Nodes of n-ary trees in post-order with unary chains taken together: (N,) each.

    chain: number of the node's chain in ``chains``, whose labels go from top to bottom.  parent: node above, -1 at
    roots.  word: as in the treebank.  offsets: (S + 1,).
    """

    chain: IntVector
    parent: IntVector
    word: IntVector
    offsets: LongVector
    chains: tuple[Symbols, ...]


def collapse(treebank: Treebank) -> Collapsed:
    """Normalised trees with their unary chains as single nodes; a root TOP over one child is left out."""
    _check(treebank, DEFAULT)
    links = _link(treebank, DEFAULT.factor)
    chain, first, rest = _chains(treebank, links)
    top = np.empty(treebank.label.size, dtype=np.int32)
    kernel.chain_tops(links.only_child, links.skip, top)
    rows = np.flatnonzero(links.n_children != 1)
    node = np.full(treebank.label.size + 1, -1, dtype=np.int32)
    node[rows] = np.arange(rows.size)
    ids, distinct = intern(chain[top[rows]].astype(np.int64))
    chains = tuple(_unfold(c, first, rest, treebank.labels) for c in distinct.tolist())
    above = node[treebank.parent[top[rows]]]  # a root left out is no node
    return Collapsed(
        ids, above, treebank.word[rows], as_offsets(np.searchsorted(rows, treebank.offsets)), chains
    )


def chain_table(labels: tuple[Label, ...]) -> ChainTable:
    """What ``unbinarise`` needs to know of these labels."""
    symbols: dict[str, int] = {ROOT: 0}
    chain = [symbols.setdefault(symbol, len(symbols)) for label in labels for symbol in label.chain]
    offsets = np.cumsum([0] + [len(label.chain) for label in labels])
    partial: AnyArray = np.array([label.partial for label in labels], dtype=np.bool_)
    ids = as_ids(chain)
    return ChainTable(tuple(symbols), ids, as_offsets(offsets), partial, as_ids(ids[offsets[:-1]]), 0)


def unbinarise(trees: Trees, table: ChainTable | None = None) -> Treebank:
    """The n-ary trees of binary ones, each with its root TOP; lines count the trees from 1."""
    table = chain_table(trees.labels) if table is None else table
    stop = np.empty(len(trees), dtype=np.int64)
    chains = kernel.Chains(table.chain, table.offsets, table.partial, table.opening, table.root)
    n = kernel.restored_sizes(trees.label, trees.offsets, chains, stop)
    label, parent, word = (np.empty(n, dtype=np.int32) for _ in range(3))
    columns = (trees.label, trees.left, trees.right, trees.word, trees.offsets)
    kernel.restore(*columns, chains, kernel.Rows(label, parent, word))
    ids, labels = compact(label, table.symbols)
    offsets, line = as_offsets(np.append(0, stop)), np.arange(1, len(trees) + 1, dtype=np.int64)
    return Treebank(ids, parent, word, offsets, line, labels, trees.words)


def as_treebank(trees: Trees) -> Treebank:
    """Binary trees as they are, with their labels written out: to look at, not to restore from."""
    line = np.arange(1, len(trees) + 1, dtype=np.int64)
    names = tuple(map(str, trees.labels))
    return Treebank(trees.label, trees.parent(), trees.word, trees.offsets, line, names, trees.words)
