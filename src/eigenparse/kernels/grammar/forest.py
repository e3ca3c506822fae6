"""The plain PCFG's packed forest of a sentence: choices of words in, items and edges out.

An item is (label, start, end).  Items lie by cell, cells by span length and start, so that children
come before parents.  Inside values are kept linear: each cell divides them by its largest and keeps
the logarithm as its scale, so that long sentences neither underflow nor need a logarithm per edge.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eigenparse.kernels.compiled import kernel

Array = npt.NDArray[Any]
SHORT = 1e-30
TRIFLE = 1e-1  # of the least posterior of an edge, for two items and all rules over them


class RuleIndex(NamedTuple):
    """Rules by their two children: those over b and c are [at[k], at[k + 1]) of the columns, likeliest first.

    pair: (A * A,), k = pair[b * A + c]; pairs without rules share a few numbers that have none.  rule, parent,
    probability: one entry per rule.  some: (pairs,) uint64, bit a % 64 is set for each parent a of a rule over the
    pair.  most: how many rules a pair has at most.
    """

    pair: Array
    at: Array
    rule: Array
    parent: Array
    probability: Array
    some: Array
    most: int


class Constraints(NamedTuple):
    """Which labels a span may hold: masks (K, A), cell_mask (n * (n + 1),) or empty for none."""

    cell_mask: Array
    masks: Array


class Cells(NamedTuple):
    """Items of the plain PCFG.  items: (4, N) of label, start, end and choice (-1 at phrases).

    value: (N,) inside values over their cell's largest.  first: (cells + 1,) where each cell's items
    begin.  scale: (cells,) log of what each cell's values were divided by.
    """

    items: Array
    value: Array
    first: Array
    scale: Array


class Edges(NamedTuple):
    """Edges under items.  links: (4, E) of parent, left child, right child and rule; belief: posteriors."""

    links: Array
    belief: Array


@kernel
def wider(table, needed):
    """The same table with room for ``needed`` columns."""
    if needed <= table.shape[1]:
        return table
    bigger = np.empty((table.shape[0], max(needed, 2 * table.shape[1])), dtype=table.dtype)
    for r in range(table.shape[0]):  # loops compile faster than slices
        for c in range(table.shape[1]):
            bigger[r, c] = table[r, c]
    return bigger


@kernel
def longer(array, needed):
    """The same array with room for ``needed`` values."""
    if needed <= array.size:
        return array
    bigger = np.empty(max(needed, 2 * array.size), dtype=array.dtype)
    for k in range(array.size):
        bigger[k] = array[k]
    return bigger


@kernel
def first_cells(n):
    """First cell of each span length, cells in order of length and start."""
    length_at = np.zeros(n + 1, dtype=np.int64)
    for length in range(2, n + 1):
        length_at[length] = length_at[length - 1] + n - length + 2
    return length_at


@kernel
def mask_of(limits, i, j, n):
    """Which labels a span may hold."""
    return limits.masks[limits.cell_mask[i * (n + 1) + j] if limits.cell_mask.size > 0 else 0]


@kernel
def add_words(cells, words, posterior, least_tag, limits):
    """Fill the cells of single words with their likely readings; the number of items."""
    n, size = words.at.size - 1, 0
    for i in range(n):
        mask, best, start = mask_of(limits, i, i + 1, n), 0.0, size
        for e in range(words.at[i], words.at[i + 1]):
            if posterior[i, e - words.at[i]] >= least_tag and mask[words.label[e]]:
                cells.items[0, size], cells.items[3, size] = words.label[e], e
                cells.items[1, size], cells.items[2, size] = i, i + 1
                cells.value[size] = words.probability[e]
                best = max(best, words.probability[e])
                size += 1
        for p in range(start, size if best > 0.0 else start):
            cells.value[p] /= best
        cells.scale[i] = np.log(best) if best > 0.0 else 0.0
        cells.first[i + 1] = size
    return size


class Sums(NamedTuple):
    """Sums of one cell, all zero between two cells.

    of_pair: (pairs,) products of two items' values, all splits together.  pairs: those that are not zero, in the order
    in which they were met.  of_label: (A,) inside values.  labels: those that are not zero, likewise.
    """

    of_pair: Array
    pairs: Array
    of_label: Array
    labels: Array


@kernel
def add_split(cells, x, y, common, rules, sums, n):
    """Add the pairs of two cells to the sums of pairs, of which n are not zero; their number."""
    label, value, of_pair = cells.items[0], cells.value, sums.of_pair
    low, high = cells.first[y], cells.first[y + 1]
    for p in range(cells.first[x], cells.first[x + 1]):
        row = np.int64(label[p]) * sums.of_label.size
        weight = common * value[p]
        for q in range(low, high):  # nearly every branch here would be mispredicted
            k = rules.pair[row + label[q]]
            before = of_pair[k]
            after = before + weight * value[q]
            sums.pairs[n] = k
            n += (before == 0.0) & (after != 0.0)
            of_pair[k] = after
    return n


@kernel
def add_rules(rules, sums, n):
    """Add the rules over n pairs to the sums of labels and clear those of pairs; how many labels have one."""
    found = 0
    for t in range(n):
        k = sums.pairs[t]
        both, sums.of_pair[k] = sums.of_pair[k], 0.0
        for r in range(rules.at[k], rules.at[k + 1]):
            a = rules.parent[r]
            before = sums.of_label[a]
            after = before + both * rules.probability[r]
            sums.labels[found] = a
            found += (before == 0.0) & (after != 0.0)
            sums.of_label[a] = after
    return found


@kernel
def add_splits(cells, i, length, length_at, rules, sums):
    """Add all splits of a span to the sums of labels; how many labels have one, and the log of the common divisor."""
    first, scale = cells.first, cells.scale
    n, reference = 0, -np.inf
    for k in range(1, length):
        x, y = length_at[k] + i, length_at[length - k] + i + k
        if first[x + 1] > first[x] and first[y + 1] > first[y]:
            reference = max(reference, scale[x] + scale[y])
    for k in range(1, length if reference > -np.inf else 1):
        x, y = length_at[k] + i, length_at[length - k] + i + k
        if first[x + 1] > first[x] and first[y + 1] > first[y]:
            common = np.exp(scale[x] + scale[y] - reference)
            if common >= SHORT:
                n = add_split(cells, x, y, common, rules, sums, n)
    return add_rules(rules, sums, n), reference


@kernel
def beam_survivors(sums, found, mask, left_merit, right_merit, beam):
    """Put the labels inside the beam first, in ascending order, and clear the others' sums.

    Returns their number and the largest of their sums.
    """
    best, best_total, kept, labels, total = 0.0, 0.0, 0, sums.labels, sums.of_label
    for t in range(found):
        a = labels[t]
        if mask[a]:
            best = max(best, total[a] * left_merit[a] * right_merit[a])
    for t in range(found):
        a = labels[t]
        if mask[a] and total[a] * left_merit[a] * right_merit[a] >= beam * best:
            place = kept
            while place > 0 and labels[place - 1] > a:
                labels[place] = labels[place - 1]
                place -= 1
            labels[place] = a
            best_total = max(best_total, total[a])
            kept += 1
        else:
            total[a] = 0.0
    return kept, best_total


@kernel
def add_items(cells, size, i, j, sums, kept, best):
    """Write the items of a cell behind ``size`` others and clear their sums; the cells, which may have grown."""
    if size + kept > cells.value.size:
        items, value = wider(cells.items, size + kept), longer(cells.value, size + kept)
        cells = Cells(items, value, cells.first, cells.scale)
    for t in range(kept):
        a = sums.labels[t]
        cells.items[0, size + t], cells.items[3, size + t] = a, -1
        cells.items[1, size + t], cells.items[2, size + t] = i, j
        cells.value[size + t], sums.of_label[a] = sums.of_label[a] / best, 0.0
    return cells


# What it computes: the inside values of all items of the plain PCFG that survive the beam of their
# cell,  v(a, i, j) = sum over k, a -> b c of  p(a -> b c) v(b, i, k) v(c, k, j),  where v(a, i, i + 1)
# is the probability of the word given a.  An item survives if v left_merit[i, a] right_merit[j, a] is
# at least ``beam`` times the best of its cell.  Cells that ``is_open`` closes (if it is not empty) hold
# nothing, whatever their splits; most time goes into pairs of items, so a closed cell saves its own
# splits and those of all spans that it would have been a part of.  Products of two items are first added up by their
# labels over all splits, so that a rule is read once a cell.
# Layout: see ``Cells``.  Order: by length, so that both parts of a split are ready.
@kernel
def base_inside(words, readings, rules, limits, is_open, beam, least_tag):
    """The items of the plain PCFG inside the beams of their cells."""
    n, n_labels = words.at.size - 1, limits.masks.shape[1]
    n_cells, room = n * (n + 1) // 2, max(32 * n, words.label.size + n_labels)
    cells = Cells(
        np.empty((4, room), np.int32), np.empty(room), np.zeros(n_cells + 1, np.int64), np.zeros(n_cells + 1)
    )
    size = add_words(cells, words, readings.tag, least_tag, limits)
    sums = Sums(
        np.zeros(rules.at.size), np.empty(rules.at.size, np.int32), np.zeros(n_labels),
        np.empty(n_labels + 1, np.int32),
    )  # fmt: skip
    length_at, cell = first_cells(n), n
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length
            if is_open.size == 0 or is_open[i * (n + 1) + j]:
                found, reference = add_splits(cells, i, length, length_at, rules, sums)
                kept, best = beam_survivors(
                    sums,
                    found,
                    mask_of(limits, i, j, n),
                    readings.left_merit[i],
                    readings.right_merit[j],
                    beam,
                )
                if kept > 0:
                    cells.scale[cell] = reference + np.log(best)
                    cells = add_items(cells, size, i, j, sums, kept, best)
                    size += kept
            cell += 1
            cells.first[cell] = size
    return cells


@kernel
def parent_bits(at, parent):
    """A word of bits for each pair of labels (see ``RuleIndex``)."""
    some = np.zeros(at.size - 1, dtype=np.uint64)
    for k in range(some.size):
        for t in range(at[k], at[k + 1]):
            some[k] |= np.uint64(1) << np.uint64(parent[t] % 64)
    return some


@kernel
def live_parents(cells, cell, posterior, item_least, place, worth):
    """Note where each label of a cell lies and its posterior over its value; the largest of these, and their bits."""
    most, live = 0.0, np.uint64(0)
    for p in range(cells.first[cell], cells.first[cell + 1]):
        if posterior[p] >= item_least and cells.value[p] > 0.0:
            a = cells.items[0, p]
            place[a], worth[a] = p, posterior[p] / cells.value[p]
            most = max(most, posterior[p] / cells.value[p])
            live |= np.uint64(1) << np.uint64(a % 64)
    return most, live


# What it computes: the part of ``base_edges`` for one split of a span and one left child.  With
# both = common v(b, i, k) v(c, k, j),  the edge a -> b c has the posterior  both p(a -> b c) mu(a, i, j) / v(a, i, j).
# Layout: rules of a pair (b, c) stand together by falling probability, so that the inner loop ends at the first one
# that cannot reach ``least``; most pairs have no rule with a parent in the cell, which their bits tell.  Order:
# backwards, because edges are read backwards afterwards.
@kernel
def row_edges(cells, row, rules, parents, least, posterior, edges, size):
    """Append the edges of one left child and all right ones (p, y, weight, most, live), which have room; their number.

    parents: place and posterior over value of the labels in the cell (see ``live_parents``).
    """
    (p, y, weight, most, live), (place, worth) = row, parents
    label, value, first, links = cells.items[0], cells.value, cells.first, edges.links
    pairs = np.int64(label[p]) * place.size
    for q in range(first[y + 1] - 1, first[y] - 1, -1):
        pair = rules.pair[pairs + label[q]]
        both = weight * value[q]
        if rules.some[pair] & live == 0 or both * most < TRIFLE * least:
            continue
        for t in range(rules.at[pair], rules.at[pair + 1]):
            if both * rules.probability[t] * most < TRIFLE * least:
                break
            a = rules.parent[t]
            if place[a] < 0:
                continue
            v = both * rules.probability[t] * worth[a]
            posterior[p] += v
            posterior[q] += v
            if v < least:
                continue
            links[0, size], links[1, size], links[2, size] = place[a], p, q
            links[3, size], edges.belief[size] = rules.rule[t], v
            size += 1
    return size


@kernel
def with_room(edges, needed):
    """The same edges with room for ``needed``."""
    return Edges(wider(edges.links, needed), longer(edges.belief, needed))


# What it computes: posteriors of items and edges under the plain PCFG, from the roots down.  With
# mu(a, i, j) the posterior of an item, the edge a -> b c over k has  mu(a, i, j) / v(a, i, j) times
# p(a -> b c) v(b, i, k) v(c, k, j),  and adds it to both children.  Cells are visited from the longest
# span to the shortest, so that a posterior is complete before it is passed on; edges are therefore found
# in descending order of their parents' cells, and a later sort has to read them backwards.
@kernel
def base_edges(cells, n, rules, posterior, item_least, edge_least, max_edges):
    """Edges of at least ``edge_least`` under items of at least ``item_least``, by descending cell.

    posterior: (items,) must be set at the roots, and is filled.  No edges at all if there would be
    more than ``max_edges``.
    """
    n_labels = int(np.sqrt(rules.pair.size) + 0.5)
    edges, size = Edges(np.empty((4, 4096), np.int32), np.empty(4096)), 0
    place, worth = np.full(n_labels, -1, dtype=np.int32), np.zeros(n_labels)
    length_at, first, scale = first_cells(n), cells.first, cells.scale
    for cell in range(first.size - 2, n - 1, -1):
        if first[cell] == first[cell + 1]:
            continue
        most, live = live_parents(cells, cell, posterior, item_least, place, worth)
        i = cells.items[1, first[cell]]
        length = cells.items[2, first[cell]] - i
        for k in range(length - 1, 0 if most > 0.0 or item_least + edge_least == 0.0 else length, -1):
            x, y = length_at[k] + i, length_at[length - k] + i + k
            if first[x + 1] > first[x] and first[y + 1] > first[y]:
                common = np.exp(scale[x] + scale[y] - scale[cell])
                for p in range(first[x + 1] - 1, first[x] - 1, -1):
                    needed = size + (first[y + 1] - first[y]) * rules.most
                    if needed > edges.belief.size:
                        edges = with_room(edges, needed)
                    row = (p, y, common * cells.value[p], most, live)
                    size = row_edges(cells, row, rules, (place, worth), edge_least, posterior, edges, size)
        for p in range(first[cell], first[cell + 1]):
            place[cells.items[0, p]], worth[cells.items[0, p]] = -1, 0.0
        if size > max_edges:
            size = 0
            break
    return Edges(edges.links[:, :size], edges.belief[:size])
