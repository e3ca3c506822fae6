"""Phrases that show what latent states stand for: a grammar and its trees in, a grammar with phrases in its report out.

A phrase is an example of a state if the state is the likeliest one of its node, given the whole tree.  For each rule of
a state, the phrase with the largest sum of posteriors over its occurrences is kept, so that frequent short phrases come
first.  Phrases from real text are easier to understand than the most probable words of a state.
"""

from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np

from eigenparse.arrays import AnyArray, IntVector
from eigenparse.corpus.columns import Treebank, Trees
from eigenparse.corpus.pick import pick_trees
from eigenparse.corpus.transform import Binarisation, binarise
from eigenparse.inference.grammar.tree import chosen_trees, tree_rows
from eigenparse.kernels.columns import spans
from eigenparse.learn.grammar.em import posteriors
from eigenparse.learn.grammar.subtrees import every_row
from eigenparse.models.grammar.pcfg import LatentGrammar

MOST_TREES = 2500  # evenly spread
WORDS = range(2, 10)  # of a phrase
LEAST = 0.25  # posterior of a state at a node that shows it
PER_STATE = 5  # rules with an example


def with_examples(grammar: LatentGrammar, treebank: Treebank, how: Binarisation) -> LatentGrammar:
    """The grammar with ``examples`` in its report: (rule, state, phrase) of its first set of weights."""
    step = max(len(treebank) / MOST_TREES, 1.0)
    some = pick_trees(treebank, np.array([int(k * step) for k in range(int(len(treebank) / step))]))
    trees = binarise(some, how)
    rows = tree_rows(grammar.skeleton, trees)
    if not rows.is_known.any():
        return grammar
    if not rows.is_known.all():
        trees = chosen_trees(trees, np.flatnonzero(rows.is_known))
        rows = tree_rows(grammar.skeleton, trees)
    ids = {label: i for i, label in enumerate(grammar.skeleton.labels)}
    label = np.array([ids.get(name, 0) for name in trees.labels], dtype=np.int32)[trees.label]
    trees = replace(trees, label=label, labels=grammar.skeleton.labels, weight=None)
    nodes = every_row(trees, rows.rule, rows.entry, len(grammar.skeleton.rules))
    state, sure = _likeliest(*posteriors(trees, nodes, grammar.members[0]))
    return replace(grammar, report=grammar.report | {"examples": _examples(trees, rows.rule, state, sure)})


def _likeliest(posterior: AnyArray, at: AnyArray) -> tuple[IntVector, AnyArray]:
    """The likeliest state of each row, and its posterior."""
    best = np.maximum.reduceat(posterior, at[:-1])
    row = np.repeat(np.arange(at.size - 1), np.diff(at))
    hit = np.flatnonzero(posterior == best[row])[::-1]  # the first of several is kept
    state = np.zeros(at.size - 1, dtype=np.int32)
    state[row[hit]] = hit - at[row[hit]]
    return state, best


def _examples(trees: Trees, rule: IntVector, state: IntVector, sure: AnyArray) -> list[list[int | str]]:
    """The best phrases of the commonest rules of each state, sorted."""
    start, size = (np.empty(trees.label.size, dtype=np.int32) for _ in range(2))
    spans(trees.left, trees.right, trees.offsets, start, size)
    partial = np.array([label.partial for label in trees.labels])
    fits = (rule >= 0) & (sure >= LEAST) & (size >= WORDS[0]) & (size <= WORDS[-1]) & ~partial[trees.label]
    leaf = np.flatnonzero(trees.word >= 0)
    first = np.searchsorted(leaf, trees.offsets[:-1])[
        np.searchsorted(trees.offsets, np.arange(trees.label.size), side="right") - 1
    ]
    words = [trees.words[w] for w in trees.word[leaf].tolist()]
    weight: defaultdict[tuple[int, int, str], float] = defaultdict(float)
    for i in np.flatnonzero(fits).tolist():
        low = int(first[i] + start[i])
        weight[int(rule[i]), int(state[i]), " ".join(words[low : low + int(size[i])])] += float(sure[i])
    total: defaultdict[tuple[int, int], float] = defaultdict(float)
    best: dict[tuple[int, int], tuple[float, str]] = {}
    for (r, h, phrase), value in weight.items():
        total[r, h] += value
        best[r, h] = max(best.get((r, h), (0.0, "")), (value, phrase))
    label_of = dict(zip(rule.tolist(), trees.label.tolist()))
    kept: Counter[tuple[int, int]] = Counter()
    chosen: list[tuple[int, int, str]] = []
    for (r, h), _ in sorted(total.items(), key=lambda one: (-one[1], one[0])):
        kept[label_of[r], h] += 1
        if kept[label_of[r], h] <= PER_STATE:
            chosen.append((r, h, best[r, h][1]))
    return [list(one) for one in sorted(chosen)]
