"""The method of moments on a grammar that is known: sample sizes in, errors of tree probabilities out."""

import math
from dataclasses import dataclass, replace

import numpy as np

from eigenparse.arrays import BoolVector, FloatArray, generator
from eigenparse.corpus.columns import Trees
from eigenparse.experiments.known import (
    LABELS,
    N_BINARY,
    N_ROWS,
    Conditions,
    KnownGrammar,
    S,
    conditions,
    corpus_of,
    draw_counts,
    tree_probabilities,
)
from eigenparse.features.grammar.tree import Keys, NodeView, at, key
from eigenparse.inference.grammar.tree import score_trees
from eigenparse.learn.grammar.encode import encoded_whole
from eigenparse.learn.grammar.states import StateOptions, node_features, sample_nodes, wanted_states
from eigenparse.learn.grammar.tensor import project, tensor_weights
from eigenparse.models.grammar.pcfg import LatentGrammar, Weights

SAMPLE_STREAM = 0xD1CE
DEPTH = 3
DELTA = 0.1


def inside_tree(view: NodeView) -> Keys:
    """The whole tree below and including a node."""
    keys = view.rule
    for _ in range(DEPTH):
        keys = key(view.rule, at(keys, view.left), at(keys, view.right))
    return keys


def outside_tree(view: NodeView) -> Keys:
    """Everything but the tree below a node."""
    up, row = np.maximum(view.parent, 0), np.arange(view.parent.size)
    sister = np.where(view.left[up] == row, view.right[up], view.left[up])
    sister = np.where(view.parent >= 0, sister, -1).astype(view.parent.dtype)
    keys = key(view.label, view.marked, at(inside_tree(view), sister))
    above: Keys = np.zeros_like(keys)
    for _ in range(DEPTH):
        above = key(keys, at(above, view.parent))
    return above


def feature_options(n_states: int) -> StateOptions:
    """Indicators of whole inside and outside trees, as many states as there are, in double precision."""
    by_label = tuple((name, 1 if name == LABELS[S] else n_states) for name in LABELS)
    return StateOptions(
        states=n_states,
        nodes_per_state=1,
        by_label=by_label,
        inside=(inside_tree,),
        outside=(outside_tree,),
        kappa=None,
        precision="double",
    )


def learn_known(trees: Trees, n_states: int, seed: int = 0, drawn: BoolVector | None = None) -> LatentGrammar:
    """Figures 7 and 8 of [cohen-etal-2014] over all nodes, or those ``drawn``, without smoothing."""
    encoded, options = encoded_whole(trees, 0), feature_options(n_states)
    count = np.bincount(trees.label, minlength=len(trees.labels))
    features = node_features([sample_nodes(encoded, options)], count, options)
    wanted = wanted_states(count, trees.labels, options)
    projected = project(encoded, features, wanted, options, seed, drawn)
    weights: Weights = tensor_weights(encoded, projected, 0.0)
    skeleton = replace(encoded.skeleton, n_words=len(encoded.skeleton.symbols))
    return LatentGrammar(skeleton, (weights,))


def probabilities_of(grammar: LatentGrammar, shape: tuple[int, ...]) -> FloatArray:
    """The learnt probability of every tree; 0 where a rule or word was not seen."""
    trees = corpus_of(np.ones(shape, dtype=np.int64))
    scores = score_trees(grammar, trees)
    symbols = set(grammar.skeleton.symbols)
    seen = np.array([word in symbols for word in trees.words])
    known = np.add.reduceat((trees.word >= 0) & ~seen[trees.word], trees.offsets[:-1]) == 0
    value = np.where(known & (scores.sign != 0), scores.sign * np.exp(scores.log_probability), 0.0)
    return np.asarray(value).reshape(shape)


@dataclass(frozen=True, slots=True)
class Measured:
    """Sums over all trees of |p learnt - p|, one per run, and what theorem 8 says.

    errors: of all nodes.  plain_errors: of one state per label.  single_errors: of one node drawn from each tree.
    """

    n_trees: int
    errors: tuple[float, ...]
    plain_errors: tuple[float, ...]
    single_errors: tuple[float, ...]
    bound: float
    conditions: Conditions

    @property
    def error(self) -> float:
        return float(np.mean(self.errors))

    @property
    def plain_error(self) -> float:
        return float(np.mean(self.plain_errors))

    @property
    def single_error(self) -> float:
        return float(np.mean(self.single_errors))


def measure(grammar: KnownGrammar, n_trees: int, *, runs: int, seed: int) -> Measured:
    """Errors of the method of moments, and of one state per label, on samples of a known grammar."""
    truth = tree_probabilities(grammar)
    errors: tuple[list[float], ...] = ([], [], [])
    for run in range(runs):
        rng = generator(seed, SAMPLE_STREAM, n_trees, run)
        trees = corpus_of(draw_counts(truth, n_trees, rng))
        drawn = np.zeros(trees.label.size, dtype=np.bool_)
        drawn[trees.offsets[:-1] + rng.integers(N_ROWS, size=len(trees))] = True
        m = grammar.n_states
        for states, nodes, found in zip((m, 1, m), (None, None, drawn), errors):
            learnt = probabilities_of(learn_known(trees, states, seed + run, nodes), truth.shape)
            found.append(float(np.abs(learnt - truth).sum()))
    known = conditions(grammar)
    bound = theorem_8(known, grammar, n_trees)
    every, plain, single = (tuple(found) for found in errors)
    return Measured(n_trees, every, plain, single, bound, known)


def theorem_8(known: Conditions, grammar: KnownGrammar, n_trees: int) -> float:
    """The error that theorem 8 promises with probability 1 - DELTA, its five constants taken as one.

    The theorem says only that the constants exist, so the size of this number means little and its
    dependence on the sample and on sigma, xi and gamma is what it tells.  As there, one node is drawn
    from each tree and half of them go to each of the two steps.
    """
    m, n = grammar.n_states, grammar.n_words
    log_term = math.log((2 * len(LABELS) + 1) / DELTA)
    of_label = n_trees / (2 * N_ROWS)  # each label is drawn from one tree in five
    sigma, xi, gamma = known.sigma, known.xi, known.gamma
    factors = (
        N_BINARY * m / (gamma * xi**2 * sigma**2),  # phrases, singular value decompositions
        N_BINARY * m / sigma**2,  # tags, singular value decompositions
        N_BINARY * m / (gamma * xi**2 * sigma),  # phrases, moments
        N_BINARY * m * math.sqrt(n) / sigma,  # tags, moments
        N_BINARY * m * math.sqrt(m) / sigma,  # roots
    )
    return max(factors) * math.sqrt(log_term / of_label)


def slope(xs: list[float], ys: list[float]) -> float:
    """Slope of the line through log y over log x."""
    return float(np.polyfit(np.log(xs), np.log(ys), 1)[0]) if len(xs) > 1 else math.nan
