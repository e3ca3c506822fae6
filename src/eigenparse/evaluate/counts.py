"""Addable counts of brackets, crossings and tags; ratios are properties, in percent."""

from dataclasses import dataclass

from eigenparse.arrays import Sums


def percent(part: float, whole: float) -> float:
    """100 part / whole; 0 if the whole is 0."""
    return 100.0 * part / whole if whole else 0.0


def _harmonic(one: float, other: float) -> float:
    return 2 * one * other / (one + other) if one + other else 0.0


def _share(part: str, whole: str) -> property:
    """The percentage of one count in another."""
    return property(lambda self: percent(getattr(self, part), getattr(self, whole)))


def _f1(precision: str, recall: str) -> property:
    """The harmonic mean of two percentages."""
    return property(lambda self: _harmonic(getattr(self, precision), getattr(self, recall)))


@dataclass(frozen=True, slots=True)
class BracketCounts(Sums):
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

    @property
    def scored(self) -> int:
        """Sentences that were scored."""
        return self.sentences - self.errors - self.skipped

    recall = _share("matched", "gold")
    precision = _share("matched", "guess")
    f1 = _f1("precision", "recall")
    unlabelled_recall = _share("unlabelled", "gold")
    unlabelled_precision = _share("unlabelled", "guess")
    unlabelled_f1 = _f1("unlabelled_precision", "unlabelled_recall")
    mean_f1 = _share("sum_f1", "scored")  # mean of the sentences' F1 [matejovicova-2018, section 3.5]
    mean_unlabelled_f1 = _share("sum_unlabelled_f1", "scored")
    exact = _share("complete", "scored")  # sentences in which all brackets match
    no_crossing = _share("uncrossed", "scored")
    few_crossing = _share("hardly_crossed", "scored")  # sentences with at most two crossing brackets
    tagging = _share("tags", "words")

    @property
    def f1_with_failures(self) -> float:
        """Labelled F1 if the sentences that were not scored counted as parses without brackets."""
        return percent(2 * self.matched, self.gold + self.missed + self.guess)

    @property
    def average_crossing(self) -> float:
        """Guessed brackets that cross a gold one, per sentence (not a percentage)."""
        return self.crossing / self.scored if self.scored else 0.0


@dataclass(frozen=True, slots=True)
class LabelCounts(Sums):
    """Counts of one label; they add.

    gold_matched and guess_matched differ if different labels count as equal.
    """

    gold: int = 0
    guess: int = 0
    gold_matched: int = 0
    guess_matched: int = 0

    recall = _share("gold_matched", "gold")
    precision = _share("guess_matched", "guess")
    f1 = _f1("precision", "recall")
