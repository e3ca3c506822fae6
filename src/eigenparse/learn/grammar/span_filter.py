"""A span filter from the trees of a treebank: binary trees and their grammar in, filter out.

In use, the filter gets predicted tags, so it is trained on predicted tags: each fold of the
treebank is tagged by the grammar's chain of tags with the fold's own counts taken out of the lexicon.
Where the filter closes a span is chosen on trees that it did not learn from, by the share of their
spans that would be lost.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from eigenparse.arrays import AnyArray, BoolVector, FloatArray, IntVector, LongVector, as_ids, as_offsets
from eigenparse.corpus.columns import Trees
from eigenparse.corpus.pick import in_proportion
from eigenparse.kernels.columns import spans
from eigenparse.kernels.grammar.span_filter import RARE, SpanCorpus, chain_tags, held_out_sums, learn_spans
from eigenparse.models.grammar.pcfg import Skeleton, TagContext
from eigenparse.models.grammar.span_filter import SpanFilter, tag_numbers
from eigenparse.models.words import WordTable, symbol_of, word_table

FOLDS = 8
HOLD_OUT = 10  # one tree in this many is held out
ENOUGH = 1000  # minimum number of held-out spans for choosing a threshold
MOST_HELD_OUT = 1000  # trees
MOST_TREES = 8_000
COMMON = 5  # words seen more often have features of their own
PASSES, RATE, BITS = 2, 0.1, 20
FIRST_SQUARES = 1e-2
OUTSIDE_ONLY = 0.02  # share of its probability that remains for a reading seen only in its own fold


def learn_span_filter(
    skeleton: Skeleton, context: TagContext, parts: Sequence[Trees], most_lost: float, passes: int = PASSES
) -> SpanFilter | None:
    """The filter that closes as many spans as possible and at most the share ``most_lost`` of spans of held-out trees.

    parts: the same trees in each binarisation of an ensemble, the grammar's own first; a span counts as
    correct if any of them has it.  None if there are too few trees.  Trees with weights are drawn in proportion
    to them.
    """
    if not 0 < most_lost < 1 or context is None:
        return None
    corpus, common = span_corpus(skeleton, context, parts)
    n_trees = corpus.word_at.size - 1
    if (weight := parts[0].weight) is not None:
        order = in_proportion(weight, MOST_TREES)
    else:
        order = np.unique(np.linspace(0, n_trees - 1, min(n_trees, MOST_TREES)).astype(np.int64))
    held_out = np.unique(order)[HOLD_OUT - 1 :: HOLD_OUT][:MOST_HELD_OUT]
    learnt = order[~np.isin(order, held_out)]
    weights, squares = np.zeros(1 << BITS, np.float32), np.full(1 << BITS, FIRST_SQUARES, np.float32)
    for _ in range(passes):
        learn_spans(corpus, learnt, np.float32(RATE), weights, squares)
    whole = np.rint(weights * (127 / max(float(np.abs(weights).max()), 1e-30))).astype(np.int8)
    sums, is_gold = _held_out(corpus, held_out, whole)
    gold = np.sort(sums[is_gold])
    if gold.size < ENOUGH:
        return None
    least = int(gold[int(most_lost * gold.size)])
    lost, closed = float(np.mean(gold < least)), float(np.mean(sums < least))
    return SpanFilter(whole, common.astype(np.uint8), least, round(lost, 6), round(closed, 6))


def _held_out(corpus: SpanCorpus, chosen: LongVector, weights: AnyArray) -> tuple[IntVector, BoolVector]:
    """Sums of the spans of some sentences, and whether they are in a tree."""
    n = np.diff(corpus.word_at)[chosen]
    room = int(np.sum(n * (n + 1) // 2))
    sums, is_gold = np.zeros(room, dtype=np.int32), np.zeros(room, dtype=bool)
    size = held_out_sums(corpus, chosen, weights, sums, is_gold)
    return sums[:size], is_gold[:size]


def span_corpus(
    skeleton: Skeleton, context: TagContext, parts: Sequence[Trees]
) -> tuple[SpanCorpus, BoolVector]:
    """Tags, words and spans of MOST_TREES trees at most, and which symbols features may name."""
    trees = parts[0]
    leaf = np.flatnonzero(trees.word >= 0)
    word, n_words = trees.word[leaf], np.diff(np.searchsorted(leaf, trees.offsets))
    word_at, known = _ends(n_words), word_table(skeleton).words
    symbol = as_ids([known.get(name, -1) for name in trees.words])[word]
    common = np.bincount(symbol[symbol >= 0], minlength=len(skeleton.symbols)) > COMMON
    shown = _shown_symbols(skeleton, trees.words, word, word_at, symbol)
    rows = WordRows(trees.label[leaf], word_at, symbol, shown, trees.row_weight()[leaf])
    label = _jack_knifed(skeleton, context, rows)
    words = as_ids(np.where((symbol >= 0) & common[symbol], symbol, RARE))
    gold_at, gold = _gold_spans(parts, n_words)
    return SpanCorpus(tag_numbers(skeleton.labels)[label], words, word_at, gold, gold_at), common


def _ends(sizes: LongVector) -> LongVector:
    return as_offsets(np.concatenate(([0], np.cumsum(sizes))))


def _gold_spans(parts: Sequence[Trees], n_words: LongVector) -> tuple[LongVector, BoolVector]:
    """Where each sentence's spans begin, and whether each is one of a tree."""
    gold_at = _ends(n_words * (n_words + 1))
    gold = np.zeros(gold_at[-1], dtype=bool)
    for trees in parts:
        start, size = np.empty_like(trees.left), np.empty_like(trees.left)
        spans(trees.left, trees.right, trees.offsets, start, size)
        sentence = np.repeat(np.arange(len(trees)), np.diff(trees.offsets))
        gold[gold_at[sentence] + start.astype(np.int64) * (n_words[sentence] + 1) + start + size] = True
    return gold_at, gold


class WordRows(NamedTuple):
    """The words of trees: sentence s owns [at[s], at[s + 1]) of the others.

    label: in the tree.  shown: the symbol, or a class for words that other folds do not have.  weight: of the
    tree.
    """

    label: IntVector
    at: LongVector
    symbol: IntVector
    shown: IntVector
    weight: FloatArray


def _jack_knifed(skeleton: Skeleton, context: TagContext, words: WordRows) -> IntVector:
    """The label of each word that the chain of tags predicts without having seen the word's fold."""
    label, word_at, symbol, shown, weight = words
    n_labels = skeleton.n_labels
    codes = skeleton.entry_symbol.astype(np.int64) * n_labels + skeleton.entry_label
    wanted = symbol.astype(np.int64) * n_labels + label
    entry = np.minimum(np.searchsorted(codes, wanted), codes.size - 1)
    entry[codes[entry] != wanted] = codes.size  # an unlikely reading that the lexicon left out
    total = np.bincount(entry, weights=weight, minlength=codes.size + 1)[:-1]
    total[total == 0] = 1
    found = np.empty(label.size, dtype=np.int32)
    for low, high in _folds(word_at.size - 1):
        part = slice(word_at[low], word_at[high])
        own = np.bincount(entry[part], weights=weight[part], minlength=codes.size + 1)[:-1]
        left = np.maximum(1.0 - own / total, OUTSIDE_ONLY)
        lexicon = (skeleton.entry_start, skeleton.entry_label, skeleton.entry_probability * left)
        chain_tags(shown, word_at, (low, high), lexicon, context.follow, found)
    return found


def _folds(n: int) -> list[tuple[int, int]]:
    """First and one past the last sentence of each fold; folds are consecutive."""
    cuts = np.linspace(0, n, FOLDS + 1).astype(np.int64).tolist()
    return list(pairwise(cuts))


def _shown_symbols(
    skeleton: Skeleton, words: tuple[str, ...], word: IntVector, word_at: LongVector, symbol: IntVector
) -> IntVector:
    """The symbol of each word as a grammar that has not seen its fold would have it: the word's or a class's."""
    fold = np.empty(word.size, dtype=np.int64)
    for number, (low, high) in enumerate(_folds(word_at.size - 1)):
        fold[word_at[low] : word_at[high]] = number
    _, place, in_fold = np.unique(fold * len(words) + word, return_inverse=True, return_counts=True)
    alone = np.flatnonzero((symbol < 0) | (in_fold[place] == np.bincount(word)[word]))
    initial = np.zeros(word.size, dtype=bool)
    initial[word_at[:-1]] = True
    kinds, which = np.unique(word[alone].astype(np.int64) * 2 + initial[alone], return_inverse=True)
    unknown = WordTable({}, word_table(skeleton).classes, {})
    classes = as_ids([symbol_of(unknown, words[kind >> 1], bool(kind & 1)) for kind in kinds.tolist()])
    shown = symbol.copy()
    shown[alone] = classes[which]
    return shown
