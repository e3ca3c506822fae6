"""The plain PCFG's packed forest of a sentence: symbols in, pruned items and edges out.

Items are (label, i, j), sorted by span length, so children come before parents.  Edges are
(parent, left, right, rule).  Inside values are kept linear; each cell carries its own log scale.
"""

import numpy as np
from numba import njit

SHORT = 1e-30


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
def base_forest(
    entry_from, entry_to, entry_label, entry_probability, tag_posterior, tag_beam,
    n_labels, pair_at, pair_rule, rule_parent, rule_probability, left_merit, right_merit, beam, cell_mask, masks, max_edges,
):  # fmt: skip
    """All items and edges of the plain PCFG inside a cell beam.

    Word i's possible entries are [entry_from[i], entry_to[i]).  pair_at: (A * A + 1,) ranges into
    pair_rule, rules by (left, right).  masks: (K, A), which labels a cell may hold; cell_mask: row of
    masks by i * (n + 1) + j, or empty for no constraints.  An item survives its cell if
    inside * left_merit * right_merit is at least ``beam`` times the cell's best.
    Returns item_label, item_start, item_end, item_entry, edge_parent, edge_left, edge_right,
    edge_rule, edge_share (the edge's share of its parent's inside value), cell_first, log_scale of
    the top cell, and the inside values; no edges at all if ``max_edges`` would be exceeded.
    """
    n = entry_from.size
    n_cells = n * (n + 1) // 2
    cell_first = np.zeros(n_cells + 1, dtype=np.int64)  # length-major: cell of (i, length)
    scale = np.zeros(n_cells)
    item_label = np.empty(64 * n, dtype=np.int32)
    item_start = np.empty(64 * n, dtype=np.int32)
    item_end = np.empty(64 * n, dtype=np.int32)
    item_entry = np.empty(64 * n, dtype=np.int32)
    value = np.empty(64 * n)
    edge_parent = np.empty(1024, dtype=np.int32)
    edge_left = np.empty(1024, dtype=np.int32)
    edge_right = np.empty(1024, dtype=np.int32)
    edge_rule = np.empty(1024, dtype=np.int32)
    edge_share = np.empty(1024)
    total = np.zeros(n_labels)
    place = np.full(n_labels, -1, dtype=np.int32)
    touched = np.empty(n_labels, dtype=np.int32)
    n_items, n_edges, cell = 0, 0, 0
    for i in range(n):
        best = 0.0
        mask = masks[cell_mask[i * (n + 1) + i + 1]] if cell_mask.size > 0 else masks[0]
        for k in range(entry_to[i] - entry_from[i]):
            if tag_posterior[i, k] >= tag_beam and mask[entry_label[entry_from[i] + k]]:
                best = max(best, entry_probability[entry_from[i] + k])
        if best == 0.0:
            best = 1.0
        for k in range(entry_to[i] - entry_from[i]):
            if tag_posterior[i, k] < tag_beam or not mask[entry_label[entry_from[i] + k]]:
                continue
            item_label = grown(item_label, n_items + 1)
            item_start = grown(item_start, n_items + 1)
            item_end = grown(item_end, n_items + 1)
            item_entry = grown(item_entry, n_items + 1)
            value = grown(value, n_items + 1)
            e = entry_from[i] + k
            item_label[n_items], item_entry[n_items] = entry_label[e], e
            item_start[n_items], item_end[n_items] = i, i + 1
            value[n_items] = entry_probability[e] / best
            n_items += 1
        scale[cell] = np.log(best)
        cell += 1
        cell_first[cell] = n_items
    length_at = np.zeros(n + 1, dtype=np.int64)  # first cell of each length
    for length in range(1, n + 1):
        length_at[length] = length_at[length - 1] + (n - length + 2 if length > 1 else 0)
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length
            first_edge = n_edges
            n_touched = 0
            reference = -np.inf
            mask = masks[cell_mask[i * (n + 1) + j]] if cell_mask.size > 0 else masks[0]
            for k in range(1, length):
                x, y = length_at[k] + i, length_at[length - k] + i + k
                if cell_first[x + 1] > cell_first[x] and cell_first[y + 1] > cell_first[y]:
                    reference = max(reference, scale[x] + scale[y])
            if reference > -np.inf:
                for k in range(1, length):
                    x, y = length_at[k] + i, length_at[length - k] + i + k
                    y_from, y_to = cell_first[y], cell_first[y + 1]
                    if y_to == y_from or cell_first[x + 1] == cell_first[x]:
                        continue
                    common = np.exp(scale[x] + scale[y] - reference)
                    if common < SHORT:
                        continue
                    for p in range(cell_first[x], cell_first[x + 1]):
                        row = np.int64(item_label[p]) * n_labels
                        weight = common * value[p]
                        for q in range(y_from, y_to):
                            pair = row + item_label[q]
                            low, high = pair_at[pair], pair_at[pair + 1]
                            if low == high:
                                continue
                            both = weight * value[q]
                            if n_edges + (high - low) > edge_parent.size:
                                need = n_edges + (high - low)
                                edge_parent = grown(edge_parent, need)
                                edge_left = grown(edge_left, need)
                                edge_right = grown(edge_right, need)
                                edge_rule = grown(edge_rule, need)
                                edge_share = grown(edge_share, need)
                            for t in range(low, high):
                                r = pair_rule[t]
                                a = rule_parent[r]
                                if not mask[a]:
                                    continue
                                v = both * rule_probability[r]
                                if total[a] == 0.0 and place[a] == -1:
                                    touched[n_touched] = a
                                    n_touched += 1
                                    place[a] = -2
                                total[a] += v
                                edge_parent[n_edges], edge_rule[n_edges] = a, r
                                edge_left[n_edges], edge_right[n_edges] = p, q
                                edge_share[n_edges] = v
                                n_edges += 1
            best, best_value = 0.0, 0.0
            for t in range(n_touched):
                a = touched[t]
                best = max(best, total[a] * left_merit[i, a] * right_merit[j, a])
            for t in range(n_touched):
                a = touched[t]
                if total[a] * left_merit[i, a] * right_merit[j, a] >= beam * best:
                    best_value = max(best_value, total[a])
            for t in range(n_touched):
                a = touched[t]
                place[a] = -1
                if total[a] > 0.0 and total[a] * left_merit[i, a] * right_merit[j, a] >= beam * best:
                    item_label = grown(item_label, n_items + 1)
                    item_start = grown(item_start, n_items + 1)
                    item_end = grown(item_end, n_items + 1)
                    item_entry = grown(item_entry, n_items + 1)
                    value = grown(value, n_items + 1)
                    item_label[n_items], item_entry[n_items] = a, -1
                    item_start[n_items], item_end[n_items] = i, j
                    value[n_items] = total[a] / best_value
                    place[a] = n_items
                    n_items += 1
            kept = first_edge
            for e in range(first_edge, n_edges):
                a = edge_parent[e]
                if place[a] >= 0:
                    edge_parent[kept] = place[a]
                    edge_left[kept], edge_right[kept], edge_rule[kept] = (
                        edge_left[e],
                        edge_right[e],
                        edge_rule[e],
                    )
                    edge_share[kept] = edge_share[e] / total[a]
                    kept += 1
            n_edges = kept
            for t in range(n_touched):
                total[touched[t]] = 0.0
                place[touched[t]] = -1
            scale[cell] = reference + np.log(best_value) if best_value > 0.0 else 0.0
            cell += 1
            cell_first[cell] = n_items
            if n_edges > max_edges:
                n_edges = -1
                return (
                    item_label[:0], item_start[:0], item_end[:0], item_entry[:0], edge_parent[:0], edge_left[:0],
                    edge_right[:0], edge_rule[:0], edge_share[:0], cell_first, 0.0, value[:0],
                )  # fmt: skip
    return (
        item_label[:n_items], item_start[:n_items], item_end[:n_items], item_entry[:n_items], edge_parent[:n_edges],
        edge_left[:n_edges], edge_right[:n_edges], edge_rule[:n_edges], edge_share[:n_edges], cell_first,
        scale[n_cells - 1], value[:n_items],
    )  # fmt: skip


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
