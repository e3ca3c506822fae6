"""Taggers in batches: the first batch alone is ``fit``, and any split and order of the rest is one pass."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from tests.sequence.corpora import as_lists, fit, toy_corpus
from tests.sequence.exact import EXACT, FEATURES, SEEDS, worst_error
from tests.sequence.oracles import draw_model, symbols_as_sequences, window_corpus, window_weights, wrap

from eigenparse.errors import DataError
from eigenparse.estimators import RefinementHMMTagger
from eigenparse.learn.tagger.emission import BackoffEmission
from eigenparse.learn.tagger.spectral import SpectralChoices, neutral_vector
from eigenparse.learn.tagger.stream import streamed_parts, tagger_dictionary, tagger_moments


@pytest.fixture(scope="module")
def toy():
    return as_lists(toy_corpus(300))


def tagger(**changes):
    return RefinementHMMTagger(**{"states": 3, "emission": "class", "strength": 30.0, **changes})


def test_a_first_batch_alone_is_what_fit_learns(toy):
    X, y = toy
    corpus = toy_corpus(300)
    whole = fit(corpus, states=3, emission="class", strength=30.0, weight=5.0).first
    part = tagger().partial_fit(X, y).model_.first
    order = np.argsort(whole.labels)  # the estimator numbers labels in sorted order
    assert part.operators.states.tolist() == whole.operators.states[order].tolist()
    assert max(part.operators.states) > 1
    fitted = tagger().fit(X, y)
    for name in ("start", "stop", "values", "first", "base", "last"):
        mine, theirs = getattr(part.operators, name), getattr(fitted.model_.first.operators, name)
        assert_allclose(mine, theirs, atol=1e-8, err_msg=name)
    mine, theirs = (np.concatenate(one.predict_proba(X)) for one in (tagger().partial_fit(X, y), fitted))
    assert_allclose(mine, theirs, atol=1e-8)


@pytest.mark.parametrize("emission", ["class", "backoff"])
def test_merging_equals_one_pass(toy, emission):
    X, y = toy
    first = tagger(emission=emission).partial_fit(X[:100], y[:100])
    once = tagger(emission=emission).partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    here, there = (
        tagger(emission=emission).start_of(first).partial_fit(X[i:j], y[i:j])
        for i, j in ((100, 170), (170, 300))
    )
    several = there.merge(first).merge(here)
    mine, theirs = (np.concatenate(one.predict_proba(X)) for one in (several, once))
    assert_allclose(mine, theirs, atol=1e-10)
    for name in ("first", "base", "last"):
        mine, theirs = (getattr(one.model_.first.operators, name) for one in (several, once))
        assert np.array_equal(mine, theirs)
    assert several.model_.first.words == once.model_.first.words


def test_more_batches_come_near_to_learning_from_everything(toy):
    X, y = toy
    streamed = tagger().partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    test_X, test_y = as_lists(toy_corpus(200, seed=1))
    base = RefinementHMMTagger(method="hmm", emission="class").fit(X, y).score(test_X, test_y)
    assert streamed.score(test_X, test_y) > base + 0.02
    assert abs(streamed.score(test_X, test_y) - tagger().fit(X, y).score(test_X, test_y)) < 0.02


def test_what_does_not_add_up_is_refused(toy):
    X, y = toy
    assert not hasattr(RefinementHMMTagger(), "partial_fit")
    assert not hasattr(tagger(method="em"), "merge")
    first = tagger().partial_fit(X[:50], y[:50])
    with pytest.raises(DataError, match="not in the first batch"):
        first.partial_fit([["x"]], [["C"]])
    with pytest.raises(DataError, match="different first batches"):
        first.merge(tagger().partial_fit(X[50:], y[50:]))
    wide = tagger().partial_fit(X[:50], y[:50], classes=["A", "B", "C"])
    assert wide.partial_fit([["x", "never"]], [["C", "A"]]).classes_.tolist() == ["A", "B", "C"]
    assert not hasattr(clone(wide), "dictionary_")


def test_population_moments_under_projections_of_another_sample_give_the_true_probabilities():
    """Views that are neither centred nor dual are put right in the sums."""
    for seed in SEEDS:
        model = draw_model(seed)
        A, m, n = model.shape
        exact = window_corpus(model, window_weights(model))
        noise = np.random.default_rng(seed).uniform(0.5, 1.5, exact.weights.size)
        emission = BackoffEmission(("x",))
        choices = SpectralChoices(**{"states": m, **EXACT})
        other = replace(exact, weights=exact.weights * noise)
        fixed = tagger_dictionary(other, FEATURES, emission, ("x",), choices, 0)
        operators, seen = streamed_parts(fixed, tagger_moments(fixed, exact), strength=0.0)
        joint = np.zeros((n, A))
        np.add.at(joint, (exact.sequences.column("x").ids, exact.labels), exact.weights)
        vectors = np.tile(neutral_vector(m), (n, A, 1))
        symbols = [symbols_as_sequences([[k]], n) for k in range(n)]
        for k, sequence in enumerate(symbols):
            key = int(seen.levels(sequence)[0, 0])
            for row in range(seen.row_at[key], seen.row_at[key + 1]):
                vectors[k, seen.row_label[row]] = seen.vectors[row]
        learnt = wrap(operators, vectors, np.maximum(joint, 1e-300) / joint.sum(axis=0))
        assert worst_error(model, learnt) < 1e-8
