"""The nodes that passes up and down trees visit: trees with their rules in, columns of nodes out.

The inside vector of a node depends on nothing but its subtree, and what its outside vector adds to anything below it
or to its rule is linear.  So equal subtrees are visited once, with the sum of their outside vectors: of a treebank,
half the rows are words, most of which occur many times, and a quarter of the phrases are copies of others.
"""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, IntVector, LongVector
from eigenparse.corpus.columns import Trees
from eigenparse.kernels.columns import heights
from eigenparse.kernels.grammar.child_groups import group_by_child
from eigenparse.kernels.grammar.subtrees import share_subtrees, sort_by
from eigenparse.kernels.grammar.tree import Nodes

ENOUGH = 6  # nodes that must share a child before the rule's tensor is multiplied with it once for all


@dataclass(frozen=True, slots=True)
class Subtrees:
    """Columns of nodes, (M,) each; children come before their parents.

    row: a row of the trees that each node stands for.  node: (N,) of every row.  rule, entry: -1 where there is none.
    schedule: nodes by height and rule.  by_rule: words, then phrases sorted by rule, those of rule r from
    rule_first[r].  Within both, nodes that share a child stand together; sharing, rule_sharing: which one it is.
    """

    row: IntVector
    node: IntVector
    label: IntVector
    left: IntVector
    right: IntVector
    rule: IntVector
    entry: IntVector
    height: IntVector
    schedule: IntVector
    sharing: AnyArray
    by_rule: IntVector
    rule_first: LongVector
    rule_sharing: AnyArray

    def over(self, at: LongVector) -> Nodes:
        """As kernels take them; node i owns the cells [at[i], at[i + 1]) of flat vectors."""
        return Nodes(
            self.schedule, self.left, self.right, self.rule, self.entry, self.height, self.sharing, at
        )


def distinct_subtrees(trees: Trees, rule: IntVector, entry: IntVector, n_rules: int) -> Subtrees:
    """Every different subtree once."""
    node, row = (np.empty(trees.label.size, dtype=np.int32) for _ in range(2))
    is_first = np.zeros(trees.label.size, dtype=np.int32)
    is_first[trees.offsets[:-1]] = 1
    n = share_subtrees((trees.label, trees.left, trees.right, trees.word), is_first, node, row)
    return _subtrees(trees, (rule, entry), n_rules, row[:n].copy(), node)


def every_row(trees: Trees, rule: IntVector, entry: IntVector, n_rules: int) -> Subtrees:
    """Every row of the trees as a node of its own."""
    rows = np.arange(trees.label.size, dtype=np.int32)
    return _subtrees(trees, (rule, entry), n_rules, rows, rows)


def _subtrees(
    trees: Trees, used: tuple[IntVector, IntVector], n_rules: int, row: IntVector, node: IntVector
) -> Subtrees:
    """used: rule and entry of every row."""
    left, right = (
        np.where(side[row] >= 0, node[side[row]], np.int32(-1)) for side in (trees.left, trees.right)
    )
    rule, entry = (column[row] for column in used)
    height, by_rule, schedule = (np.empty(row.size, dtype=np.int32) for _ in range(3))
    heights(left, right, height)
    rule_first = np.empty(n_rules + 1, dtype=np.int64)
    sort_by(rule, np.arange(row.size, dtype=np.int32), by_rule, rule_first)
    sort_by(height, by_rule, schedule, np.empty(int(height.max(initial=0)) + 2, dtype=np.int64))
    sharing, rule_sharing = np.zeros(row.size, dtype=np.int8), np.zeros(row.size, dtype=np.int8)
    of_run = np.stack([height, rule])[:, schedule]
    starts = np.flatnonzero(np.any(np.diff(of_run, prepend=-2), axis=0) & (of_run[1] >= 0))
    group_by_child(schedule, np.append(starts, row.size), left, right, ENOUGH, sharing)
    group_by_child(by_rule, rule_first, left, right, ENOUGH, rule_sharing)
    return Subtrees(
        row, node, trees.label[row], left, right, rule, entry, height, schedule, sharing, by_rule, rule_first,
        rule_sharing,
    )  # fmt: skip
