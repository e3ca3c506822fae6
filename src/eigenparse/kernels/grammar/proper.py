"""Sums over derivations of a proper grammar: of all trees of a sentence, and what those of n-ary trees share with it.

A phrase with n children is a small chart over them.  Item (a, i, j) is a label over the children i to j: a complete
label over one child (a chain of unary nodes down to a word or to further children), a partial label over two or more,
the phrase's own label over all.  With v the inside vectors,

    v(a, i, j)[h] = scale[h] sum over rules a -> b c, k of C[h, :, :] v(b, i, k) v(c, k, j)  +  branch[h] many(X, i, j)

where many(X, i, j) is the probability under the background model of two or more children of X, the lowest label of a:

    one(X, i, j)  = sum over t of p(t | X) child(t, i, j)
    some(X, i, j) = (1 - more) one(X, i, j) + more many(X, i, j)
    many(X, i, j) = sum over k of one(X, i, k) some(X, k, j)

and child(t, i, j) is a child whose chain begins with t: a label of the grammar in a state drawn from its prior, or a
chain drawn label by label.  In a sentence all spans are both children and phrases, so one chart over words sums over
all trees; in a tree every phrase has its own chart (``tree_sums``).
"""

from typing import NamedTuple

import numpy as np

from eigenparse.kernels.compiled import SUMS, kernel
from eigenparse.kernels.grammar.chart import SparseRules, add_applied, add_products
from eigenparse.kernels.lanes import LANES


class Member(NamedTuple):
    """One set of weights, normalised: see ``inference.grammar.proper``.  n states in all, G groups of unknown words.

    sparse: the weights of rules that are not 0, or nothing.
    rule_scale, word_scale: (n,) factors of the weights of a state's rules and words.  unknown: (n,) chance of an
    unknown word; groups: (n, G) which group it is of.  branch, word: (n,) chances of the background
    model's children and words.
    root: (n,) chance of a state at the root; prior: (n,) share of a state in its label.
    """

    states: np.ndarray
    state_at: np.ndarray
    rule_at: np.ndarray
    rule_weight: np.ndarray
    entry_at: np.ndarray
    entry_weight: np.ndarray
    sparse: SparseRules
    rule_scale: np.ndarray
    word_scale: np.ndarray
    unknown: np.ndarray
    groups: np.ndarray
    branch: np.ndarray
    word: np.ndarray
    root: np.ndarray
    prior: np.ndarray


class Ground(NamedTuple):
    """The background model as ``inference.grammar.background.Background`` has it.

    closed: (S, S) chance that an open chain that begins with a label comes to another, by any way.
    """

    child: np.ndarray
    more: np.ndarray
    unary: np.ndarray
    branch: np.ndarray
    word: np.ndarray
    opened: np.ndarray
    share: np.ndarray
    top: np.ndarray
    parent: np.ndarray
    root: float
    root_top: float
    root_child: np.ndarray
    closed: np.ndarray


class Desk(NamedTuple):
    """Scratch arrays.  work: products of two vectors, with room for a block more.  labels: (3, A).

    slot: (A,) the item of a label in the cell at hand; last: the last pair of items found for each pair of labels that
    has rules; both -1 between two cells.
    """

    work: np.ndarray
    labels: np.ndarray
    slot: np.ndarray
    last: np.ndarray


class Chart(NamedTuple):
    """Items by cell, cells by length and start: cell c has the items first[c] up to first[c + 1].

    label: (items,); at: (items + 1,) of ``value``; item: (cells, A) the item of a label, -1 if it has none, kept for
    charts of all labels only.  one, some, many: (cells, S + 1) of the background model.
    """

    first: np.ndarray
    label: np.ndarray
    at: np.ndarray
    item: np.ndarray
    value: np.ndarray
    one: np.ndarray
    some: np.ndarray
    many: np.ndarray
    desk: "Desk"


class Readings(NamedTuple):
    """Readings of tokens: token t has the readings at[t] up to at[t + 1]; a first word may also be a lower-case one.

    weight: of a reading.  low, high: its lexicon entries; kept: what is left of their weights.  spelt: (readings, G)
    probability of its spelling in each group; unigram: of the word without any label.  entry_label: of all entries.
    shift: (tokens,) the log that was taken out of the probabilities of a token that is very unlikely, else 0.
    """

    at: np.ndarray
    weight: np.ndarray
    low: np.ndarray
    high: np.ndarray
    kept: np.ndarray
    spelt: np.ndarray
    unigram: np.ndarray
    entry_label: np.ndarray
    shift: np.ndarray


@kernel
def cell(n, i, j):
    """The number of the cell of the span [i, j)."""
    w = j - i - 1
    return w * n - w * (w - 1) // 2 + i


@kernel(fastmath=SUMS)
def emit(member, readings, t, a, out):
    """The probability of token t in every state of label a."""
    out[:] = 0.0
    first = member.state_at[a]
    for r in range(readings.at[t], readings.at[t + 1]):
        for h in range(out.size):
            s = first + h
            spelt = 0.0
            if member.unknown[s] > 0.0:
                share, row = member.groups[s], readings.spelt[r]
                for g in range(row.size):
                    spelt += share[g] * row[g]
            out[h] += readings.weight[r] * (member.unknown[s] * spelt + member.word[s] * readings.unigram[r])
        for e in range(readings.low[r], readings.high[r]):
            if readings.entry_label[e] == a:
                for h in range(out.size):
                    w = member.entry_weight[member.entry_at[e] + h]
                    out[h] += readings.weight[r] * member.word_scale[first + h] * readings.kept[r] * w


@kernel
def background_cell(n, i, j, ground, chart):
    """Write many and some of a cell from the cells below it and from its own ``one``."""
    here = cell(n, i, j)
    many = chart.many[here]
    many[:] = 0.0
    for k in range(i + 1, j):
        one, some = chart.one[cell(n, i, k)], chart.some[cell(n, k, j)]
        if one[-1] > 0.0:  # the root may have any child, so that a cell without one has none at all
            for p in range(many.size):
                many[p] += one[p] * some[p]
    write_some(chart.one[here], many, ground.more, chart.some[here])


@kernel
def write_some(one, many, more, some):
    """some = one child and no more, or many."""
    for p in range(some.size):
        some[p] = (1.0 - more[p]) * one[p] + more[p] * many[p]


@kernel
def listed(chart, n, i, j, from_left, stamp, mark, out):
    """Labels of all items that begin at i (or end at j) inside the span [i, j); how many."""
    found = 0
    for k in range(i + 1, j):
        c = cell(n, i, k) if from_left else cell(n, k, j)
        for x in range(chart.first[c], chart.first[c + 1]):
            a = chart.label[x]
            if stamp[a] != mark:
                stamp[a] = mark
                out[found] = a
                found += 1
    return found


@kernel
def add_outer(chart, x, y, work):
    """Add the products of the values of two items."""
    at = chart.at
    add_products(chart.value, at[x], at[x + 1] - at[x], at[y], at[y + 1] - at[y], 1.0, work)


@kernel
def has_parent(index, pair, slot):
    """Whether a rule over two labels leads to an item of the cell at hand."""
    for p in range(index.at[index.pair[pair]], index.at[index.pair[pair] + 1]):  # noqa: SIM110
        if slot[index.parent[p]] >= 0:
            return True
    return False


@kernel
def add_rules(pair, member, index, chart, work):
    """Add the rules over two labels to the items of a cell.  work: products of their values, of all splits."""
    for p in range(index.at[index.pair[pair]], index.at[index.pair[pair] + 1]):
        z = chart.desk.slot[index.parent[p]]
        if z >= 0:
            size = chart.at[z + 1] - chart.at[z]
            add_applied(member, index.rule[p], work, work.size, chart.value, chart.at[z], size)


@kernel
def add_all_pairs(n, i, j, member, index, chart):
    """Add the rules to a cell of a chart of all labels: pair of labels by pair, each over all splits."""
    here, n_labels, desk = cell(n, i, j), member.states.size, chart.desk
    stamp, lefts, rights = desk.labels[0], desk.labels[1], desk.labels[2]
    n_left = listed(chart, n, i, j, True, stamp, 2 * here + 1, lefts)
    n_right = listed(chart, n, i, j, False, stamp, 2 * here + 2, rights)
    for x in range(n_left):
        for y in range(n_right):
            b, c = lefts[x], rights[y]
            if has_parent(index, b * n_labels + c, desk.slot):
                work = desk.work[: member.states[b] * member.states[c]]
                work[:] = 0.0
                for k in range(i + 1, j):
                    left, right = chart.item[cell(n, i, k), b], chart.item[cell(n, k, j), c]
                    if left >= 0 and right >= 0:
                        add_outer(chart, left, right, work)
                add_rules(b * n_labels + c, member, index, chart, work)


# What it computes: for each pair of labels (b, c) with a rule, the matrix  sum over splits k of  inside(b, i, k) x
# inside(c, k, j),  and then what its rules add to the cell (i, j).  Layout: pairs of items that were found are chained
# by label pair (last -> edge[.., 2]), so that every pair of labels is multiplied with its rules once.  With few items
# per cell this visits fewer pairs than ``add_all_pairs``, which runs over all labels.
@kernel
def add_kept_pairs(n, i, j, member, index, chart):
    """The same for a chart of few items: split by split, the pairs of items that there are."""
    n_labels, last, size = member.states.size, chart.desk.last, 0
    for k in range(i + 1, j):
        x, y = cell(n, i, k), cell(n, k, j)
        size += (chart.first[x + 1] - chart.first[x]) * (chart.first[y + 1] - chart.first[y])
    found, edge = np.empty(size, dtype=np.int64), np.empty((size, 3), dtype=np.int64)
    n_found, n_edges = 0, 0
    for k in range(i + 1, j):
        left, right = cell(n, i, k), cell(n, k, j)
        for x in range(chart.first[left], chart.first[left + 1]):
            for y in range(chart.first[right], chart.first[right + 1]):
                pair = np.int64(chart.label[x]) * n_labels + chart.label[y]
                if has_parent(index, pair, chart.desk.slot):
                    at = index.pair[pair]
                    if last[at] < 0:
                        found[n_found] = pair
                        n_found += 1
                    edge[n_edges, 0], edge[n_edges, 1], edge[n_edges, 2] = x, y, last[at]
                    last[at] = n_edges
                    n_edges += 1
    for q in range(n_found):
        pair = found[q]
        b, c = pair // n_labels, pair % n_labels
        work = chart.desk.work[: member.states[b] * member.states[c]]
        work[:] = 0.0
        e = last[index.pair[pair]]
        while e >= 0:
            add_outer(chart, edge[e, 0], edge[e, 1], work)
            e = edge[e, 2]
        last[index.pair[pair]] = -1
        add_rules(pair, member, index, chart, work)


@kernel
def rule_cell(n, i, j, member, ground, index, chart):
    """Write the values of a cell of two or more children."""
    here, slot = cell(n, i, j), chart.desk.slot
    low, high = chart.first[here], chart.first[here + 1]
    if low == high:
        return
    chart.value[chart.at[low] : chart.at[high]] = 0.0
    for x in range(low, high):
        slot[chart.label[x]] = x
    if chart.item.size > 0:
        add_all_pairs(n, i, j, member, index, chart)
    else:
        add_kept_pairs(n, i, j, member, index, chart)
    for x in range(low, high):
        a = chart.label[x]
        slot[a] = -1
        many = chart.many[here, ground.parent[a]]
        for h in range(member.states[a]):
            s = member.state_at[a] + h
            v = chart.at[x] + h
            chart.value[v] = member.rule_scale[s] * chart.value[v] + member.branch[s] * many


@kernel
def prior_value(member, chart, x):
    """The value of an item whose state is drawn from its label's prior."""
    a = chart.label[x]
    total = 0.0
    for h in range(member.states[a]):
        total += member.prior[member.state_at[a] + h] * chart.value[chart.at[x] + h]
    return total


@kernel
def empty_desk(member, index):
    """Empty scratch arrays for the charts of a grammar."""
    most, n_labels = 0, member.states.size
    for a in range(n_labels):
        most = max(most, int(member.states[a]))
    labels, slot = np.zeros((3, n_labels), dtype=np.int64), np.full(n_labels, -1, dtype=np.int64)
    return Desk(np.zeros(most * most + LANES), labels, slot, np.full(index.at.size, -1, dtype=np.int64))


@kernel
def empty_chart(first, label, member, n_parents, is_whole, desk):
    """A chart of the items given; is_whole: of all labels."""
    n_cells = first.size - 1
    at = np.zeros(label.size + 1, dtype=np.int64)
    item = np.full((n_cells if is_whole else 0, member.states.size), -1, dtype=np.int32)
    for c in range(n_cells):
        for x in range(first[c], first[c + 1]):
            at[x + 1] = at[x] + member.states[label[x]]
            if is_whole:
                item[c, label[x]] = x
    one = np.zeros((n_cells, n_parents))
    return Chart(first, label, at, item, np.zeros(at[-1]), one, np.zeros_like(one), np.zeros_like(one), desk)


@kernel
def child_cell(c, n_words, unigram, is_open, member, ground, chart, child):
    """Write the probability of a cell as a child of every label; is_open: chains drawn label by label are added."""
    child[:] = 0.0
    for x in range(chart.first[c], chart.first[c + 1]):
        a = chart.label[x]
        if ground.share[a] > 0.0:
            child[ground.top[a]] += ground.share[a] * prior_value(member, chart, x)
    if is_open:
        for s in range(child.size):
            end = ground.branch[s] * chart.many[c, s]
            if c < n_words:
                end += ground.word[s] * unigram[c]
            for t in range(child.size):
                child[t] += ground.opened[t] * ground.closed[t, s] * end
    one = chart.one[c]
    one[:] = 0.0
    for t in range(child.size):
        if child[t] > 0.0:
            for p in range(one.size):
                one[p] += ground.child[p, t] * child[t]


# p of a sentence's words, summed over all trees whose items are in the chart (and, if it is open, over those with
# chains drawn label by label).  Each word's emission is multiplied by its factor, so that long sentences do not
# underflow.
@kernel
def sentence_total(first, label, factor, readings, member, ground, index, is_open):
    """The total, times the product of the factors.  first, label: items of all cells."""
    n = factor.size
    chart = empty_chart(first, label, member, ground.more.size, is_open, empty_desk(member, index))
    unigram, child = np.zeros(n), np.zeros(ground.branch.size)
    for i in range(n):
        for x in range(first[i], first[i + 1]):
            value = chart.value[chart.at[x] : chart.at[x + 1]]
            emit(member, readings, i, label[x], value)
            value *= factor[i]
        for q in range(readings.at[i], readings.at[i + 1]):
            unigram[i] += readings.weight[q] * readings.unigram[q] * factor[i]
    for w in range(1, n + 1):
        for i in range(n - w + 1):
            here = cell(n, i, i + w)
            if w > 1:
                background_cell(n, i, i + w, ground, chart)
                rule_cell(n, i, i + w, member, ground, index, chart)
            child_cell(here, n, unigram, is_open, member, ground, chart, child)
            write_some(chart.one[here], chart.many[here], ground.more, chart.some[here])
    top, total = (
        cell(n, 0, n),
        ground.root * ground.root_top * chart.many[cell(n, 0, n), ground.more.size - 1],
    )
    for x in range(first[top], first[top + 1]):
        a = label[x]
        for h in range(member.states[a]):
            total += member.root[member.state_at[a] + h] * chart.value[chart.at[x] + h]
    for t in range(child.size):
        total += ground.root * (1.0 - ground.root_top) * ground.root_child[t] * child[t]
    return total
