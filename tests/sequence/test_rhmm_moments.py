"""Spectral estimation from exact population moments gives the true probabilities; wrong moments do not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.sequence.exact import EXACT, FEATURES, SEEDS, STRINGS, worst_error
from tests.sequence.oracles import (
    POPULATION,
    all_labellings,
    draw_model,
    joint,
    symbols_as_sequences,
    window_corpus,
    window_weights,
    wrap,
)

from eigenparse.features.tagger.templates import parse_template
from eigenparse.inference.tagger.chain import NO_PRUNING, posteriors
from eigenparse.inference.tagger.kbest import joint_log
from eigenparse.learn.tagger.base import fit_bigram
from eigenparse.learn.tagger.spectral import (
    SpectralChoices,
    chain_views,
    estimate_observations,
    estimate_operators,
    neutral_vector,
)
from eigenparse.spectral.chain_moments import centred_projection
from eigenparse.spectral.svd import FeatureRows


def learn(model, weights, **changes):
    """A tagger from window weights without smoothing."""
    A, m, n = model.shape
    data = window_corpus(model, weights)
    choices = SpectralChoices(**{"states": m, **EXACT, **changes})
    m = choices.states
    bigram = fit_bigram(data, strength=0.0)
    views = chain_views(data, FEATURES, choices, 0)
    operators = estimate_operators(data, views, bigram, choices)
    seen = estimate_observations(
        data, views.destiny, (parse_template("x"),), neutral_vector(m), choices.weight
    )
    x = data.sequences.column("x").ids
    joint_counts = np.zeros((n, A))
    np.add.at(joint_counts, (x, data.labels), data.weights)
    vectors = np.tile(neutral_vector(m), (n, A, 1))
    # keys come in order of first appearance
    order = list(dict.fromkeys(x.tolist()))
    for k, symbol in enumerate(order):
        for row in range(seen.row_at[k], seen.row_at[k + 1]):
            vectors[symbol, seen.row_label[row]] = seen.vectors[row]
    emission = np.maximum(joint_counts, 1e-300) / joint_counts.sum(axis=0)
    return wrap(operators, vectors, emission)


@pytest.mark.parametrize("seed", SEEDS)
def test_population_moments_give_the_true_probabilities(seed):
    model = draw_model(seed)
    learnt = learn(model, window_weights(model))
    assert learnt.operators.states.tolist() == [2, 2]
    assert worst_error(model, learnt) < POPULATION
    for labels in all_labellings(model, 3):
        value, sign = joint_log(
            learnt, symbols_as_sequences([[1, 0, 2]], 3), np.array(labels, dtype=np.int32)
        )
        assert_allclose(sign[0] * np.exp(value[0]), joint(model, labels, [1, 0, 2]), rtol=POPULATION)


def test_one_position_a_sequence_is_inconsistent():
    """Sections 5.1 and 6 draw one position per sequence: wrong when lengths differ."""
    errors = []
    for seed in SEEDS:
        model = draw_model(seed)
        errors.append(worst_error(model, learn(model, window_weights(model, one_position=True))))
    assert min(errors) > 1e-2


def test_error_falls_with_the_square_root_of_the_sample():
    model = draw_model(SEEDS[0])
    p = window_weights(model)
    sizes = 10.0 ** np.arange(5, 9)
    errors = []
    for k, size in enumerate(sizes):
        rng = np.random.default_rng(100 + k)
        draws = [rng.multinomial(int(size), p / p.sum()).astype(float) for _ in range(5)]
        errors.append(np.median([worst_error(model, learn(model, draw)) for draw in draws]))
    slope = np.polyfit(np.log(sizes), np.log(errors), 1)[0]
    assert -0.7 < slope < -0.3


def test_duplicating_the_corpus_changes_nothing():
    model = draw_model(SEEDS[0])
    w = window_weights(model)
    once, thrice = learn(model, w), learn(model, 3.0 * w)
    assert_allclose(thrice.operators.values, once.operators.values, rtol=1e-6, atol=1e-8)


def test_full_smoothing_is_the_bigram_hmm():
    model = draw_model(SEEDS[0])
    w = window_weights(model)
    smooth = learn(model, w, strength=1e12, weight=1e12)
    single = learn(model, w, states=1)
    sequences = symbols_as_sequences(STRINGS, 3)
    one, other = (posteriors(m, sequences, pruning=NO_PRUNING) for m in (smooth, single))
    assert_allclose(one.log_abs, other.log_abs, rtol=0, atol=1e-6)
    assert_allclose(one.marginal, other.marginal, rtol=0, atol=1e-6)


def test_sides_without_anything_in_common_have_one_state() -> None:
    same = FeatureRows(np.zeros((5, 1), dtype=np.int32), np.ones(3))
    found = centred_projection(same, same, np.ones(5), 4, rng=np.random.default_rng(0))
    assert found.singular.size == 0
    assert found.one(same).tolist() == [[1.0]] * 5
