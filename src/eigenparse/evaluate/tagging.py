"""Gold and guessed labels in, addable counts out: accuracy, known and unknown words, chunk F1.

Chunks follow the conventions of the CoNLL shared tasks: IOB1, IOB2 and the E/S marks of IOBES are
read alike; a chunk is right if its type and both ends are.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from eigenparse.arrays import Sums
from eigenparse.errors import DataError


@dataclass(frozen=True, slots=True)
class Score(Sums):
    """right, gold, guessed: counts whose ratios are precision, recall and F1."""

    right: int = 0
    gold: int = 0
    guessed: int = 0

    @property
    def precision(self) -> float:
        """Share of the guessed ones that are right."""
        return self.right / self.guessed if self.guessed else 0.0

    @property
    def recall(self) -> float:
        """Share of the gold ones that were found."""
        return self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        both = self.gold + self.guessed
        return 2.0 * self.right / both if both else 0.0


@dataclass(frozen=True, slots=True)
class TaggingCounts:
    """Counts over tokens and chunks; they add."""

    tokens: int = 0
    right: int = 0
    unknown: int = 0
    unknown_right: int = 0
    sequences: int = 0
    sequences_right: int = 0
    labels: dict[str, Score] = field(default_factory=dict)
    chunks: dict[str, Score] = field(default_factory=dict)

    def __add__(self, other: "TaggingCounts") -> "TaggingCounts":
        *numbers, labels, chunks = self.__dataclass_fields__
        return TaggingCounts(
            *(getattr(self, name) + getattr(other, name) for name in numbers),
            *(_merged(getattr(self, name), getattr(other, name)) for name in (labels, chunks)),
        )

    @property
    def accuracy(self) -> float:
        """Share of tokens with the right label."""
        return self.right / self.tokens if self.tokens else 0.0

    @property
    def unknown_accuracy(self) -> float:
        """The same over words that do not occur in training."""
        return self.unknown_right / self.unknown if self.unknown else 0.0

    @property
    def known_accuracy(self) -> float:
        """The same over words that occur in training."""
        known = self.tokens - self.unknown
        return (self.right - self.unknown_right) / known if known else 0.0

    @property
    def chunk(self) -> Score:
        """All chunk types together."""
        return sum(self.chunks.values(), Score())


def _merged(one: dict[str, Score], other: dict[str, Score]) -> dict[str, Score]:
    return {name: one.get(name, Score()) + other.get(name, Score()) for name in sorted({*one, *other})}


def split_mark(label: str) -> tuple[str, str]:
    """``B-NP`` as (``B``, ``NP``); a label without a dash has no type."""
    mark, _, kind = label.partition("-")
    return mark, kind


def is_iob(labels: Sequence[str]) -> bool:
    """Whether labels look like chunk marks: O and at least one of B-, I-, E-, S- with a type."""
    marks = {split_mark(label)[0] for label in labels}
    typed = all(label == "O" or ("-" in label and split_mark(label)[1]) for label in labels)
    return typed and marks <= {"B", "I", "E", "S", "O"} and len(marks - {"O"}) > 0


def chunks(labels: Sequence[str]) -> set[tuple[int, int, str]]:
    """Chunks [start, stop) with their types, by the rules of the CoNLL scorer.

    A chunk begins at B and S, at I or E after O or after E or S, and where the type changes.
    """
    found = set()
    start, open_kind, before = -1, "", "O"
    for t, label in enumerate([*labels, "O"]):
        mark, kind = split_mark(label)
        inside = start >= 0
        ends = inside and (mark in "BSO" or kind != open_kind or before in "ES")
        if ends:
            found.add((start, t, open_kind))
            start = -1
        if mark != "O" and start < 0:
            start, open_kind = t, kind
        before = mark
    return found


def count_sequence(
    gold: Sequence[str], guess: Sequence[str], *, unknown: Sequence[bool] | None = None, iob: bool = False
) -> TaggingCounts:
    """Counts of one sequence; ``unknown`` marks the words that do not occur in training."""
    if len(gold) != len(guess):
        raise DataError(f"gold has {len(gold)} tokens and the guess {len(guess)}; score the same sequences")
    hits = [g == h for g, h in zip(gold, guess)]
    new = unknown if unknown is not None else [False] * len(gold)
    return TaggingCounts(
        tokens=len(gold),
        right=sum(hits),
        unknown=sum(new),
        unknown_right=sum(hit and n for hit, n in zip(hits, new)),
        sequences=1,
        sequences_right=int(all(hits)),
        labels=_by_kind(Counter(gold), Counter(guess), Counter(g for g, hit in zip(gold, hits) if hit)),
        chunks=_chunk_counts(gold, guess) if iob else {},
    )


def _chunk_counts(gold: Sequence[str], guess: Sequence[str]) -> dict[str, Score]:
    ours, theirs = chunks(guess), chunks(gold)
    kinds = [Counter(kind for _, _, kind in group) for group in (theirs, ours, theirs & ours)]
    return _by_kind(*kinds)


def _by_kind(gold: Counter[str], guess: Counter[str], right: Counter[str]) -> dict[str, Score]:
    return {kind: Score(right[kind], gold[kind], guess[kind]) for kind in sorted({*gold, *guess})}


def count_tagging(
    gold: Sequence[Sequence[str]],
    guess: Sequence[Sequence[str]],
    *,
    unknown: Sequence[Sequence[bool]] | None = None,
    iob: bool | None = None,
) -> TaggingCounts:
    """Counts over all sequences; chunks are counted if the gold labels are IOB marks."""
    if len(gold) != len(guess):
        raise DataError(
            f"gold has {len(gold)} sequences and the guess {len(guess)}; score the same sequences"
        )
    as_iob = is_iob(sorted({label for labels in gold for label in labels})) if iob is None else iob
    tables: list[TaggingCounts] = []
    for s, (g, h) in enumerate(zip(gold, guess)):
        tables.append(count_sequence(g, h, unknown=unknown[s] if unknown is not None else None, iob=as_iob))
    return add_all(tables)


def add_all(tables: Sequence[TaggingCounts]) -> TaggingCounts:
    """The sum, adding halves so that long lists stay cheap."""
    if not tables:
        return TaggingCounts()
    if len(tables) == 1:
        return tables[0]
    half = len(tables) // 2
    return add_all(tables[:half]) + add_all(tables[half:])
