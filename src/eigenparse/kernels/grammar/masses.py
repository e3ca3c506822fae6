"""Masses of states: sums over rules and words, expected children, and the mass of all finite trees."""

import numpy as np

from eigenparse.kernels.compiled import kernel


# For every rule and every state of its parent: the weights summed over the right child's states, then over the left
# child's, which is all that expected numbers of children need.  Rule r begins at the sum of m_a (m_b + m_c) of those
# before it.
@kernel
def rule_means(grammar, value, mass):
    """Write both sums of every rule, and the mass of each state's rules."""
    at, rules = 0, grammar.rules
    for r in range(rules.shape[0]):
        a, nb, nc = rules[r, 0], grammar.states[rules[r, 1]], grammar.states[rules[r, 2]]
        place = grammar.rule_at[r]
        for h in range(grammar.states[a]):
            value[at : at + nb + nc] = 0.0
            for i in range(nb):
                for j in range(nc):
                    w = grammar.rule_weight[place]
                    place += 1
                    value[at + i] += w
                    value[at + nb + j] += w
                    mass[grammar.state_at[a] + h] += w
            at += nb + nc


@kernel
def next_states(grammar, value, scale, now, upwards, out):
    """Add to ``out`` what ``now`` is worth one rule further: up, the children's values; down, numbers of parents."""
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
def word_masses(entry_label, entry_symbol, weights, kept, known, unknown):
    """Add up each state's weights of known words after the discount, and what the discount takes."""
    for e in range(entry_label.size):
        if entry_symbol[e] < kept.size:
            first = weights.state_at[entry_label[e]]
            for h in range(weights.states[entry_label[e]]):
                w = weights.entry_weight[weights.entry_at[e] + h]
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
            place = member.rule_at[r]
            for h in range(member.states[a]):
                s = member.state_at[a] + h
                for i in range(member.states[b]):
                    for j in range(member.states[c]):
                        pair = state[member.state_at[b] + i] * state[member.state_at[c] + j]
                        made[s] += member.rule_scale[s] * member.rule_weight[place] * pair
                        place += 1
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
