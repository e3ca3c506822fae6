"""Nodes of n-ary trees for the kernels that sum over their derivations: chains of labels in, lists of labels out."""

from typing import NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel


class ChainLists(NamedTuple):
    """Chains of labels as a grammar sees them; the fields are those of ``Nodes``, by chain.  wide: TOP and no more."""

    label_at: np.ndarray
    label: np.ndarray
    partial_at: np.ndarray
    partial: np.ndarray
    top: np.ndarray
    bottom: np.ndarray
    chain: np.ndarray
    name: np.ndarray
    log: np.ndarray
    wide: np.ndarray


class Nodes(NamedTuple):
    """Nodes of n-ary trees in post-order, unary chains taken together; lists are cut by their ``_at``.

    child: nodes below.  label: complete labels with the node's chain.  partial: labels between such a label and its
    children.  top, bottom: symbols of the chain's ends.  chain: probability of the chain below its top label, and of
    the names of labels never seen; name: of the top label's name, 1 if it is known.  log: what was taken out of both,
    0 for chains that are labels of the grammar.  token: of a word, else -1.
    """

    child_at: np.ndarray
    child: np.ndarray
    label_at: np.ndarray
    label: np.ndarray
    partial_at: np.ndarray
    partial: np.ndarray
    top: np.ndarray
    bottom: np.ndarray
    chain: np.ndarray
    name: np.ndarray
    log: np.ndarray
    token: np.ndarray


@kernel
def complete_rows(label, left, right, position, offsets, is_partial):
    """Binary trees without their partial nodes: label, node above, word of each node; where trees begin.

    left, right: rows counted from the first of their tree.
    """
    n_rows = label.size
    node, above = np.full(n_rows, -1, dtype=np.int32), np.full(n_rows, -1, dtype=np.int32)
    begin = np.zeros(offsets.size, dtype=np.int64)
    n = 0
    for s in range(offsets.size - 1):
        for r in range(offsets[s], offsets[s + 1]):
            if not is_partial[label[r]]:
                node[r] = n
                n += 1
        begin[s + 1] = n
        for r in range(offsets[s + 1] - 1, offsets[s] - 1, -1):
            if left[r] >= 0:
                over = node[r] if node[r] >= 0 else above[r]
                above[offsets[s] + left[r]] = above[offsets[s] + right[r]] = over
    kept = np.empty(n, dtype=np.int64)
    for r in range(n_rows):
        if node[r] >= 0:
            kept[node[r]] = r
    return label[kept], above[kept], position[kept], begin


@kernel
def gathered(which, at, values):
    """The lists of the chains given, one after the other."""
    new_at = np.zeros(which.size + 1, dtype=np.int64)
    for r in range(which.size):
        new_at[r + 1] = new_at[r] + at[which[r] + 1] - at[which[r]]
    new = np.empty(new_at[-1], dtype=np.int32)
    for r in range(which.size):
        new[new_at[r] : new_at[r + 1]] = values[at[which[r]] : at[which[r] + 1]]
    return new_at, new


@kernel
def chain_nodes(which, parent, token, chains):
    """Nodes by the numbers of their chains, the nodes above them and their words."""
    n = which.size
    child_at = np.zeros(n + 1, dtype=np.int64)
    for r in range(n):
        if parent[r] >= 0:
            child_at[parent[r] + 1] += 1
    for r in range(n):
        child_at[r + 1] += child_at[r]
    child, free = np.empty(child_at[-1], dtype=np.int32), child_at[:-1].copy()
    top, bottom = chains.top[which], chains.bottom[which]
    chain, name = chains.chain[which], chains.name[which]
    for r in range(n):
        if parent[r] >= 0:
            child[free[parent[r]]] = r
            free[parent[r]] += 1
        elif chains.wide[which[r]]:  # TOP over several children
            top[r], bottom[r], chain[r] = -1, 0, 0.0
    label_at, label = gathered(which, chains.label_at, chains.label)
    partial_at, partial = gathered(which, chains.partial_at, chains.partial)
    log = chains.log[which]
    return Nodes(child_at, child, label_at, label, partial_at, partial, top, bottom, chain, name, log, token)
