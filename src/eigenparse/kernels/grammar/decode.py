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


class Sums(NamedTuple):
    """Sums by symbol under two models, all zero between two spans, and the symbols met in one."""

    mass: Any
    rough: Any
    met: Any


@kernel
def add_span(forest, marginals, chains, p, sums):
    """Sum the marginals of the items from p on that share its span; where the next one begins, number of symbols."""
    label, start, end, (marginal, rough) = forest.label, forest.start, forest.end, marginals
    symbol = chains.symbol if end[p] - start[p] == 1 else chains.wide
    n, stop = 0, p
    while stop < label.size and start[stop] == start[p] and end[stop] == end[p]:
        a = label[stop]
        for t in range(chains.at[a], chains.at[a + 1]):
            if sums.mass[symbol[t]] == 0.0:
                sums.met[n] = symbol[t]
                n += 1
            sums.mass[symbol[t]] += max(marginal[stop], 1e-300)
            sums.rough[symbol[t]] += rough[stop]
        stop += 1
    return stop, n


@kernel
def bracket_masses(forest, marginals, chains):
    """Summed marginals of every (span, symbol) that some item's chain contains: keys, ascending, masses and rough ones.

    marginals: two, of two models.  Items of one span must stand together.
    """
    room, p, n = 0, 0, 0
    for a in forest.label:
        room += chains.at[a + 1] - chains.at[a]
    keys, masses, rough = np.empty(room, np.int64), np.empty(room), np.empty(room)
    empty = np.zeros(chains.n_symbols), np.zeros(chains.n_symbols), np.empty(chains.n_symbols, np.int64)
    sums = Sums(empty[0], empty[1], empty[2])
    while p < forest.label.size:
        span = np.int64(forest.start[p]) * chains.width + forest.end[p]
        p, met = add_span(forest, marginals, chains, p, sums)
        for t in range(met):
            a = sums.met[t]
            keys[n], masses[n], rough[n] = span * chains.n_symbols + a, sums.mass[a], sums.rough[a]
            sums.mass[a], sums.rough[a] = 0.0, 0.0
            n += 1
    order = np.argsort(keys[:n])
    return keys[order], masses[order], rough[order]


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
