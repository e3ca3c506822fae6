"""Smoothing by runs: without it the operators are the exact ones, without end it is the bigram HMM."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.sequence.exact import EXACT, FEATURES, SEEDS, worst_error
from tests.sequence.oracles import POPULATION, draw_model, window_corpus, window_weights, wrap

from eigenparse.features.tagger.templates import parse_template
from eigenparse.learn.tagger.base import fit_bigram, one_state
from eigenparse.learn.tagger.runs import (
    between_runs,
    estimate_run_operators,
    run_edges,
    run_smoothing,
    within_run,
)
from eigenparse.learn.tagger.spectral import (
    SpectralChoices,
    chain_views,
    estimate_observations,
    estimate_operators,
    neutral_vector,
)


def learnt_by_runs(model, strength):
    """Population data, exact views and operators smoothed by runs."""
    data = window_corpus(model, window_weights(model))
    choices = SpectralChoices(**{"states": model.shape[1], **EXACT, "strength": strength})
    bigram = fit_bigram(data, strength=0.0)
    views = chain_views(data, FEATURES, choices, 0)
    return data, choices, bigram, views, estimate_run_operators(data, views, bigram, choices)


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_without_smoothing_the_operators_are_the_exact_ones(seed):
    model = draw_model(seed)
    data, choices, bigram, views, mine = learnt_by_runs(model, 0.0)
    exact = estimate_operators(data, views, bigram, choices)
    for name in ("start", "stop", "block", "values"):
        assert_allclose(getattr(mine, name), getattr(exact, name), rtol=1e-9, atol=1e-9)
    seen = estimate_observations(data, views.destiny, (parse_template("x"),), neutral_vector(2), 0.0)
    A, _, n = model.shape
    x = data.sequences.column("x").ids
    vectors = np.tile(neutral_vector(2), (n, A, 1))
    for k, symbol in enumerate(dict.fromkeys(x.tolist())):
        for row in range(seen.row_at[k], seen.row_at[k + 1]):
            vectors[symbol, seen.row_label[row]] = seen.vectors[row]
    counts = np.zeros((n, A))
    np.add.at(counts, (x, data.labels), data.weights)
    assert worst_error(model, wrap(mine, vectors, counts / counts.sum(axis=0))) < POPULATION


def test_without_end_it_is_the_bigram_hmm():
    data, _, bigram, views, mine = learnt_by_runs(draw_model(SEEDS[0]), 1e14)
    base = one_state(bigram)
    A, m = len(data.names), views.states
    for a in range(A):
        for b in range(A):
            at = int(mine.block[b * A + a])
            tensor = mine.values[at : at + m[b] * m[a] * m[a]]
            assert_allclose(tensor[0], base.base[b, a], rtol=1e-9)
            assert_allclose(tensor[1:], 0.0, atol=1e-5)


def test_rare_pairs_begin_as_other_runs_do():
    """By hand: one row from a to b, an edge that was seen often."""
    smoothing = run_smoothing(20.0)  # begin = 5 counts, edge = 10
    enter, leave = np.array([1.0, 4.0]), np.array([[1.0, 2.0], [3.0, 5.0]])
    x, y, z = np.array([[1.0, -2.0]]), np.array([[1.0, 1.0]]), np.array([[1.0, 0.0]])
    made = between_runs(x, y, z, np.ones(1), enter, leave, smoothing)
    hx = (x[0] + 5.0 * enter) / 6.0
    yz = (np.outer(y[0], z[0]) + 10.0 * leave) / 11.0
    assert_allclose(made, hx[:, None, None] * yz, rtol=1e-12)


def test_within_a_run_unsmoothed_is_the_plain_third_moment():
    rng = np.random.default_rng(5)
    x, y, z = (np.hstack([np.ones((40, 1)), rng.standard_normal((40, 3))]) for _ in range(3))
    weights = rng.random(40)
    plain = np.einsum("n,ni,nj,nk->ijk", weights / weights.sum(), x, y, z)
    assert_allclose(within_run(x, y, z, weights, run_smoothing(0.0)), plain, rtol=1e-9, atol=1e-12)


def test_edges_are_means_over_beginnings_and_ends():
    data, _, _, views, _ = learnt_by_runs(draw_model(SEEDS[0]), 0.0)
    edges = run_edges(data, views, run_smoothing(0.0))
    for a in range(len(data.names)):
        assert edges.enter[a][0] == pytest.approx(1.0)
        assert edges.leave[a][0, 0] == pytest.approx(1.0)
