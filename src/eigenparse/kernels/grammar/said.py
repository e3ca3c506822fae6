"""What a grammar of an ensemble has said about a sentence in, what the next one need not look at out."""

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.grammar.chart import ForestMarginals
from eigenparse.kernels.grammar.forest import Constraints
from eigenparse.kernels.grammar.kept_forest import pruned_forest


# What it computes: constraints that allow a label over a span if all brackets of its chain have at least the posterior
# ``least`` there; labels without brackets, which are parts of others, are allowed everywhere.  Layout: keys of brackets
# are sorted by span, so that those of a span stand together; row 0 of the masks is that of spans without brackets.
# Order: one pass counts the spans, one fills a mask for each.
@kernel
def likely_labels(keys, masses, least, chains, n_labels):
    """Which labels each span may hold, from bracket posteriors."""
    n_spans, last, n = 0, -1, chains.width - 1
    for k in range(keys.size):
        if masses[k] >= least and keys[k] // chains.n_symbols != last:
            last = keys[k] // chains.n_symbols
            n_spans += 1
    masks, allowed = np.zeros((n_spans + 1, n_labels), np.bool_), np.zeros(chains.n_symbols, np.bool_)
    cell_mask = np.zeros(n * (n + 1), np.int32)
    for a in range(n_labels):
        masks[:, a] = chains.at[a] == chains.at[a + 1]
    k, row = 0, 0
    while k < keys.size:
        span, stop, some = keys[k] // chains.n_symbols, k, False
        while stop < keys.size and keys[stop] // chains.n_symbols == span:
            allowed[keys[stop] % chains.n_symbols] = masses[stop] >= least
            some |= masses[stop] >= least
            stop += 1
        if some:
            row += 1
            i, j = span // chains.width, span % chains.width
            cell_mask[i * (n + 1) + j] = row
            symbol = chains.symbol if j - i == 1 else chains.wide
            for a in range(n_labels):
                t = chains.at[a]
                while t < chains.at[a + 1] and allowed[symbol[t]]:
                    t += 1
                masks[row, a] = t == chains.at[a + 1]
        for t in range(k, stop):
            allowed[keys[t] % chains.n_symbols] = False
        k = stop
    return Constraints(cell_mask, masks)


@kernel
def pruned_again(forest, found, item_least, edge_least):
    """The part of a forest whose marginals reach the thresholds, and these marginals of it."""
    smaller, kept, order = pruned_forest(forest, found.item, found.edge, item_least, edge_least)
    at, size = np.zeros(smaller.label.size + 1, np.int64), 0
    item, edge = np.empty(smaller.label.size), np.empty(order.size)
    inside, outside = np.empty_like(found.inside), np.empty_like(found.outside)
    p = 0
    for q in range(kept.size):
        if kept[q]:
            item[p] = found.item[q]
            for h in range(found.at[q], found.at[q + 1]):
                inside[size], outside[size] = found.inside[h], found.outside[h]
                size += 1
            p += 1
            at[p] = size
    for k in range(order.size):
        edge[k] = found.edge[order[k]]
    left = ForestMarginals(item, edge, found.log_total, found.sign, inside[:size], outside[:size], at)
    return smaller, left
