"""Two systems' counts on the same sentences in, the significance of their difference out."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import FloatArray, LongMatrix, generator
from eigenparse.errors import DataError, OptionError
from eigenparse.evaluate.brackets import BracketScores
from eigenparse.evaluate.words import OK

Statistic = Callable[[FloatArray], FloatArray]
_BLOCK = 256  # resamples at a time


@dataclass(frozen=True, slots=True)
class Comparison:
    """A paired bootstrap: ``other - one`` on all sentences, its interval and its two-sided p-value.

    not_ahead: share of the resamples in which ``other`` is not ahead of ``one``.
    """

    one: float
    other: float
    difference: float
    low: float
    high: float
    p_value: float
    not_ahead: float
    n_sentences: int
    n_resamples: int
    confidence: float


def paired_bootstrap(
    one: LongMatrix,
    other: LongMatrix,
    statistic: Statistic,
    *,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Resample sentences with replacement, the same ones for both systems.

    one, other: (S, k) counts of each sentence.  statistic: sums of counts (B, k) -> scores (B,).
    low, high: percentile interval of the difference.  p_value: share of resamples whose difference is at
    least as far from the observed difference as that is from zero (Efron and Tibshirani 1993, chapter 16);
    the observed sample counts as one resample.
    """
    if one.shape != other.shape:
        raise DataError(
            "the two systems were not scored on the same sentences; score both against the same gold"
        )
    if n_resamples < 1:
        raise OptionError(f"resamples must be 1 or more, got {n_resamples} instead")
    if not 0.0 < confidence < 1.0:
        raise OptionError(f"confidence must be between 0 and 1, got {confidence} instead")
    n, k = one.shape
    if n == 0:
        raise DataError("no sentence was scored for both systems; check that both parsed the gold sentences")
    whole = np.concatenate([one, other], axis=1).astype(np.float64)
    first, second = _scores(whole.sum(axis=0, keepdims=True), k, statistic)
    rng = generator(seed)
    drawn = np.empty(n_resamples)
    for start in range(0, n_resamples, _BLOCK):
        size = min(_BLOCK, n_resamples - start)
        times = rng.multinomial(n, np.full(n, 1.0 / n), size=size).astype(np.float64)
        ours, theirs = _scores(times @ whole, k, statistic)
        drawn[start : start + size] = theirs - ours
    difference = float(second[0] - first[0])
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    as_far = np.abs(drawn - difference) >= abs(difference) - 1e-12  # equal up to rounding
    p_value = (1 + int(as_far.sum())) / (1 + n_resamples)
    return Comparison(
        float(first[0]),
        float(second[0]),
        difference,
        float(low),
        float(high),
        p_value,
        float(np.mean(drawn <= 0.0)),
        n,
        n_resamples,
        confidence,
    )


def _scores(sums: FloatArray, k: int, statistic: Statistic) -> tuple[FloatArray, FloatArray]:
    """The statistic of both halves of summed counts (B, 2k)."""
    return statistic(sums[:, :k]), statistic(sums[:, k:])


def f1_of_sums(sums: FloatArray) -> FloatArray:
    """F1 in percent of summed (matched, gold, guess)."""
    total = sums[:, 1] + sums[:, 2]
    return np.where(total > 0, 200.0 * sums[:, 0] / np.where(total > 0, total, 1.0), 0.0)


def percent_of_sums(sums: FloatArray) -> FloatArray:
    """Percentage of summed (all, right, ...)."""
    return 100.0 * sums[:, 1] / np.maximum(sums[:, 0], 1)


def compare_brackets(
    one: BracketScores,
    other: BracketScores,
    *,
    labelled: bool = True,
    n_resamples: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """Paired bootstrap of corpus F1 between two outputs, over the sentences scored for both."""
    if len(one) != len(other):
        raise DataError(
            f"{len(one)} sentences against {len(other)}; score both outputs against the same gold"
        )
    both = (one.status == OK) & (other.status == OK)
    columns = [
        np.stack([s.matched if labelled else s.unlabelled, s.gold, s.guess], axis=1)[both]
        for s in (one, other)
    ]
    return paired_bootstrap(columns[0], columns[1], f1_of_sums, n_resamples=n_resamples, seed=seed)
