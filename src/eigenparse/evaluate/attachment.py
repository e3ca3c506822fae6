"""Gold and predicted dependency trees in, addable attachment counts out.

Conventions of the CoNLL 2018 shared task for given words: every word counts, punctuation included;
relations are compared up to the first colon (``nmod:poss`` is ``nmod``); CLAS leaves out words whose
gold or predicted relation is functional or punctuation.  Figures without punctuation (gold tag PUNCT)
stand beside them.
"""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, LongVector
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.errors import DataError
from eigenparse.evaluate.counts import percent

FUNCTIONAL = frozenset({"aux", "cop", "mark", "det", "clf", "case", "cc", "punct"})
LENGTHS = (10, 20, 30, 40)


@dataclass(frozen=True, slots=True)
class Attachment:
    """Counts of one or many sentences; ratios are derived.  Counts of two parts add.

    by_relation and by_length: name → (words, right heads, right heads and relations).
    """

    words: int
    heads: int
    labelled: int
    plain_words: int
    plain_heads: int
    plain_labelled: int
    content_gold: int
    content_guess: int
    content_right: int
    sentences: int
    complete: int
    complete_labelled: int
    by_relation: dict[str, tuple[int, int, int]]
    by_length: dict[str, tuple[int, int, int]]

    def __add__(self, other: "Attachment") -> "Attachment":
        def joined(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
            names = [*a, *(name for name in b if name not in a)]
            return {n: tuple(x + y for x, y in zip(a.get(n, (0, 0, 0)), b.get(n, (0, 0, 0)))) for n in names}

        counts = {
            name: getattr(self, name) + getattr(other, name)
            for name in self.__dataclass_fields__
            if not name.startswith("by_")
        }
        return Attachment(
            **counts,
            by_relation=joined(self.by_relation, other.by_relation),
            by_length=joined(self.by_length, other.by_length),
        )

    def figures(self) -> dict[str, float]:
        """Percentages, by their usual names."""

        return {
            "UAS": percent(self.heads, self.words),
            "LAS": percent(self.labelled, self.words),
            "CLAS": percent(2 * self.content_right, self.content_gold + self.content_guess),
            "UAS without punctuation": percent(self.plain_heads, self.plain_words),
            "LAS without punctuation": percent(self.plain_labelled, self.plain_words),
            "complete": percent(self.complete, self.sentences),
            "complete labelled": percent(self.complete_labelled, self.sentences),
        }


def _universal(trees: Dependencies) -> tuple[list[str], LongVector]:
    """Relation names up to the colon, and the id of each word's."""
    names = [name.partition(":")[0] for name in trees.symbols["relation"]]
    distinct = sorted(set(names))
    place = {name: i for i, name in enumerate(distinct)}
    table = np.array([place[name] for name in names], dtype=np.int64)
    return distinct, table[trees.relation]


def check_same_words(gold: Dependencies, guess: Dependencies) -> None:
    """Refuse two files whose words differ, naming the first difference."""
    if len(gold) != len(guess):
        raise DataError(
            f"gold has {len(gold)} sentences and the guess {len(guess)}; score files of the same sentences"
        )
    differs = np.flatnonzero(gold.lengths() != guess.lengths())
    if differs.size:
        raise DataError(
            f"sentence {differs[0] + 1} has another number of words in the guess; score equal words"
        )
    ours, theirs = gold.strings("form"), guess.strings("form")
    if ours != theirs:
        row = next(i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b)
        sentence = int(np.searchsorted(gold.offsets, row, side="right"))
        raise DataError(
            f"sentence {sentence}: {ours[row]!r} in gold is {theirs[row]!r} in the guess; score equal words"
        )


def word_results(gold: Dependencies, guess: Dependencies) -> tuple[AnyArray, AnyArray]:
    """(T,) whether each head is right, and whether head and relation are."""
    check_same_words(gold, guess)
    names, relation = _universal(gold)
    other_names, other = _universal(guess)
    place = {name: i for i, name in enumerate(names)}
    table = np.array([place.get(name, -1) for name in other_names], dtype=np.int64)
    right = gold.head == guess.head
    return right, right & (relation == table[other])


def attachment(gold: Dependencies, guess: Dependencies) -> Attachment:
    """Attachment counts of a whole corpus; sentences without words are left out of complete trees."""
    right, labelled = word_results(gold, guess)
    plain = np.array([tag != "PUNCT" for tag in gold.symbols["upos"]], dtype=bool)[gold.upos]
    content = np.array([n.partition(":")[0] not in FUNCTIONAL for n in gold.symbols["relation"]], dtype=bool)
    other = np.array([n.partition(":")[0] not in FUNCTIONAL for n in guess.symbols["relation"]], dtype=bool)
    ours, theirs = content[gold.relation], other[guess.relation]
    sizes = gold.lengths()
    sentence = np.repeat(np.arange(len(gold)), sizes)
    whole, whole_labelled = (
        np.bincount(sentence, hit, minlength=len(gold)) == sizes for hit in (right, labelled)
    )
    names, relation = _universal(gold)
    buckets = np.searchsorted(LENGTHS, sizes[sentence], side="left")
    labels = [
        f"1-{LENGTHS[0]}",
        *(f"{a + 1}-{b}" for a, b in itertools.pairwise(LENGTHS)),
        f"{LENGTHS[-1] + 1}+",
    ]
    return Attachment(
        words=int(right.size),
        heads=int(right.sum()),
        labelled=int(labelled.sum()),
        plain_words=int(plain.sum()),
        plain_heads=int((right & plain).sum()),
        plain_labelled=int((labelled & plain).sum()),
        content_gold=int(ours.sum()),
        content_guess=int(theirs.sum()),
        content_right=int((labelled & ours & theirs).sum()),
        sentences=int((sizes > 0).sum()),
        complete=int((whole & (sizes > 0)).sum()),
        complete_labelled=int((whole_labelled & (sizes > 0)).sum()),
        by_relation=_table(names, relation, right, labelled),
        by_length=_table(labels, buckets, right, labelled),
    )


def _table(
    names: list[str], group: AnyArray, right: AnyArray, labelled: AnyArray
) -> dict[str, tuple[int, int, int]]:
    """Words, right heads and right arcs of each group that occurs."""
    size = len(names)
    counts = [np.bincount(group, weight, minlength=size).astype(int) for weight in (None, right, labelled)]
    return {
        names[i]: (int(counts[0][i]), int(counts[1][i]), int(counts[2][i])) for i in np.flatnonzero(counts[0])
    }
