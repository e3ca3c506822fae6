"""Scores of items and edges from marginals, and the product of several models over one forest."""

from typing import Any, NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel


class Chains(NamedTuple):
    """The symbols of each label, none at partial labels: label a has symbol[at[a]:at[a + 1]] over a word.

    wide: the same over several words, where a label that is a tag elsewhere is a phrase.
    n_symbols: how many symbols there are; width: words of the sentence + 1.  The key of a bracket is
    (start * width + end) * n_symbols + symbol.
    """

    at: Any
    symbol: Any
    wide: Any
    n_symbols: int
    width: int


class Worth(NamedTuple):
    """The cost of a bracket, and the weights of a correct tag and of a partial item."""

    threshold: float
    tag: float
    partial: float


@kernel
def bracket_masses(forest, marginals, chains, keys, masses):
    """Summed marginals of every (span, symbol) that some item's chain contains; returns their number.

    marginals, masses: two of each, of two models.  Items of one span must stand together.
    """
    (marginal, rough), (out, rough_out) = marginals, masses
    mass, rough_mass = np.zeros(chains.n_symbols), np.zeros(chains.n_symbols)
    touched = np.empty(chains.n_symbols, dtype=np.int64)
    label, start, end, n, p = forest.label, forest.start, forest.end, 0, 0
    while p < label.size:
        n_touched, stop = 0, p
        symbol = chains.symbol if end[p] - start[p] == 1 else chains.wide
        while stop < label.size and start[stop] == start[p] and end[stop] == end[p]:
            a = label[stop]
            for t in range(chains.at[a], chains.at[a + 1]):
                if mass[symbol[t]] == 0.0:
                    touched[n_touched] = symbol[t]
                    n_touched += 1
                mass[symbol[t]] += max(marginal[stop], 1e-300)
                rough_mass[symbol[t]] += rough[stop]
            stop += 1
        for t in range(n_touched):
            keys[n] = (np.int64(start[p]) * chains.width + end[p]) * chains.n_symbols + touched[t]
            out[n], rough_out[n] = mass[touched[t]], rough_mass[touched[t]]
            mass[touched[t]], rough_mass[touched[t]] = 0.0, 0.0
            n += 1
        p = stop
    return n


@kernel
def place_of(key, keys):
    """The first place among sorted keys that is not smaller; np.searchsorted would load SciPy."""
    low, high = 0, keys.size
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def bracket_scores(forest, marginal, chains, keys, masses, worth, bracket, score):
    """What each item adds to the expected number of right brackets, less the threshold for each bracket.

    keys: sorted, masses: the posterior of each (span, symbol).  An item scores the sum over its chain; the last symbol
    of a preterminal is its tag and adds worth.tag times its posterior; partial items add worth.partial times their
    marginal.  bracket: mean posterior of the chain.
    """
    for q in range(forest.label.size):
        a = forest.label[q]
        first, last = chains.at[a], chains.at[a + 1]
        if first == last:
            bracket[q], score[q] = marginal[q], worth.partial * marginal[q]
            continue
        base = (np.int64(forest.start[q]) * chains.width + forest.end[q]) * chains.n_symbols
        symbol = chains.symbol if forest.end[q] - forest.start[q] == 1 else chains.wide
        total, value = 0.0, 0.0
        for t in range(first, last):
            key = base + symbol[t]
            at = place_of(key, keys)
            mass = masses[at] if at < keys.size and keys[at] == key else 0.0
            total += mass
            value += worth.tag * mass if forest.entry[q] >= 0 and t == last - 1 else mass - worth.threshold
        bracket[q], score[q] = total / (last - first), value


@kernel
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


@kernel
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


@kernel
def add_log_conditionals(edge_at, item_marginal, edge_marginal, floor, total):
    """total[e] += log p(edge | parent item) of one model, floored."""
    for p in range(edge_at.size - 1):
        mass = 0.0
        for e in range(edge_at[p], edge_at[p + 1]):
            mass += abs(edge_marginal[e])
        for e in range(edge_at[p], edge_at[p + 1]):
            share = abs(edge_marginal[e]) / mass if mass > 0.0 else 1.0
            total[e] += np.log(max(share, floor))
