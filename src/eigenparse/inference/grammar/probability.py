"""log p of trees and of sentences under the proper distribution of a grammar."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, BoolVector, FloatArray, IntVector, LongVector, as_ids, as_offsets
from eigenparse.corpus.cleaning import ROOT_NAMES, strip_label
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.normalise import ROOT
from eigenparse.corpus.transform import Collapsed, collapse
from eigenparse.inference.grammar.background import Background
from eigenparse.inference.grammar.proper import Lexicon, Proper, proper_parts, remembered
from eigenparse.kernels.grammar.proper import Readings, sentence_total
from eigenparse.kernels.grammar.tree_nodes import ChainLists, chain_nodes
from eigenparse.kernels.grammar.tree_sums import tree_logs
from eigenparse.models.grammar.pcfg import LatentGrammar, Skeleton, every_label

CAPITAL = 0.5  # probability that a lower-case word is capitalised at the start of a sentence
STEP = 2.0  # assumed cost of a word in nats; values are scaled by it to stay near 1
TRIES = 12
FAINT = -300.0  # log p of a spelling that is taken out of a token's probabilities
Token = tuple[str, bool]  # a word, and whether it is the first of its sentence


def readings_of(
    skeleton: Skeleton, lexicon: Lexicon, tokens: Sequence[Token], *, spelt: bool = True
) -> Readings:
    """The readings of each token; spelt: unknown words with the probability of their spelling, else as one event."""
    made = [_readings(*token) for token in tokens]
    flat = [one for readings in made for one in readings]
    words = [word for word, _ in flat]
    place = np.array([lexicon.table.words.get(word, -1) for word in words], dtype=np.int64)
    known = place >= 0
    at, logs = as_offsets(np.cumsum([0, *map(len, made)])), lexicon.spelling_logs(words)
    if not spelt:
        logs = np.where(known[:, None], logs, 0.0)
    shift = np.where(np.add.reduceat(known, at[:-1]), 0.0, np.maximum.reduceat(logs.max(axis=1), at[:-1]))
    shift = np.where((shift < FAINT) & np.isfinite(shift), shift, 0.0)
    p = np.exp(logs - np.repeat(shift, np.diff(at))[:, None])
    starts, ends = skeleton.entry_start[:-1], skeleton.entry_start[1:]
    low, high, kept, unigram = (
        _at(column, place, known) for column in (starts, ends, lexicon.kept, lexicon.unigram)
    )
    unigram += lexicon.unseen * (p @ lexicon.spelling.share)
    return Readings(
        at, np.array([w for _, w in flat]), as_ids(low), as_ids(high), kept, p, unigram, skeleton.entry_label, shift,
    )  # fmt: skip


def _at(column: AnyArray, place: LongVector, known: BoolVector) -> AnyArray:
    """The values of known words, 0 of others."""
    found = np.zeros(place.size, dtype=column.dtype)
    found[known] = column[place[known]]
    return found


def other_case(word: str) -> tuple[str, str]:
    """A word with lower-case and with capital first letter; unchanged, twice, if the two do not map to each other."""
    letter, rest = word[:1], word[1:]
    small, large = letter.lower(), letter.upper()
    if len(small) != 1 or len(large) != 1 or small.upper() != large or large.lower() != small:
        return word, word
    return small + rest, large + rest


def _readings(word: str, first: bool) -> tuple[tuple[str, float], ...]:
    """Words that a token may stand for, with the probability that each is written this way."""
    word = word.replace("(", "-LRB-").replace(")", "-RRB-")
    if not first:
        return ((word, 1.0),)
    small, large = other_case(word)
    if small == large:
        return ((word, 1.0),)
    return ((word, 1.0 - CAPITAL),) if word == small else ((word, 1.0), (small, CAPITAL))


@dataclass(frozen=True, slots=True)
class Tokens:
    """Words of trees or sentences, each kind of token once.  id: (T,) of every token."""

    id: IntVector
    kinds: tuple[Token, ...]


def tokens_of(words: Sequence[str], first: Sequence[bool]) -> Tokens:
    """Number the kinds of tokens."""
    ids: dict[Token, int] = {}
    number = [ids.setdefault(token, len(ids)) for token in zip(words, first)]
    return Tokens(as_ids(number), tuple(ids))


def chart_bytes(part: Proper, n: int) -> int:
    """The memory of a chart over n words, or over the n children of a phrase."""
    return n * (n + 1) // 2 * (4 * part.skeleton.n_labels + 24 * part.ground.more.size)


def tree_log_p(parts: Sequence[Proper], treebank: Treebank, *, memory: float = math.inf) -> FloatArray:
    """(S,) log p of normalised trees: the mean of all members' p.

    memory: bytes that the chart of a phrase may take; -inf for all trees if one needs more.
    """
    trees = collapse(treebank)
    leaf = np.flatnonzero(trees.word >= 0)
    first = np.zeros(trees.word.size, dtype=bool)
    first[trees.offsets[:-1]] = True
    tokens = tokens_of([treebank.words[w] for w in trees.word[leaf].tolist()], first[leaf].tolist())
    token = np.full(trees.word.size, -1, dtype=np.int32)
    token[leaf] = tokens.id
    readings = [readings_of(part.skeleton, part.lexicon, tokens.kinds) for part in parts]
    chains = [chain_lists(part, trees.chains) for part in parts]
    return collapsed_log_p(parts, replace(trees, word=token), chains, readings, memory=memory)


def collapsed_log_p(
    parts: Sequence[Proper],
    trees: Collapsed,
    chains: Sequence[ChainLists],
    readings: Sequence[Readings],
    *,
    memory: float = math.inf,
) -> FloatArray:
    """The same of trees without unary nodes, whose words are numbers of tokens in the readings of every part."""
    found = []
    for part, lists, tokens in zip(parts, chains, readings):
        nodes = chain_nodes(trees.chain, trees.parent, trees.word, lists)
        if chart_bytes(part, int(np.diff(nodes.child_at).max(initial=0))) > memory:
            return np.full(trees.offsets.size - 1, -math.inf)
        for member, log_mass in zip(part.members, part.log_mass.tolist()):
            log_p = np.empty(trees.offsets.size - 1)
            tree_logs(nodes, trees.offsets, tokens, member, part.ground, part.index, log_p)
            found.append(log_p - log_mass)
    return mean_log(found)


def mean_log(logs: Sequence[FloatArray | float]) -> FloatArray:
    """log of the mean of probabilities given by their logs."""
    return np.logaddexp.reduce(np.array(logs), axis=0) - np.log(len(logs))


def chain_lists(part: Proper, chains: Sequence[tuple[str, ...]]) -> ChainLists:
    """The chains of labels in terms of a grammar."""
    own = [part.labels.get(chain, []) for chain in chains]
    between = [sorted(set().union(*(part.partials[a] for a in labels))) for labels in own]
    ends = [_chain_ends(part.lexicon, part.background, chain) for chain in chains]
    top, bottom, below, name = np.ascontiguousarray(np.array(ends).reshape(-1, 4).T)
    is_root = np.array([one == (ROOT,) for one in chains], dtype=bool)
    is_new = np.array([not labels for labels in own], dtype=bool) & ~is_root
    kept = [np.exp(np.where(is_new, 0.0, log)) for log in (below, name)]
    return ChainLists(
        *_flat(own), *_flat(between), as_ids(top), as_ids(bottom), kept[0], kept[1],
        np.where(is_new, below + name, 0.0), is_root,
    )  # fmt: skip


@remembered
def own_chains(grammar: LatentGrammar) -> tuple[ChainLists, ...]:
    """The chains of an ensemble's labels in each of its distributions; none if normalisation would change its trees."""
    if any(_is_changed(one.skeleton) for one in (grammar, *grammar.others)):
        return ()
    chains = [label.chain for label in every_label(grammar)]
    return tuple(chain_lists(part, chains) for part in proper_parts(grammar))


def _is_changed(skeleton: Skeleton) -> bool:
    """Whether normalisation would change trees of these labels."""
    only_tag = skeleton.is_tag()
    only_tag[skeleton.rules[:, 0]] = False
    for label, is_tag, root in zip(skeleton.labels, only_tag.tolist(), skeleton.root_probability.tolist()):
        names = label.chain[:-1] if is_tag else label.chain
        if label.partial:
            if root > 0.0:
                return True
        elif label.chain != (ROOT,) and (
            any(name in ROOT_NAMES for name in label.chain)
            or any(strip_label(name) != name for name in names)
            or any(a == b for a, b in pairwise(label.chain))
        ):
            return True
    return False


def _flat(lists: Sequence[Sequence[int]]) -> tuple[LongVector, IntVector]:
    """Where each list begins, and all of them in a row."""
    return as_offsets(np.cumsum([0, *map(len, lists)])), as_ids([a for one in lists for a in one])


def _chain_ends(lexicon: Lexicon, ground: Background, chain: tuple[str, ...]) -> tuple[float, ...]:
    """Symbols of a chain's ends; log p below the top label if it is drawn label by label, and of the top's name."""
    symbols = [ground.symbols.get(name, ground.unknown) for name in chain]
    names = [
        new_name(lexicon, ground, name) if s == ground.unknown else 0.0 for name, s in zip(chain, symbols)
    ]
    with np.errstate(divide="ignore"):
        steps = np.log(ground.unary[symbols[:-1], symbols[1:]])
    return symbols[0], symbols[-1], float(steps.sum() + sum(names[1:])), names[0]


def new_name(lexicon: Lexicon, ground: Background, name: str) -> float:
    """log p of the name of a label that was never seen."""
    logs = np.logaddexp.reduce(
        lexicon.spelling.logs([name, *ground.symbols]) + np.log(lexicon.spelling.share), axis=1
    )
    return float(logs[0] - np.log1p(-np.exp(logs[1:]).sum()))


Items = tuple[LongVector, IntVector]  # where the items of each cell begin, and their labels


def all_items(skeleton: Skeleton, n: int) -> Items:
    """Every label over every span that it may have."""
    whole = np.flatnonzero([not label.partial for label in skeleton.labels])
    n_cells, n_labels = n * (n + 1) // 2, skeleton.n_labels
    size = np.where(np.arange(n_cells) < n, whole.size, n_labels)
    labels = np.concatenate([np.tile(whole, n), np.tile(np.arange(n_labels), n_cells - n)])
    return as_offsets(np.concatenate(([0], np.cumsum(size)))), as_ids(labels)


def some_items(skeleton: Skeleton, n: int, label: AnyArray, start: AnyArray, end: AnyArray) -> Items:
    """The items given, in the order of cells."""
    partial = np.array([one.partial for one in skeleton.labels])
    keep = np.flatnonzero(~partial[label] | (end - start > 1))
    width = (end - start - 1)[keep].astype(np.int64)
    cells = width * n - width * (width - 1) // 2 + start[keep]
    distinct = np.unique(cells * skeleton.n_labels + label[keep])
    first = np.searchsorted(distinct, np.arange(n * (n + 1) // 2 + 1) * skeleton.n_labels)
    return as_offsets(first), as_ids(distinct % skeleton.n_labels)


def sentence_readings(parts: Sequence[Proper], words: Sequence[str], *, spelt: bool = True) -> list[Readings]:
    """The readings of the words of a sentence in each part; spelt: as in ``readings_of``."""
    tokens = [(word, i == 0) for i, word in enumerate(words)]
    return [readings_of(part.skeleton, part.lexicon, tokens, spelt=spelt) for part in parts]


def sentence_log_p(
    parts: Sequence[Proper],
    readings: Sequence[Readings],
    items: Sequence[Items] | Sequence[None],
    *,
    memory: float = math.inf,
) -> float:
    """log p of a sentence.  items: those of each part that are summed over; None for all, which makes the sum exact.

    memory: bytes that its chart may take; -inf if it needs more.
    """
    n = readings[0].at.size - 1
    if max(chart_bytes(part, n) for part in parts) > memory:
        return -math.inf
    found = []
    for part, tokens, chosen in zip(parts, readings, items):
        first, label = all_items(part.skeleton, n) if chosen is None else chosen
        taken = float(tokens.shift.sum())
        scale = np.add.reduceat(tokens.weight * (tokens.unigram + tokens.spelt.max(axis=1)), tokens.at[:-1])
        for member, log_mass in zip(part.members, part.log_mass.tolist()):
            model = (tokens, member, part.ground, part.index, chosen is None)
            total = partial(_total, first, label, model)
            found.append(_scaled(total, np.log(np.maximum(scale, 1e-300))) + taken - log_mass)
    return float(mean_log(found))


def _total(first: LongVector, label: IntVector, model: Any, factor: FloatArray) -> float:
    return float(sentence_total(first, label, factor, *model))


def _scaled(total: Callable[[FloatArray], float], log_scale: FloatArray) -> float:
    """log of a total that is found with factors near the inverse of what each word costs."""
    step = STEP
    for _ in range(TRIES):
        log_factor = step - log_scale
        found = total(np.exp(log_factor))
        if 0.0 < found < np.inf:
            return float(np.log(found) - log_factor.sum())
        step += -1.0 if found > 0.0 else 1.0
    return -np.inf
