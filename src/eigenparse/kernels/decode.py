"""Scores of items and edges from marginals, and the product of several models over one forest."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def bracket_scores(
    item_label, item_start, item_end, item_entry, marginal, chain_at, chain, n_symbols, threshold, tag_weight,
    partial_weight, bracket, score,
):  # fmt: skip
    """What each item adds to the expected number of right brackets, less ``threshold`` a bracket.

    A bracket (symbol, i, j) has the summed marginal of all items whose collapsed chain contains the
    symbol; an item scores the sum over its chain.  chain_at, chain: the bracket symbols of each
    label (none for partial labels; tags left out).  Preterminals add tag_weight times their own
    marginal, partial items partial_weight times theirs.  bracket: (items,) gets each item's mean
    bracket posterior.  Items of one span must stand together.
    """
    mass = np.zeros(n_symbols)
    p = 0
    while p < item_label.size:
        stop = p
        while stop < item_label.size and item_start[stop] == item_start[p] and item_end[stop] == item_end[p]:
            a = item_label[stop]
            for t in range(chain_at[a], chain_at[a + 1]):
                mass[chain[t]] += marginal[stop]
            stop += 1
        for q in range(p, stop):
            a = item_label[q]
            n = chain_at[a + 1] - chain_at[a]
            total = 0.0
            for t in range(chain_at[a], chain_at[a + 1]):
                total += mass[chain[t]]
            bracket[q] = total / n if n > 0 else marginal[q]
            score[q] = total - n * threshold
            if item_entry[q] >= 0:
                score[q] += tag_weight * marginal[q]
            elif n == 0:
                score[q] += partial_weight * marginal[q]
        for q in range(p, stop):
            a = item_label[q]
            for t in range(chain_at[a], chain_at[a + 1]):
                mass[chain[t]] = 0.0
        p = stop


@njit(cache=True, nogil=True)
def scalar_inside(item_entry, edge_at, edge_left, edge_right, edge_log, item_log, inside):
    """Log inside values of a forest whose edges and word items carry log weights."""
    for p in range(item_entry.size):
        if item_entry[p] >= 0:
            inside[p] = item_log[p]
            continue
        top = -np.inf
        for e in range(edge_at[p], edge_at[p + 1]):
            top = max(top, edge_log[e] + inside[edge_left[e]] + inside[edge_right[e]])
        total = 0.0
        if top > -np.inf:
            for e in range(edge_at[p], edge_at[p + 1]):
                total += np.exp(edge_log[e] + inside[edge_left[e]] + inside[edge_right[e]] - top)
        inside[p] = top + np.log(total) if total > 0.0 else -np.inf


@njit(cache=True, nogil=True)
def scalar_marginals(edge_at, edge_left, edge_right, edge_log, inside, marginal, edge_marginal):
    """Pass marginals down from the roots, whose values must be set."""
    for p in range(edge_at.size - 2, -1, -1):
        for e in range(edge_at[p], edge_at[p + 1]):
            share = 0.0
            if marginal[p] > 0.0 and inside[p] > -np.inf:
                share = marginal[p] * np.exp(edge_log[e] + inside[edge_left[e]] + inside[edge_right[e]] - inside[p])
            edge_marginal[e] = share
            marginal[edge_left[e]] += share
            marginal[edge_right[e]] += share


@njit(cache=True, nogil=True)
def add_log_conditionals(edge_at, item_marginal, edge_marginal, floor, total):
    """total[e] += log p(edge | parent item) of one model, floored."""
    for p in range(edge_at.size - 1):
        mass = 0.0
        for e in range(edge_at[p], edge_at[p + 1]):
            mass += abs(edge_marginal[e])
        for e in range(edge_at[p], edge_at[p + 1]):
            share = abs(edge_marginal[e]) / mass if mass > 0.0 else 1.0
            total[e] += np.log(max(share, floor))
