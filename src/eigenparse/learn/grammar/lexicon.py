"""The lexicon after learning: every word smoothed by its classes, every class by a coarser one.

In: sums of latent values over the tokens of each word (posteriors of states, or projected outside features).  Out:
emission weights of all training words, of the classes that stand for unknown ones, and of the tags that stand for
any word.  All steps are linear in the values, so they may be signed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

import numpy as np
from scipy.sparse import csc_matrix, csr_matrix, diags, hstack

from eigenparse.arrays import AnyArray, BoolVector, FloatArray, IntVector, LongVector, as_ids, as_offsets
from eigenparse.corpus.columns import Label, Trees
from eigenparse.corpus.word_classes import class_levels
from eigenparse.kernels.grammar.lexicon import add_to_coarser, mix_with_coarser
from eigenparse.learn.grammar.encode import starts
from eigenparse.learn.grammar.subtrees import Subtrees
from eigenparse.models.grammar.pcfg import Skeleton, Weights
from eigenparse.models.grammar.span_filter import tag_numbers

UNKNOWN = ""  # the class that every word belongs to
BLOCK = 128  # symbols processed at a time, so that their shares fit into the cache


@dataclass(frozen=True, slots=True)
class LexiconOptions:
    """How the lexicon entries of words are smoothed with those of their classes and tags.

    rare: words seen at most this often represent unknown words.  The weights are pseudo-counts in tokens:
    class_weight, of a coarser class in a finer one; word_weight, of the class in a word; tag_weight, of the
    word's own tags and of tags that such words often have too (VBP besides VB), distributed over the labels
    that end in the tag as in its class (NN may be a whole noun phrase, NP|NN); case_weight, of the lower-case
    word in a capitalised one, times the share of its tokens that begin a sentence (*Turn* is *turn* there).
    Words seen more than ``frequent`` times borrow only labels of the tags that they were seen with: *leave* may be a
    whole verb phrase, VP|VBP, even if it never was one in the training trees.  least: labels below this share of a
    symbol's most likely label are left out.  by_tag: rare words are known by their tags alone, as in the papers, and
    input must be tagged.
    """

    rare: int = 5
    class_weight: float = 25.0
    word_weight: float = 1.0
    tag_weight: float = 2.0
    case_weight: float = 4.0
    frequent: int = 100
    least: float = 1e-4
    by_tag: bool = False


@dataclass(frozen=True, slots=True)
class ClassTree:
    """Classes of all levels, coarser ones first: names, each one's coarser class, words' finest.

    finest: (2, words), the finest class of a word inside and at the start of a sentence.
    """

    names: tuple[str, ...]
    coarser: IntVector
    finest: IntVector


@lru_cache(maxsize=4)  # one lexicon is made per round of learning, of the same words
def class_tree(words: tuple[str, ...]) -> ClassTree:
    """Number the classes of all words."""
    ids: dict[str, int] = {UNKNOWN: 0}
    coarser = [-1]
    finest = np.zeros((2, len(words)), dtype=np.int32)
    for initial in (0, 1):
        for w, word in enumerate(words):
            above = 0
            for name in reversed(class_levels(word, bool(initial))):
                found = ids.setdefault(name, len(coarser))
                if found == len(coarser):
                    coarser.append(above)
                above = found
            finest[initial, w] = above
    return ClassTree(tuple(ids), as_ids(coarser), finest)


@dataclass(frozen=True, slots=True)
class TokenSums:
    """Sums over the tokens of each word, inside and at the start of sentences; they add over shards.

    inner, initial: (words, label-states + labels), latent values and counts.  total: what one unit of each
    label-state's value is divided by to become a weight given that label-state.  number: of tokens of each word,
    whatever their trees weigh.
    """

    inner: csr_matrix
    initial: csr_matrix
    total: FloatArray
    number: FloatArray

    def __add__(self, other: "TokenSums") -> "TokenSums":
        return TokenSums(
            self.inner + other.inner,
            self.initial + other.initial,
            self.total + other.total,
            self.number + other.number,
        )


def token_sums(
    trees: Trees,
    value: FloatArray,
    at: LongVector,
    total: FloatArray,
    state_at: LongVector,
    nodes: Subtrees | None = None,
) -> TokenSums:
    """The sums of trees whose row i has the latent values value[at[i]:at[i + 1]], times the weight of its tree.

    nodes: if given, the values are of these nodes, each the sum over the rows that it stands for.
    """
    tokens = np.flatnonzero(trees.word >= 0)
    leaf = tokens if nodes is None else np.flatnonzero(nodes.entry >= 0)
    width = at[leaf + 1] - at[leaf]
    within = np.arange(width.sum()) - np.repeat(np.cumsum(width) - width, width)
    cell = np.repeat(at[leaf], width) + within
    row = np.repeat(leaf if nodes is None else nodes.row[leaf], width)
    word, column = trees.word[row], state_at[trees.label[row]] + within
    first = np.zeros(trees.label.size, dtype=bool)
    first[trees.offsets[:-1]] = True
    n_words, n_states, n_labels = len(trees.words), int(state_at[-1]), len(trees.labels)
    weight = trees.row_weight()

    def table(pick: BoolVector, own: LongVector) -> csr_matrix:
        chosen = value[cell[pick]].astype(np.float64)
        values = csr_matrix((chosen, (word[pick], column[pick])), shape=(n_words, n_states))
        counts = csr_matrix((weight[own], (trees.word[own], trees.label[own])), shape=(n_words, n_labels))
        return hstack([values, counts], format="csr")

    return TokenSums(
        table(~first[row], tokens[~first[tokens]]),
        table(first[row], tokens[first[tokens]]),
        np.asarray(total, dtype=np.float64),
        np.bincount(trees.word[tokens], minlength=n_words).astype(np.float64),
    )


def shrunk(tokens: TokenSums, state_at: LongVector, constant: float) -> TokenSums:
    """The same sums with each word's mean value under a label backed off to the label's mean.

    With n tokens of a word under a label, their mean gets weight sqrt(n) / (constant + sqrt(n)), the label's mean
    the rest; every token then has that value.
    """
    both = (tokens.inner + tokens.initial).tocsc()
    n_states = int(state_at[-1])
    counts = [part[:, n_states:].tocsc() for part in (tokens.inner, tokens.initial)]
    made: list[list[tuple[AnyArray, AnyArray, AnyArray]]] = [[], []]
    for a in range(state_at.size - 1):
        per = [_column(part, a) for part in counts]
        rows = np.flatnonzero(per[0] + per[1])
        if not rows.size:
            continue
        columns = np.arange(int(state_at[a]), int(state_at[a + 1]))
        own, n = both[:, columns[0] : columns[-1] + 1].tocsr()[rows].toarray(), (per[0] + per[1])[rows, None]
        keep = np.sqrt(n) / (constant + np.sqrt(n))
        mean = keep * own / n + (1 - keep) * (own.sum(axis=0) / n.sum())
        for k in (0, 1):
            chosen = per[k][rows] > 0
            block = mean[chosen] * per[k][rows][chosen][:, None]
            made[k].append(
                (block.ravel(), np.repeat(rows[chosen], columns.size), np.tile(columns, int(chosen.sum())))
            )
    found = []
    for parts, count in zip(made, counts):
        value, row, column = (np.concatenate(one) for one in zip(*parts, strict=True))
        values = csr_matrix((value, (row, column)), shape=(count.shape[0], n_states))
        found.append(hstack([values, count.tocsr()], format="csr"))
    return replace(tokens, inner=found[0], initial=found[1])


def _column(table: csc_matrix, j: int) -> FloatArray:
    """A column of a sparse table, dense."""
    part = slice(table.indptr[j], table.indptr[j + 1])
    column = np.zeros(table.shape[0])
    column[table.indices[part]] = table.data[part]
    return column


def class_shares(
    tree: ClassTree, inner: csr_matrix, initial: csr_matrix, n_states: int, options: LexiconOptions
) -> FloatArray:
    """Mean values and label shares of each class, smoothed by its coarser one: (classes, columns)."""
    n_classes = len(tree.names)
    both = inner + initial
    size = np.asarray(both[:, n_states:].sum(axis=1)).ravel()
    rare = np.flatnonzero((size <= options.rare) & (size > 0))
    member = [
        csr_matrix((np.ones(rare.size), (finest[rare], rare)), shape=(n_classes, inner.shape[0]))
        for finest in tree.finest
    ]
    shares: FloatArray = (member[0] @ inner + member[1] @ initial).toarray()
    add_to_coarser(tree.coarser, shares)
    everything = np.asarray(both.sum(axis=0)).ravel()
    prior = everything / everything[n_states:].sum()
    mix_with_coarser(tree.coarser, shares, prior, shares[:, n_states:].sum(axis=1), options.class_weight)
    return shares


def tag_shares(
    labels: tuple[Label, ...], is_tag: AnyArray, prior: FloatArray, state_at: LongVector
) -> tuple[tuple[str, ...], FloatArray]:
    """Names of tags and the prior restricted to each tag's labels: (tags, columns)."""
    bottoms = [label.chain[-1] if tag else None for label, tag in zip(labels, is_tag)]
    names = tuple(sorted({name for name in bottoms if name is not None}))
    n_states = int(state_at[-1])
    shares = np.zeros((len(names), prior.size))
    for t, name in enumerate(names):
        for a, bottom in enumerate(bottoms):
            if bottom == name:
                part = slice(state_at[a], state_at[a + 1])
                shares[t, part], shares[t, n_states + a] = prior[part], prior[n_states + a]
    return names, shares / np.maximum(shares[:, n_states:].sum(axis=1, keepdims=True), 1e-300)


def with_lexicon(
    skeleton: Skeleton, weights: Weights, words: tuple[str, ...], tokens: TokenSums, options: LexiconOptions
) -> tuple[Skeleton, Weights]:
    """The same grammar with a lexicon of all training words, classes and tags."""
    state_at, n_states = weights.state_at, int(weights.state_at[-1])
    labels, inner, initial = skeleton.labels, tokens.inner, tokens.initial
    both = (inner + initial).tocsr()
    everything = np.asarray(both.sum(axis=0)).ravel()
    label_total = everything[n_states:]
    tree = class_tree(words)
    shares = class_shares(tree, inner, initial, n_states, options)
    tags, by_tag = tag_shares(labels, label_total > 0, everything / label_total.sum(), state_at)
    size = np.asarray(both[:, n_states:].sum(axis=1)).ravel()
    worth = _token_weight(size, tokens.number)
    both = (both + _without_capitals(words, tokens, n_states, options) @ both).tocsr()
    kept = np.flatnonzero(size > options.rare) if options.by_tag else np.arange(size.size)
    n_classes = 1 if options.by_tag else len(tree.names)
    tag = tag_numbers(labels)
    other = tag_exchange(diags(1.0 / np.maximum(worth, 1e-300)) @ both[:, n_states:], tag, options)
    blocks: Iterator[_Block] = chain(
        (
            _word_block(
                both[part],
                (size[part], worth[part]),
                shares[tree.finest[0, part]],
                tag,
                other,
                n_states,
                options,
            )
            for part in _cut(kept)
        ),
        (_symbol_block(part, n_states) for all_of in (shares[:n_classes], by_tag) for part in _cut(all_of)),
    )
    label, symbol, weight, probability = _entries(blocks, tokens.total, label_total, weights, options.least)
    names = tuple(words[w] for w in kept) + tree.names[:n_classes] + tags
    fuller = replace(
        skeleton, symbols=names, n_words=kept.size, n_classes=n_classes, entry_label=label,
        entry_symbol=symbol, entry_start=starts(symbol, len(names)), entry_probability=probability,
    )  # fmt: skip
    entry_at = as_offsets(np.concatenate(([0], np.cumsum(weights.states[label]))))
    return fuller, replace(weights, entry_at=entry_at, entry_weight=weight)


def _cut(rows: AnyArray) -> Iterator[AnyArray]:
    """BLOCK rows at a time."""
    return (rows[s : s + BLOCK] for s in range(0, len(rows), BLOCK))


def _without_capitals(
    words: tuple[str, ...], tokens: TokenSums, n_states: int, options: LexiconOptions
) -> csr_matrix:
    """How much the tokens of each word (column) count for the same word with a capital (row)."""
    ids = {word: w for w, word in enumerate(words)}
    small = np.array(
        [ids.get(word[:1].lower() + word[1:], w) for w, word in enumerate(words)], dtype=np.int64
    )
    inner, first = (
        np.asarray(part[:, n_states:].sum(axis=1)).ravel() for part in (tokens.inner, tokens.initial)
    )
    size = inner + first
    row = np.flatnonzero((small != np.arange(small.size)) & (size <= options.frequent))
    at_start = (first[row] + 1.0) / (size[row] + 2.0)
    worth = _token_weight(size[row], tokens.number[row])
    share = options.case_weight * worth * at_start / np.maximum(size[small[row]], 1e-300)
    return csr_matrix((share, (row, small[row])), shape=(small.size, small.size))


def _token_weight(size: FloatArray, number: FloatArray) -> FloatArray:
    """Weight of a token of each word in smoothing: the mean weight of its trees, or 1 if weights count copies."""
    return np.minimum(size / np.maximum(number, 1.0), 1.0)


@dataclass(frozen=True, slots=True)
class _Block:
    """Label shares (rows, A) and sizes (rows,) of some symbols, and a look-up of their state values.

    values: from rows, labels and label-states, all (k,), to values (k,).
    """

    by_label: FloatArray
    size: FloatArray
    values: Callable[[LongVector, LongVector, LongVector], FloatArray]


def _symbol_block(shares: FloatArray, n_states: int) -> _Block:
    """Classes or tags: their shares as they are."""
    return _Block(
        shares[:, n_states:], np.ones(shares.shape[0]), lambda row, label, column: shares[row, column]
    )


def tag_exchange(counts: csr_matrix, tag: IntVector, options: LexiconOptions) -> FloatArray:
    """(tags, tags) p(another token of a word has a tag | one token has this tag), over smoothed words.

    counts: (words, labels) of tokens.
    """
    by_tag = counts @ csr_matrix((np.ones(tag.size), (np.arange(tag.size), tag)))
    size = np.asarray(by_tag.sum(axis=1)).ravel()
    some = by_tag[(size >= 2.0) & (size <= options.frequent)].toarray()
    others = np.maximum(some.sum(axis=1, keepdims=True) - 1.0, 1.0)
    pairs: FloatArray = some.T @ (some / others) - np.diag((some / others).sum(axis=0))
    pairs = np.maximum(pairs, 0.0) + 1e-3 * np.eye(pairs.shape[0])  # a token may weigh less than one
    pairs /= pairs.sum(axis=1, keepdims=True)
    return pairs


def _word_block(
    words: csr_matrix,
    tokens: tuple[FloatArray, FloatArray],
    shares: FloatArray,
    tag: IntVector,
    exchange: FloatArray,
    n_states: int,
    options: LexiconOptions,
) -> _Block:
    """Mean values and label shares of some words, mixed with those of their classes and of their tags within them.

    tokens: (rows,) how much they weigh in all, and each of them.  shares: (rows, columns) of the words' classes.
    """
    own = words.toarray()
    own_label, share_label = own[:, n_states:], shares[:, n_states:]
    size, worth = tokens
    n = own_label.sum(axis=1, keepdims=True)
    rare = n <= options.frequent
    tags = np.zeros((tag.size, int(tag.max()) + 1))
    tags[np.arange(tag.size), tag] = 1.0
    own_tag, share_tag = own_label @ tags, share_label @ tags
    own_tag = np.where(rare, own_tag @ exchange, own_tag)
    ratio = np.divide(own_tag, n * share_tag, out=np.zeros_like(own_tag), where=n * share_tag > 0)
    weight, tag_weight = rare * worth[:, None] * options.word_weight, worth[:, None] * options.tag_weight
    bottom = np.maximum(n + weight + tag_weight, 1e-300)

    def values(row: LongVector, label: LongVector, column: LongVector) -> FloatArray:
        share = shares[row, column]
        spread = share * ratio[row, tag[label]]
        mixed = own[row, column] + weight[row, 0] * share + tag_weight[row, 0] * spread
        return mixed / bottom[row, 0]

    by_label = (own_label + weight * share_label + tag_weight * (share_label * ratio[:, tag])) / bottom
    return _Block(by_label, size, values)


def _entries(
    blocks: Iterator[_Block],
    total: FloatArray,
    label_total: FloatArray,
    weights: Weights,
    least: float,
) -> tuple[IntVector, IntVector, FloatArray, FloatArray]:
    """Label, symbol, weights and base probability of every entry whose label is likely enough."""
    state_at = weights.state_at
    labels, symbols, values, probabilities, done = [], [], [], [], 0
    for block in blocks:
        by_label = np.where(label_total > 0, block.by_label, 0.0)
        row, label = np.nonzero(by_label > least * by_label.max(axis=1, keepdims=True))
        width = weights.states[label].astype(np.int64)
        entry = np.repeat(np.arange(label.size), width)
        within = np.arange(entry.size) - np.repeat(np.cumsum(width) - width, width)
        column = state_at[label][entry] + within
        value = block.values(row[entry], label[entry], column)
        weight = value * block.size[row][entry] / np.maximum(total[column], 1e-3)
        values.append(weight.astype(weights.rule_weight.dtype))
        probabilities.append(by_label[row, label] * block.size[row] / label_total[label])
        labels.append(label)
        symbols.append(done + row)
        done += by_label.shape[0]
    return (
        as_ids(np.concatenate(labels)),
        as_ids(np.concatenate(symbols)),
        np.concatenate(values),
        np.concatenate(probabilities),
    )
