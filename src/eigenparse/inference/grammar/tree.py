"""Probabilities of given trees under a grammar: tree columns in, signs and logs out."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, IntVector
from eigenparse.corpus.columns import Trees
from eigenparse.kernels.columns import heights
from eigenparse.kernels.grammar.tree import Nodes, Tensors, inside_pass
from eigenparse.models.grammar.pcfg import LatentGrammar, Skeleton, Weights
from eigenparse.models.words import symbol_of, word_table


@dataclass(frozen=True, slots=True)
class TreeScores:
    """log |p| and the sign of p of every tree (sign 0: some rule or word was never seen)."""

    log_probability: FloatArray
    sign: FloatArray


@dataclass(frozen=True, slots=True)
class Rows:
    """The rule or lexicon entry of every row of trees; is_known: trees that use only known ones."""

    rule: IntVector
    entry: IntVector
    is_known: FloatArray


def tree_rows(skeleton: Skeleton, trees: Trees) -> Rows:
    """Look every row of trees up in a skeleton; labels are matched by structure, words by symbol."""
    ids = {label: i for i, label in enumerate(skeleton.labels)}
    label = np.array([ids.get(name, -1) for name in trees.labels], dtype=np.int64)[trees.label]
    n, inner = skeleton.n_labels, trees.left >= 0
    rules = skeleton.rules.astype(np.int64)
    codes = (rules[:, 0] * n + rules[:, 1]) * n + rules[:, 2]
    b, c = label[np.maximum(trees.left, 0)], label[np.maximum(trees.right, 0)]
    rule = _find(codes, np.where(inner & (label >= 0) & (b >= 0) & (c >= 0), (label * n + b) * n + c, -1))
    entries = skeleton.entry_symbol.astype(np.int64) * n + skeleton.entry_label
    symbol = _row_symbols(skeleton, trees).astype(np.int64)
    entry = _find(entries, np.where(~inner & (label >= 0), symbol * n + label, -1))
    missing = np.where(inner, rule, entry) < 0
    known = np.add.reduceat(missing, trees.offsets[:-1]) == 0
    return Rows(rule, entry, known)


def _find(table: AnyArray, wanted: AnyArray) -> IntVector:
    """Positions of wanted codes in a sorted table, -1 where absent."""
    place = np.minimum(np.searchsorted(table, wanted), max(table.size - 1, 0))
    found = table[place] == wanted if table.size else np.zeros(wanted.size, dtype=bool)
    return np.where(found, place, -1).astype(np.int32)


def _row_symbols(skeleton: Skeleton, trees: Trees) -> IntVector:
    """The symbol of each word row, -1 at phrases."""
    table = word_table(skeleton)
    first = np.zeros(trees.label.size, dtype=np.int64)
    first[trees.offsets[:-1]] = 1
    leaf = np.flatnonzero(trees.word >= 0)
    token = trees.word[leaf].astype(np.int64) * 2 + first[leaf]
    distinct, inverse = np.unique(token, return_inverse=True)
    symbols = [symbol_of(table, trees.words[t >> 1], bool(t & 1)) for t in distinct.tolist()]
    out = np.full(trees.label.size, -1, dtype=np.int32)
    out[leaf] = np.array(symbols, dtype=np.int32)[inverse]
    return out


def score_trees(grammar: LatentGrammar, trees: Trees, *, member: int = 0) -> TreeScores:
    """Probability of each tree under one member [cohen-etal-2014, figure 4]."""
    skeleton, weights = grammar.skeleton, grammar.members[member]
    rows = tree_rows(skeleton, trees)
    keep = np.flatnonzero(rows.is_known)
    log, sign = np.full(len(trees), -np.inf), np.zeros(len(trees))
    if keep.size:
        known = trees if keep.size == len(trees) else chosen_trees(trees, keep)
        rows = rows if keep.size == len(trees) else tree_rows(skeleton, known)
        log[keep], sign[keep] = score_rows(skeleton, weights, known, rows)
    return TreeScores(log, sign)


def score_rows(
    skeleton: Skeleton, weights: Weights, trees: Trees, rows: Rows
) -> tuple[FloatArray, FloatArray]:
    """log |p| and sign of trees whose rules and entries are known."""
    ids = {label: i for i, label in enumerate(skeleton.labels)}
    label = np.array([ids.get(name, 0) for name in trees.labels], dtype=np.int32)[trees.label]
    at = np.concatenate(([0], np.cumsum(weights.states[label], dtype=np.int64)))
    inside, factor = np.zeros(at[-1], dtype=weights.rule_weight.dtype), np.zeros(label.size)
    height = np.empty(label.size, dtype=np.int32)
    heights(trees.left, trees.right, height)
    schedule = np.lexsort((rows.rule, height)).astype(np.int32)
    alone = np.zeros(label.size, dtype=np.int8)
    nodes = Nodes(schedule, trees.left, trees.right, rows.rule, rows.entry, height, alone, at)
    tensors = Tensors(weights.rule_at, weights.rule_weight, weights.entry_at, weights.entry_weight)
    inside_pass(nodes, tensors, inside, factor)
    first, last = weights.state_at[label[trees.root]], weights.state_at[label[trees.root] + 1]
    tops = zip(trees.root, first, last)
    total = np.array(
        [inside[at[r] : at[r + 1]] @ weights.root_weight[i:j] for r, i, j in tops], dtype=np.float64
    )
    with np.errstate(divide="ignore"):
        log_factor = np.add.reduceat(np.log(factor), trees.offsets[:-1])
        return log_factor + np.log(np.abs(total)), np.sign(total)


def chosen_trees(trees: Trees, keep: AnyArray) -> Trees:
    """Only the trees asked for, in order."""
    parts = [trees.take(int(i), int(i) + 1) for i in keep]
    base = np.cumsum([0] + [p.label.size for p in parts])
    return Trees(
        np.concatenate([p.label for p in parts]),
        np.concatenate([np.where(p.left >= 0, p.left + b, -1) for p, b in zip(parts, base)]).astype(np.int32),
        np.concatenate([np.where(p.right >= 0, p.right + b, -1) for p, b in zip(parts, base)]).astype(
            np.int32
        ),
        np.concatenate([p.word for p in parts]),
        base.astype(np.int64),
        trees.labels,
        trees.words,
    )
