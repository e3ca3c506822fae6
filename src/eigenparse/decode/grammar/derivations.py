"""A forest with additive scores in, its best derivations out."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import FloatArray, IntVector, as_ids
from eigenparse.decode.grammar.objective import Scores
from eigenparse.inference.grammar.forest import Forest
from eigenparse.kernels.grammar.kbest import Links, Lists, empty_lists, empty_rows, kbest_lists, kbest_rows


@dataclass(frozen=True, slots=True)
class Derivation:
    """One tree over a sentence as post-order rows.

    label, left, right, position (word index, -1 at phrases), rule, entry (-1 where none): (rows,).
    posterior: of each row's brackets, or of the tag.  score: what the objective gave the tree.
    grammar: which one of an ensemble has the tree; rules and entries are numbers of that grammar, labels are those of
    the parser.
    """

    label: IntVector
    left: IntVector
    right: IntVector
    position: IntVector
    rule: IntVector
    entry: IntVector
    posterior: FloatArray
    score: float
    grammar: int = 0


@dataclass(frozen=True, slots=True)
class Ranked:
    """The best derivations below every item of a forest."""

    forest: Forest
    value: Scores
    links: Links
    lists: Lists

    def tops(self) -> list[tuple[float, int, int]]:
        """Score, root and rank of the derivations of the whole sentence."""
        best, count = self.lists.best, self.lists.count
        return [(float(best[p, r]), int(p), r) for p in self.forest.root for r in range(count[p])]

    def derivation(self, root: int, rank: int, names: IntVector | None, grammar: int) -> Derivation:
        """One of them.  names: a number for each label of the forest; without them labels keep their own."""
        forest, rows = self.forest, empty_rows(2 * self.forest.n_words - 1)
        kbest_rows(root, rank, self.links, self.lists, rows)
        item, edge = rows.item, rows.edge
        label, entry = forest.label[item], forest.entry[item]
        rule = np.full(item.size, -1)
        if forest.rule.size:
            rule = np.where(edge >= 0, forest.rule[np.maximum(edge, 0)], -1)
        position = np.where(entry >= 0, forest.start[item], -1)
        return Derivation(
            label if names is None else names[label], rows.left, rows.right, as_ids(position), as_ids(rule), entry,
            self.value.bracket[item], float(self.lists.best[root, rank]), grammar,
        )  # fmt: skip


def ranked(forest: Forest, value: Scores, k: int) -> Ranked:
    """The k best derivations below every item."""
    links, lists = (
        Links(forest.entry, forest.edge_at, forest.left, forest.right),
        empty_lists(forest.label.size, k),
    )
    kbest_lists(value.item, value.edge, links, k, lists)
    return Ranked(forest, value, links, lists)
