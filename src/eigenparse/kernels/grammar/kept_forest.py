"""The part of a forest that is kept, renumbered and with edges sorted by (parent, rule)."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.grammar.forest import base_edges, base_inside

Array = npt.NDArray[Any]


class Forest(NamedTuple):
    """Items (label, start, end) by span length, and edges sorted by (parent, rule).

    entry: lexicon entry of word items, -1 at phrases.  emission: factor on the entry's weights.
    edge_at: (items + 1,), where each item's edges begin.  root: items that may top a tree.
    posterior: under the model that pruned last.
    """

    label: Array
    start: Array
    end: Array
    entry: Array
    emission: Array
    edge_at: Array
    left: Array
    right: Array
    rule: Array
    root: Array
    posterior: Array

    @property
    def n_words(self) -> int:
        return int(self.end.max())


class Thresholds(NamedTuple):
    """Beam of cells, least posteriors of tags, items and edges, and the maximum number of edges."""

    beam: float
    tag: float
    item: float
    edge: float
    max_edges: int


@kernel
def stable_order(keys, n_keys, order):
    """The same order, sorted by key and otherwise unchanged, by counting."""
    at = np.zeros(n_keys + 1, dtype=np.int64)
    for e in order:
        at[keys[e] + 1] += 1
    for k in range(n_keys):
        at[k + 1] += at[k]
    found = np.empty_like(order)
    for e in order:
        found[at[keys[e]]] = e
        at[keys[e]] += 1
    return found


@kernel
def select(forest, parent, item_posterior, edge_posterior, item_least, edge_least, keep_item, keep_edge):
    """Mark the edges above both thresholds that can be built from words and reached from a root.

    ``forest`` has all edges in some order with children before parents.
    Returns the number of edges kept; keep_item and keep_edge are filled.
    """
    for p in range(forest.label.size):
        keep_item[p] = forest.entry[p] >= 0 and abs(item_posterior[p]) >= item_least
    for e in range(parent.size):
        p = parent[e]
        keep_edge[e] = (
            abs(edge_posterior[e]) >= edge_least
            and keep_item[forest.left[e]]
            and keep_item[forest.right[e]]
            and abs(item_posterior[p]) >= item_least
        )
        if keep_edge[e]:
            keep_item[p] = True
    reached = np.zeros(keep_item.size, dtype=np.bool_)
    for p in forest.root:
        reached[p] = keep_item[p]
    keep_item[:] = reached
    n_edges = 0
    for e in range(parent.size - 1, -1, -1):
        keep_edge[e] = keep_edge[e] and keep_item[parent[e]]
        if keep_edge[e]:
            keep_item[forest.left[e]], keep_item[forest.right[e]] = True, True
            n_edges += 1
    return n_edges


# What it computes: a forest of the marked items and edges of another one.  Layout: items keep their order and get new
# numbers, edge_at is the running count of edges by parent (a counting sort that finds its input sorted).
@kernel
def taken(forest, parent, posterior, keep_item, order):
    """The items marked and the edges named in ``order``, which is sorted by parent; items are renumbered."""
    number, n_items, n_roots = np.full(keep_item.size, -1, dtype=np.int32), 0, 0
    for p in range(keep_item.size):
        if keep_item[p]:
            number[p] = n_items
            n_items += 1
    for p in forest.root:
        n_roots += keep_item[p]
    label, start, end = np.empty(n_items, np.int32), np.empty(n_items, np.int32), np.empty(n_items, np.int32)
    entry, emission, belief = np.empty(n_items, np.int32), np.empty(n_items), np.empty(n_items)
    edge_at = np.zeros(n_items + 1, dtype=np.int64)
    left, right, rule = (
        np.empty(order.size, np.int32),
        np.empty(order.size, np.int32),
        np.empty(order.size, np.int32),
    )
    for p in range(keep_item.size):
        if keep_item[p]:
            q = number[p]
            label[q], start[q], end[q] = forest.label[p], forest.start[p], forest.end[p]
            entry[q], emission[q], belief[q] = forest.entry[p], forest.emission[p], posterior[p]
    for k in range(order.size):
        e = order[k]
        edge_at[number[parent[e]] + 1] += 1
        left[k], right[k] = number[forest.left[e]], number[forest.right[e]]
        rule[k] = forest.rule[e]
    for q in range(n_items):
        edge_at[q + 1] += edge_at[q]
    root, k = np.empty(n_roots, dtype=np.int32), 0
    for p in forest.root:
        if keep_item[p]:
            root[k] = number[p]
            k += 1
    return Forest(label, start, end, entry, emission, edge_at, left, right, rule, root, belief)


@kernel
def edge_parents(edge_at, n_edges):
    """The item that each edge belongs to."""
    parent = np.empty(n_edges, dtype=np.int32)
    for p in range(edge_at.size - 1):
        for e in range(edge_at[p], edge_at[p + 1]):
            parent[e] = p
    return parent


@kernel
def pruned_forest(forest, marginal, edge_marginal, item_least, edge_least):
    """The part of a forest whose marginals reach the thresholds, which items and which edges it has.

    It has no items if no tree is left.
    """
    parent = edge_parents(forest.edge_at, forest.rule.size)
    keep_item, keep_edge = np.empty(forest.label.size, np.bool_), np.empty(parent.size, np.bool_)
    n_edges = select(forest, parent, marginal, edge_marginal, item_least, edge_least, keep_item, keep_edge)
    order, k = np.empty(n_edges, dtype=np.int64), 0
    for e in range(parent.size):
        if keep_edge[e]:
            order[k] = e
            k += 1
    return taken(forest, parent, marginal, keep_item, order), keep_item, order


@kernel
def root_posteriors(cells, root_probability, n):
    """Items over the whole sentence that may top a tree, and the posteriors of all items, set at these."""
    size, first = cells.first[-1], cells.first[-2]
    posterior, roots, total = np.zeros(size), np.empty(size - first, dtype=np.int32), 0.0
    count = 0
    for p in range(first, size):
        chance = root_probability[cells.items[0, p]]
        if chance > 0.0:
            roots[count] = p
            count += 1
            posterior[p] = cells.value[p] * chance
            total += posterior[p]
    for p in range(first, size):
        posterior[p] /= total if total > 0.0 else 1.0
    return roots[:count], posterior, total > 0.0


# What it computes: the whole way from the choices of the words to the pruned forest in one call: inside
# values, posteriors from the roots down, what reaches both thresholds and is part of a tree, and its edges
# sorted by (parent, rule).  Edges come out of ``base_edges`` by descending cell; read backwards and
# sorted by counting, first by rule and then by parent, they keep the order of a stable sort by both keys.
@kernel
def base_forest(words, readings, rules, limits, is_open, root_probability, least):
    """The plain PCFG's pruned forest, without items if no tree is found; and whether it has too many edges.

    A tree of several words has edges, so a root without any means that ``base_edges`` found too many.
    """
    n = words.at.size - 1
    cells = base_inside(words, readings, rules, limits, is_open, least.beam, least.tag)
    size = cells.first[-1]
    roots, posterior, found = root_posteriors(cells, root_probability, n)
    edges = base_edges(cells, n, rules, posterior, least.item, least.edge, least.max_edges if found else 0)
    links = edges.links[:, ::-1].copy()
    belief, items = edges.belief[::-1].copy(), cells.items[:, :size].copy()
    entry, emission = np.full(size, -1, dtype=np.int32), np.ones(size)
    for p in range(size):
        if items[3, p] >= 0:
            entry[p], emission[p] = words.entry[items[3, p]], words.emission[items[3, p]]
    whole = Forest(
        items[0], items[1], items[2], entry, emission, np.empty(0, np.int64), links[1], links[2], links[3],
        roots if found else roots[:0], posterior,
    )  # fmt: skip
    keep_item, keep_edge = np.empty(size, np.bool_), np.empty(belief.size, np.bool_)
    n_edges = select(whole, links[0], posterior, belief, least.item, least.edge, keep_item, keep_edge)
    order, k = np.empty(n_edges, dtype=np.int64), 0
    for e in range(keep_edge.size):
        if keep_edge[e]:
            order[k] = e
            k += 1
    order = stable_order(links[3], rules.rule.size, order)
    forest = taken(whole, links[0], posterior, keep_item, stable_order(links[0], size, order))
    return forest, found and n > 1 and belief.size == 0
