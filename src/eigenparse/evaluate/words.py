"""Two treebanks in; which words count, which sentences can be scored, and how many tags agree out."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import BoolVector, IntVector, LongVector
from eigenparse.corpus.columns import Treebank
from eigenparse.evaluate.evalb_params import EvalbParams

OK, ERROR, SKIPPED = 0, 1, 2  # EVALB's status column
QUOTE_MARKS = frozenset(["'", '"', "/"])


@dataclass(frozen=True, slots=True)
class WordMatch:
    """The words that are compared.

    gold_kept, guess_kept: (N,) how often each row counts as a word of its sentence (0 or 1; a
    quote mark that EVALB puts back twice counts 2).  status, words, tags, length: (S,).
    """

    gold_kept: LongVector
    guess_kept: LongVector
    status: LongVector
    words: LongVector
    tags: LongVector
    length: LongVector


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two treebanks with symbols numbered together.  sentence, word, tag: (N,) for each side."""

    gold: Treebank
    guess: Treebank
    params: EvalbParams
    sentence: tuple[LongVector, LongVector]
    word: tuple[IntVector, IntVector]
    tag: tuple[IntVector, IntVector]
    words: tuple[str, ...]
    tags: tuple[str, ...]


def match_words(gold: Treebank, guess: Treebank, params: EvalbParams, *, strict: bool) -> WordMatch:
    """Decide which words of each sentence count and whether they are the same on both sides.

    strict: each side's own tags decide, as in EVALB.  Otherwise the gold tags decide for both.
    """
    pair = _pair(gold, guess, params)
    decide = _kept_by_own_tags if strict else _kept_by_gold_tags
    gold_kept, guess_kept, same = decide(pair)
    n_guess = _per_sentence(pair.sentence[1], guess_kept, len(guess))
    status = np.where(n_guess == 0, SKIPPED, np.where(same, OK, ERROR)).astype(np.int64)
    rows = [
        np.repeat(np.arange(kept.size), np.where((status == OK)[sentence], kept, 0))
        for sentence, kept in zip(pair.sentence, (gold_kept, guess_kept))
    ]
    agree = _agree(pair.tag[0][rows[0]], pair.tag[1][rows[1]], pair.tags, params.equal_labels)
    at = pair.sentence[0][rows[0]]
    counted = (gold.word >= 0) & ~_table(gold.labels, params.delete_for_length)[gold.label]
    return WordMatch(
        gold_kept=gold_kept,
        guess_kept=guess_kept,
        status=status,
        words=np.bincount(at, minlength=len(gold)),
        tags=np.bincount(at[agree], minlength=len(gold)),
        length=_per_sentence(pair.sentence[0], counted, len(gold)),
    )


def sentence_of_row(treebank: Treebank) -> LongVector:
    """(N,) the sentence each row belongs to."""
    return np.repeat(np.arange(len(treebank), dtype=np.int64), np.diff(treebank.offsets))


def joint_ids(gold: tuple[str, ...], guess: tuple[str, ...]) -> tuple[IntVector, IntVector, tuple[str, ...]]:
    """Ids of both sides' symbols in one common table, and that table; -1 maps to -1."""
    table = {symbol: number for number, symbol in enumerate(dict.fromkeys(gold + guess))}
    ids = [np.array([*(table[symbol] for symbol in side), -1], dtype=np.int32) for side in (gold, guess)]
    return ids[0], ids[1], tuple(table)


def _pair(gold: Treebank, guess: Treebank, params: EvalbParams) -> _Pair:
    gold_words, guess_words, words = joint_ids(gold.words, guess.words)
    gold_tags, guess_tags, tags = joint_ids(gold.labels, guess.labels)
    return _Pair(
        gold,
        guess,
        params,
        (sentence_of_row(gold), sentence_of_row(guess)),
        (gold_words[gold.word], guess_words[guess.word]),
        (gold_tags[gold.label], guess_tags[guess.label]),
        words,
        tags,
    )


def _table(labels: tuple[str, ...], wanted: frozenset[str]) -> BoolVector:
    """For each label id whether the label is wanted."""
    return np.array([label in wanted for label in labels], dtype=np.bool_)


def _per_sentence(sentence: LongVector, amount: LongVector | BoolVector, n: int) -> LongVector:
    """(S,) the amounts of all rows of each sentence added up."""
    return np.bincount(sentence, weights=amount, minlength=n).astype(np.int64)


def _agree(
    one: IntVector, other: IntVector, symbols: tuple[str, ...], equal: frozenset[tuple[str, str]]
) -> BoolVector:
    """Where two columns of ids hold the same symbol, or two that count as the same."""
    agree: BoolVector = one == other
    if equal:
        pairs = equal | {(b, a) for a, b in equal}
        for k in np.flatnonzero(~agree).tolist():
            agree[k] = (symbols[one[k]], symbols[other[k]]) in pairs
    return agree


def _same_words(pair: _Pair, gold_kept: LongVector, guess_kept: LongVector) -> BoolVector:
    """(S,) whether the kept words of both sides are the same, one by one."""
    n = len(pair.gold)
    same: BoolVector = _per_sentence(pair.sentence[0], gold_kept, n) == _per_sentence(
        pair.sentence[1], guess_kept, n
    )
    rows = [
        np.repeat(np.arange(kept.size), np.where(same[sentence], kept, 0))
        for sentence, kept in zip(pair.sentence, (gold_kept, guess_kept))
    ]
    agree = _agree(pair.word[0][rows[0]], pair.word[1][rows[1]], pair.words, pair.params.equal_words)
    same[pair.sentence[0][rows[0]][~agree]] = False
    return same


def _kept_by_own_tags(pair: _Pair) -> tuple[LongVector, LongVector, BoolVector]:
    """EVALB: each side loses the words whose own tag is to be deleted, misread quote marks excepted."""
    kept = []
    for side in (pair.gold, pair.guess):
        gone = _table(side.labels, pair.params.delete)[side.label]
        kept.append(((side.word >= 0) & ~gone).astype(np.int64))
    if pair.params.quote:
        _put_back_quotes(pair, kept[0], kept[1])
    return kept[0], kept[1], _same_words(pair, kept[0], kept[1])


def _kept_by_gold_tags(pair: _Pair) -> tuple[LongVector, LongVector, BoolVector]:
    """Gold tags decide on both sides which words count; traces, which parsers do not see, may be absent."""
    traces = pair.params.delete & pair.params.delete_for_length
    full = [_nonempty_words(side) for side in (pair.gold, pair.guess)]
    bare = [
        np.where(_table(side.labels, traces)[side.label], 0, everything)
        for side, everything in zip((pair.gold, pair.guess), full)
    ]
    gone = _table(pair.gold.labels, pair.params.delete)[pair.gold.label]
    gold_kept = np.where(gone, 0, full[0])
    guess_kept = bare[1].copy()
    same = np.zeros(len(pair.gold), dtype=np.bool_)
    for gold_words, guess_words in ((bare[0], bare[1]), (bare[0], full[1]), (full[0], full[1])):
        fresh = _same_words(pair, gold_words, guess_words) & ~same
        rows = [
            np.flatnonzero(words * fresh[sentence])
            for words, sentence in zip((gold_words, guess_words), pair.sentence)
        ]
        guess_kept[fresh[pair.sentence[1]]] = 0
        guess_kept[rows[1]] = gold_kept[rows[0]]
        same |= fresh
    return gold_kept, guess_kept, same


def _nonempty_words(side: Treebank) -> LongVector:
    """(N,) 1 at words; ``(S )``, which EVALB takes for a tag with an empty word, is none."""
    return np.array([*(word != "" for word in side.words), False], dtype=np.int64)[side.word]


@dataclass(slots=True)
class _Quote:
    """A quote mark: its row, whether its tag is deleted, and the number of words before it."""

    row: int
    deleted: bool
    index: int


def _quotes(pair: _Pair, side: int, kept: LongVector, sentence: int) -> list[_Quote]:
    """The quote marks of a sentence, in order."""
    treebank = (pair.gold, pair.guess)[side]
    found = []
    index = 0
    for row in range(int(treebank.offsets[sentence]), int(treebank.offsets[sentence + 1])):
        if treebank.word[row] < 0:
            continue
        label = treebank.labels[treebank.label[row]]
        if label in pair.params.quote and treebank.words[treebank.word[row]] in QUOTE_MARKS:
            found.append(_Quote(row, label in pair.params.delete, index))
        index += int(kept[row])
    return found


def _put_back_quotes(pair: _Pair, gold_kept: LongVector, guess_kept: LongVector) -> None:
    """Count quote marks again whose tag is deleted on one side only, in sentences of different lengths."""
    n = len(pair.gold)
    n_gold = _per_sentence(pair.sentence[0], gold_kept, n)
    n_guess = _per_sentence(pair.sentence[1], guess_kept, n)
    for sentence in np.flatnonzero((n_gold != n_guess) & (n_guess > 0)).tolist():
        gold = _quotes(pair, 0, gold_kept, sentence)
        guess = _quotes(pair, 1, guess_kept, sentence)
        for mine, kept in _misread(gold, guess):
            (guess_kept if kept else gold_kept)[mine.row] += 1


def _misread(gold: list[_Quote], guess: list[_Quote]) -> Iterator[tuple[_Quote, bool]]:
    """Each quote mark to put back, and whether it is on the guessed side, in EVALB's order.

    A mark put back moves itself and those after it on its own side; the place looked for on the
    other side stays what it was.
    """
    for g, ours in enumerate(guess):
        place = ours.index
        for t, theirs in enumerate(gold):
            if theirs.index != place or theirs.deleted == ours.deleted:
                continue
            marks, first = (gold, t) if theirs.deleted else (guess, g)
            for later in marks[first:]:
                later.index += 1
            yield marks[first], not theirs.deleted
