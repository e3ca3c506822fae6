"""Phone alignments in, figures out: frames, phone errors and boundaries."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import LongVector, Sums
from eigenparse.corpus.phones import Segments, frame_phones

STEP = 0.010  # seconds between the frames that are compared
NEAR = 0.020  # seconds by which a boundary may be off


@dataclass(frozen=True, slots=True)
class PhoneCounts(Sums):
    """Sums over recordings: frames and those right; gold phones and errors; boundaries of both, and those near."""

    frames: int = 0
    frames_right: int = 0
    phones: int = 0
    errors: int = 0
    gold_borders: int = 0
    guess_borders: int = 0
    near: int = 0

    def figures(self) -> dict[str, float]:
        """Percentages by name."""
        borders = self.gold_borders + self.guess_borders
        return {
            "frame accuracy": 100 * self.frames_right / max(self.frames, 1),
            "phone error rate": 100 * self.errors / max(self.phones, 1),
            "boundaries within 20 ms, precision": 100 * self.near / max(self.guess_borders, 1),
            "boundaries within 20 ms, recall": 100 * self.near / max(self.gold_borders, 1),
            "boundaries within 20 ms, F1": 200 * self.near / max(borders, 1),
        }


def count_phones(gold: Segments, guess: Segments, rate: int) -> PhoneCounts:
    """Compare two alignments of one recording, whose times are samples at ``rate``."""
    step = max(round(STEP * rate), 1)
    n = max(int(gold.end[-1]) // step, 1)
    pairs = list(zip(frame_phones(gold, n, step, step), frame_phones(guess, n, step, step)))
    right, ours = runs(gold.phones), runs(guess.phones)
    borders = gold.start[1:], guess.start[1:]
    near = near_borders(*borders, NEAR * rate)
    return PhoneCounts(
        n,
        sum(a == b for a, b in pairs),
        len(right),
        edits(right, ours),
        borders[0].size,
        borders[1].size,
        near,
    )


def runs(phones: Sequence[str]) -> list[str]:
    """Phones without immediate repetitions."""
    return [phone for k, phone in enumerate(phones) if k == 0 or phones[k - 1] != phone]


def edits(gold: Sequence[str], guess: Sequence[str]) -> int:
    """The least number of insertions, deletions and substitutions between two sequences.

    >>> edits("abc", "axcd")
    2
    """
    row = np.arange(len(guess) + 1)
    ours = np.array(list(guess), dtype=object)
    for k, phone in enumerate(gold, start=1):
        best = np.minimum(row[1:] + 1, row[:-1] + (ours != phone))
        best = np.concatenate([[k], best])
        row = np.minimum.accumulate(best - np.arange(best.size)) + np.arange(best.size)
    return int(row[-1])


def near_borders(gold: LongVector, guess: LongVector, within: float) -> int:
    """How many boundaries can be paired, each once and in order, that lie no further apart than ``within``."""
    i = j = found = 0
    while i < gold.size and j < guess.size:
        gap = int(guess[j]) - int(gold[i])
        if abs(gap) <= within:
            found, i, j = found + 1, i + 1, j + 1
        elif gap < 0:
            j += 1
        else:
            i += 1
    return found
