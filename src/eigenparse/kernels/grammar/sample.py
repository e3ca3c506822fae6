"""Draws by running sums, masses of rules, and the likeliest yields of latent states."""

from typing import NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.grammar.chart import SparseRules
from eigenparse.kernels.lanes import LANES


@kernel
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
    """Rules (R, 3), states (A,) and the flat tensors of one set of weights; see ``models.grammar.pcfg.Weights``.

    sparse: the weights that are not 0, read instead of ``rule_weight`` unless it is empty.
    """

    rules: np.ndarray
    states: np.ndarray
    state_at: np.ndarray
    rule_at: np.ndarray
    rule_weight: np.ndarray
    sparse: SparseRules


@kernel
def rule_masses(grammar, mass_at, mass):
    """The weight that each state of a rule's parent gives to the rule: mass[mass_at[r] + h]."""
    rules, states = grammar.rules, grammar.states
    for r in range(rules.shape[0]):
        size = np.int64(states[rules[r, 1]]) * states[rules[r, 2]]
        for h in range(states[rules[r, 0]]):
            total, first = 0.0, grammar.rule_at[r] + h * size
            if grammar.sparse.value.size > 0:
                row = grammar.sparse.first_row[r] + h
                for k in range(LANES * grammar.sparse.row_at[row], LANES * grammar.sparse.row_at[row + 1]):
                    total += grammar.sparse.value[k]
            else:
                for j in range(size):
                    total += grammar.rule_weight[first + j]
            mass[mass_at[r] + h] = total
