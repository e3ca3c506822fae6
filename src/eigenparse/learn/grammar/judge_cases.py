"""Held-out charts and the trees of their sentences in, cases for a judge to learn from out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, LongVector, as_ids, as_offsets
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.pick import tokens_of
from eigenparse.features.grammar.judge import (
    Charts,
    WordKeys,
    seen_in,
    symbol_tables,
    tagged_in,
    word_hash,
)
from eigenparse.kernels.grammar.judge import DENSE, TEMPLATES, Seen, Symbols, judge_rows
from eigenparse.kernels.grammar.judge_tags import TAG_DENSE, TAG_TEMPLATES, Tagged, share_out, tag_rows
from eigenparse.kernels.grammar.judge_weights import Cases, row_spans

LONGEST = 1 << 16  # words of a sentence
Part = tuple[LongVector, Charts]  # numbers of sentences, and what a grammar that never saw them says of them


@dataclass(frozen=True, slots=True)
class Court:
    """All sentences that a judge learns from, as its kernels take them.

    right, tag_right: (N,) of all candidate brackets and tags.  at, tag_at: where those of each sentence begin.
    """

    symbols: Symbols
    seen: list[Seen]
    tagged: list[Tagged]
    right: FloatArray
    tag_right: FloatArray
    at: LongVector
    tag_at: LongVector

    @property
    def n_voices(self) -> int:
        """Grammars whose own posteriors are known."""
        return self.seen[0].voices.shape[0] if self.seen else 0


def make_court(
    treebank: Treebank, parts: Sequence[Part], keys: WordKeys, doubtful: tuple[float, float]
) -> Court:
    """Charts of all folds under one set of symbols, and which candidates are in the treebank's trees."""
    ids: dict[tuple[str, bool], int] = {}
    words = tokens_of(treebank)
    numbers: list[int] = []
    seen: list[Seen] = []
    tagged: list[Tagged] = []
    for chosen, charts in parts:
        own = as_ids([ids.setdefault(name, len(ids)) for name in zip(charts.names, charts.is_tag.tolist())])
        for number, found in zip(chosen.tolist(), charts.found):
            if found is None:
                continue
            one = replace(found, symbol=own[found.symbol], word_tag=own[found.word_tag], tag=own[found.tag])
            spelling = keys.of(words[number])
            numbers.append(number)
            seen.append(seen_in(one, spelling, doubtful))
            tagged.append(tagged_in(one, spelling, doubtful))
    brackets, tags = _gold_codes(treebank, ids)
    at, code = _codes_of(numbers, [(x.candidate, x.start, x.end, x.symbol) for x in seen], len(ids))
    tag_at, tag_code = _codes_of(
        numbers, [(x.candidate, x.word, x.word + 1, x.symbol) for x in tagged], len(ids)
    )
    return Court(
        symbol_tables([name for name, _ in ids], [tag for _, tag in ids]), seen, tagged,
        np.isin(code, brackets).astype(np.float64), np.isin(tag_code, tags).astype(np.float64), at, tag_at,
    )  # fmt: skip


def _codes_of(
    numbers: Sequence[int], candidates: Sequence[tuple[AnyArray, ...]], n_symbols: int
) -> tuple[LongVector, LongVector]:
    """Where the candidates of each sentence begin, and one number for each of them.

    candidates: of each sentence, which rows of the other columns are candidates, then start, end and symbol.
    """
    sizes = [int(np.count_nonzero(chosen)) for chosen, *_ in candidates]
    columns = [
        np.concatenate([one[k][one[0]] for one in candidates] or [np.empty(0, dtype=np.int32)])
        for k in (1, 2, 3)
    ]
    sentence = np.repeat(np.array(numbers, dtype=np.int64), sizes)
    return as_offsets(np.cumsum([0, *sizes])), _code(n_symbols, sentence, *columns)


def _code(n_symbols: int, sentence: AnyArray, start: AnyArray, end: AnyArray, symbol: AnyArray) -> LongVector:
    """Sentence, start, end and symbol in one number."""
    return as_offsets(((sentence.astype(np.int64) * LONGEST + start) * LONGEST + end) * n_symbols + symbol)


def _gold_codes(treebank: Treebank, ids: Mapping[tuple[str, bool], int]) -> tuple[LongVector, LongVector]:
    """Numbers of the phrases and of the tags of all trees; symbols that no chart has are left out."""
    start, end = (np.empty(treebank.label.size, dtype=np.int32) for _ in range(2))
    row_spans(treebank.parent, treebank.word, treebank.offsets, start, end)
    sentence = np.repeat(np.arange(len(treebank)), np.diff(treebank.offsets))
    found = []
    for is_tag in (False, True):
        symbol = as_ids([ids.get((name, is_tag), -1) for name in treebank.labels])[treebank.label]
        row = np.flatnonzero(((treebank.word >= 0) == is_tag) & (symbol >= 0))
        found.append(_code(len(ids), sentence[row], start[row], end[row], symbol[row]))
    return found[0], found[1]


def frequent_words(treebank: Treebank, rare: int) -> AnyArray:
    """Ascending hashes of the words seen more than ``rare`` times."""
    count = np.bincount(treebank.word[treebank.word >= 0], minlength=len(treebank.words))
    hashes = [word_hash(treebank.words[w]) for w in np.flatnonzero(count > rare)]
    return np.unique(np.array(hashes, dtype=np.uint32))


def gold_brackets(treebank: Treebank) -> list[set[tuple[int, int, str]]]:
    """Start, end and label of the phrases of every tree."""
    start, end = (np.empty(treebank.label.size, dtype=np.int32) for _ in range(2))
    row_spans(treebank.parent, treebank.word, treebank.offsets, start, end)
    rows = np.flatnonzero(treebank.word < 0)
    names = [treebank.labels[a] for a in treebank.label[rows].tolist()]
    found = list(zip(start[rows].tolist(), end[rows].tolist(), names))
    cuts = np.searchsorted(rows, treebank.offsets).tolist()
    return [set(found[i:j]) for i, j in pairwise(cuts)]


def tags_of(treebank: Treebank) -> list[list[str]]:
    """The tags of the words of every tree."""
    rows = np.flatnonzero(treebank.word >= 0)
    names = [treebank.labels[a] for a in treebank.label[rows].tolist()]
    return [names[i:j] for i, j in pairwise(np.searchsorted(rows, treebank.offsets).tolist())]


def bracket_cases(court: Court, bits: int) -> Cases:
    """Features of all candidate brackets under what is believed now."""
    n = int(court.at[-1])
    rows, dense = np.empty((n, TEMPLATES), dtype=np.int32), np.empty((n, DENSE + court.n_voices))
    for seen, first in zip(court.seen, court.at[:-1]):
        judge_rows(seen, court.symbols, bits, rows[first:], dense[first:])
    return Cases(rows, dense, court.right)


def tag_cases(court: Court, bits: int) -> Cases:
    """Features of all candidate tags."""
    n = int(court.tag_at[-1])
    rows, dense = np.empty((n, TAG_TEMPLATES), dtype=np.int32), np.empty((n, TAG_DENSE + court.n_voices))
    for tagged, first in zip(court.tagged, court.tag_at[:-1]):
        tag_rows(tagged, court.symbols.key, bits, rows[first:], dense[first:])
    return Cases(rows, dense, court.tag_right)


def believe_brackets(court: Court, belief: FloatArray) -> None:
    """Let the next look see these probabilities of candidate brackets."""
    for seen, low, high in zip(court.seen, court.at[:-1], court.at[1:]):
        seen.belief[seen.candidate] = belief[low:high]


def believe_tags(court: Court, belief: FloatArray) -> None:
    """Let the next look see the tags that are likeliest under these probabilities of candidate tags."""
    for seen, tagged, low, high in zip(court.seen, court.tagged, court.tag_at[:-1], court.tag_at[1:]):
        own = tagged.posterior.copy()
        own[tagged.candidate] = belief[low:high]
        share_out(tagged, own, seen.tag)
