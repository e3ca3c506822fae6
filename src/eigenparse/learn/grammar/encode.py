"""Binary trees in; the skeleton of their grammar and integer columns of rules and lexicon entries out.

Trees are counted first, in memory or shard by shard; the counts make a plan, and under the plan any of the trees is
encoded with the ids of the whole corpus.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, IntVector, LongVector, as_ids, as_offsets
from eigenparse.corpus.columns import Label, Trees
from eigenparse.corpus.word_classes import class_levels
from eigenparse.errors import DataError
from eigenparse.learn.grammar.subtrees import Subtrees, distinct_subtrees
from eigenparse.models.grammar.pcfg import Skeleton

Counts = LongVector | FloatArray
ENOUGH = 20  # tokens that a class needs for an emission of its own


@dataclass(frozen=True, slots=True)
class TreeCounts:
    """What is counted of trees.

    rules: (R, 3); roots: (A,); tokens: (K, 3) word, label, whether it begins its sentence; and their counts, which
    are sums of weights where trees have them.
    """

    labels: tuple[Label, ...]
    words: tuple[str, ...]
    rules: IntVector
    rule_count: Counts
    roots: Counts
    tokens: IntVector
    token_count: Counts
    n_trees: int

    def label_count(self) -> Counts:
        """(A,) nodes of each label."""
        n = len(self.labels)
        over = np.bincount(self.rules[:, 0], weights=self.rule_count, minlength=n)
        under = np.bincount(self.tokens[:, 1], weights=self.token_count, minlength=n)
        return over + under if self.roots.dtype.kind == "f" else as_offsets(over + under)


def count_trees(trees: Trees) -> TreeCounts:
    """Rules, roots and tokens of trees, under their own ids."""
    inner, leaf = np.flatnonzero(trees.left >= 0), np.flatnonzero(trees.word >= 0)
    label = trees.label
    triples = np.column_stack([label[inner], label[trees.left[inner]], label[trees.right[inner]]])
    seen = np.column_stack([trees.word[leaf], label[leaf], _is_first(trees)[leaf]])
    weight = None if trees.weight is None else trees.row_weight()
    rules, rule_count = _distinct(
        triples, (len(trees.labels), len(trees.labels)), None if weight is None else weight[inner]
    )
    tokens, token_count = _distinct(seen, (len(trees.labels), 2), None if weight is None else weight[leaf])
    roots = np.bincount(label[trees.root], weights=trees.weight, minlength=len(trees.labels))
    return TreeCounts(trees.labels, trees.words, rules, rule_count, roots, tokens, token_count, len(trees))


def _is_first(trees: Trees) -> IntVector:
    """1 at the first word of each sentence, which in post-order is the first row of its tree."""
    first = np.zeros(trees.label.size, dtype=np.int32)
    first[trees.offsets[:-1]] = 1
    return first


def _distinct(rows: AnyArray, sizes: tuple[int, int], weight: FloatArray | None) -> tuple[IntVector, Counts]:
    """Distinct rows of three ids, sorted, and how often each occurs.  sizes: of the second and third column."""
    (second, third), wide = sizes, rows.astype(np.int64)
    code, place = np.unique((wide[:, 0] * second + wide[:, 1]) * third + wide[:, 2], return_inverse=True)
    count = np.bincount(place, weights=weight, minlength=code.size)
    found = np.column_stack([code // third // second, code // third % second, code % third])
    return as_ids(found.reshape(-1, 3)), count


def merged(parts: Iterable[TreeCounts]) -> TreeCounts:
    """Counts of all parts under common ids, which are given in the order of first occurrence."""
    parts = iter(parts)
    first, second = next(parts, None), next(parts, None)
    if first is not None and second is None and first.n_trees:
        return first
    parts = chain((one for one in (first, second) if one is not None), parts)
    labels: dict[Label, int] = {}
    words: dict[str, int] = {}
    rules: Counter[tuple[int, ...]] = Counter()
    tokens: Counter[tuple[int, ...]] = Counter()
    roots: Counter[tuple[int, ...]] = Counter()
    n_trees = 0
    for part in parts:
        label = as_ids([labels.setdefault(name, len(labels)) for name in part.labels])
        word = as_ids([words.setdefault(name, len(words)) for name in part.words])
        _count(rules, label[part.rules], part.rule_count)
        _count(roots, label[:, None], part.roots)
        seen = np.column_stack([word[part.tokens[:, 0]], label[part.tokens[:, 1]], part.tokens[:, 2]])
        _count(tokens, seen, part.token_count)
        n_trees += part.n_trees
    if not n_trees:
        raise DataError("there are no trees to learn from; check the corpus files")
    roots_of = _counts([roots[(a,)] for a in range(len(labels))])
    return TreeCounts(tuple(labels), tuple(words), *_sorted(rules), roots_of, *_sorted(tokens), n_trees)


def _counts(values: list[int]) -> Counts:
    """Counts as an array: of integers, or of real numbers where trees have weights."""
    return np.array(values) if any(isinstance(n, float) for n in values) else as_offsets(values)


def _count(total: Counter[tuple[int, ...]], rows: IntVector, count: Counts) -> None:
    for row, n in zip(rows.tolist(), count.tolist()):
        total[tuple(row)] += n


def _sorted(total: Counter[tuple[int, ...]]) -> tuple[IntVector, Counts]:
    found = sorted(total.items())
    return as_ids([row for row, _ in found]).reshape(-1, 3), _counts([n for _, n in found])


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything needed to encode any part of the corpus with the same ids.

    symbol_of: (2, words), the symbol of a word inside and at the start of a sentence, -1 for rare words that are
    known by their tags; tag_symbol: (A,), the symbol that stands for such words under each label.
    rule_codes, entry_codes: the rules and entries of the skeleton as sorted numbers.
    """

    labels: dict[Label, int]
    words: dict[str, int]
    symbol_of: IntVector
    tag_symbol: IntVector
    skeleton: Skeleton
    rule_codes: LongVector
    entry_codes: LongVector


def make_plan(counts: TreeCounts, rare: int, *, by_tag: bool = False) -> Plan:
    """Symbols and the skeleton with its plain PCFG.

    Words seen more than ``rare`` times are symbols of their own.  The others become the finest class with enough
    tokens or, with ``by_tag``, their tag, as the papers have it.
    """
    names, symbol_of, tag_symbol = _tag_symbols(counts, rare) if by_tag else _class_symbols(counts, rare)
    n_labels = len(counts.labels)
    word, label, first = counts.tokens.T
    symbol = symbol_of[first, word]
    symbol = np.where(symbol >= 0, symbol, tag_symbol[label]).astype(np.int64)
    entry_codes, entry_of = np.unique(symbol * n_labels + label, return_inverse=True)
    entry_count = np.bincount(entry_of, weights=counts.token_count)
    entry_symbol, entry_label = as_ids(entry_codes // n_labels), as_ids(entry_codes % n_labels)
    label_count = counts.label_count()
    label_count[label_count == 0] = 1
    wide = counts.rules.astype(np.int64)
    skeleton = Skeleton(
        labels=counts.labels,
        rules=counts.rules,
        symbols=names,
        entry_label=entry_label,
        entry_symbol=entry_symbol,
        entry_start=starts(entry_symbol, len(names)),
        rule_probability=counts.rule_count / label_count[counts.rules[:, 0]],
        entry_probability=entry_count / label_count[entry_label],
        root_probability=counts.roots / counts.roots.sum(),
    )
    return Plan(
        labels={name: a for a, name in enumerate(counts.labels)},
        words={name: w for w, name in enumerate(counts.words)},
        symbol_of=symbol_of,
        tag_symbol=tag_symbol,
        skeleton=skeleton,
        rule_codes=(wide[:, 0] * n_labels + wide[:, 1]) * n_labels + wide[:, 2],
        entry_codes=entry_codes,
    )


def _seen(counts: TreeCounts) -> Counts:
    """Tokens of each word inside and at the start of sentences: (2, words)."""
    seen: AnyArray = np.zeros((2, len(counts.words)), dtype=counts.token_count.dtype)
    np.add.at(seen, (counts.tokens[:, 2], counts.tokens[:, 0]), counts.token_count)
    return seen


def _own_symbols(counts: TreeCounts, seen: Counts, rare: int) -> tuple[tuple[str, ...], IntVector]:
    """Names of the words that are symbols of their own, and the symbol of every word, -1 for the others."""
    kept = np.flatnonzero(seen.sum(axis=0) > rare)
    symbol_of = np.full(seen.shape, -1, dtype=np.int32)
    symbol_of[:, kept] = np.arange(kept.size)
    return tuple(counts.words[w] for w in kept), symbol_of


def _tag_symbols(counts: TreeCounts, rare: int) -> tuple[tuple[str, ...], IntVector, IntVector]:
    """Names of symbols, the symbol of each word and of rare words under each label."""
    names, symbol_of = _own_symbols(counts, _seen(counts), rare)
    ids: dict[str, int] = {}
    tag = as_ids([len(names) + ids.setdefault(name.chain[-1], len(ids)) for name in counts.labels])
    return (*names, *ids), symbol_of, tag


def _class_symbols(counts: TreeCounts, rare: int) -> tuple[tuple[str, ...], IntVector, IntVector]:
    """The same where classes of spelling stand for rare words."""
    seen = _seen(counts)
    names, symbol_of = _own_symbols(counts, seen, rare)
    pairs = [(w, i) for w in np.flatnonzero(symbol_of[0] < 0).tolist() for i in (0, 1) if seen[i, w]]
    levels = [class_levels(counts.words[w], bool(i)) for w, i in pairs]
    size: dict[str, float] = defaultdict(float)
    for (w, i), classes in zip(pairs, levels):
        for name in classes:
            size[name] += seen[i, w].item()
    ids: dict[str, int] = {}
    for (w, i), classes in zip(pairs, levels):
        chosen = next((name for name in classes if size[name] >= ENOUGH), classes[-1])
        symbol_of[i, w] = len(names) + ids.setdefault(chosen, len(ids))
    return (*names, *ids), symbol_of, np.full(len(counts.labels), -1, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class Encoded:
    """Trees with the rule, lexicon entry and symbol of each row (-1 where there is none).

    distinct: their subtrees, equal ones once.  number: which shard of the corpus the trees are.
    """

    trees: Trees
    skeleton: Skeleton
    rule: IntVector
    entry: IntVector
    symbol: IntVector
    distinct: Subtrees
    number: int = 0


def encode(trees: Trees, plan: Plan, number: int = 0) -> Encoded:
    """Look up every row's rule or entry; the trees must have been counted for the plan."""
    trees = _renumbered(trees, plan)
    n_labels, label = len(trees.labels), trees.label.astype(np.int64)
    inner, leaf = np.flatnonzero(trees.left >= 0), np.flatnonzero(trees.left < 0)
    symbol, rule, entry = (np.full(label.size, -1, dtype=np.int32) for _ in range(3))
    own = plan.symbol_of[_is_first(trees)[leaf], trees.word[leaf]]
    symbol[leaf] = np.where(own >= 0, own, plan.tag_symbol[label[leaf]])
    codes = (label[inner] * n_labels + label[trees.left[inner]]) * n_labels + label[trees.right[inner]]
    rule[inner] = np.searchsorted(plan.rule_codes, codes)
    entry[leaf] = np.searchsorted(plan.entry_codes, symbol[leaf].astype(np.int64) * n_labels + label[leaf])
    distinct = distinct_subtrees(trees, rule, entry, len(plan.skeleton.rules))
    return Encoded(trees, plan.skeleton, rule, entry, symbol, distinct, number)


def _renumbered(trees: Trees, plan: Plan) -> Trees:
    """The same trees with the ids and names of the whole corpus."""
    label_to = as_ids([plan.labels[label] for label in trees.labels])
    word_to = as_ids([*(plan.words[word] for word in trees.words), -1])
    return replace(
        trees,
        label=label_to[trees.label],
        word=word_to[trees.word],
        labels=plan.skeleton.labels,
        words=tuple(plan.words),
    )


def encoded_whole(trees: Trees, rare: int, *, by_tag: bool = False) -> Encoded:
    """Trees in memory against the skeleton that is read off them."""
    return encode(trees, make_plan(merged([count_trees(trees)]), rare, by_tag=by_tag))


def starts(sorted_ids: IntVector, n: int) -> LongVector:
    """Where each id's run begins in a sorted column: (n + 1,)."""
    return as_offsets(np.searchsorted(sorted_ids, np.arange(n + 1)))
