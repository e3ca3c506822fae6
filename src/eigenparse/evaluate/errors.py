"""Differences between gold and guessed trees: every wrong and missing bracket with its class, by sentence.

The brackets are those that ``evaluate`` counts, so all totals agree with it.  The classes follow the idea of
[kummerfeld-etal-2012]: what would have to be repaired, rather than which label is involved.

label         the right span under another label
unary         a bracket too many or too few over a span that both sides have
attachment    the same label begins (or ends) at the same place, and reaches too far or not far enough
coordination  such a bracket, where the phrase that moved contains or follows a conjunction
tag           a single-word phrase whose tag differs
unknown word  a bracket that begins or ends at a wrongly tagged word that was not in the training data, if that is known
structure     everything else
"""

from collections import Counter
from collections.abc import Container
from dataclasses import dataclass, field, replace

from eigenparse.arrays import BoolVector, LongVector
from eigenparse.corpus.columns import Treebank
from eigenparse.evaluate.brackets import both_brackets
from eigenparse.evaluate.evalb_params import COLLINS, EvalbParams
from eigenparse.evaluate.pairing import PairedFiles
from eigenparse.evaluate.spans import Brackets, match_brackets
from eigenparse.evaluate.words import OK, match_words

RIGHT = "right"
UNKNOWN = "unknown word"
CONJUNCTIONS = frozenset(["CC", "CONJ", "CCONJ", "KON"])
# Shown as "attachment: PP" and so on; others as "other".
MOVED = ("PP", "SBAR", "S", "NP", "VP", "ADVP", "ADJP")


@dataclass(frozen=True, slots=True)
class Mark:
    """One bracket of a tree.  row: of the tree, counted from its first row.  verdict: "right", or its error class."""

    row: int
    label: str
    start: int
    end: int
    verdict: str
    crossing: bool = False


@dataclass(frozen=True, slots=True)
class SentenceErrors:
    """The brackets of one sentence on both sides, and the words whose tags differ: (word, gold tag, guessed tag).

    n_unknown: counted words that were not in the training data.  unknown: those of them whose tags differ.
    """

    number: int
    scored: bool
    gold: tuple[Mark, ...]
    guess: tuple[Mark, ...]
    tags: tuple[tuple[str, str, str], ...]
    n_unknown: int = 0
    unknown: tuple[tuple[str, str, str], ...] = ()

    @property
    def matched(self) -> int:
        """Gold brackets that were found."""
        return sum(mark.verdict == RIGHT for mark in self.gold)

    @property
    def wrong(self) -> int:
        """Missing and superfluous brackets together."""
        return len(self.gold) + len(self.guess) - 2 * self.matched

    @property
    def f1(self) -> float:
        """Labelled F1 from 0 to 1; 1 where neither side has a bracket."""
        total = len(self.gold) + len(self.guess)
        return 2 * self.matched / total if total else 1.0


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """All sentences, and tables over the scored ones.

    classes: error class -> number of missing and superfluous brackets.  labels, tags: (gold, guess) -> number.
    unknown: the same as tags for words that were not in the training data, n_unknown of them in all.
    """

    sentences: tuple[SentenceErrors, ...]
    classes: Counter[str] = field(default_factory=Counter)
    labels: Counter[tuple[str, str]] = field(default_factory=Counter)
    tags: Counter[tuple[str, str]] = field(default_factory=Counter)
    unknown: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def n_unknown(self) -> int:
        """Words of scored sentences that were not in the training data."""
        return sum(one.n_unknown for one in self.sentences if one.scored)


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of all sentences: trees, brackets, which brackets are matched, which rows count as words."""

    trees: Treebank
    brackets: Brackets
    hit: BoolVector
    kept: LongVector
    symbols: tuple[str, ...]

    def marks(self, s: int) -> list[Mark]:
        """The brackets of sentence s."""
        side, first = self.brackets, int(self.trees.offsets[s])
        return [
            Mark(
                int(side.row[k]) - first,
                self.symbols[side.label[k]],
                int(side.start[k]),
                int(side.end[k]),
                RIGHT if self.hit[k] else "structure",
            )
            for k in range(int(side.offsets[s]), int(side.offsets[s + 1]))
        ]

    def leaves(self, s: int) -> list[tuple[str, str, bool]]:
        """Words and tags of sentence s, and whether they count."""
        part = slice(int(self.trees.offsets[s]), int(self.trees.offsets[s + 1]))
        rows = zip(self.trees.word[part].tolist(), self.trees.label[part].tolist(), self.kept[part].tolist())
        return [(self.trees.words[w], self.trees.labels[a], n > 0) for w, a, n in rows if w >= 0]


def find_errors(
    pair: PairedFiles, params: EvalbParams = COLLINS, known: Container[str] | None = None
) -> ErrorReport:
    """Every difference between the guessed and the gold trees.  known: the words of the training data."""
    lines = pair.gold, pair.guess
    found = match_words(lines[0].treebank, lines[1].treebank, params, strict=False)
    brackets, symbols = both_brackets(*lines, found, params, strict=False)
    hits = match_brackets(*brackets, found.status == OK, equal=set(), labelled=params.labelled)
    gold, guess = (
        _Side(side.treebank, held, hit, kept, symbols)
        for side, held, hit, kept in zip(
            lines, brackets, (hits.gold_hit, hits.guess_hit), (found.gold_kept, found.guess_kept)
        )
    )
    scored = (found.status == OK) & ~lines[0].broken & ~lines[1].broken
    report = ErrorReport(tuple(_sentence(s, gold, guess, bool(scored[s]), known) for s in range(scored.size)))
    for one in report.sentences:
        if one.scored:
            _count(one, report)
    return report


def _sentence(
    s: int, gold: _Side, guess: _Side, scored: bool, known: Container[str] | None
) -> SentenceErrors:
    words, others = gold.leaves(s), guess.leaves(s)
    counted = [tag for _, tag, counts in words if counts]
    marks = _classified(gold.marks(s), guess.marks(s), counted)
    pairs = list(zip(words, others)) if len(words) == len(others) else []
    tags = tuple((word, tag, other) for (word, tag, _), (_, other, _) in pairs if tag != other)
    if known is None:
        return SentenceErrors(s + 1, scored, *marks, tags)
    kept = [(word, tag, other) for (word, tag, counts), (_, other, _) in pairs if counts]
    new = {k for k, (word, _, _) in enumerate(kept) if word not in known}
    wrong = {k for k in new if kept[k][1] != kept[k][2]}
    gold_marks, guess_marks = (tuple(_at_unknown(mark, wrong) for mark in side) for side in marks)
    unknown = tuple(kept[k] for k in sorted(wrong))
    return SentenceErrors(s + 1, scored, gold_marks, guess_marks, tags, len(new), unknown)


def _at_unknown(mark: Mark, wrong: set[int]) -> Mark:
    """A bracket, of its own class if it is wrong and has a wrongly tagged unknown word at an end."""
    if mark.verdict == RIGHT or not wrong & {mark.start, mark.end - 1}:
        return mark
    return replace(mark, verdict=UNKNOWN)


def _classified(
    gold: list[Mark], guess: list[Mark], tags: list[str]
) -> tuple[tuple[Mark, ...], tuple[Mark, ...]]:
    """The same brackets with the error class of each unmatched one."""
    spans = [{(m.start, m.end) for m in side} for side in (gold, guess)]
    wrong = [[m for m in side if m.verdict != RIGHT] for side in (gold, guess)]
    return (
        tuple(_with_class(m, wrong[1], spans[1], gold, tags) for m in gold),
        tuple(_with_class(m, wrong[0], spans[0], gold, tags) for m in guess),
    )


def _with_class(
    mark: Mark, others: list[Mark], spans: set[tuple[int, int]], gold: list[Mark], tags: list[str]
) -> Mark:
    """One bracket with its class.  others, spans: wrong brackets and all spans of the other side."""
    if mark.verdict == RIGHT:
        return mark
    crossing = any(i < mark.start < j < mark.end or mark.start < i < mark.end < j for i, j in spans)
    verdict = "structure"
    if any((o.start, o.end) == (mark.start, mark.end) for o in others):
        verdict = "label"
    elif (mark.start, mark.end) in spans:
        verdict = "tag" if mark.end - mark.start == 1 else "unary"
    else:
        for other in others:
            if other.label == mark.label and (other.start == mark.start) != (other.end == mark.end):
                verdict = _attachment(mark, other, gold, tags)
                break
    return Mark(mark.row, mark.label, mark.start, mark.end, verdict, crossing)


def _attachment(mark: Mark, other: Mark, gold: list[Mark], tags: list[str]) -> str:
    """Attachment, with the label of the phrase that moved, or coordination if a conjunction is in it."""
    low, high = sorted((mark.end, other.end) if mark.start == other.start else (mark.start, other.start))
    if any(tag in CONJUNCTIONS for tag in tags[max(low - 1, 0) : high]):
        return "coordination"
    inside = [m for m in gold if low <= m.start and m.end <= high]
    label = max(inside, key=lambda m: m.end - m.start).label if inside else ""
    return f"attachment: {label if label in MOVED else 'other'}"


def _count(one: SentenceErrors, report: ErrorReport) -> None:
    """Add a sentence to the tables."""
    left: dict[tuple[int, int], list[str]] = {}
    for mark in one.guess:
        if mark.verdict != RIGHT:
            report.classes[mark.verdict] += 1
            left.setdefault((mark.start, mark.end), []).append(mark.label)
    for mark in one.gold:
        if mark.verdict == RIGHT:
            continue
        report.classes[mark.verdict] += 1
        rivals = left.get((mark.start, mark.end), [])
        report.labels[mark.label, rivals.pop(0) if rivals else "none"] += 1
    for labels in left.values():
        for label in labels:
            report.labels["none", label] += 1
    for _, tag, other in one.tags:
        report.tags[tag, other] += 1
    for _, tag, other in one.unknown:
        report.unknown[tag, other] += 1
