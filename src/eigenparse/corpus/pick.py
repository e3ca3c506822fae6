"""Parts of a corpus: trees by their numbers, trees in proportion to their weights, folds for jack-knifing."""

from itertools import pairwise

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, LongVector, as_ids, as_offsets
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.normalise import compact
from eigenparse.errors import OptionError


def pick_trees(treebank: Treebank, ids: LongVector) -> Treebank:
    """The trees of the given numbers, in that order, with no symbol that they do not use."""
    size = np.diff(treebank.offsets)[ids]
    offsets = as_offsets(np.concatenate([[0], np.cumsum(size)]))
    shift = np.repeat(treebank.offsets[:-1][ids] - offsets[:-1], size)
    rows = np.arange(offsets[-1]) + shift
    parent = treebank.parent[rows]
    label, labels = compact(treebank.label[rows], treebank.labels)
    word, words = compact(treebank.word[rows], treebank.words)
    parent = as_ids(np.where(parent >= 0, parent - shift, -1))
    weight = None if treebank.weight is None else treebank.weight[ids]
    return Treebank(label, parent, word, offsets, treebank.line[ids], labels, words, weight)


def in_proportion(weight: FloatArray, most: int) -> LongVector:
    """At most ``most`` of the tree numbers, evenly spaced by weight; heavy trees may be repeated."""
    ends = np.cumsum(weight)
    steps = np.linspace(0, ends[-1], min(weight.size, most), endpoint=False)
    return as_offsets(np.minimum(np.searchsorted(ends, steps, side="right"), weight.size - 1))


def folds(n_sentences: int, n_folds: int) -> list[tuple[AnyArray, AnyArray]]:
    """Numbers of the sentences to train on and of those to apply to, for each fold of consecutive sentences."""
    if not 2 <= n_folds <= n_sentences:
        raise OptionError(f"folds must be 2 to {n_sentences}, got {n_folds} instead")
    edges = np.linspace(0, n_sentences, n_folds + 1).astype(int)
    every = np.arange(n_sentences)
    return [(np.concatenate([every[:a], every[b:]]), every[a:b]) for a, b in pairwise(edges)]


def tokens_of(treebank: Treebank) -> list[list[str]]:
    """The words of every tree."""
    rows = np.flatnonzero(treebank.word >= 0)
    words = [treebank.words[w] for w in treebank.word[rows].tolist()]
    cuts = np.searchsorted(rows, treebank.offsets).tolist()
    return [words[i:j] for i, j in pairwise(cuts)]
