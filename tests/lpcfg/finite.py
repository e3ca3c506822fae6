"""Finite grammars of dyadic probabilities: a corpus can hold each tree exactly as often as it should.

Estimates from such a corpus are the population's own.
"""

from dataclasses import dataclass, replace

import numpy as np

import oracles
from eigenparse.corpus.columns import Trees
from eigenparse.features.grammar.tree import INSIDE, OUTSIDE, Keys, NodeView, at, key
from eigenparse.inference.grammar.tree import score_trees
from eigenparse.learn.grammar.encode import Encoded, encoded_whole
from eigenparse.learn.grammar.states import (
    NodeFeatures,
    StateOptions,
    node_features,
    sample_nodes,
    wanted_states,
)
from eigenparse.learn.grammar.tensor import Projected, project, tensor_weights
from eigenparse.models.grammar.pcfg import LatentGrammar, Weights
from lpcfg.worlds import as_trees
from oracles import Grammar, Tree

# A node's own head tag decides which head above is "different", so this one looks inside.
TRULY_OUTSIDE = tuple(name for name in OUTSIDE if name != "other-head")
TRULY_INSIDE = tuple(INSIDE)
STATES = {"A": 2, "B": 2, "C": 3, "S": 1}
N = 4 * 8 * 8 * 4 * 4 * 4  # the product of the denominators that one tree can meet


def shares(rng: np.random.Generator, parts: int, total: int) -> np.ndarray:
    """Multiples of 1 / total that add to one."""
    return rng.multinomial(total, rng.dirichlet(np.full(parts, 0.7))) / total


def finite_grammar(rng: np.random.Generator) -> Grammar:
    """S -> A B | B A, A -> C C | x, B -> x, C -> x; roots S and A; A heads phrases and words."""
    a, b, c = STATES["A"], STATES["B"], STATES["C"]
    top = shares(rng, 2 * a * b, 8)
    rules: dict[tuple[str, str, str], np.ndarray] = {
        ("S", "A", "B"): top[: a * b].reshape(1, a, b),
        ("S", "B", "A"): top[a * b :].reshape(1, b, a),
    }
    own = np.array([shares(rng, c * c + 2, 8) for _ in range(a)])
    rules["A", "C", "C"] = own[:, : c * c].reshape(a, c, c)
    words = {("A", x): own[:, c * c + i] for i, x in enumerate("pq")}
    for label, m in (("B", b), ("C", c)):
        emission = np.array([shares(rng, 4, 4) for _ in range(m)])
        words |= {(label, x): emission[:, i] for i, x in enumerate("pqrs")}
    root = shares(rng, 1 + a, 4)
    return Grammar({"S": root[:1], "A": root[1:]}, rules, words)


@dataclass(frozen=True)
class Finite:
    """All trees of a grammar with positive probability, and what they are."""

    grammar: Grammar
    trees: list[Tree]
    probability: np.ndarray

    def corpus(self, copies: np.ndarray) -> Trees:
        """So many copies of each tree; trees without copies are left out."""
        some = np.flatnonzero(copies)
        return as_trees([self.trees[t] for t in some], copies[some].tolist(), names=sorted(STATES))

    def exact_corpus(self) -> Trees:
        copies = self.probability * N
        assert np.array_equal(copies, np.rint(copies))
        step = np.gcd.reduce(copies.astype(np.int64))
        return self.corpus(copies.astype(np.int64) // step)

    def score(self, encoded: Encoded, weights: Weights) -> np.ndarray:
        """Probability of each tree under learnt weights."""
        skeleton = replace(encoded.skeleton, n_words=len(encoded.skeleton.symbols))
        scores = score_trees(LatentGrammar(skeleton, (weights,)), as_trees(self.trees, names=sorted(STATES)))
        return scores.sign * np.exp(scores.log_probability)


def finite(rng: np.random.Generator) -> Finite:
    grammar = finite_grammar(rng)
    trees = [
        tree for a, found in oracles.trees_up_to(grammar, 3).items() for tree in found if a in grammar.root
    ]
    weight = np.array([oracles.tree_weight(grammar, tree) for tree in trees])
    return Finite(grammar, [t for t, w in zip(trees, weight) if w > 0], weight[weight > 0])


def inside_tree(view: NodeView) -> Keys:
    """The whole tree below and including a node."""
    keys = view.rule
    for _ in range(3):
        keys = key(view.rule, at(keys, view.left), at(keys, view.right))
    return keys


def outside_tree(view: NodeView) -> Keys:
    """Everything but the tree below a node."""
    up = np.maximum(view.parent, 0)
    row = np.arange(view.parent.size)
    sister = np.where(view.left[up] == row, view.right[up], view.left[up])
    sister = np.where(view.parent >= 0, sister, -1)
    keys = key(view.label, view.marked, at(inside_tree(view), sister))
    above = np.zeros_like(keys)
    for _ in range(3):
        above = key(keys, at(above, view.parent))
    return above


def encoded_corpus(trees: Trees) -> Encoded:
    return encoded_whole(trees, 0)


def wanted(encoded: Encoded, options: StateOptions) -> np.ndarray:
    trees = encoded.trees
    return wanted_states(np.bincount(trees.label, minlength=len(trees.labels)), trees.labels, options)


def featured(encoded: Encoded, options: StateOptions) -> NodeFeatures:
    count = np.bincount(encoded.trees.label, minlength=len(encoded.trees.labels))
    return node_features([sample_nodes(encoded, options)], count, options)


def projected_corpus(encoded: Encoded, options: StateOptions) -> Projected:
    return project(encoded, featured(encoded, options), wanted(encoded, options), options, 0)


def whole_trees(**changes: object) -> StateOptions:
    """Indicators of whole inside and outside trees as features, in double precision."""
    base = StateOptions(
        states=8,
        nodes_per_state=1,
        inside=(inside_tree,),
        outside=(outside_tree,),
        kappa=None,
        precision="double",
    )
    return replace(base, **changes)


def learnt(trees: Trees, options: StateOptions, smoothing: float = 0.0) -> tuple[Encoded, Projected, Weights]:
    encoded = encoded_corpus(trees)
    projected = projected_corpus(encoded, options)
    return encoded, projected, tensor_weights(encoded, projected, smoothing)


def well_conditioned(seed: int, options: StateOptions, least: float = 1e-2) -> Finite:
    """The first random grammar whose cross-moments have full rank and no tiny singular value."""
    for attempt in range(500):
        found = finite(np.random.default_rng([seed, attempt]))
        if {a for tree in found.trees for a, _, _ in oracles.items(tree)} != set(STATES):
            continue
        projected = projected_corpus(encoded_corpus(found.exact_corpus()), options)
        values = [projected.singular.get(a, np.ones(1)) for a in range(len(STATES))]
        sizes = [STATES[a] for a in sorted(STATES)]
        # Below the true rank there is rounding only, so the cutoff finds the number of states.
        if projected.states.tolist() == sizes and min(v[-1] / v[0] for v in values) > least:
            return found
    raise AssertionError("no well-conditioned grammar")
