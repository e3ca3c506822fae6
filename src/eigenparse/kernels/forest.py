"""The plain PCFG's packed forest of a sentence: symbols in, pruned items and edges out.

Items are (label, i, j), sorted by span length, so children come before parents.  Edges are
(parent, left, right, rule).  Inside values are kept linear; each cell carries its own log scale.
"""

import numpy as np
from numba import njit

SHORT = 1e-30
NEGLIGIBLE = 1e-5  # of the beam, below a span's largest edge


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
    bigger[: array.size] = array
    return bigger


@njit(cache=True, nogil=True)
def wider(table, needed):
    """The same table with room for ``needed`` columns."""
    if needed <= table.shape[1]:
        return table
    bigger = np.empty((table.shape[0], max(needed, 2 * table.shape[1])), dtype=table.dtype)
    bigger[:, : table.shape[1]] = table
    return bigger


@njit(cache=True, nogil=True)
def split_edges(
    x_from, x_to, y_from, y_to, common, item_label, value, n_labels, pair_at, pair_parent, pair_probability, mask,
    total, touched, n_touched, left, right, pair, share, n, top, least,
):  # fmt: skip
    """Edges of one split of a span: append (left, right, pair, value) and add to the parents' totals.

    Pairs of items below ``least`` of ``top``, the largest edge of the span so far, are left out.  Returns
    the new numbers of touched parents and of edges, and the largest edge.
    """
    for p in range(x_from, x_to):
        row = np.int64(item_label[p]) * n_labels
        weight = common * value[p]
        for q in range(y_from, y_to):
            if weight * value[q] < least * top:
                continue
            at = row + item_label[q]
            for t in range(pair_at[at], pair_at[at + 1]):
                a = pair_parent[t]
                if not mask[a]:
                    continue
                v = weight * value[q] * pair_probability[t]
                if total[a] == 0.0:
                    touched[n_touched] = a
                    n_touched += 1
                total[a] += max(v, 1e-300)
                left[n], right[n], pair[n], share[n] = p, q, t, v
                top = max(top, v)
                n += 1
    return n_touched, n, top


@njit(cache=True, nogil=True)
def count_edges(x_from, x_to, y_from, y_to, item_label, n_labels, pair_at):
    """Number of rules over two cells."""
    n = 0
    for p in range(x_from, x_to):
        row = np.int64(item_label[p]) * n_labels
        for q in range(y_from, y_to):
            n += pair_at[row + item_label[q] + 1] - pair_at[row + item_label[q]]
    return n


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
def beam_survivors(touched, n_touched, total, left_merit, right_merit, beam):
    """Move the parents inside the beam to the front; their number and the largest of their totals."""
    best, best_total, kept = 0.0, 0.0, 0
    for t in range(n_touched):
        best = max(best, total[touched[t]] * left_merit[touched[t]] * right_merit[touched[t]])
    for t in range(n_touched):
        a = touched[t]
        if total[a] * left_merit[a] * right_merit[a] >= beam * best:
            touched[kept], touched[t] = a, touched[kept]
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
        value[start:n_items] /= best
        return n_items, np.log(best)
    return n_items, 0.0


@njit(cache=True, nogil=True)
def base_forest(
    entry_from, entry_to, entry_label, entry_probability, tag_posterior, tag_beam, n_labels, pair_at, pair_rule,
    pair_parent, pair_probability, pair_most, left_merit, right_merit, beam, least_share, cell_mask, masks,
    max_edges,
):  # fmt: skip
    """All items and edges of the plain PCFG inside a cell beam.

    Word i's possible entries are [entry_from[i], entry_to[i]).  pair_at: (A * A + 1,) ranges into
    pair_rule, pair_parent and pair_probability, rules by (left, right), at most pair_most each.
    masks: (K, A), which labels a cell may hold; cell_mask: row of masks by i * (n + 1) + j, or empty
    for no constraints.  An item survives its cell if inside * left_merit * right_merit is at least
    ``beam`` times the cell's best, an edge if it is at least ``least_share`` of its parent.
    Returns items (label, start, end, entry), their values, edges (parent, left, right, rule), their
    shares of the parents' inside values, and the first item of each cell; no items at all if
    ``max_edges`` would be exceeded.
    """
    n = entry_from.size
    cell_first = np.zeros(n * (n + 1) // 2 + 1, dtype=np.int64)
    scale = np.zeros(cell_first.size)
    items = np.empty((4, 64 * n), dtype=np.int32)  # label, start, end, entry
    value = np.empty(64 * n)
    edges = np.empty((4, 4096), dtype=np.int32)  # parent, left, right, rule
    shares = np.empty(4096)
    left, right = np.empty(1024, dtype=np.int32), np.empty(1024, dtype=np.int32)
    pair = np.empty(1024, dtype=np.int32)
    share = np.empty(1024)
    total, touched = np.zeros(n_labels), np.empty(n_labels, dtype=np.int32)
    place = np.full(n_labels, -1, dtype=np.int32)
    length_at = first_cells(n)
    n_items, n_edges, cell = 0, 0, 0
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
            n_touched, n_new, top = 0, 0, 0.0
            for k in range(1, length if reference > -np.inf else 1):
                x, y = length_at[k] + i, length_at[length - k] + i + k
                n_x, n_y = cell_first[x + 1] - cell_first[x], cell_first[y + 1] - cell_first[y]
                common = np.exp(scale[x] + scale[y] - reference)
                if n_x == 0 or n_y == 0 or common < SHORT:
                    continue
                room = n_new + n_x * n_y * pair_most
                if room > left.size and n_x > 1:  # a bound that is rarely met: count before growing
                    room = n_new + count_edges(
                        cell_first[x], cell_first[x + 1], cell_first[y], cell_first[y + 1], items[0], n_labels, pair_at
                    )  # fmt: skip
                left, right = grown(left, room), grown(right, room)
                pair, share = grown(pair, room), grown(share, room)
                n_touched, n_new, top = split_edges(
                    cell_first[x], cell_first[x + 1], cell_first[y], cell_first[y + 1], common, items[0], value,
                    n_labels, pair_at, pair_parent, pair_probability, mask, total, touched, n_touched,
                    left, right, pair, share, n_new, top, NEGLIGIBLE * beam,
                )  # fmt: skip
            kept, best = beam_survivors(
                touched, n_touched, total, left_merit[i], right_merit[i + length], beam
            )
            items, value = wider(items, n_items + kept), grown(value, n_items + kept)
            for t in range(kept):
                a = touched[t]
                items[0, n_items], items[3, n_items] = a, -1
                items[1, n_items], items[2, n_items] = i, i + length
                value[n_items], place[a] = total[a] / best, n_items
                n_items += 1
            edges, shares = wider(edges, n_edges + n_new), grown(shares, n_edges + n_new)
            for e in range(n_new):
                a = pair_parent[pair[e]]
                if place[a] >= 0 and share[e] >= least_share * total[a]:
                    edges[0, n_edges], edges[1, n_edges], edges[2, n_edges] = place[a], left[e], right[e]
                    edges[3, n_edges], shares[n_edges] = pair_rule[pair[e]], share[e] / total[a]
                    n_edges += 1
            for t in range(n_touched):
                total[touched[t]], place[touched[t]] = 0.0, -1
            scale[cell] = reference + np.log(best) if best > 0.0 else 0.0
            cell += 1
            cell_first[cell] = n_items
            if n_edges > max_edges:
                return items[:, :0], value[:0], edges[:, :0], shares[:0], cell_first
    return items[:, :n_items], value[:n_items], edges[:, :n_edges], shares[:n_edges], cell_first


@njit(cache=True, nogil=True)
def forest_posteriors(edge_parent, edge_left, edge_right, edge_share, posterior, edge_posterior):
    """Pass posteriors down from the roots, whose values must be set: edges come parents first in reverse."""
    for e in range(edge_parent.size - 1, -1, -1):
        p = posterior[edge_parent[e]] * edge_share[e]
        edge_posterior[e] = p
        posterior[edge_left[e]] += p
        posterior[edge_right[e]] += p


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
