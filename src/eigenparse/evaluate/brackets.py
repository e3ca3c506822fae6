"""Gold and guessed trees in, addable bracket counts out, sentence by sentence and summed.

Agrees with the C program EVALB (Sekine and Collins 1997, version of 2013) in every figure when
``strict``; by default punctuation is taken out by the gold tags on both sides, so that a wrongly
tagged comma does not cost a sentence.  Ratios are percentages.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from eigenparse.arrays import BoolVector, FloatArray, LongVector, as_offsets
from eigenparse.corpus.columns import Treebank
from eigenparse.errors import DataError
from eigenparse.evaluate.counts import BracketCounts, LabelCounts
from eigenparse.evaluate.evalb_params import COLLINS, EvalbParams
from eigenparse.evaluate.spans import BracketMatch, Brackets, brackets_of, match_brackets, plain_label
from eigenparse.evaluate.tree_lines import TreeLines
from eigenparse.evaluate.words import ERROR, OK, SKIPPED, WordMatch, joint_ids, match_words


@dataclass(frozen=True, slots=True)
class BracketScores:
    """Every sentence's counts as columns (S,), and the labels' counts over all scored sentences.

    status: 0 scored, 1 error (words differ, or the line is broken), 2 skipped (no words).
    Columns of sentences with another status than 0 are shown but never summed.
    """

    status: LongVector
    length: LongVector
    matched: LongVector
    gold: LongVector
    guess: LongVector
    unlabelled: LongVector
    crossing: LongVector
    words: LongVector
    tags: LongVector
    missed: LongVector
    by_label: Mapping[str, LabelCounts]
    params: EvalbParams
    strict: bool

    def __len__(self) -> int:
        return self.status.size

    def __add__(self, other: "BracketScores") -> "BracketScores":
        """The sentences of both, one after the other; DataError if they were scored differently."""
        if (self.params, self.strict) != (other.params, other.strict):
            raise DataError("scores under different conventions do not add; score both the same way")
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in _COLUMNS
        }
        labels = dict(self.by_label)
        for label, counts in other.by_label.items():
            labels[label] = labels.get(label, LabelCounts()) + counts
        return replace(self, **columns, by_label=labels)

    @property
    def all(self) -> BracketCounts:
        """Counts over all sentences."""
        return self.counts(np.ones(len(self), dtype=np.bool_))

    @property
    def short(self) -> BracketCounts:
        """Counts over the sentences not longer than ``params.cutoff``."""
        return self.counts(self.length <= self.params.cutoff)

    @property
    def f1(self) -> float:
        """Labelled F1 over all scored sentences."""
        return float(self.all.f1)

    def sentence_f1(self, *, labelled: bool = True) -> FloatArray:
        """(S,) F1 of each sentence between 0 and 1; 1 where neither side has a bracket."""
        hits = self.matched if labelled else self.unlabelled
        total = self.gold + self.guess
        return np.where(total > 0, 2 * hits / np.maximum(total, 1), 1.0)

    def counts(self, chosen: BoolVector) -> BracketCounts:
        """Counts over the chosen sentences (S,)."""
        ok = chosen & (self.status == OK)

        def total(column: LongVector) -> int:
            return int(column[ok].sum())

        return BracketCounts(
            sentences=int(chosen.sum()),
            errors=int((chosen & (self.status == ERROR)).sum()),
            skipped=int((chosen & (self.status == SKIPPED)).sum()),
            gold=total(self.gold),
            guess=total(self.guess),
            matched=total(self.matched),
            unlabelled=total(self.unlabelled),
            complete=int((ok & (self.gold == self.guess) & (self.guess == self.matched)).sum()),
            crossing=total(self.crossing),
            uncrossed=int((ok & (self.crossing == 0)).sum()),
            hardly_crossed=int((ok & (self.crossing <= 2)).sum()),
            words=total(self.words),
            tags=total(self.tags),
            missed=int(self.missed[chosen].sum()),
            sum_f1=float(self.sentence_f1()[ok].sum()),
            sum_unlabelled_f1=float(self.sentence_f1(labelled=False)[ok].sum()),
        )


_COLUMNS = [f.name for f in fields(BracketScores)][:10]


def score_brackets(
    gold: Treebank, guess: Treebank, *, params: EvalbParams = COLLINS, strict: bool = False
) -> BracketScores:
    """Score guessed trees against gold trees, sentence by sentence.

    A sentence without rows is a failed parse.  strict: exactly as EVALB, each side losing the
    words whose own tag is deleted.  Otherwise the gold tags decide for both sides, and a root
    called ``""``, ROOT, TOP, S1 or VROOT is no bracket.
    """
    return score_lines(TreeLines.of(gold), TreeLines.of(guess), params=params, strict=strict)


def score_lines(
    gold: TreeLines, guess: TreeLines, *, params: EvalbParams = COLLINS, strict: bool = False
) -> BracketScores:
    """Score sentences some of which may be broken; those count as errors."""
    if len(gold.treebank) != len(guess.treebank):
        raise DataError(
            f"{len(gold.treebank)} gold sentences against {len(guess.treebank)} guessed ones;"
            " give one tree, or an empty line, for every gold tree"
        )
    found = match_words(gold.treebank, guess.treebank, params, strict=strict)
    sides, symbols = both_brackets(gold, guess, found, params, strict)
    number = {symbol: k for k, symbol in enumerate(symbols)}
    equal = {(number[a], number[b]) for a, b in params.equal_labels if a in number and b in number}
    equal |= {(b, a) for a, b in equal}
    same = found.status == OK
    hits = match_brackets(*sides, same, equal=equal, labelled=params.labelled)
    status = np.where(same & (gold.broken | guess.broken), ERROR, found.status)
    sizes = [np.diff(side.offsets) for side in sides]
    return BracketScores(
        status=status,
        length=found.length,
        matched=_per_sentence(sides[0], hits.gold_hit),
        gold=np.where(same, sizes[0], 0),
        guess=np.where(same, sizes[1], 0),
        unlabelled=hits.unlabelled,
        crossing=hits.crossing,
        words=found.words,
        tags=found.tags,
        missed=np.where(status == OK, 0, sizes[0]),
        by_label=_by_label(sides, hits, status == OK, symbols),
        params=params,
        strict=strict,
    )


def both_brackets(
    gold: TreeLines, guess: TreeLines, found: WordMatch, params: EvalbParams, strict: bool
) -> tuple[tuple[Brackets, Brackets], tuple[str, ...]]:
    """The brackets of both sides, and the plain labels that their ids stand for."""
    plain = [tuple(plain_label(label) for label in side.treebank.labels) for side in (gold, guess)]
    gold_ids, guess_ids, symbols = joint_ids(*plain)
    first, second = (
        brackets_of(side.treebank, kept, ids, symbols, params, drop_root=not strict, unclosed=side.unclosed)
        for side, kept, ids in ((gold, found.gold_kept, gold_ids), (guess, found.guess_kept, guess_ids))
    )
    return (first, second), symbols


def _per_sentence(brackets: Brackets, chosen: BoolVector) -> LongVector:
    """(S,) how many of each sentence's brackets are chosen."""
    before = as_offsets(np.concatenate([[0], np.cumsum(chosen)]))
    return before[brackets.offsets[1:]] - before[brackets.offsets[:-1]]


def _by_label(
    sides: tuple[Brackets, Brackets], hits: BracketMatch, scored: BoolVector, symbols: tuple[str, ...]
) -> dict[str, LabelCounts]:
    """Counts of every label that a scored sentence holds, the most frequent gold label first."""
    columns = []
    for side, hit in zip(sides, (hits.gold_hit, hits.guess_hit)):
        counted = np.repeat(scored, np.diff(side.offsets))
        columns.append(np.bincount(side.label[counted], minlength=len(symbols)))
        columns.append(np.bincount(side.label[counted & hit], minlength=len(symbols)))
    gold, gold_hit, guess, guess_hit = (column.tolist() for column in columns)
    used = [k for k in range(len(symbols)) if gold[k] or guess[k]]
    used.sort(key=lambda k: (-gold[k], -guess[k], symbols[k]))
    return {symbols[k]: LabelCounts(gold[k], guess[k], gold_hit[k], guess_hit[k]) for k in used}
