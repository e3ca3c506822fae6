"""Columns of trees in, columns of normalised, binarised or restored trees out.

All columns are in post-order, so one loop forwards visits children first and one loop backwards
visits parents first; nothing recurses.
"""

from typing import NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.intern import find_slot


class Cleaning(NamedTuple):
    """What normalisation does with labels.

    dropped: per label, removed wherever it stands; marginal: removed where nothing but roots is above.  is_root: per
    label, a name of the outermost node.  tag_clean, phrase_clean: per label, the cleaned label.  root: the label of
    every outermost node.
    """

    dropped: object
    marginal: object
    is_root: object
    tag_clean: object
    phrase_clean: object
    root: int


class Rows(NamedTuple):
    """Columns of n-ary trees that a kernel writes: label, parent, word, each (N,)."""

    label: object
    parent: object
    word: object


class Relatives(NamedTuple):
    """Per row: parent, sibling made before it, innermost child, number of children, and whether it is left out."""

    parent: object
    made_before: object
    innermost: object
    n_children: object
    skip: object


class Binary(NamedTuple):
    """Binary rows before they have labels, each (N,).

    source: the row whose node this is (the lowest of a collapsed chain).  made: at intermediate rows the child
    generated last, else -1.
    """

    left: object
    right: object
    source: object
    made: object


class Chains(NamedTuple):
    """The chains behind binary labels: symbols from top to bottom, cut by ``at``.

    partial: per label, an intermediate node.  opening: the top symbol of each label.  root: the symbol TOP.
    """

    chain: object
    at: object
    partial: object
    opening: object
    root: int


@kernel
def count_children(parent, n_children):
    """Write the number of children of each row."""
    n_children[:] = 0
    for r in range(parent.size):
        if parent[r] >= 0:
            n_children[parent[r]] += 1


# What it computes: which rows survive the cleaning of a treebank: no traces, no phrases without words, no X over a
# single X, one root.  Layout: rows in post-order, children before parents.  Order: three loops, down for what a
# parent decides (dropped subtrees), up for what children decide (empty phrases), down for unary chains.
@kernel
def keep_rows(label, parent, word, cleaning, clean, into):
    """Decide what normalisation keeps.

    Writes ``clean``, each row's new label, and ``into``, the row that stands for it: itself, its
    ancestor if it repeats that one's label, or -1 if it is removed.
    """
    n_children = np.zeros(label.size, dtype=np.int32)
    gone = np.zeros(label.size, dtype=np.bool_)
    outer = np.zeros(label.size, dtype=np.bool_)
    for r in range(label.size - 1, -1, -1):
        p, a = parent[r], label[r]
        outside = p < 0 or outer[p]
        outer[r] = outside and cleaning.is_root[a]
        gone[r] = cleaning.dropped[a] or (cleaning.marginal[a] and outside) or (p >= 0 and gone[p])
    for r in range(label.size):
        if word[r] < 0 and n_children[r] == 0:
            gone[r] = True
        if not gone[r] and parent[r] >= 0:
            n_children[parent[r]] += 1
    for r in range(label.size - 1, -1, -1):
        p = parent[r]
        into[r] = -1 if gone[r] else r
        if gone[r]:
            continue
        if word[r] >= 0:
            clean[r] = cleaning.tag_clean[label[r]]
            continue
        only = p >= 0 and n_children[p] == 1
        clean[r] = cleaning.phrase_clean[label[r]]
        named = cleaning.is_root[label[r]]
        if named and (p < 0 or (only and outermost(parent, into, p) and clean[p] == cleaning.root)):
            clean[r] = cleaning.root
        if only and clean[r] == clean[p]:
            into[r] = into[p]


@kernel
def outermost(parent, into, r):
    """Whether a row stands for the root of its tree."""
    return parent[into[r]] < 0


@kernel
def write_kept(parent, word, offsets, clean, into, root, new, new_stop):
    """Copy the kept rows of every tree that has any, adding a root where there is none.

    new_stop: (S,), the end of each tree in the new columns, its start if nothing is left.
    """
    at = np.full(parent.size, -1, dtype=np.int32)
    n = 0
    for s in range(offsets.size - 1):
        for r in range(offsets[s], offsets[s + 1]):
            if into[r] == r:
                at[r] = n
                new.label[n], new.word[n] = clean[r], word[r]
                n += 1
        last = offsets[s + 1] - 1
        wrap = into[last] == last and (word[last] >= 0 or clean[last] != root)
        for r in range(offsets[s], offsets[s + 1]):
            if into[r] == r:
                p = parent[r]
                new.parent[at[r]] = at[into[p]] if p >= 0 else (n if wrap else -1)
        if wrap:
            new.label[n], new.word[n], new.parent[n] = root, -1, -1
            n += 1
        new_stop[s] = n
    return n


@kernel
def chain_ids(label, only_child, n_labels, table, first, rest, keys, chain):
    """Write each row's chain: its label followed by the chain of its only child.

    only_child: (N,), -1 where there are none or several.  Chain c is the label ``first[c]``
    followed by chain ``rest[c]`` (-1: nothing).  Returns the number of chains.
    """
    n = 0
    for r in range(label.size):
        below = chain[only_child[r]] if only_child[r] >= 0 else -1
        key = np.int64(below + 1) * n_labels + label[r]
        slot = find_slot(keys, table, key)
        if table[slot] < 0:
            table[slot] = n
            keys[n], first[n], rest[n] = key, label[r], below
            n += 1
        chain[r] = table[slot]
    return n


@kernel
def only_children(parent, n_children, only_child):
    """Write each row's only child, -1 where there are none or several."""
    only_child[:] = -1
    for r in range(parent.size):
        if parent[r] >= 0 and n_children[parent[r]] == 1:
            only_child[parent[r]] = r


@kernel
def link_siblings(parent, innermost, made_before):
    """Write the sibling generated just before each row, -1 at the first.

    Children are generated from the outside in, first those left of the innermost child from the
    left, then those right of it from the right, the innermost child last.  innermost: (N,) a child
    of each phrase.
    """
    made_before[:] = -1
    last_left = np.full(parent.size, -1, dtype=np.int32)
    last_right = np.full(parent.size, -1, dtype=np.int32)
    for r in range(parent.size):
        p = parent[r]
        if p < 0:
            continue
        core = innermost[p]
        if r < core:
            made_before[r] = last_left[p]
            last_left[p] = r
        elif r > core:
            made_before[core if last_right[p] < 0 else last_right[p]] = r
            last_right[p] = r
    for p in range(parent.size):
        if innermost[p] != p and innermost[p] >= 0:
            made_before[innermost[p] if last_right[p] < 0 else last_right[p]] = last_left[p]


# What it computes: a binary tree of each n-ary one.  A phrase starts from its innermost child; the sibling made before
# it becomes its sister, then the one before that, so the outermost binary node is the phrase.
# Layout: see ``Relatives`` and ``Binary``; node[r] is the new row that stands for row r.  Rows of the input are in
# post-order, so the children of r have their nodes when r is reached; ``post_order`` puts the new rows in order.
@kernel
def factor(relatives, offsets, new, new_stop):
    """Write binary rows: siblings are attached to the innermost child one by one, the first generated last."""
    made_before, innermost, n_children = relatives.made_before, relatives.innermost, relatives.n_children
    left, right, source, made = new.left, new.right, new.source, new.made
    node = np.empty(relatives.parent.size, dtype=np.int32)
    n = 0
    for s in range(offsets.size - 1):
        for r in range(offsets[s], offsets[s + 1]):
            if relatives.skip[r]:
                continue
            core = innermost[r]
            if n_children[r] == 1:
                node[r] = node[core]
            elif n_children[r] == 0:
                left[n] = right[n] = made[n] = -1
                source[n], node[r] = r, n
                n += 1
            else:
                below, child = node[core], made_before[core]
                while child >= 0:
                    before = child < core
                    left[n] = node[child] if before else below
                    right[n] = below if before else node[child]
                    source[n], made[n] = r, made_before[child]
                    below, child = n, made_before[child]
                    n += 1
                node[r] = below
        new_stop[s] = n
    return n


@kernel
def post_order(left, right, offsets, rank):
    """Write where each row of binary trees, roots last, stands in post-order: left, right, self."""
    stack = np.empty(left.size + 1, dtype=np.int32)
    for s in range(offsets.size - 1):
        at, depth = offsets[s + 1] - 1, 1
        stack[0] = offsets[s + 1] - 1
        while depth > 0:  # post-order read backwards is self, right, left
            depth -= 1
            r = stack[depth]
            rank[r] = at
            at -= 1
            if left[r] >= 0:
                stack[depth], stack[depth + 1] = left[r], right[r]
                depth += 2


@kernel
def chain_tops(only_child, skip, top):
    """Write the highest row of the collapsed chain that each row belongs to."""
    for r in range(only_child.size):
        top[r] = r
    for r in range(only_child.size - 1, -1, -1):
        if only_child[r] >= 0 and not skip[r]:
            top[only_child[r]] = top[r]


@kernel
def restored_sizes(label, offsets, chains, new_stop):
    """Write where each tree ends among the restored rows; the number of rows."""
    n = 0
    for s in range(offsets.size - 1):
        last = offsets[s + 1] - 1
        for r in range(offsets[s], offsets[s + 1]):
            a = label[r]
            if not chains.partial[a] or r == last:
                n += chains.at[a + 1] - chains.at[a]
        if chains.opening[label[last]] != chains.root:
            n += 1
        new_stop[s] = n
    return n


# What it computes: the inverse of binarisation.  Layout: a binary row whose label is a chain X|Y|Z becomes the rows Z,
# Y, X, of which ``lowest`` and ``highest`` are the ends; an intermediate node has none and hands its parent's row
# down.  Order: up to number the new rows in post-order, then down to set parents, which come after their children.
@kernel
def restore(label, left, right, word, offsets, chains, new):
    """Write n-ary rows from binary ones: chains are unfolded, intermediate nodes removed, roots restored."""
    new_label, new_parent, new_word = new.label, new.parent, new.word
    at, root = chains.at, chains.root
    lowest = np.full(label.size, -1, dtype=np.int32)
    highest = np.full(label.size, -1, dtype=np.int32)
    n = 0
    for s in range(offsets.size - 1):
        last = offsets[s + 1] - 1
        for r in range(offsets[s], offsets[s + 1]):
            a = label[r]
            if chains.partial[a] and r != last:
                continue
            lowest[r] = n
            for k in range(at[a + 1] - 1, at[a] - 1, -1):
                new_label[n], new_word[n], new_parent[n] = chains.chain[k], -1, n + 1
                n += 1
            new_word[lowest[r]] = word[r]
            highest[r] = n - 1
        new_parent[n - 1] = -1
        if chains.opening[label[last]] != root:
            new_parent[n - 1] = n
            new_label[n], new_word[n], new_parent[n] = root, -1, -1
            n += 1
        for r in range(last, offsets[s] - 1, -1):
            if left[r] < 0:
                continue
            for c in (left[r], right[r]):
                if highest[c] >= 0:
                    new_parent[highest[c]] = lowest[r]
                else:
                    lowest[c] = lowest[r]
