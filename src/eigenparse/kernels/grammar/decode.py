"""Scores of items and edges from marginals, and the product of several models over one forest."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def bracket_masses(
    item_label, item_start, item_end, marginal, chain_at, chain, n_symbols, width, keys, masses
):
    """Summed marginals of every (span, symbol) that some item's chain contains; returns their number.

    chain_at, chain: the symbols of each label, none at partial labels.  A key is
    (start * width + end) * n_symbols + symbol.  Items of one span must stand together.
    """
    mass = np.zeros(n_symbols)
    touched = np.empty(n_symbols, dtype=np.int64)
    n, p = 0, 0
    while p < item_label.size:
        n_touched, stop = 0, p
        while stop < item_label.size and item_start[stop] == item_start[p] and item_end[stop] == item_end[p]:
            a = item_label[stop]
            for t in range(chain_at[a], chain_at[a + 1]):
                if mass[chain[t]] == 0.0:
                    touched[n_touched] = chain[t]
                    n_touched += 1
                mass[chain[t]] += max(marginal[stop], 1e-300)
            stop += 1
        for t in range(n_touched):
            keys[n] = (np.int64(item_start[p]) * width + item_end[p]) * n_symbols + touched[t]
            masses[n] = mass[touched[t]]
            mass[touched[t]] = 0.0
            n += 1
        p = stop
    return n


@njit(cache=True, nogil=True)
def bracket_scores(
    item_label, item_start, item_end, item_entry, marginal, chain_at, chain, n_symbols, width, keys, masses,
    threshold, tag_weight, partial_weight, bracket, score,
):  # fmt: skip
    """What each item adds to the expected number of right brackets, less ``threshold`` a bracket.

    keys: sorted, masses: the posterior of each (span, symbol).  An item scores the sum over its
    chain; the last symbol of a preterminal is its tag and adds tag_weight times its posterior;
    partial items add partial_weight times their marginal.  bracket: mean posterior of the chain.
    """
    for q in range(item_label.size):
        a = item_label[q]
        first, last = chain_at[a], chain_at[a + 1]
        if first == last:
            bracket[q], score[q] = marginal[q], partial_weight * marginal[q]
            continue
        base = (np.int64(item_start[q]) * width + item_end[q]) * n_symbols
        total, worth = 0.0, 0.0
        for t in range(first, last):
            at = np.searchsorted(keys, base + chain[t])
            mass = masses[at] if at < keys.size and keys[at] == base + chain[t] else 0.0
            total += mass
            worth += tag_weight * mass if item_entry[q] >= 0 and t == last - 1 else mass - threshold
        bracket[q], score[q] = total / (last - first), worth


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
                share = marginal[p] * np.exp(
                    edge_log[e] + inside[edge_left[e]] + inside[edge_right[e]] - inside[p]
                )
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
