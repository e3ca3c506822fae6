"""Total probabilities of states: sums over rules and words, expected children, and the probability of finite trees."""

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.grammar.chart import add_applied
from eigenparse.kernels.lanes import LANES


# For every rule and every state of its parent: the weights summed over the right child's states, then over the left
# child's, which is all that expected numbers of children need.  Rule r begins at the sum of m_a (m_b + m_c) of those
# before it.
@kernel
def rule_means(grammar, value, mass):
    """Write both sums of every rule, and the mass of each state's rules."""
    at, rules, sparse = 0, grammar.rules, grammar.sparse
    is_sparse = sparse.value.size > 0
    for r in range(rules.shape[0]):
        a, nb, nc = rules[r, 0], grammar.states[rules[r, 1]], grammar.states[rules[r, 2]]
        low = high = grammar.rule_at[r]
        for h in range(grammar.states[a]):
            value[at : at + nb + nc] = 0.0
            low, high = high, high + np.int64(nb) * nc
            if is_sparse:
                row = sparse.first_row[r] + h
                low, high = LANES * sparse.row_at[row], LANES * sparse.row_at[row + 1]
            for k in range(low, high):
                w = sparse.value[k] if is_sparse else grammar.rule_weight[k]
                if w == 0.0:
                    continue
                column = LANES * np.int64(sparse.block[k // LANES]) + k % LANES if is_sparse else k - low
                value[at + column // nc] += w
                value[at + nb + column % nc] += w
                mass[grammar.state_at[a] + h] += w
            at += nb + nc


@kernel
def next_states(grammar, value, scale, now, upwards, out):
    """Add to ``out`` the expectation of ``now`` one rule up (of children's values) or down (of numbers of nodes)."""
    at, rules, state_at = 0, grammar.rules, grammar.state_at
    for r in range(rules.shape[0]):
        a, b, c = rules[r, 0], rules[r, 1], rules[r, 2]
        for h in range(grammar.states[a]):
            s = state_at[a] + h
            for child in (b, c):
                for i in range(grammar.states[child]):
                    if upwards:
                        out[s] += scale[s] * value[at] * now[state_at[child] + i]
                    else:
                        out[state_at[child] + i] += scale[s] * value[at] * now[s]
                    at += 1


@kernel
def word_masses(entry_label, entry_symbol, places, entry_weight, kept, known, unknown):
    """Add up each state's weights of known words after the discount, and what the discount takes."""
    state_at, states, entry_at = places
    for e in range(entry_label.size):
        if entry_symbol[e] < kept.size:
            first = state_at[entry_label[e]]
            for h in range(states[entry_label[e]]):
                w = entry_weight[entry_at[e] + h]
                known[first + h] += kept[entry_symbol[e]] * w
                unknown[first + h] += (1.0 - kept[entry_symbol[e]]) * w


# The mass of all finite trees by its fixed point: every state's mass is that of its words, plus its rules and its way
# into the background model with the masses of the children [chi-1999].  From zero upwards the masses of trees of
# greater and greater depth are found, which converge to the least solution.
@kernel
def partition(rules, rule_count, member, ground, tolerance):
    """The mass of all finite trees.  rule_count: (n,) what the rules of each state have in all, scaled."""
    n, S = member.root.size, ground.branch.size
    label = np.zeros(n, dtype=np.int64)
    for a in range(member.states.size):
        label[member.state_at[a] : member.state_at[a] + member.states[a]] = a
    state, child, opened, total = np.zeros(n), np.zeros(S), np.zeros(S), 0.0
    total_of, work = np.zeros(n), np.zeros(np.int64(np.max(member.states)) ** 2 + LANES)
    for _ in range(1_000_000):
        many = np.zeros(S + 1)
        for p in range(S + 1):
            one = np.sum(ground.child[p] * child)
            many[p] = one * (1.0 - ground.more[p]) * one / (1.0 - ground.more[p] * one)
        made = 1.0 - rule_count - member.branch
        for s in range(n):
            made[s] += member.branch[s] * many[ground.parent[label[s]]]
        for r in range(rules.shape[0]):
            a, b, c = rules[r, 0], rules[r, 1], rules[r, 2]
            x = state[member.state_at[b] : member.state_at[b] + member.states[b]]
            y = state[member.state_at[c] : member.state_at[c] + member.states[c]]
            for i in range(x.size):
                for j in range(y.size):
                    work[i * y.size + j] = x[i] * y[j]
            add_applied(member, r, work, x.size * y.size, total_of, 0, member.states[a])
            for h in range(member.states[a]):
                s = member.state_at[a] + h
                made[s] += member.rule_scale[s] * total_of[h]
                total_of[h] = 0.0
        down = ground.opened * opened
        for s in range(n):
            down[ground.top[label[s]]] += ground.share[label[s]] * member.prior[s] * state[s]
        for s in range(S):
            opened[s] = ground.word[s] + ground.branch[s] * many[s] + np.sum(ground.unary[s] * opened)
        before, state, child = total, made, down
        total = np.sum(member.root * state) + ground.root * (
            ground.root_top * many[S] + (1.0 - ground.root_top) * np.sum(ground.root_child * child)
        )
        if total - before <= tolerance * total:
            break
    return total
