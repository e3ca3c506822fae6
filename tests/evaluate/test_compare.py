"""The paired bootstrap against enumeration and laws."""

import itertools

import numpy as np
import pytest

from eigenparse.errors import DataError, OptionError
from eigenparse.evaluate.brackets import BracketScores, score_lines
from eigenparse.evaluate.compare import compare_brackets, f1_of_sums, paired_bootstrap
from eigenparse.evaluate.tree_lines import read_tree_lines


def counts(rows: list[tuple[int, int, int]]) -> np.ndarray:
    return np.array(rows, dtype=np.int64)


def test_three_sentences_against_all_resamples() -> None:
    one, other = counts([(1, 4, 4), (2, 3, 3), (0, 2, 1)]), counts([(2, 4, 5), (2, 3, 2), (1, 2, 2)])
    found = paired_bootstrap(one, other, f1_of_sums, n_resamples=40_000, seed=3)

    def f1(rows: np.ndarray) -> float:
        matched, gold, guess = rows.sum(axis=0)
        return 200 * matched / (gold + guess)

    every = [f1(other[list(d)]) - f1(one[list(d)]) for d in itertools.product(range(3), repeat=3)]
    observed = f1(other) - f1(one)
    assert found.difference == pytest.approx(observed)
    expected = np.mean([abs(d - observed) >= abs(observed) - 1e-9 for d in every])
    assert found.p_value == pytest.approx(expected, abs=0.01)  # four standard errors
    assert min(every) - 1e-9 <= found.low <= observed <= found.high <= max(every) + 1e-9


def test_a_clear_difference_is_found_and_none_is_not() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(5, 20, size=200)
    good, bad = rng.binomial(gold, 0.9), rng.binomial(gold, 0.8)
    one, other = np.stack([bad, gold, gold], axis=1), np.stack([good, gold, gold], axis=1)
    found = paired_bootstrap(one, other, f1_of_sums, n_resamples=1000)
    assert 0 < found.low < found.difference < found.high
    assert found.p_value == pytest.approx(1 / 1001)
    back = paired_bootstrap(other, one, f1_of_sums, n_resamples=1000)
    assert (back.difference, back.low, back.p_value) == (
        pytest.approx(-found.difference),
        pytest.approx(-found.high),
        found.p_value,
    )
    none = paired_bootstrap(one, one, f1_of_sums, n_resamples=1000)
    assert (none.difference, none.low, none.high, none.p_value) == (0.0, 0.0, 0.0, 1.0)


def test_p_values_under_no_difference_are_spread_evenly() -> None:
    rng = np.random.default_rng(1)
    values = []
    for trial in range(120):
        gold = rng.integers(5, 20, size=80)
        one, other = (np.stack([rng.binomial(gold, 0.8), gold, gold], axis=1) for _ in range(2))
        values.append(paired_bootstrap(one, other, f1_of_sums, n_resamples=300, seed=trial).p_value)
    assert 0.2 < np.mean(np.array(values) < 0.33) < 0.47
    assert np.mean(np.array(values) < 0.05) < 0.12


def test_same_seed_same_answer() -> None:
    one, other = (
        counts([(1, 4, 4), (2, 3, 3), (3, 9, 7)] * 20),
        counts([(2, 4, 5), (1, 3, 2), (5, 9, 8)] * 20),
    )
    first, again, another = (
        paired_bootstrap(one, other, f1_of_sums, n_resamples=500, seed=s) for s in (1, 1, 2)
    )
    assert first == again
    assert first.low != another.low or first.p_value != another.p_value


def test_refusals() -> None:
    one = counts([(1, 1, 1)])
    with pytest.raises(DataError, match="same sentences"):
        paired_bootstrap(one, counts([(1, 1, 1)] * 2), f1_of_sums)
    with pytest.raises(OptionError, match="resamples"):
        paired_bootstrap(one, one, f1_of_sums, n_resamples=0)
    with pytest.raises(DataError, match="no sentence"):
        paired_bootstrap(one[:0], one[:0], f1_of_sums)


def scored(gold: list[str], guess: list[str]) -> BracketScores:
    return score_lines(read_tree_lines(gold), read_tree_lines(guess))


def test_only_sentences_scored_for_both_count() -> None:
    gold = ["(S (NP (NN a)))", "(S (NN b))", "(S (NN c))"]
    one = scored(gold, ["(S (NP (NN a)))", "", "(S (NN c))"])
    other = scored(gold, ["(S (NN a))", "(S (NN b))", "(S (NN x))"])
    found = compare_brackets(one, other, n_resamples=10)
    assert (found.n_sentences, found.one, found.other) == (1, 100.0, pytest.approx(200 / 3))
    unlabelled = compare_brackets(one, other, labelled=False, n_resamples=10)
    assert unlabelled.other == pytest.approx(200 / 3)
    with pytest.raises(DataError, match="same gold"):
        compare_brackets(one, scored(gold[:1], gold[:1]))
