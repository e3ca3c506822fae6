"""Trees drawn from latent probabilities, and the likeliest yields of latent states."""

from typing import NamedTuple

import numpy as np
from numba import njit

TOO_LONG, EMPTY = -1, -2


@njit(cache=True, nogil=True)
def draw(cumulative, low, high, u):
    """The first place in [low, high) whose cumulative value exceeds u times the last one's."""
    base = cumulative[low - 1] if low > 0 else 0.0
    wanted = base + u * (cumulative[high - 1] - base)
    left, right = low, high - 1
    while left < right:
        middle = (left + right) // 2
        if cumulative[middle] > wanted:
            right = middle
        else:
            left = middle + 1
    return left


class Rules(NamedTuple):
    """Rules (R, 3), states (A,) and the flat tensors of one set of weights; see ``models.grammar.pcfg.Weights``."""

    rules: np.ndarray
    states: np.ndarray
    state_at: np.ndarray
    rule_at: np.ndarray
    rule_weight: np.ndarray


class Choices(NamedTuple):
    """What each state may become: state s chooses among [at[s], at[s + 1]).

    cumulative: running sum of weights over all choices.  rule, entry: the rule or the lexicon entry of a choice, -1
    for the other.
    """

    at: np.ndarray
    cumulative: np.ndarray
    rule: np.ndarray
    entry: np.ndarray


class Rows(NamedTuple):
    """Columns of one tree in post-order, filled from the first row on; see ``corpus.columns.Trees``."""

    label: np.ndarray
    left: np.ndarray
    right: np.ndarray
    symbol: np.ndarray


@njit(cache=True, nogil=True)
def draw_children(rng, grammar, r, h):
    """States of the two children of rule r whose parent is in state h, by their share of the tensor."""
    states = grammar.states
    b, c = grammar.rules[r, 1], grammar.rules[r, 2]
    size = np.int64(states[b]) * states[c]
    first = grammar.rule_at[r] + h * size
    total = 0.0
    for j in range(size):
        total += grammar.rule_weight[first + j]
    wanted = rng.random() * total
    chosen = size - 1
    for j in range(size):
        wanted -= grammar.rule_weight[first + j]
        if wanted < 0.0:
            chosen = j
            break
    while grammar.rule_weight[first + chosen] == 0.0 and chosen > 0:  # rounding at the far end
        chosen -= 1
    return grammar.state_at[b] + chosen // states[c], grammar.state_at[c] + chosen % states[c]


# Draws one tree top down and writes it in post-order.  The stack holds states that are still to be expanded and,
# written as -1 - label, phrases that are to be closed once their two children are done; a closed phrase takes the
# last two finished rows as its children.  A state first draws a rule or a lexicon entry, then, for a rule, the
# states of its children from the rule's tensor.  The order of random numbers (root, choice, children, left before
# right) is part of what a seed means, so it must not change.
@njit(cache=True, nogil=True)
def draw_tree(rng, root, state_label, choices, grammar, entry_symbol, out):
    """Draw one tree into ``out``; returns its rows, TOO_LONG if they do not fit, EMPTY if a state has no choice.

    root: running sum of the root weights.  state_label: label of each state.
    """
    label, left, right, symbol = out
    room = label.size
    stack = np.empty(2 * room + 4, dtype=np.int64)
    done = np.empty(room + 2, dtype=np.int64)
    depth, n, open_rows = 1, 0, 0
    if root[-1] <= 0.0:
        return EMPTY
    stack[0] = draw(root, 0, root.size, rng.random())
    while depth > 0:
        depth -= 1
        s = stack[depth]
        if s < 0:
            if n == room:
                return TOO_LONG
            label[n], symbol[n] = -1 - s, -1
            right[n], left[n] = done[open_rows - 1], done[open_rows - 2]
            open_rows -= 2
            done[open_rows] = n
            open_rows += 1
            n += 1
            continue
        low, high = choices.at[s], choices.at[s + 1]
        if low == high or choices.cumulative[high - 1] <= (choices.cumulative[low - 1] if low > 0 else 0.0):
            return EMPTY
        t = draw(choices.cumulative, low, high, rng.random())
        a = state_label[s]
        if choices.rule[t] < 0:
            if n == room:
                return TOO_LONG
            label[n], left[n], right[n], symbol[n] = a, -1, -1, entry_symbol[choices.entry[t]]
            done[open_rows] = n
            open_rows += 1
            n += 1
            continue
        if depth + 3 > stack.size:
            return TOO_LONG
        first, second = draw_children(rng, grammar, choices.rule[t], s - grammar.state_at[a])
        stack[depth], stack[depth + 1], stack[depth + 2] = -1 - a, second, first
        depth += 3
    return n


@njit(cache=True, nogil=True)
def rule_masses(grammar, mass_at, mass):
    """What each state of a rule's parent gives to the rule: mass[mass_at[r] + h]."""
    rules, states = grammar.rules, grammar.states
    for r in range(rules.shape[0]):
        size = np.int64(states[rules[r, 1]]) * states[rules[r, 2]]
        for h in range(states[rules[r, 0]]):
            total = 0.0
            first = grammar.rule_at[r] + h * size
            for j in range(size):
                total += grammar.rule_weight[first + j]
            mass[mass_at[r] + h] = total


@njit(cache=True, nogil=True)
def improve_yields(grammar, best, rule, left, right):
    """One round of the likeliest derivations of states; returns how many became likelier."""
    rules, states, state_at = grammar.rules, grammar.states, grammar.state_at
    changed = 0
    for r in range(rules.shape[0]):
        a, b, c = rules[r, 0], rules[r, 1], rules[r, 2]
        place = grammar.rule_at[r]
        for h in range(states[a]):
            s = state_at[a] + h
            for i in range(states[b]):
                for j in range(states[c]):
                    value = grammar.rule_weight[place] * best[state_at[b] + i] * best[state_at[c] + j]
                    place += 1
                    if value > best[s] * (1.0 + 1e-9):
                        best[s], rule[s] = value, r
                        left[s], right[s] = state_at[b] + i, state_at[c] + j
                        changed += 1
    return changed
