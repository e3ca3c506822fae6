"""Dependency trees or candidate lists in, log |p| and the sign of p under a split-head grammar out."""

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, IntMatrix, LongVector
from eigenparse.corpus.columns import Trees
from eigenparse.corpus.dependencies import Dependencies, projectivised
from eigenparse.corpus.split_heads import split_head_trees
from eigenparse.inference.grammar.tree import tree_rows
from eigenparse.kernels.dependency.split_heads import BinaryTrees, FlooredGrammar, inside_floored
from eigenparse.models.dependency.split_heads import SplitHeads

BLOCK = 512  # sentences whose candidates are held at once


def score_split_heads(model: SplitHeads, trees: Dependencies) -> tuple[FloatArray, FloatArray]:
    """(S,) log |p| and sign of every tree; crossing trees count as the projective ones closest to them."""
    log_p, sign = np.zeros(len(trees)), np.ones(len(trees))
    rows = np.flatnonzero(trees.lengths() > 0)
    if rows.size:
        lifted, _ = projectivised(trees.select(rows))
        binary = split_head_trees(lifted, tags=model.tags)
        log_p[rows], sign[rows] = _score_binary(model, binary, np.arange(rows.size + 1))
    return log_p, sign


def score_candidates(
    model: SplitHeads, words: Dependencies, heads: IntMatrix, found: LongVector
) -> tuple[FloatArray, FloatArray]:
    """(S, k) log |p| and sign of lists of projective trees (k, T); 0 and 1 beyond the end of a list."""
    log_p, sign = np.zeros((len(words), heads.shape[0])), np.ones((len(words), heads.shape[0]))
    for start in range(0, len(words), BLOCK):
        sentences = np.arange(start, min(start + BLOCK, len(words)))
        sentences = sentences[words.lengths()[sentences] > 0]
        trees, sentence, rank = expanded(words, heads, found, sentences)
        if len(trees):
            groups = np.append(np.flatnonzero(rank == 0), len(trees))
            binary = split_head_trees(trees, tags=model.tags)
            log_p[sentence, rank], sign[sentence, rank] = _score_binary(model, binary, groups)
    return log_p, sign


def expanded(
    words: Dependencies, heads: IntMatrix, found: LongVector, sentences: AnyArray
) -> tuple[Dependencies, AnyArray, AnyArray]:
    """All candidates of some sentences as trees of their own, with their sentences and ranks."""
    sentence = np.repeat(sentences, found[sentences])
    ends = np.cumsum(found[sentences])
    rank = np.arange(sentence.size) - np.repeat(ends - found[sentences], found[sentences])
    trees = words.select(sentence)
    sizes = trees.lengths()
    row = np.arange(trees.n_words) + np.repeat(words.offsets[sentence] - trees.offsets[:-1], sizes)
    return trees.with_heads(heads[np.repeat(rank, sizes), row]), sentence, rank


def _score_binary(model: SplitHeads, trees: Trees, groups: AnyArray) -> tuple[FloatArray, FloatArray]:
    """(S,) mean log |p| of the members, and the sign that all have, -1 where they differ.

    groups: where runs of trees over the same words begin.
    """
    skeleton = model.grammar.skeleton
    rows = tree_rows(skeleton, trees)
    ids = {label: i for i, label in enumerate(skeleton.labels)}
    label = np.array([ids.get(name, -1) for name in trees.labels], dtype=np.int64)[trees.label]
    table = BinaryTrees(trees.left, trees.right, label, rows.rule, rows.entry, trees.offsets, groups)
    found = np.zeros((2, len(model.grammar.members), len(trees)))
    for w, log_p, sign in zip(model.grammar.members, *found):
        weights = FlooredGrammar(
            w.states,
            w.rule_at,
            w.rule_weight,
            w.entry_at,
            w.entry_weight,
            w.state_at,
            w.root_weight,
            model.floor,
        )
        inside_floored(table, weights, log_p, sign)
    return found[0].mean(axis=0), found[1].min(axis=0)
