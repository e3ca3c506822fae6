"""Trees drawn from latent probabilities, and the likeliest yields of latent states."""

import numpy as np
from numba import njit


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


@njit(cache=True, nogil=True)
def draw_tree(
    rng, root_cumulative, state_label, state_at, choice_cumulative, choice_at, choice_rule, choice_entry,
    rules, states, rule_at, rule_weight, entry_symbol, label, left, right, symbol,
):  # fmt: skip
    """Draw one tree into post-order columns; returns its rows, or -1 if they do not fit.

    A state s of the grammar chooses among [choice_at[s], choice_at[s + 1]): rules (then their
    children's states) and lexicon entries.
    """
    room = label.size
    stack = np.empty(2 * room + 4, dtype=np.int64)  # a state to expand, or -1 - label to close
    done = np.empty(room + 2, dtype=np.int64)
    depth, n, open_rows = 1, 0, 0
    stack[0] = draw(root_cumulative, 0, root_cumulative.size, rng.random())
    while depth > 0:
        depth -= 1
        s = stack[depth]
        if s < 0:
            if n == room:
                return -1
            label[n], symbol[n] = -1 - s, -1
            right[n], left[n] = done[open_rows - 1], done[open_rows - 2]
            open_rows -= 2
            done[open_rows] = n
            open_rows += 1
            n += 1
            continue
        t = draw(choice_cumulative, choice_at[s], choice_at[s + 1], rng.random())
        a = state_label[s]
        if choice_rule[t] < 0:
            if n == room:
                return -1
            label[n], left[n], right[n], symbol[n] = a, -1, -1, entry_symbol[choice_entry[t]]
            done[open_rows] = n
            open_rows += 1
            n += 1
            continue
        if depth + 3 > stack.size:
            return -1
        r = choice_rule[t]
        b, c = rules[r, 1], rules[r, 2]
        size = np.int64(states[b]) * states[c]
        first = rule_at[r] + (s - state_at[a]) * size
        total = 0.0
        for j in range(size):
            total += rule_weight[first + j]
        wanted = rng.random() * total
        chosen = size - 1
        for j in range(size):
            wanted -= rule_weight[first + j]
            if wanted < 0.0:
                chosen = j
                break
        while rule_weight[first + chosen] == 0.0 and chosen > 0:  # rounding at the far end
            chosen -= 1
        stack[depth] = -1 - a
        stack[depth + 1] = state_at[c] + chosen % states[c]
        stack[depth + 2] = state_at[b] + chosen // states[c]
        depth += 3
    return n


@njit(cache=True, nogil=True)
def rule_masses(rules, states, rule_at, rule_weight, mass_at, mass):
    """What each state of a rule's parent gives to the rule: mass[mass_at[r] + h]."""
    for r in range(rules.shape[0]):
        size = np.int64(states[rules[r, 1]]) * states[rules[r, 2]]
        for h in range(states[rules[r, 0]]):
            total = 0.0
            first = rule_at[r] + h * size
            for j in range(size):
                total += rule_weight[first + j]
            mass[mass_at[r] + h] = total


@njit(cache=True, nogil=True)
def improve_yields(rules, states, rule_at, rule_weight, state_at, best, rule, left, right):
    """One round of the likeliest derivations of states; returns how many became likelier."""
    changed = 0
    for r in range(rules.shape[0]):
        a, b, c = rules[r, 0], rules[r, 1], rules[r, 2]
        place = rule_at[r]
        for h in range(states[a]):
            s = state_at[a] + h
            for i in range(states[b]):
                for j in range(states[c]):
                    value = rule_weight[place] * best[state_at[b] + i] * best[state_at[c] + j]
                    place += 1
                    if value > best[s] * (1.0 + 1e-9):
                        best[s], rule[s] = value, r
                        left[s], right[s] = state_at[b] + i, state_at[c] + j
                        changed += 1
    return changed
