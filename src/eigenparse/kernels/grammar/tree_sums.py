"""Sums over the derivations of given n-ary trees by a proper grammar; every phrase has a chart over its children.

Values are divided by the largest of their node, and those of a phrase of many children get a factor per child, so that
no tree underflows.
"""

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.grammar.proper import background_cell, cell, emit, empty_chart, empty_desk, rule_cell

LEAST = 1e-200  # smaller values are found again with a factor
TRIES = 12


@kernel
def node_chart(nodes, r, member, n_parents, desk):
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
    return empty_chart(first, label, member, n_parents, False, desk)


@kernel
def largest(chart, first, last, p):
    """The largest value of the cells from first up to last, of the background model under p; nan if there is one."""
    most = 0.0
    for v in range(chart.at[chart.first[first]], chart.at[chart.first[last]]):
        if not chart.value[v] <= most:
            most = chart.value[v]
    for c in range(first, last):
        if not chart.some[c, p] <= most:
            most = chart.some[c, p]
    return most


@kernel
def fill_phrase(nodes, r, log_factor, member, ground, index, chart, values):
    """Fill the chart of a phrase, each child's values times a factor; return log of the factor to try next, or of this.

    The values of a cell then have the factor as often as it has children.  A new factor is the one that would have made
    the widest cells that are in range about 1.
    """
    at, value, as_child = values
    n, factor = nodes.child_at[r + 1] - nodes.child_at[r], np.exp(log_factor)
    for i in range(n):
        q = nodes.child[nodes.child_at[r] + i]
        low, high = chart.at[chart.first[i]], chart.at[chart.first[i + 1]]
        chart.value[low:high] = value[at[q] : at[q + 1]] * factor
        for p in range(ground.more.size):
            chart.one[i, p] = ground.child[p, nodes.top[q]] * nodes.name[q] * as_child[q] * factor
        background_cell(n, i, i + 1, ground, chart)
    wanted, parent = log_factor, nodes.bottom[r] if nodes.top[r] >= 0 else ground.more.size - 1
    for w in range(2, n + 1):
        for i in range(n - w + 1):
            background_cell(n, i, i + w, ground, chart)
            rule_cell(n, i, i + w, member, ground, index, chart)
        most = largest(chart, cell(n, 0, w), cell(n, n - w, n) + 1, parent)
        if not LEAST < most < 1.0 / LEAST:
            return wanted
        wanted = log_factor - np.log(most) / w
    return log_factor


@kernel
def phrase(nodes, r, member, ground, index, desk, values):
    """Sum over the derivations of a phrase: write the values of its labels, return ``many`` over all children.

    Both are divided by exp of a log that is returned too, which is not 0 for phrases of many children only.
    """
    chart = node_chart(nodes, r, member, ground.more.size, desk)
    at, value, _ = values
    log_factor = 0.0
    for _ in range(TRIES):
        wanted = fill_phrase(nodes, r, log_factor, member, ground, index, chart, values)
        if wanted == log_factor:
            break
        log_factor = wanted
    top = chart.first.size - 2
    value[at[r] : at[r + 1]] = chart.value[chart.at[chart.first[top]] : chart.at[chart.first[top + 1]]]
    return chart.many[top], -log_factor * (nodes.child_at[r + 1] - nodes.child_at[r])


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
    value, as_child, desk = np.zeros(at[-1]), np.zeros(nodes.top.size), empty_desk(member, index)
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
                many, taken = ground.more, readings.shift[t]  # a word has no children
            else:
                many, taken = phrase(nodes, r, member, ground, index, desk, (at, value, as_child))
                end = ground.branch[nodes.bottom[r]] * many[nodes.bottom[r]]
            log += taken + nodes.log[r]
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
