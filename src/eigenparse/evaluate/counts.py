"""Addable counts of brackets, crossings and tags; ratios are properties, in percent."""

from dataclasses import dataclass, fields


def _percent(part: float, whole: float) -> float:
    return 100.0 * part / whole if whole else 0.0


def _harmonic(one: float, other: float) -> float:
    return 2 * one * other / (one + other) if one + other else 0.0


@dataclass(frozen=True, slots=True)
class BracketCounts:
    """Counts over any set of sentences; they add.

    Only ``sentences``, ``errors``, ``skipped`` and ``missed`` include sentences that were not
    scored; ``missed`` is the number of their gold brackets.  The two sums of F1 are over sentences.
    """

    sentences: int = 0
    errors: int = 0
    skipped: int = 0
    gold: int = 0
    guess: int = 0
    matched: int = 0
    unlabelled: int = 0
    complete: int = 0
    crossing: int = 0
    uncrossed: int = 0
    hardly_crossed: int = 0
    words: int = 0
    tags: int = 0
    missed: int = 0
    sum_f1: float = 0.0
    sum_unlabelled_f1: float = 0.0

    def __add__(self, other: "BracketCounts") -> "BracketCounts":
        return BracketCounts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    @property
    def scored(self) -> int:
        """Sentences that were scored."""
        return self.sentences - self.errors - self.skipped

    @property
    def recall(self) -> float:
        return _percent(self.matched, self.gold)

    @property
    def precision(self) -> float:
        return _percent(self.matched, self.guess)

    @property
    def f1(self) -> float:
        return _harmonic(self.precision, self.recall)

    @property
    def unlabelled_recall(self) -> float:
        return _percent(self.unlabelled, self.gold)

    @property
    def unlabelled_precision(self) -> float:
        return _percent(self.unlabelled, self.guess)

    @property
    def unlabelled_f1(self) -> float:
        return _harmonic(self.unlabelled_precision, self.unlabelled_recall)

    @property
    def mean_f1(self) -> float:
        """Mean of the sentences' F1, as matejovicova-2018 reports it (section 3.5)."""
        return _percent(self.sum_f1, self.scored)

    @property
    def mean_unlabelled_f1(self) -> float:
        return _percent(self.sum_unlabelled_f1, self.scored)

    @property
    def f1_with_failures(self) -> float:
        """Labelled F1 if the sentences that were not scored counted as parses without brackets."""
        return _percent(2 * self.matched, self.gold + self.missed + self.guess)

    @property
    def exact(self) -> float:
        """Share of sentences whose brackets are all right and complete."""
        return _percent(self.complete, self.scored)

    @property
    def average_crossing(self) -> float:
        """Guessed brackets that cross a gold one, per sentence (not a percentage)."""
        return self.crossing / self.scored if self.scored else 0.0

    @property
    def no_crossing(self) -> float:
        return _percent(self.uncrossed, self.scored)

    @property
    def few_crossing(self) -> float:
        """Share of sentences with at most two crossing brackets."""
        return _percent(self.hardly_crossed, self.scored)

    @property
    def tagging(self) -> float:
        return _percent(self.tags, self.words)


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """Counts of one label; they add.

    gold_matched and guess_matched differ where labels that count as the same met each other.
    """

    gold: int = 0
    guess: int = 0
    gold_matched: int = 0
    guess_matched: int = 0

    def __add__(self, other: "LabelCounts") -> "LabelCounts":
        return LabelCounts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    @property
    def recall(self) -> float:
        return _percent(self.gold_matched, self.gold)

    @property
    def precision(self) -> float:
        return _percent(self.guess_matched, self.guess)

    @property
    def f1(self) -> float:
        return _harmonic(self.precision, self.recall)
