"""A skeleton in; the counts behind it and a background model that gives every tree over any labels a probability, out.

The grammar itself knows the rules, chains of labels and pairs of word and tag that training saw.  The background model
builds every other tree, node by node: a phrase of label X draws the labels of its children one by one from p(t | X),
at least two, and stops with a probability of its own; a child is a chain that the grammar knows or, with
probability ``opened``, one that is drawn label by label.  Labels that training never saw are spelt out.  Everything
here follows from the plain PCFG and the counts of labels in a model file.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from eigenparse.arrays import BoolVector, FloatArray, IntVector, as_ids
from eigenparse.corpus.normalise import ROOT
from eigenparse.kernels.grammar.proper import Ground
from eigenparse.models.grammar.pcfg import LatentGrammar, Skeleton

MOST_RESERVED = 0.5  # of a label's expansions
N_TREES = 10_000  # assumed for a grammar without counts
ONCE = 1.5  # counts below are of things seen once
EVEN = 0.01  # pseudo-count of every label


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts that a plain PCFG stands for.  label: (A,) nodes; rule: (R,); token: (A,) nodes over words; trees."""

    label: FloatArray
    rule: FloatArray
    token: FloatArray
    n_trees: float


def counts_of(grammar: LatentGrammar) -> Counts:
    """From the counts in the report; expected ones where there are none."""
    skeleton, n = grammar.skeleton, grammar.skeleton.n_labels
    n_trees = float(grammar.report.get("n_trees", N_TREES))
    label: FloatArray = np.array(grammar.report.get("label_counts", []), dtype=np.float64)
    if label.size != n:
        label = n_trees * _visits(skeleton)
    rule = skeleton.rule_probability * label[skeleton.rules[:, 0]]
    token = np.maximum(label - np.bincount(skeleton.rules[:, 0], rule, n), 0.0) * skeleton.is_tag()
    return Counts(label, rule, token, n_trees)


def _visits(skeleton: Skeleton) -> FloatArray:
    """(A,) expected nodes of each label in a tree of the plain PCFG, or an approximation after many steps."""
    n, p = skeleton.n_labels, skeleton.rule_probability
    mass = np.bincount(skeleton.rules[:, 0], p, n) + np.bincount(
        skeleton.entry_label, skeleton.entry_probability, n
    )
    share = p / np.maximum(mass, 1e-300)[skeleton.rules[:, 0]]
    now = skeleton.root_probability / max(skeleton.root_probability.sum(), 1e-300)
    total = np.zeros(n)
    for _ in range(100):
        total += now
        flow = share * now[skeleton.rules[:, 0]]
        now = np.bincount(skeleton.rules[:, 1], flow, n) + np.bincount(skeleton.rules[:, 2], flow, n)
    return total


@dataclass(frozen=True, slots=True)
class Background:
    """Labels of n-ary trees: t as children (S, the last of them any never seen), X as parents (S + 1, the last TOP).

    child: (S + 1, S) p(t | X).  more: (S + 1,) chance of a further child after two.  unary: (S, S) of an open chain to
    go on from s to t; branch, word: (S,) to end over children or a word.  opened: (S,) chance that a child's chain is
    drawn label by label.  share: (A,) p(label | its top symbol), 0 at partial labels.  top: (A,) top symbol;
    parent: (A,) row of the bottom symbol.  root: chance that a tree is not of the grammar's roots; root_top: that it is
    then of several children under TOP; root_child: (S,) of its one child otherwise.  reserved: (A,) chance of a rule
    never seen.
    """

    symbols: dict[str, int]
    child: FloatArray
    more: FloatArray
    unary: FloatArray
    branch: FloatArray
    word: FloatArray
    opened: FloatArray
    share: FloatArray
    top: IntVector
    parent: IntVector
    root: float
    root_top: float
    root_child: FloatArray
    reserved: FloatArray

    def ground(self) -> Ground:
        """The same as kernels take it."""
        closed = np.linalg.inv(np.eye(self.branch.size) - self.unary)
        return Ground(**{name: getattr(self, name) for name in Ground._fields[:-1]}, closed=closed)

    @property
    def unknown(self) -> int:
        """The label that stands for those never seen."""
        return self.branch.size - 1


def background(skeleton: Skeleton, counts: Counts) -> Background:
    """The background model of a skeleton and the counts behind it."""
    labels, a = skeleton.labels, skeleton.rules[:, 0]
    names = dict.fromkeys(name for label in labels for name in label.chain if name != ROOT)
    symbols = {name: i for i, name in enumerate(names)}
    S = len(symbols) + 1
    whole: BoolVector = np.array([not label.partial and label.chain[0] != ROOT for label in labels])
    top = as_ids([symbols.get(label.chain[0], S - 1) for label in labels])
    parent = as_ids([symbols.get(label.chain[-1], S) for label in labels])
    by_top = np.bincount(top[whole], counts.label[whole], S)
    even = (by_top + EVEN) / (by_top + EVEN).sum()
    child, more = _children(skeleton, counts, whole, top, parent, even)
    kinds = _kinds(skeleton, counts, whole, symbols, even)
    once = np.bincount(top[whole], counts.label[whole] < ONCE, S)
    opened = np.where(by_top > 0, np.minimum((once + 0.5) / (by_top + 1.0), MOST_RESERVED), 1.0)
    share = np.where(whole, counts.label / np.maximum(by_top[top], 1e-300), 0.0) * (1.0 - opened[top])
    n_rules, n_once = (
        np.bincount(a, counts.rule, len(labels)),
        np.bincount(a, counts.rule < ONCE, len(labels)),
    )
    roots = skeleton.root_probability * counts.n_trees
    wide = parent == S
    at_root = np.bincount(top[~wide], roots[~wide], S) + even
    return Background(
        symbols, child, more, *kinds, opened, share, top, parent,
        root=min((float(np.sum((roots > 0) & (roots < ONCE))) + 0.5) / (counts.n_trees + 1.0), MOST_RESERVED),
        root_top=(float(roots[wide].sum()) + 0.5) / (float(roots.sum()) + 1.0),
        root_child=at_root / at_root.sum(),
        reserved=np.minimum((n_once + 0.5) / (n_rules + 1.0), MOST_RESERVED),
    )  # fmt: skip


def _children(
    skeleton: Skeleton, counts: Counts, whole: BoolVector, top: IntVector, parent: IntVector, even: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """p(t | X), with the labels' own shares mixed in, and the chance of a further child."""
    S = even.size
    n = np.zeros((S + 1, S))
    for side in (1, 2):
        under = skeleton.rules[:, side]
        real = whole[under]
        np.add.at(n, (parent[skeleton.rules[real, 0]], top[under[real]]), counts.rule[real])
    kinds = np.sum(n > 0, axis=1, keepdims=True) + 1.0
    child = (n + kinds * even) / (n.sum(axis=1, keepdims=True) + kinds)
    first = np.array([not label.partial for label in skeleton.labels])[skeleton.rules[:, 0]]
    nodes = np.bincount(parent[skeleton.rules[first, 0]], counts.rule[first], S + 1)
    further = np.maximum(n.sum(axis=1) - 2.0 * nodes, 0.0)
    return child, (further + 0.5) / (further + nodes + 1.5)


def _kinds(
    skeleton: Skeleton, counts: Counts, whole: BoolVector, symbols: dict[str, int], even: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of a label in an open chain: chances of each label below it, of several children, of a word."""
    S = even.size
    below, branch, word = np.zeros((S, S)), np.zeros(S), np.zeros(S)
    phrase = counts.label - counts.token
    for label, n, n_word, n_phrase in zip(skeleton.labels, counts.label, counts.token, phrase):
        if label.partial:
            continue
        chain = [symbols.get(name, S - 1) for name in label.chain]
        for s, t in pairwise(chain):
            below[s, t] += n
        branch[chain[-1]] += n_phrase
        word[chain[-1]] += n_word
    one = below.sum(axis=1)
    mixed = (below + even) * (
        1.0 - np.diag(np.append(np.ones(S - 1), 0.0))
    )  # no label stands over itself alone
    total = one + branch + word + 1.5
    unary = mixed / mixed.sum(axis=1, keepdims=True) * ((one + 0.5) / total)[:, None]
    return unary, (branch + 0.5) / total, (word + 0.5) / total
