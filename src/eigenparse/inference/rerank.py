"""Candidate lists in, what a re-ranker looks at out; a re-ranker and lists in, choices out."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, IntMatrix, LongVector
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.inference.arc_columns import key_table
from eigenparse.inference.deptree import encode, score_symbols
from eigenparse.inference.split_heads import score_candidates
from eigenparse.kernels.rerank import choose_all
from eigenparse.models.deptree import DepTree, TreeModel
from eigenparse.models.rerank import Reranker, family_flags
from eigenparse.models.split_heads import SplitHeads

SHAPES = ("left", "right", "distance")


@dataclass(frozen=True, slots=True)
class Candidates:
    """Lists of trees over the same sentences.

    words: the sentences.  heads: (k, T); beyond found[s] not filled.  scores: (S, k) of the parser.
    log_p, positive: (M, S, k) of M tree models.
    """

    words: Dependencies
    heads: IntMatrix
    scores: FloatArray
    found: LongVector
    log_p: FloatArray
    positive: AnyArray

    def __len__(self) -> int:
        return self.found.size


def scored(
    words: Dependencies,
    heads: IntMatrix,
    scores: FloatArray,
    found: LongVector,
    tree_models: tuple[TreeModel, ...],
) -> Candidates:
    """Lists with the log-probabilities of every tree under every tree model."""
    shape = (len(tree_models), len(words), heads.shape[0])
    log_p, positive = np.zeros(shape), np.ones(shape, dtype=bool)
    for i, model in enumerate(tree_models):
        if isinstance(model, SplitHeads):
            log_p[i] = score_candidates(model, words, heads, found)
        else:
            _score_ranks(model, words, heads, found, log_p[i], positive[i])
    return Candidates(words, heads, scores, found, log_p, positive)


def _score_ranks(
    model: DepTree,
    words: Dependencies,
    heads: IntMatrix,
    found: LongVector,
    log_p: FloatArray,
    positive: AnyArray,
) -> None:
    """Fill log_p and positive (S, k) rank by rank."""
    sentence = np.repeat(np.arange(len(words)), words.lengths())
    fixed = encode(words.with_heads(heads[0]), model.channels, model.symbols)
    for rank in range(heads.shape[0]):
        # Where a list has ended its first tree stands in, so that every row is a tree.
        trees = words.with_heads(np.where(rank < found[sentence], heads[rank], heads[0]))
        totals = score_symbols(model, trees.head, trees.offsets, _shaped(fixed, trees, model))
        log_p[:, rank], positive[:, rank] = totals.log_abs, totals.sign > 0


def _shaped(fixed: AnyArray, trees: Dependencies, model: DepTree) -> AnyArray:
    """Observations of other trees over the same words: only channels that depend on the tree change."""
    symbols, base = fixed.copy(), 0
    for q, (channel, names) in enumerate(zip(model.channels, model.symbols)):
        if channel in SHAPES:
            symbols[:, q] = encode(trees, (channel,), (names,))[:, 0] + base
        base += len(names)
    return symbols


def dense_scores(lists: Candidates, scale: FloatArray) -> FloatArray:
    """(S, k, 1 + 2 M) dense features: scores relative to the list's best, and flags."""
    ended = np.arange(lists.scores.shape[1])[None, :] >= lists.found[:, None]
    columns = [_relative(lists.scores, ended)]
    for values, positive in zip(lists.log_p, lists.positive):
        columns += [_relative(np.where(positive, values, -np.inf), ended), (~positive).astype(float)]
    return np.ascontiguousarray(np.stack(columns, axis=2) / scale)


def _relative(values: FloatArray, ended: AnyArray) -> FloatArray:
    """Values minus the best of their list; 0 where there is none."""
    usable = np.isfinite(values) & ~ended
    top = np.where(usable, values, -np.inf).max(axis=1, keepdims=True)
    return np.asarray(np.where(usable, values - np.where(np.isfinite(top), top, 0.0), 0.0))


def tag_keys(words: Dependencies) -> AnyArray:
    """(T,) key of every word's tag."""
    fine = np.array([tag != "_" for tag in words.symbols["xpos"]], dtype=bool)[words.xpos]
    coarse = key_table(words.symbols["upos"], "rerank")[words.upos]
    return np.where(fine, key_table(words.symbols["xpos"], "rerank")[words.xpos], coarse)


def choose(model: Reranker, lists: Candidates) -> tuple[LongVector, FloatArray]:
    """(S,) the best candidate of every list, and (S, k) all scores."""
    choice = np.zeros(len(lists), dtype=np.int64)
    scores = np.full(lists.scores.shape, -np.inf)
    choose_all(
        lists.heads, lists.words.offsets, lists.found, dense_scores(lists, model.scale),
        tag_keys(lists.words), family_flags(model.families), np.uint64(64 - model.bits),
        model.weights, model.dense_weights, choice, scores,
    )  # fmt: skip
    return choice, scores


def chosen_heads(lists: Candidates, choice: LongVector) -> AnyArray:
    """(T,) heads of the chosen candidates."""
    sentence = np.repeat(np.arange(len(lists)), lists.words.lengths())
    return lists.heads[choice[sentence], np.arange(lists.words.n_words)]


def oracle(lists: Candidates, gold: AnyArray) -> LongVector:
    """(S,) the candidate with the most right heads."""
    sentence = np.repeat(np.arange(len(lists)), lists.words.lengths())
    right = np.stack([np.bincount(sentence, heads == gold, minlength=len(lists)) for heads in lists.heads])
    right[np.arange(len(right))[:, None] >= lists.found[None, :]] = -1
    return np.asarray(right.argmax(axis=0))
