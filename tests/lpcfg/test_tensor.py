"""The method of moments: exact from exact moments, and consistent."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import oracles
from eigenparse.errors import OptionError
from eigenparse.kernels.grammar.moments import Phrases, Values, rule_moments
from eigenparse.learn.grammar.states import StateOptions
from eigenparse.learn.grammar.tensor import tensor_weights
from eigenparse.models.grammar.pcfg import plain_weights
from lpcfg.finite import (
    STATES,
    TRULY_INSIDE,
    TRULY_OUTSIDE,
    Finite,
    encoded_corpus,
    finite,
    learnt,
    projected_corpus,
    well_conditioned,
    whole_trees,
)
from tolerances import POPULATION, ROUNDING, SINGLE, SLOPE, WRONG

SEEDS = range(3)
TEMPLATES = StateOptions(
    states=8, nodes_per_state=1, inside=TRULY_INSIDE, outside=TRULY_OUTSIDE, kappa=None, precision="double"
)


@pytest.fixture(scope="module", params=SEEDS)
def known(request: pytest.FixtureRequest) -> Finite:
    return well_conditioned(request.param, whole_trees())


def worst(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.max(np.abs(found - wanted)) / wanted.max())


def test_finite_grammars_are_proper() -> None:
    for seed in SEEDS:
        assert_allclose(finite(np.random.default_rng(seed)).probability.sum(), 1.0, rtol=ROUNDING)


@pytest.mark.parametrize("level", [False, True])
def test_exact_moments_give_the_true_tree_probabilities(known: Finite, level: bool) -> None:
    encoded, projected, weights = learnt(known.exact_corpus(), whole_trees(level=level))
    assert projected.states.tolist() == [STATES[a] for a in sorted(STATES)]
    assert min(weights.rule_weight.min(), weights.entry_weight.min()) < 0  # signed, or the test is too easy
    assert_allclose(known.score(encoded, weights), known.probability, rtol=POPULATION, atol=POPULATION * 1e-2)


@pytest.mark.parametrize("kappa", [5.0, 100.0])
def test_scaling_features_changes_nothing_in_the_population(known: Finite, kappa: float) -> None:
    encoded, projected, weights = learnt(known.exact_corpus(), whole_trees(kappa=kappa))
    assert projected.states.tolist() == [STATES[a] for a in sorted(STATES)]
    assert worst(known.score(encoded, weights), known.probability) < POPULATION


def test_the_usual_templates_are_exact_where_they_tell_states_apart() -> None:
    """Any function of the inside tree and any function of the outside tree will do."""
    for seed in SEEDS[:2]:
        known = well_conditioned(seed, TEMPLATES)
        encoded, _, weights = learnt(known.exact_corpus(), TEMPLATES)
        assert worst(known.score(encoded, weights), known.probability) < POPULATION


def test_single_precision_is_near(known: Finite) -> None:
    options = whole_trees(precision="single", by_label=tuple(STATES.items()))
    encoded, _, weights = learnt(known.exact_corpus(), options)
    assert worst(known.score(encoded, weights), known.probability) < 10 * SINGLE


def test_more_states_than_the_truth_change_nothing(known: Finite) -> None:
    options = whole_trees(by_label=tuple((a, m + 2) for a, m in STATES.items()))
    encoded, projected, weights = learnt(known.exact_corpus(), options)
    assert projected.states.tolist() == [STATES[a] for a in sorted(STATES)]
    assert worst(known.score(encoded, weights), known.probability) < POPULATION


def test_copies_of_the_corpus_change_nothing(known: Finite) -> None:
    copies = np.random.default_rng(0).multinomial(2_000, known.probability / known.probability.sum())
    once, twice = (learnt(known.corpus(n), whole_trees()) for n in (copies, 2 * copies))
    assert_allclose(known.score(*twice[::2]), known.score(*once[::2]), rtol=POPULATION, atol=POPULATION)


def test_too_few_states_are_wrong(known: Finite) -> None:
    """Negative control: one state a label is the plain PCFG, which these grammars are not."""
    encoded, _, weights = learnt(known.exact_corpus(), whole_trees(states=1))
    assert worst(known.score(encoded, weights), known.probability) > WRONG
    assert_allclose(weights.rule_weight, plain_weights(encoded.skeleton).rule_weight, rtol=ROUNDING)
    assert_allclose(weights.entry_weight, plain_weights(encoded.skeleton).entry_weight, rtol=ROUNDING)


def test_outside_features_without_singular_values_are_wrong(known: Finite) -> None:
    """Negative control: Z must be divided by the singular values."""
    encoded = encoded_corpus(known.exact_corpus())
    projected = projected_corpus(encoded, whole_trees())
    outside = projected.outside.copy()
    for a, sigma in projected.singular.items():
        rows = np.flatnonzero(encoded.trees.label == a)
        outside[projected.at[rows][:, None] + np.arange(sigma.size)] *= sigma
    wrong = tensor_weights(encoded, replace(projected, outside=outside), 0.0)
    assert worst(known.score(encoded, wrong), known.probability) > WRONG


def rate(known: Finite, sizes: list[int], options: StateOptions, seeds: int) -> float:
    """Slope of log error over log sample size; the error is the sum over all trees of |p - p'|."""
    errors = []
    for n in sizes:
        total = 0.0
        for seed in range(seeds):
            copies = np.random.default_rng([n, seed]).multinomial(
                n, known.probability / known.probability.sum()
            )
            encoded, _, weights = learnt(known.corpus(copies), options)
            total += float(np.abs(known.score(encoded, weights) - known.probability).sum())
        errors.append(total / seeds)
    return float(np.polyfit(np.log(sizes), np.log(errors), 1)[0])


SIZES = [1_000, 3_000, 9_000, 27_000]


def test_the_error_falls_as_the_root_of_the_sample_size() -> None:
    known = well_conditioned(0, whole_trees(), least=0.1)
    options = whole_trees(by_label=tuple(STATES.items()))
    slope = rate(known, SIZES, options, 4)
    assert SLOPE[0] < slope < SLOPE[1]


def test_the_error_of_a_plain_pcfg_does_not_fall() -> None:
    """Negative control of the rate: no amount of data mends a wrong model."""
    known = well_conditioned(0, whole_trees(), least=0.1)
    assert rate(known, SIZES, whole_trees(states=1), 2) > -0.1


def moments_case(seed: int) -> dict[str, np.ndarray]:
    """Two phrase rules with rows of random projections; labels of 2, 3 and 1 states."""
    rng = np.random.default_rng(seed)
    label, left, right = [], [], []
    for rule in [0] * 5 + [1] * 3:
        b, c = ((1, 2), (1, 1))[rule]
        left.append(-1), right.append(-1), label.append(b)
        left.append(-1), right.append(-1), label.append(c)
        left.append(len(label) - 2), right.append(len(label) - 1), label.append(0)
    states = np.array([2, 3, 1], dtype=np.int32)
    label, left, right = (np.array(c, dtype=np.int32) for c in (label, left, right))
    at = np.concatenate(([0], np.cumsum(states[label]))).astype(np.int64)
    return {
        "label": label, "left": left, "right": right, "at": at, "states": states,
        "Y": rng.standard_normal(at[-1]), "Z": rng.standard_normal(at[-1]),
        "rules": np.array([[0, 1, 2], [0, 1, 1]], dtype=np.int32),
    }  # fmt: skip


def plain_moment(case: dict[str, np.ndarray], rule: int, C: float) -> np.ndarray:
    """The back-off of the notes, written out with einsum."""
    label, at, rows = case["label"], case["at"], np.flatnonzero(case["left"] >= 0)
    a, b, c = case["rules"][rule]
    rows = [i for i in rows if label[case["left"][i]] == b and label[case["right"][i]] == c]
    part = lambda column, i: column[at[i] : at[i + 1]]  # noqa: E731
    z = np.array([part(case["Z"], i) for i in rows])
    y = np.array([part(case["Y"], case["left"][i]) for i in rows])
    x = np.array([part(case["Y"], case["right"][i]) for i in rows])
    n = len(rows)
    mean = lambda column, k: np.mean([part(column, i) for i in np.flatnonzero(label == k)], axis=0)  # noqa: E731
    e1 = np.einsum("na,nb,nc->abc", z, y, x) / n
    e2 = (
        np.einsum("na,nb,mc->abc", z, y, x)
        + np.einsum("na,nc,mb->abc", z, x, y)
        + np.einsum("nb,nc,ma->abc", y, x, z)
    ) / (3 * n * n)
    e3 = np.einsum("a,b,c->abc", z.mean(0), y.mean(0), x.mean(0))
    e4 = np.einsum("a,b,c->abc", mean(case["Z"], a), mean(case["Y"], b), mean(case["Y"], c))
    keep = np.sqrt(n) / (C + np.sqrt(n))
    smooth = keep * e1 + (1 - keep) * (keep * e2 + (1 - keep) * (keep * e3 + (1 - keep) * e4))
    return n / np.sum(label == a) * smooth


@pytest.mark.parametrize("C", [0.0, 0.5, 12.2, 1e9])
def test_rule_moments_equal_plain_sums(C: float) -> None:
    case = moments_case(3)
    label, at, states, rules = case["label"], case["at"], case["states"], case["rules"]
    mean_at = np.concatenate(([0], np.cumsum(states))).astype(np.int64)
    means = []
    for column in (case["Y"], case["Z"]):
        parts = [[column[at[i] : at[i + 1]] for i in np.flatnonzero(label == k)] for k in range(3)]
        means.append(np.concatenate([np.mean(p, axis=0) for p in parts]))
    rows = np.flatnonzero(case["left"] >= 0)
    first = np.array([0, 5, 8], dtype=np.int64)
    rule_at = np.array([0, 6, 24], dtype=np.int64)
    out = np.full(24, np.nan)
    count = np.bincount(label)
    phrases = Phrases(rows, first, case["left"], case["right"], np.ones(len(label)))
    values = Values(at, case["Y"], case["Z"])
    rule_moments(rules, phrases, values, count, Values(mean_at, *means), C, rule_at, out)
    assert_allclose(out[:6].reshape(2, 3, 1), plain_moment(case, 0, C), rtol=ROUNDING, atol=ROUNDING)
    assert_allclose(out[6:].reshape(2, 3, 3), plain_moment(case, 1, C), rtol=ROUNDING, atol=ROUNDING)


def test_strong_smoothing_leaves_the_label_wide_means(known: Finite) -> None:
    """The last level of the back-off is the product of label-wide means."""
    corpus = known.exact_corpus()
    far = learnt(corpus, whole_trees(), smoothing=1e12)
    encoded, projected, weights = far
    label = encoded.trees.label
    for r, (a, b, c) in enumerate(encoded.skeleton.rules):
        mean = []
        for k, column in ((a, projected.outside), (b, projected.inside), (c, projected.inside)):
            rows = np.flatnonzero(label == k)
            mean.append(column[projected.at[rows][:, None] + np.arange(weights.states[k])].mean(axis=0))
        share = encoded.skeleton.rule_probability[r]
        found = weights.rule_weight[weights.rule_at[r] : weights.rule_at[r + 1]]
        assert_allclose(found, share * np.einsum("a,b,c->abc", *mean).ravel(), rtol=1e-6, atol=1e-9)


def test_precision_must_be_known() -> None:
    with pytest.raises(OptionError, match="precision"):
        StateOptions(precision="half")


def test_enumeration_finds_every_tree_of_a_finite_grammar() -> None:
    known = finite(np.random.default_rng(1))
    lengths = {len(oracles.leaves(tree)) for tree in known.trees}
    assert lengths <= {1, 2, 3}
