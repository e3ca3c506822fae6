"""Columns of trees in, columns of normalised, binarised or restored trees out.

All columns are in post-order, so one loop forwards visits children first and one loop backwards
visits parents first; nothing recurses.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from eigenparse.kernels.intern import find_slot


@njit(cache=True, nogil=True)
def count_children(parent, n_children):
    """Write the number of children of each row."""
    n_children[:] = 0
    for r in range(parent.size):
        if parent[r] >= 0:
            n_children[parent[r]] += 1


class Cleaning(NamedTuple):
    """What normalisation does with each label.

    dropped: gone wherever it stands.  marginal: gone where nothing but roots is above.  is_root: a name of the
    outermost node.  tag_clean, phrase_clean: the cleaned label of a tag and of a phrase.
    """

    dropped: np.ndarray
    marginal: np.ndarray
    is_root: np.ndarray
    tag_clean: np.ndarray
    phrase_clean: np.ndarray


class Written(NamedTuple):
    """Columns of n-ary trees that a kernel fills; stop: (S,), where each tree ends, its start if nothing is left."""

    label: np.ndarray
    parent: np.ndarray
    word: np.ndarray
    stop: np.ndarray


class Binary(NamedTuple):
    """Binary rows that a kernel fills.

    source: the row whose node this is (the lowest of a collapsed chain).  made: at intermediate rows the child
    generated last, else -1.  stop: (S,), where each tree ends.
    """

    left: np.ndarray
    right: np.ndarray
    source: np.ndarray
    made: np.ndarray
    stop: np.ndarray


class Relatives(NamedTuple):
    """Of each row of n-ary trees: its parent, the sibling made just before it, its innermost child, how many children
    it has, and whether it is left out."""

    parent: np.ndarray
    made_before: np.ndarray
    innermost: np.ndarray
    n_children: np.ndarray
    skip: np.ndarray


class BinaryTrees(NamedTuple):
    """Columns of binary trees; see ``corpus.columns.Trees``."""

    label: np.ndarray
    left: np.ndarray
    right: np.ndarray
    word: np.ndarray
    offsets: np.ndarray


class Chains(NamedTuple):
    """Symbols of each label's chain from top to bottom, cut by ``at``; whether it is partial; its top symbol."""

    symbol: np.ndarray
    at: np.ndarray
    partial: np.ndarray
    opening: np.ndarray


# Decides what normalisation keeps.  One loop down the trees (rows backwards) marks what goes because of its label or of
# an ancestor; one loop up marks what is left empty by that; a last loop down gives labels, since whether a node repeats
# the label of its parent, or is the root, depends on what became of the parent.
@njit(cache=True, nogil=True)
def keep_rows(label, parent, word, cleaning, root, clean, into):
    """Write ``clean``, each row's new label, and ``into``, the row that stands for it.

    into: the row itself, its ancestor if it repeats that one's label, or -1 if it goes.  root: the label of every
    outermost node.
    """
    dropped, marginal, is_root, tag_clean, phrase_clean = cleaning
    n_children = np.zeros(label.size, dtype=np.int32)
    gone = np.zeros(label.size, dtype=np.bool_)
    outer = np.zeros(label.size, dtype=np.bool_)
    for r in range(label.size - 1, -1, -1):
        p, a = parent[r], label[r]
        outside = p < 0 or outer[p]
        outer[r] = outside and is_root[a]
        gone[r] = dropped[a] or (marginal[a] and outside) or (p >= 0 and gone[p])
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
            clean[r] = tag_clean[label[r]]
            continue
        only = p >= 0 and n_children[p] == 1
        clean[r] = phrase_clean[label[r]]
        if is_root[label[r]] and (p < 0 or (only and outermost(parent, into, p) and clean[p] == root)):
            clean[r] = root
        if only and clean[r] == clean[p]:
            into[r] = into[p]


@njit(cache=True, nogil=True)
def outermost(parent, into, r):
    """Whether a row stands for the root of its tree."""
    return parent[into[r]] < 0


@njit(cache=True, nogil=True)
def write_kept(parent, word, offsets, clean, into, root, out):
    """Copy the kept rows of every tree that has any, adding a root where there is none; returns their number."""
    new_label, new_parent, new_word, new_stop = out
    at = np.full(parent.size, -1, dtype=np.int32)
    n = 0
    for s in range(offsets.size - 1):
        for r in range(offsets[s], offsets[s + 1]):
            if into[r] == r:
                at[r] = n
                new_label[n], new_word[n] = clean[r], word[r]
                n += 1
        last = offsets[s + 1] - 1
        wrap = into[last] == last and (word[last] >= 0 or clean[last] != root)
        for r in range(offsets[s], offsets[s + 1]):
            if into[r] == r:
                p = parent[r]
                new_parent[at[r]] = at[into[p]] if p >= 0 else (n if wrap else -1)
        if wrap:
            new_label[n], new_word[n], new_parent[n] = root, -1, -1
            n += 1
        new_stop[s] = n
    return n


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def only_children(parent, n_children, only_child):
    """Write each row's only child, -1 where there are none or several."""
    only_child[:] = -1
    for r in range(parent.size):
        if parent[r] >= 0 and n_children[parent[r]] == 1:
            only_child[parent[r]] = r


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def factor(relatives, offsets, out):
    """Write binary rows: the innermost child meets its siblings one by one, the first made last."""
    parent, made_before, innermost, n_children, skip = relatives
    left, right, source, made, new_stop = out
    node = np.empty(parent.size, dtype=np.int32)
    n = 0
    for s in range(offsets.size - 1):
        for r in range(offsets[s], offsets[s + 1]):
            if skip[r]:
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def chain_tops(only_child, skip, top):
    """Write the highest row of the collapsed chain that each row belongs to."""
    for r in range(only_child.size):
        top[r] = r
    for r in range(only_child.size - 1, -1, -1):
        if only_child[r] >= 0 and not skip[r]:
            top[only_child[r]] = top[r]


@njit(cache=True, nogil=True)
def restored_sizes(label, offsets, chains, root, new_stop):
    """Write where each tree ends among the restored rows; the number of rows."""
    n = 0
    for s in range(offsets.size - 1):
        last = offsets[s + 1] - 1
        for r in range(offsets[s], offsets[s + 1]):
            a = label[r]
            if not chains.partial[a] or r == last:
                n += chains.at[a + 1] - chains.at[a]
        if chains.opening[label[last]] != root:
            n += 1
        new_stop[s] = n
    return n


# The inverse of collapsing and factoring.  Rows forwards write every chain from its lowest to its highest node;
# intermediate rows write nothing, unless they are the root of their tree.  Rows backwards then link children: those of
# an intermediate row belong to the lowest node of the phrase that it is part of.
@njit(cache=True, nogil=True)
def restore(trees, chains, root, out):
    """Write n-ary rows from binary ones: chains unfold, intermediate nodes vanish, roots return."""
    label, left, right, word, offsets = trees
    chain, chain_at, partial, opening = chains
    new_label, new_parent, new_word, _ = out
    lowest = np.full(label.size, -1, dtype=np.int32)
    highest = np.full(label.size, -1, dtype=np.int32)
    n = 0
    for s in range(offsets.size - 1):
        last = offsets[s + 1] - 1
        for r in range(offsets[s], offsets[s + 1]):
            a = label[r]
            if partial[a] and r != last:
                continue
            lowest[r] = n
            for k in range(chain_at[a + 1] - 1, chain_at[a] - 1, -1):
                new_label[n], new_word[n], new_parent[n] = chain[k], -1, n + 1
                n += 1
            new_word[lowest[r]] = word[r]
            highest[r] = n - 1
        new_parent[n - 1] = -1
        if opening[label[last]] != root:
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
