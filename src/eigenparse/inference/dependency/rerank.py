"""Candidate lists in, features of a re-ranker out; a re-ranker and lists in, choices out."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, IntMatrix, LongVector
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.features.dependency.arc_columns import arc_columns
from eigenparse.features.dependency.channels import SHAPES, encode
from eigenparse.features.dependency.templates import ATTRIBUTES
from eigenparse.features.keys import key_of, key_table
from eigenparse.inference.dependency.deptree import score_symbols
from eigenparse.inference.dependency.split_heads import score_candidates
from eigenparse.kernels.dependency.rerank import Features, Lists, Patterns, choose_all
from eigenparse.models.dependency.deptree import DepTree, TreeModel
from eigenparse.models.dependency.rerank import ROLES, Reranker, family_flags, pattern_atoms
from eigenparse.models.dependency.split_heads import SplitHeads


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
            log_p[i], sign = score_candidates(model, words, heads, found)
            positive[i] = sign > 0
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
        # Beyond the end of a list its first tree is repeated, so that every row is a tree.
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


def compile_patterns(patterns: tuple[str, ...]) -> Patterns:
    """Additional patterns as integer tables; one that mentions g is conjoined with the head's side too."""
    rows, coefficients, sides = [], [], []
    above = list(ROLES).index("g")
    for r, text in enumerate(patterns):
        atoms = pattern_atoms(text)
        rows += [(r, role, attribute) for role, attribute in atoms]
        coefficients += [key_of("pattern", text, str(atom)) | 1 for atom in atoms]
        both = any(role == above for role, _ in atoms)
        sides.append([key_of("side", text, str(side if both else side // 2)) for side in range(4)])
    edges = [[key_of("edge", name, place) for place in ("root", "none")] for name in ATTRIBUTES]
    return Patterns(
        np.array(rows, dtype=np.int64).reshape(-1, 3),
        np.array(coefficients, dtype=np.uint64),
        np.array(sides, dtype=np.uint64).reshape(-1, 4),
        np.array(edges, dtype=np.uint64),
    )


def word_keys(words: Dependencies, patterns: tuple[str, ...]) -> AnyArray:
    """(A, T) keys of all attributes, unused where there are no patterns."""
    if not patterns:
        return np.zeros((len(ATTRIBUTES), words.n_words), dtype=np.uint64)
    return arc_columns(words).keys


def compile_features(families: tuple[str, ...], patterns: tuple[str, ...], bits: int) -> Features:
    """The features of a re-ranker, as its kernels read them."""
    return Features(family_flags(families), compile_patterns(patterns), np.uint64(64 - bits))


def kernel_lists(lists: Candidates, scale: FloatArray, patterns: tuple[str, ...]) -> Lists:
    """Lists as the kernels read them; scale: of dense scores."""
    words = lists.words
    dense, keys = dense_scores(lists, scale), word_keys(words, patterns)
    return Lists(lists.heads, words.offsets, lists.found, dense, tag_keys(words), keys)


def choose(model: Reranker, lists: Candidates) -> tuple[LongVector, FloatArray]:
    """(S,) the best candidate of every list, and (S, k) all scores."""
    choice = np.zeros(len(lists), dtype=np.int64)
    scores = np.full(lists.scores.shape, -np.inf)
    features = compile_features(model.families, model.patterns, model.bits)
    table = kernel_lists(lists, model.scale, model.patterns)
    choose_all(table, features, model.weights, model.dense_weights, choice, scores)
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
