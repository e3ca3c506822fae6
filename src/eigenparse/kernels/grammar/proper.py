"""Sums over derivations of a proper grammar: of given n-ary trees, and of all trees of a sentence.

A phrase with n children is a small chart over them.  Item (a, i, j) is a label over the children i to j: a complete
label over one child (a chain of unary nodes down to a word or to further children), a partial label over two or more,
the phrase's own label over all.  With v the inside vectors,

    v(a, i, j)[h] = scale[h] sum over rules a -> b c, k of C[h, :, :] v(b, i, k) v(c, k, j)  +  branch[h] many(X, i, j)

where many(X, i, j) is what the background model gives to two or more children of the label X at the bottom of a:

    one(X, i, j)  = sum over t of p(t | X) child(t, i, j)
    some(X, i, j) = (1 - more) one(X, i, j) + more many(X, i, j)
    many(X, i, j) = sum over k of one(X, i, k) some(X, k, j)

and child(t, i, j) is a child whose chain begins with t: a label of the grammar in a state drawn from its prior, or a
chain drawn label by label.  In a sentence all spans are both children and phrases, so one chart over words sums over
all trees; in a tree every phrase has its own chart.
"""

from typing import NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.grammar.chart import SparseRules, add_applied


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


class Chart(NamedTuple):
    """Items by cell, cells by length and start: cell c has the items first[c] up to first[c + 1].

    label: (items,); at: (items + 1,) of ``value``; item: (cells, A) the item of a label, -1 if it has none.  one, some,
    many: (cells, S + 1) of the background model.  work, room: to work in.
    """

    first: np.ndarray
    label: np.ndarray
    at: np.ndarray
    item: np.ndarray
    value: np.ndarray
    one: np.ndarray
    some: np.ndarray
    many: np.ndarray
    work: np.ndarray
    room: np.ndarray


class Readings(NamedTuple):
    """What words may be: token t has the readings at[t] up to at[t + 1]; a first word may have lost its small letter.

    weight: of a reading.  low, high: its lexicon entries; kept: what is left of their weights.  spelt: (readings, G)
    probability of its spelling in each group; unigram: of the word without any label.  entry_label: of all entries.
    """

    at: np.ndarray
    weight: np.ndarray
    low: np.ndarray
    high: np.ndarray
    kept: np.ndarray
    spelt: np.ndarray
    unigram: np.ndarray
    entry_label: np.ndarray


class Nodes(NamedTuple):
    """Nodes of n-ary trees in post-order, unary chains taken together; lists are cut by their ``_at``.

    child: nodes below.  label: complete labels with the node's chain.  partial: labels between such a label and its
    children.  top, bottom: symbols of the chain's ends.  chain: probability of the chain below its top label, and of
    the names of labels never seen; name: of the top label's name, 1 if it is known.  token: of a word, else -1.
    """

    child_at: np.ndarray
    child: np.ndarray
    label_at: np.ndarray
    label: np.ndarray
    partial_at: np.ndarray
    partial: np.ndarray
    top: np.ndarray
    bottom: np.ndarray
    chain: np.ndarray
    name: np.ndarray
    token: np.ndarray


@kernel
def cell(n, i, j):
    """The number of the cell of the span [i, j)."""
    w = j - i - 1
    return w * n - w * (w - 1) // 2 + i


@kernel
def emit(member, readings, t, a, out):
    """The probability of token t in every state of label a."""
    out[:] = 0.0
    first = member.state_at[a]
    for r in range(readings.at[t], readings.at[t + 1]):
        for h in range(out.size):
            s = first + h
            spelt = 0.0
            if member.unknown[s] > 0.0:
                for g in range(readings.spelt.shape[1]):
                    spelt += member.groups[s, g] * readings.spelt[r, g]
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
        x, y = cell(n, i, k), cell(n, k, j)
        for p in range(many.size):
            many[p] += chart.one[x, p] * chart.some[y, p]
    for p in range(many.size):
        chart.some[here, p] = (1.0 - ground.more[p]) * chart.one[here, p] + ground.more[p] * many[p]


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
def add_pair(n, i, j, b, c, member, index, chart):
    """Add the rules over the labels b and c to the items of a cell: children summed over splits, then the tensors."""
    here, n_labels = cell(n, i, j), chart.item.shape[1]
    low, high = index.pair_at[b * n_labels + c], index.pair_at[b * n_labels + c + 1]
    wanted = False
    for p in range(low, high):
        wanted = wanted or chart.item[here, index.parent[p]] >= 0
    if not wanted:
        return
    nb, nc = member.states[b], member.states[c]
    size = nb * nc
    some, work = False, chart.work
    for k in range(i + 1, j):
        x, y = chart.item[cell(n, i, k), b], chart.item[cell(n, k, j), c]
        if x < 0 or y < 0:
            continue
        if not some:
            work[:size] = 0.0
            some = True
        for f in range(nb):
            u = chart.value[chart.at[x] + f]
            for g in range(nc):
                work[f * nc + g] += u * chart.value[chart.at[y] + g]
    if not some:
        return
    for p in range(low, high):
        z = chart.item[here, index.parent[p]]
        if z < 0:
            continue
        add_applied(member, index.rule[p], work[:size], chart.value[chart.at[z] : chart.at[z + 1]])


@kernel
def rule_cell(n, i, j, member, ground, index, chart):
    """Write the values of a cell of two or more children."""
    here, n_labels = cell(n, i, j), chart.item.shape[1]
    low, high = chart.first[here], chart.first[here + 1]
    if low == high:
        return
    chart.value[chart.at[low] : chart.at[high]] = 0.0
    stamp, lefts, rights = chart.room[0], chart.room[1], chart.room[2]
    n_left = listed(chart, n, i, j, True, stamp, 2 * here + 1, lefts)
    n_right = listed(chart, n, i, j, False, stamp, 2 * here + 2, rights)
    for x in range(n_left):
        for y in range(n_right):
            pair = lefts[x] * n_labels + rights[y]
            if index.pair_at[pair] < index.pair_at[pair + 1]:
                add_pair(n, i, j, lefts[x], rights[y], member, index, chart)
    for x in range(low, high):
        a = chart.label[x]
        for h in range(member.states[a]):
            s = member.state_at[a] + h
            v = chart.at[x] + h
            chart.value[v] = (
                member.rule_scale[s] * chart.value[v] + member.branch[s] * chart.many[here, ground.parent[a]]
            )


@kernel
def prior_value(member, chart, x):
    """The value of an item whose state is drawn from its label's prior."""
    a = chart.label[x]
    total = 0.0
    for h in range(member.states[a]):
        total += member.prior[member.state_at[a] + h] * chart.value[chart.at[x] + h]
    return total


@kernel
def widest(member):
    """The largest product of the states of two labels."""
    most = 0
    for a in range(member.states.size):
        most = max(most, member.states[a])
    return np.int64(most) * most


@kernel
def empty_chart(first, label, member, n_parents):
    """A chart of the items given."""
    n_cells, n_labels = first.size - 1, member.states.size
    at = np.zeros(label.size + 1, dtype=np.int64)
    item = np.full((n_cells, n_labels), -1, dtype=np.int32)
    for c in range(n_cells):
        for x in range(first[c], first[c + 1]):
            item[c, label[x]] = x
            at[x + 1] = at[x] + member.states[label[x]]
    one = np.zeros((n_cells, n_parents))
    work, room = np.empty(widest(member)), np.zeros((3, n_labels), dtype=np.int64)
    return Chart(
        first, label, at, item, np.zeros(at[-1]), one, np.zeros_like(one), np.zeros_like(one), work, room
    )


@kernel
def node_chart(nodes, r, member, n_parents):
    """The chart of a phrase: complete labels of its children, partial labels in between, its own labels over all."""
    n = nodes.child_at[r + 1] - nodes.child_at[r]
    first = np.zeros(n * (n + 1) // 2 + 1, dtype=np.int64)
    own, between = nodes.label_at[r + 1] - nodes.label_at[r], nodes.partial_at[r + 1] - nodes.partial_at[r]
    for i in range(n):
        q = nodes.child[nodes.child_at[r] + i]
        first[i + 1] = first[i] + nodes.label_at[q + 1] - nodes.label_at[q]
    for c in range(n, first.size - 1):
        first[c + 1] = first[c] + (own if c == first.size - 2 else between)
    label = np.empty(first[-1], dtype=np.int32)
    for i in range(n):
        q = nodes.child[nodes.child_at[r] + i]
        label[first[i] : first[i + 1]] = nodes.label[nodes.label_at[q] : nodes.label_at[q + 1]]
    for c in range(n, first.size - 2):
        label[first[c] : first[c + 1]] = nodes.partial[nodes.partial_at[r] : nodes.partial_at[r + 1]]
    label[first[-2] :] = nodes.label[nodes.label_at[r] : nodes.label_at[r + 1]]
    return empty_chart(first, label, member, n_parents)


@kernel
def phrase(nodes, r, member, ground, index, at, value, as_child):
    """Fill the chart of a phrase, write the values of its labels, and return its row of ``many`` over all children."""
    chart = node_chart(nodes, r, member, ground.more.size)
    n = nodes.child_at[r + 1] - nodes.child_at[r]
    for i in range(n):
        q = nodes.child[nodes.child_at[r] + i]
        low, high = chart.at[chart.first[i]], chart.at[chart.first[i + 1]]
        chart.value[low:high] = value[at[q] : at[q + 1]]
        for p in range(ground.more.size):
            chart.one[i, p] = ground.child[p, nodes.top[q]] * nodes.name[q] * as_child[q]
        background_cell(n, i, i + 1, ground, chart)
    for w in range(2, n + 1):
        for i in range(n - w + 1):
            background_cell(n, i, i + w, ground, chart)
            rule_cell(n, i, i + w, member, ground, index, chart)
    top = chart.first.size - 2
    value[at[r] : at[r + 1]] = chart.value[chart.at[chart.first[top]] : chart.at[chart.first[top + 1]]]
    return chart.many[top]


# log p of n-ary trees: nodes in post-order, each node's values divided by the largest at once.  as_child[r] is the
# value of node r as a child that the background model drew: a label of the grammar in a state from its prior, or its
# chain drawn label by label.  A node over a word takes the word's emission, any other the chart over its children.
@kernel
def tree_logs(nodes, offsets, readings, member, ground, index, log_p):
    """Write log p of every tree; tree s has the nodes offsets[s] up to offsets[s + 1], the root last."""
    at = np.zeros(nodes.top.size + 1, dtype=np.int64)
    for r in range(nodes.top.size):
        at[r + 1] = at[r]
        for x in range(nodes.label_at[r], nodes.label_at[r + 1]):
            at[r + 1] += member.states[nodes.label[x]]
    value, as_child = np.zeros(at[-1]), np.zeros(nodes.top.size)
    for s in range(offsets.size - 1):
        log, total = 0.0, 0.0
        for r in range(offsets[s], offsets[s + 1]):
            t, end = nodes.token[r], 0.0
            if t >= 0:
                v = at[r]
                for x in range(nodes.label_at[r], nodes.label_at[r + 1]):
                    a = nodes.label[x]
                    emit(member, readings, t, a, value[v : v + member.states[a]])
                    v += member.states[a]
                for q in range(readings.at[t], readings.at[t + 1]):
                    end += ground.word[nodes.bottom[r]] * readings.weight[q] * readings.unigram[q]
                many = ground.more  # a word has no children
            else:
                many = phrase(nodes, r, member, ground, index, at, value, as_child)
                end = ground.branch[nodes.bottom[r]] * many[nodes.bottom[r]]
            own, v = ground.opened[nodes.top[r]] * nodes.chain[r] * end, at[r]
            is_root, total = r == offsets[s + 1] - 1, 0.0
            for x in range(nodes.label_at[r], nodes.label_at[r + 1]):
                a, mean = nodes.label[x], 0.0
                for h in range(member.states[a]):
                    mean += member.prior[member.state_at[a] + h] * value[v + h]
                    total += member.root[member.state_at[a] + h] * value[v + h]
                v += member.states[a]
                own += ground.share[a] * mean
            as_child[r] = own
            if is_root and nodes.top[r] < 0:  # TOP itself
                total += ground.root * ground.root_top * many[ground.more.size - 1]
            elif is_root:
                total += (
                    ground.root
                    * (1.0 - ground.root_top)
                    * ground.root_child[nodes.top[r]]
                    * nodes.name[r]
                    * own
                )
            top = max(own, 0.0)
            for v in range(at[r], at[r + 1]):
                top = max(top, value[v])
            if top > 0.0 and not is_root:
                value[at[r] : at[r + 1]] /= top
                as_child[r] /= top
                log += np.log(top)
        log_p[s] = log + np.log(total) if total > 0.0 else -np.inf


@kernel
def child_cell(c, n_words, unigram, is_open, member, ground, chart, child):
    """Write what a cell is worth as a child of every label; is_open: chains drawn label by label are added."""
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
    chart.one[c] = 0.0
    for t in range(child.size):
        if child[t] > 0.0:
            for p in range(ground.more.size):
                chart.one[c, p] += ground.child[p, t] * child[t]


# p of a sentence's words, summed over all trees whose items are in the chart (and, if it is open, over those with
# chains drawn label by label).  Each word's emission is multiplied by its factor, so that long sentences do not
# underflow.
@kernel
def sentence_total(first, label, factor, readings, member, ground, index, is_open):
    """The total, times the product of the factors.  first, label: items of all cells."""
    n = factor.size
    chart = empty_chart(first, label, member, ground.more.size)
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
            for p in range(ground.more.size):
                chart.some[here, p] = (1.0 - ground.more[p]) * chart.one[here, p] + ground.more[
                    p
                ] * chart.many[here, p]
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
