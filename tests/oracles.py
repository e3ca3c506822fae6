"""Latent-variable grammars by enumeration: slow, obvious, sharing no code with the package.

A tree is a nested tuple, ``(label, word)`` over a word and ``(label, left, right)`` over two trees.
"""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Tree = tuple[Any, ...]
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Grammar:
    """root[a]: (m_a,).  rules[a, b, c]: (m_a, m_b, m_c).  words[a, x]: (m_a,).  Any real numbers."""

    root: dict[str, np.ndarray]
    rules: dict[tuple[str, str, str], np.ndarray]
    words: dict[tuple[str, str], np.ndarray]


def is_leaf(tree: Tree) -> bool:
    return isinstance(tree[1], str)


def trees_over(grammar: Grammar, words: Sequence[str]) -> dict[str, list[Tree]]:
    """All trees over the words whose rules the grammar has, by the label at the top."""
    found: dict[str, list[Tree]] = defaultdict(list)
    if len(words) == 1:
        for a, x in grammar.words:
            if x == words[0]:
                found[a].append((a, x))
        return found
    for k in range(1, len(words)):
        left, right = trees_over(grammar, words[:k]), trees_over(grammar, words[k:])
        for a, b, c in grammar.rules:
            found[a].extend((a, x, y) for x, y in itertools.product(left.get(b, []), right.get(c, [])))
    return found


def all_trees(grammar: Grammar, words: Sequence[str]) -> list[Tree]:
    """All trees over a sentence."""
    by_label = trees_over(grammar, words)
    return [tree for a in grammar.root for tree in by_label.get(a, [])]


def nodes(tree: Tree, start: int = 0) -> Iterator[tuple[Tree, int, int]]:
    """Every node with its span, children first."""
    if is_leaf(tree):
        yield tree, start, start + 1
        return
    yield from nodes(tree[1], start)
    middle = start + len(leaves(tree[1]))
    yield from nodes(tree[2], middle)
    yield tree, start, start + len(leaves(tree))


def leaves(tree: Tree) -> list[str]:
    return [tree[1]] if is_leaf(tree) else leaves(tree[1]) + leaves(tree[2])


def items(tree: Tree) -> list[tuple[str, int, int]]:
    """(label, start, end) of every node."""
    return [(node[0], i, j) for node, i, j in nodes(tree)]


def edges(tree: Tree) -> list[tuple[str, str, str, int, int, int]]:
    """(a, b, c, start, split, end) of every phrase."""
    return [
        (node[0], node[1][0], node[2][0], i, i + len(leaves(node[1])), j)
        for node, i, j in nodes(tree)
        if not is_leaf(node)
    ]


def factors(grammar: Grammar, tree: Tree) -> list[tuple[Any, str, np.ndarray]]:
    """(what, indices, numbers) of every parameter that a tree uses; each node has its own letter."""
    letter = iter(LETTERS)
    used: list[tuple[Any, str, np.ndarray]] = []

    def walk(node: Tree) -> str:
        own = next(letter)
        if is_leaf(node):
            used.append((node, own, grammar.words[node]))
        else:
            rule = (node[0], node[1][0], node[2][0])
            used.append((rule, own + walk(node[1]) + walk(node[2]), grammar.rules[rule]))
        return own

    top = walk(tree)
    used.append((tree[0], top, grammar.root[tree[0]]))
    return used


def tree_weight(grammar: Grammar, tree: Tree) -> float:
    """Sum over all assignments of states to nodes of the product of the parameters."""
    used = factors(grammar, tree)
    return float(np.einsum(",".join(indices for _, indices, _ in used) + "->", *(w for _, _, w in used)))


def expected_counts(grammar: Grammar, tree: Tree) -> dict[Any, np.ndarray]:
    """How often each parameter is used with each combination of states, given the tree."""
    used = factors(grammar, tree)
    total = tree_weight(grammar, tree)
    counts: dict[Any, np.ndarray] = {}
    for what, kept, weight in used:
        subscripts = ",".join(indices for _, indices, _ in used) + "->" + kept
        share = np.einsum(subscripts, *(w for _, _, w in used)) / total
        counts[what] = counts.get(what, np.zeros_like(weight)) + share
    return counts


@dataclass(frozen=True)
class Distribution:
    """All trees over a sentence with their weights; marginals are shares of the total."""

    trees: list[Tree]
    weights: np.ndarray

    @property
    def total(self) -> float:
        return float(self.weights.sum())

    def marginal(self, parts: Any) -> dict[Any, float]:
        """Share of the trees that hold a part; ``parts`` lists the parts of a tree."""
        found: dict[Any, float] = defaultdict(float)
        for tree, weight in zip(self.trees, self.weights):
            for part in parts(tree):
                found[part] += float(weight) / self.total
        return dict(found)


def distribution(grammar: Grammar, words: Sequence[str]) -> Distribution:
    """Every tree over a sentence and its weight."""
    trees = all_trees(grammar, words)
    return Distribution(trees, np.array([tree_weight(grammar, tree) for tree in trees]))


def trees_up_to(grammar: Grammar, height: int) -> dict[str, list[Tree]]:
    """All trees at most so high, by label; finite grammars have no others beyond some height."""
    found: dict[str, list[Tree]] = {
        a: [(a, x) for b, x in grammar.words if b == a] for a in labels_of(grammar)
    }
    for _ in range(height):
        higher = {a: [t for t in trees if is_leaf(t)] for a, trees in found.items()}
        for a, b, c in grammar.rules:
            higher[a].extend((a, x, y) for x, y in itertools.product(found[b], found[c]))
        found = higher
    return found


def labels_of(grammar: Grammar) -> list[str]:
    return sorted(
        {a for rule in grammar.rules for a in rule} | {a for a, _ in grammar.words} | set(grammar.root)
    )
