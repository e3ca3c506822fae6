"""A corpus against its own skeleton: binary trees in, integer columns of rules and lexicon entries out."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import IntVector, LongVector, as_ids, as_offsets
from eigenparse.corpus.columns import Trees
from eigenparse.corpus.word_classes import class_levels
from eigenparse.kernels.columns import heights
from eigenparse.models.grammar.pcfg import Skeleton

ENOUGH = 20  # tokens that make a class worth its own emission


@dataclass(frozen=True, slots=True)
class Encoded:
    """Trees with the rule, lexicon entry and symbol of each row (-1 where there is none).

    schedule: rows by height and rule, so that children come first and equal rules stand together.
    """

    trees: Trees
    skeleton: Skeleton
    rule: IntVector
    entry: IntVector
    symbol: IntVector
    schedule: IntVector
    height: IntVector


@dataclass(frozen=True, slots=True)
class Symbols:
    """What stands at the leaves: names of words, then names of classes; the symbol of each row."""

    names: tuple[str, ...]
    n_words: int
    row_symbol: IntVector


def fold_rare(trees: Trees, rare: int, *, by_tag: bool = False) -> Symbols:
    """Keep words seen more than ``rare`` times; the others become the finest class with enough tokens.

    by_tag: they become their tag instead, as the papers have it.
    """
    leaf = np.flatnonzero(trees.word >= 0)
    word = trees.word[leaf]
    initial = np.zeros(trees.label.size, dtype=bool)
    initial[trees.offsets[:-1]] = True  # in post-order a tree's first row is its first word
    kept = np.flatnonzero(np.bincount(word, minlength=len(trees.words)) > rare)
    own = np.full(len(trees.words), -1, dtype=np.int32)
    own[kept] = np.arange(kept.size)
    symbol = own[word]
    rows = np.flatnonzero(symbol < 0)
    if by_tag:
        names, ids = _tag_names(trees, trees.label[leaf[rows]])
    else:
        names, ids = _class_names(trees, word[rows].astype(np.int64) * 2 + initial[leaf[rows]])
    symbol[rows] = kept.size + ids
    row_symbol = np.full(trees.label.size, -1, dtype=np.int32)
    row_symbol[leaf] = symbol
    return Symbols(tuple(trees.words[w] for w in kept) + names, kept.size, row_symbol)


def _tag_names(trees: Trees, label: IntVector) -> tuple[tuple[str, ...], IntVector]:
    """Names of tags and the tag of each rare token, given its label."""
    ids: dict[str, int] = {}
    tag = as_ids([ids.setdefault(name.chain[-1], len(ids)) for name in trees.labels])
    return tuple(ids), tag[label]


def _class_names(trees: Trees, token: LongVector) -> tuple[tuple[str, ...], IntVector]:
    """Class names and the class of each rare token, a token being twice its word plus whether it stands first."""
    pairs, inverse, count = np.unique(token, return_inverse=True, return_counts=True)
    levels = [class_levels(trees.words[p >> 1], bool(p & 1)) for p in pairs.tolist()]
    size: Counter[str] = Counter()
    for names, n in zip(levels, count.tolist()):
        for name in names:
            size[name] += n
    chosen = [next((name for name in names if size[name] >= ENOUGH), names[-1]) for names in levels]
    ids: dict[str, int] = {}
    numbers = [ids.setdefault(name, len(ids)) for name in chosen]
    return tuple(ids), as_ids(numbers)[inverse] if numbers else as_ids([])


def encode(trees: Trees, symbols: Symbols) -> Encoded:
    """Read the skeleton and its plain PCFG off the trees, and number every row's rule or entry."""
    n_labels, label = len(trees.labels), trees.label.astype(np.int64)
    inner = np.flatnonzero(trees.left >= 0)
    leaf = np.flatnonzero(trees.left < 0)
    codes = (label[inner] * n_labels + label[trees.left[inner]]) * n_labels + label[trees.right[inner]]
    rule_code, rule_of, rule_count = np.unique(codes, return_inverse=True, return_counts=True)
    pairs = symbols.row_symbol[leaf].astype(np.int64) * n_labels + label[leaf]
    entry_code, entry_of, entry_count = np.unique(pairs, return_inverse=True, return_counts=True)
    rule, entry = np.full(label.size, -1, dtype=np.int32), np.full(label.size, -1, dtype=np.int32)
    rule[inner], entry[leaf] = rule_of, entry_of
    label_count = np.maximum(np.bincount(label, minlength=n_labels), 1)
    rules = as_ids(np.column_stack(np.unravel_index(rule_code, (n_labels,) * 3)).reshape(-1, 3))
    entry_symbol, entry_label = as_ids(entry_code // n_labels), as_ids(entry_code % n_labels)
    root_count = np.bincount(label[trees.root], minlength=n_labels)
    skeleton = Skeleton(
        labels=trees.labels,
        rules=rules,
        symbols=symbols.names,
        entry_label=entry_label,
        entry_symbol=entry_symbol,
        entry_start=starts(entry_symbol, len(symbols.names)),
        rule_probability=rule_count / label_count[rules[:, 0]],
        entry_probability=entry_count / label_count[entry_label],
        root_probability=root_count / len(trees),
    )
    height = np.empty(label.size, dtype=np.int32)
    heights(trees.left, trees.right, height)
    schedule = as_ids(np.lexsort((rule, height)))
    return Encoded(trees, skeleton, rule, entry, symbols.row_symbol, schedule, height)


def starts(sorted_ids: IntVector, n: int) -> LongVector:
    """Where each id's run begins in a sorted column: (n + 1,)."""
    return as_offsets(np.searchsorted(sorted_ids, np.arange(n + 1)))
