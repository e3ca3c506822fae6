"""The plain PCFG's packed forest of a sentence: symbols in, pruned items and edges out.

Items are (label, i, j), sorted by span length, so children come before parents.  Edges are
(parent, left, right, rule).  Inside values are kept linear; each cell carries its own log scale.
"""

import numpy as np
from numba import njit

SHORT = 1e-30
NEGLIGIBLE = 1e-3  # of the beam, below a span's largest edge
TRIFLE = 1e-1  # of the least posterior of an edge, for two items and all rules over them


@njit(cache=True, nogil=True)
def tag_posteriors(
    entry_from, entry_to, entry_label, entry_probability, follow, n_labels, posterior, forward, backward
):
    """Forward-backward over preterminal labels; row n_labels of ``follow`` is the sentence's margin.

    posterior, forward, backward: (n, widest) aligned with the entries of each word.
    """
    n = entry_from.size
    for i in range(n):
        total = 0.0
        for k in range(entry_to[i] - entry_from[i]):
            e = entry_from[i] + k
            reach = 0.0
            if i == 0:
                reach = follow[n_labels, entry_label[e]]
            else:
                for p in range(entry_to[i - 1] - entry_from[i - 1]):
                    reach += forward[i - 1, p] * follow[entry_label[entry_from[i - 1] + p], entry_label[e]]
            forward[i, k] = reach * entry_probability[e]
            total += forward[i, k]
        for k in range(entry_to[i] - entry_from[i]):
            forward[i, k] /= max(total, 1e-300)
    for i in range(n - 1, -1, -1):
        total = 0.0
        for k in range(entry_to[i] - entry_from[i]):
            a = entry_label[entry_from[i] + k]
            reach = 0.0
            if i == n - 1:
                reach = follow[a, n_labels]
            else:
                for q in range(entry_to[i + 1] - entry_from[i + 1]):
                    e = entry_from[i + 1] + q
                    reach += follow[a, entry_label[e]] * entry_probability[e] * backward[i + 1, q]
            backward[i, k] = reach
            total += reach
        for k in range(entry_to[i] - entry_from[i]):
            backward[i, k] /= max(total, 1e-300)
        total = 0.0
        for k in range(entry_to[i] - entry_from[i]):
            posterior[i, k] = forward[i, k] * backward[i, k]
            total += posterior[i, k]
        for k in range(entry_to[i] - entry_from[i]):
            posterior[i, k] /= max(total, 1e-300)


@njit(cache=True, nogil=True)
def boundary_merit(
    entry_from,
    entry_to,
    entry_label,
    entry_probability,
    forward,
    backward,
    n_labels,
    before,
    after,
    left_merit,
    right_merit,
):
    """How well each label fits left of position i's start and right of its end.

    left_merit[i, a]: chance of a starting at i given the tags before; right_merit[j, a]: chance of
    the tags from j on given that a ended there.  before, after: (A + 1, A).
    """
    n = entry_from.size
    for a in range(n_labels):
        left_merit[0, a] = before[n_labels, a]
        right_merit[n, a] = after[n_labels, a]
    for i in range(1, n + 1):
        for a in range(n_labels):
            left_merit[i, a] = 0.0
        for k in range(entry_to[i - 1] - entry_from[i - 1]):
            weight = forward[i - 1, k]
            if weight > 1e-6:
                t = entry_label[entry_from[i - 1] + k]
                for a in range(n_labels):
                    left_merit[i, a] += weight * before[t, a]
    for j in range(n):
        for a in range(n_labels):
            right_merit[j, a] = 0.0
        total = 0.0
        for k in range(entry_to[j] - entry_from[j]):
            total += entry_probability[entry_from[j] + k] * backward[j, k]
        for k in range(entry_to[j] - entry_from[j]):
            weight = entry_probability[entry_from[j] + k] * backward[j, k] / max(total, 1e-300)
            if weight > 1e-6:
                t = entry_label[entry_from[j] + k]
                for a in range(n_labels):
                    right_merit[j, a] += weight * after[t, a]


@njit(cache=True, nogil=True)
def grown(array, needed):
    """The same array with room for ``needed`` entries."""
    if needed <= array.size:
        return array
    bigger = np.empty(max(needed, 2 * array.size), dtype=array.dtype)
    for k in range(array.size):  # a loop compiles faster than a slice
        bigger[k] = array[k]
    return bigger


@njit(cache=True, nogil=True)
def wider(table, needed):
    """The same table with room for ``needed`` columns."""
    if needed <= table.shape[1]:
        return table
    bigger = np.empty((table.shape[0], max(needed, 2 * table.shape[1])), dtype=table.dtype)
    for r in range(table.shape[0]):
        for c in range(table.shape[1]):
            bigger[r, c] = table[r, c]
    return bigger


@njit(cache=True, nogil=True)
def add_split(
    x_from, x_to, y_from, y_to, common, item_label, value, n_labels, pair_at, pair_parent, pair_probability, total, top,
    least,
):  # fmt: skip
    """Add one split of a span to the inside values of its parents.

    Pairs of items below ``least`` of ``top``, the largest addend so far, are left out.  Returns the
    largest addend.
    """
    for p in range(x_from, x_to):
        row = np.int64(item_label[p]) * n_labels
        weight = common * value[p]
        for q in range(y_from, y_to):
            both = weight * value[q]
            if both < least * top:
                continue
            first, last = pair_at[row + item_label[q]], pair_at[row + item_label[q] + 1]
            if first < last:
                top = max(top, both * pair_probability[first])
            for t in range(first, last):
                total[pair_parent[t]] += both * pair_probability[t]
    return top


@njit(cache=True, nogil=True)
def cell_reference(i, length, length_at, cell_first, scale):
    """The largest log scale of a span's splits, -inf if no split has both sides."""
    reference = -np.inf
    for k in range(1, length):
        x, y = length_at[k] + i, length_at[length - k] + i + k
        if cell_first[x + 1] > cell_first[x] and cell_first[y + 1] > cell_first[y]:
            reference = max(reference, scale[x] + scale[y])
    return reference


@njit(cache=True, nogil=True)
def beam_survivors(total, mask, left_merit, right_merit, beam, survivors):
    """Labels inside the beam, in ``survivors``; their number and the largest of their totals."""
    best, best_total, kept = 0.0, 0.0, 0
    for a in range(total.size):
        if total[a] > 0.0 and mask[a]:
            best = max(best, total[a] * left_merit[a] * right_merit[a])
    for a in range(total.size):
        if total[a] > 0.0 and mask[a] and total[a] * left_merit[a] * right_merit[a] >= beam * best:
            survivors[kept] = a
            best_total = max(best_total, total[a])
            kept += 1
    return kept, best_total


@njit(cache=True, nogil=True)
def first_cells(n):
    """First cell of each span length, cells in order of length and start."""
    length_at = np.zeros(n + 1, dtype=np.int64)
    for length in range(2, n + 1):
        length_at[length] = length_at[length - 1] + n - length + 2
    return length_at


@njit(cache=True, nogil=True)
def word_items(
    i, first, last, entry_label, entry_probability, posterior, tag_beam, mask, items, value, n_items
):
    """Append the likely readings of a word; the new number of items and the log scale of their values."""
    start, best = n_items, 0.0
    for e in range(first, last):
        if posterior[e - first] >= tag_beam and mask[entry_label[e]]:
            items[0, n_items], items[3, n_items] = entry_label[e], e
            items[1, n_items], items[2, n_items] = i, i + 1
            value[n_items] = entry_probability[e]
            best = max(best, entry_probability[e])
            n_items += 1
    if best > 0.0:
        for p in range(start, n_items):
            value[p] /= best
        return n_items, np.log(best)
    return n_items, 0.0


@njit(cache=True, nogil=True)
def base_inside(
    entry_from, entry_to, entry_label, entry_probability, tag_posterior, tag_beam, n_labels, pair_at, pair_parent,
    pair_probability, left_merit, right_merit, beam, cell_mask, masks,
):  # fmt: skip
    """All items of the plain PCFG inside a cell beam, and their inside values.

    Word i's possible entries are [entry_from[i], entry_to[i]).  pair_at: (A * A + 1,) ranges into
    pair_parent and pair_probability, rules by (left, right).  masks: (K, A), which labels a cell may
    hold; cell_mask: row of masks by i * (n + 1) + j, or empty for no constraints.  An item survives
    its cell if inside * left_merit * right_merit is at least ``beam`` times the cell's best.
    Returns items (label, start, end, entry), their values, the first item of each cell and the log
    scale of each cell's values.
    """
    n = entry_from.size
    cell_first = np.zeros(n * (n + 1) // 2 + 1, dtype=np.int64)
    scale = np.zeros(cell_first.size)
    items = np.empty((4, 64 * n), dtype=np.int32)  # label, start, end, entry
    value = np.empty(64 * n)
    total, survivors = np.zeros(n_labels), np.empty(n_labels, dtype=np.int32)
    length_at = first_cells(n)
    n_items, cell = 0, 0
    for i in range(n):
        mask = masks[cell_mask[i * (n + 1) + i + 1]] if cell_mask.size > 0 else masks[0]
        room = n_items + entry_to[i] - entry_from[i]
        items, value = wider(items, room), grown(value, room)
        n_items, scale[cell] = word_items(
            i, entry_from[i], entry_to[i], entry_label, entry_probability, tag_posterior[i], tag_beam, mask,
            items, value, n_items,
        )  # fmt: skip
        cell += 1
        cell_first[cell] = n_items
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            mask = masks[cell_mask[i * (n + 1) + i + length]] if cell_mask.size > 0 else masks[0]
            reference = cell_reference(i, length, length_at, cell_first, scale)
            top = 0.0
            for k in range(1, length if reference > -np.inf else 1):
                x, y = length_at[k] + i, length_at[length - k] + i + k
                common = np.exp(scale[x] + scale[y] - reference)
                if common >= SHORT:
                    top = add_split(
                        cell_first[x], cell_first[x + 1], cell_first[y], cell_first[y + 1], common, items[0], value,
                        n_labels, pair_at, pair_parent, pair_probability, total, top, NEGLIGIBLE * beam,
                    )  # fmt: skip
            kept, best = 0, 0.0
            if top > 0.0:
                kept, best = beam_survivors(
                    total, mask, left_merit[i], right_merit[i + length], beam, survivors
                )
                scale[cell] = reference + np.log(best) if best > 0.0 else 0.0
            items, value = wider(items, n_items + kept), grown(value, n_items + kept)
            for t in range(kept):
                items[0, n_items], items[3, n_items] = survivors[t], -1
                items[1, n_items], items[2, n_items] = i, i + length
                value[n_items] = total[survivors[t]] / best
                n_items += 1
            total[:] = 0.0
            cell += 1
            cell_first[cell] = n_items
    return items[:, :n_items], value[:n_items], cell_first, scale


@njit(cache=True, nogil=True)
def live_parents(first, last, item_label, value, posterior, item_least, place, worth):
    """Note where each label of a cell lies and its posterior over its value; the largest of these."""
    most = 0.0
    for p in range(first, last):
        if posterior[p] >= item_least and value[p] > 0.0:
            place[item_label[p]], worth[item_label[p]] = p, posterior[p] / value[p]
            most = max(most, posterior[p] / value[p])
    return most


@njit(cache=True, nogil=True)
def base_edges(
    n, items, value, cell_first, scale, n_labels, pair_at, pair_rule, pair_parent, pair_probability, posterior,
    item_least, edge_least, max_edges,
):  # fmt: skip
    """Edges (parent, left, right, rule) under items that matter, and their posteriors.

    posterior: (items,) must be set at the roots; posteriors are passed down from items of at least
    ``item_least``, and edges of at least ``edge_least`` are returned, parents in ascending order.
    No edges at all if there would be more than ``max_edges``.
    """
    edges, belief, n_edges = np.empty((4, 4096), dtype=np.int32), np.empty(4096), 0
    place, worth = np.full(n_labels, -1, dtype=np.int32), np.zeros(n_labels)
    length_at, label = first_cells(n), items[0]
    for cell in range(cell_first.size - 2, n - 1, -1):
        first, last = cell_first[cell], cell_first[cell + 1]
        if first == last:
            continue
        most = live_parents(first, last, label, value, posterior, item_least, place, worth)
        i, length = items[1, first], items[2, first] - items[1, first]
        for k in range(length - 1, 0 if most > 0.0 or edge_least == 0.0 else length, -1):
            x, y = length_at[k] + i, length_at[length - k] + i + k
            common = np.exp(scale[x] + scale[y] - scale[cell])
            for p in range(cell_first[x + 1] - 1, cell_first[x] - 1, -1):
                row = np.int64(label[p]) * n_labels
                for q in range(cell_first[y + 1] - 1, cell_first[y] - 1, -1):
                    both = common * value[p] * value[q]
                    if both * most < TRIFLE * edge_least:
                        continue
                    for t in range(pair_at[row + label[q]], pair_at[row + label[q] + 1]):
                        if both * pair_probability[t] * most < TRIFLE * edge_least:
                            break
                        a = pair_parent[t]
                        if place[a] < 0:
                            continue
                        v = both * pair_probability[t] * worth[a]
                        posterior[p] += v
                        posterior[q] += v
                        if v < edge_least:
                            continue
                        if n_edges == belief.size:
                            edges, belief = wider(edges, n_edges + 1), grown(belief, n_edges + 1)
                        edges[0, n_edges], edges[1, n_edges], edges[2, n_edges] = place[a], p, q
                        edges[3, n_edges], belief[n_edges] = pair_rule[t], v
                        n_edges += 1
        for p in range(first, last):
            place[label[p]], worth[label[p]] = -1, 0.0
        if n_edges > max_edges:
            return edges[:, :0], belief[:0]
    return edges[:, :n_edges][:, ::-1].copy(), belief[:n_edges][::-1].copy()


@njit(cache=True, nogil=True)
def select(
    item_entry,
    item_posterior,
    edge_parent,
    edge_left,
    edge_right,
    edge_posterior,
    item_least,
    edge_least,
    is_root,
    keep_item,
    keep_edge,
):
    """Mark the edges above both thresholds that can be built from words and reached from a root.

    Returns the number of edges kept; keep_item and keep_edge are filled.
    """
    for p in range(item_entry.size):
        keep_item[p] = item_entry[p] >= 0 and abs(item_posterior[p]) >= item_least
    for e in range(edge_parent.size):
        p = edge_parent[e]
        keep_edge[e] = (
            abs(edge_posterior[e]) >= edge_least
            and keep_item[edge_left[e]]
            and keep_item[edge_right[e]]
            and abs(item_posterior[p]) >= item_least
        )
        if keep_edge[e]:
            keep_item[p] = True
    for p in range(item_entry.size):
        keep_item[p] = keep_item[p] and is_root[p]
    n_edges = 0
    for e in range(edge_parent.size - 1, -1, -1):
        keep_edge[e] = keep_edge[e] and keep_item[edge_parent[e]]
        if keep_edge[e]:
            keep_item[edge_left[e]], keep_item[edge_right[e]] = True, True
            n_edges += 1
    return n_edges
