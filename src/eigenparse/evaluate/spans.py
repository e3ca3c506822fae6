"""Columns of trees and the words that count in, columns of brackets out; and two of those matched."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import BoolVector, IntVector, LongVector
from eigenparse.corpus.columns import Treebank
from eigenparse.evaluate.evalb_params import EvalbParams
from eigenparse.evaluate.words import sentence_of_row

ROOTS = frozenset(["ROOT", "TOP", "S1", "VROOT"])
UNCLOSED = -1  # EVALB leaves the end of such a bracket unset


@dataclass(frozen=True, slots=True)
class Brackets:
    """Brackets that count, by sentence and from the top down.

    label, start, end: (B,), spans half-open over the words that count; row: (B,) of the treebank;
    offsets: (S + 1,).
    """

    label: IntVector
    start: LongVector
    end: LongVector
    row: LongVector
    offsets: LongVector


@dataclass(frozen=True, slots=True)
class BracketMatch:
    """What two sets of brackets have in common.

    gold_hit, guess_hit: (B,) brackets with a match; unlabelled, crossing: (S,).
    """

    gold_hit: BoolVector
    guess_hit: BoolVector
    unlabelled: LongVector
    crossing: LongVector


def plain_label(label: str) -> str:
    """A phrase label as EVALB compares it: cut before the first ``-`` or ``=``, wherever that is."""
    return label.partition("-")[0].partition("=")[0]


def brackets_of(
    treebank: Treebank,
    kept: LongVector,
    plain: IntVector,
    symbols: tuple[str, ...],
    params: EvalbParams,
    *,
    drop_root: bool,
    unclosed: BoolVector,
) -> Brackets:
    """The brackets of all sentences: phrases over at least one word, without the deleted labels.

    kept: (N,) how often each row counts as a word.  plain: label id -> id of the plain label in
    ``symbols``.  drop_root: roots named like a root (TOP, ROOT, ...) do not count either.
    """
    label = plain[treebank.label]
    before = np.concatenate([[0], np.cumsum(kept)])
    base = before[treebank.offsets[:-1]]
    sentence = sentence_of_row(treebank)
    start = before[_first_rows(treebank.parent)] - base[sentence]
    end = np.where(unclosed, UNCLOSED, before[1:] - base[sentence])
    gone = np.array([params.deletes_bracket(symbol) for symbol in symbols], dtype=np.bool_)
    counts = (treebank.word < 0) & (start != end) & ~gone[label]
    if drop_root:
        counts &= ~_named_roots(treebank)
    rows = np.flatnonzero(counts)
    rows = rows[np.lexsort((-rows, sentence[rows]))]
    size = np.bincount(sentence[rows], minlength=len(treebank))
    return Brackets(label[rows], start[rows], end[rows], rows, np.concatenate([[0], np.cumsum(size)]))


def _first_rows(parent: IntVector) -> LongVector:
    """(N,) the first row of each row's subtree: follow first children, doubling the stride."""
    rows = np.arange(parent.size)
    first = rows.copy()
    child = np.flatnonzero(parent >= 0)
    np.minimum.at(first, parent[child], child)
    while np.any((further := first[first]) != first):
        first = further
    return first


def _named_roots(treebank: Treebank) -> BoolVector:
    """(N,) rows with the name of a root at the top of their tree, or below only such rows."""
    names = [label == "" or plain_label(label) in ROOTS for label in treebank.labels]
    named = np.array(names, dtype=np.bool_)[treebank.label]
    above = np.where(treebank.parent < 0, np.arange(named.size), treebank.parent)
    while np.any((further := above[above]) != above):
        named = named & named[above]
        above = further
    return named & named[above]


def match_brackets(
    gold: Brackets, guess: Brackets, wanted: BoolVector, *, equal: set[tuple[int, int]], labelled: bool
) -> BracketMatch:
    """Match the brackets of each wanted sentence (S,) one to one; equal: label ids that count as the same.

    As in EVALB every gold bracket, from the top down, takes the first guessed one that is left.
    """
    paired = {label for pair in equal for label in pair}
    hits = np.zeros(gold.label.size, dtype=np.bool_), np.zeros(guess.label.size, dtype=np.bool_)
    unlabelled, crossing = (np.zeros(wanted.size, dtype=np.int64) for _ in range(2))
    gold_label, gold_span, gold_at = _lists(gold)
    guess_label, guess_span, guess_at = _lists(guess)

    def drawer(span: tuple[int, int], label: int) -> tuple[tuple[int, int], int]:
        """The key shared by brackets that may match each other."""
        return span, label if labelled and label not in paired else -1

    for s in np.flatnonzero(wanted).tolist():
        left: dict[tuple[tuple[int, int], int], list[int]] = {}
        for k in range(guess_at[s + 1] - 1, guess_at[s] - 1, -1):
            left.setdefault(drawer(guess_span[k], guess_label[k]), []).append(k)
        for k in range(gold_at[s], gold_at[s + 1]):
            places = left.get(drawer(gold_span[k], gold_label[k]))
            found = _take(places, gold_label[k], guess_label, equal, labelled) if places else -1
            if found >= 0:
                hits[0][k] = hits[1][found] = True
        theirs = gold_span[gold_at[s] : gold_at[s + 1]]
        ours = guess_span[guess_at[s] : guess_at[s + 1]]
        unlabelled[s] = (Counter(theirs) & Counter(ours)).total()
        crossing[s] = _crossing(theirs, ours)
    return BracketMatch(*hits, unlabelled, crossing)


def _lists(side: Brackets) -> tuple[list[int], list[tuple[int, int]], list[int]]:
    """Labels, spans and offsets as plain lists, which Python walks faster."""
    return side.label.tolist(), list(zip(side.start.tolist(), side.end.tolist())), side.offsets.tolist()


def _take(
    places: list[int], label: int, labels: list[int], equal: set[tuple[int, int]], labelled: bool
) -> int:
    """Remove and return the last place whose label counts as the same, or -1."""
    for k in range(len(places) - 1, -1, -1):
        other = labels[places[k]]
        if not labelled or other == label or (label, other) in equal:
            return places.pop(k)
    return -1


def _crossing(gold: list[tuple[int, int]], guess: list[tuple[int, int]]) -> int:
    """How many guessed brackets cross a gold one.

    [i, j) is crossed if a gold bracket that ends inside starts before i, or one that starts inside ends after j;
    so only the longest gold bracket at each end matters.
    """
    if not gold or not guess:
        return 0
    n = max(end for _, end in gold + guess) + 1
    lowest_start, highest_end = list(range(n)), list(range(n))
    for i, j in gold:
        if j != UNCLOSED:
            lowest_start[j] = min(lowest_start[j], i)
            highest_end[i] = max(highest_end[i], j)
    crossed = 0
    for i, j in guess:
        inside = slice(i + 1, j)
        if j - i > 1 and (min(lowest_start[inside]) < i or max(highest_end[inside]) > j):
            crossed += 1
    return crossed
