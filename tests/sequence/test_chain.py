"""HMMs over symbols: enumeration, population moments, printed variants that fail, EM, files, command line."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from tests.sequence.chains import draw_hmm, names
from tests.sequence.oracles import POPULATION
from typer.testing import CliRunner

import eigenparse.cli.verbs  # noqa: F401
from eigenparse.cli.main import app
from eigenparse.errors import DataError, OptionError
from eigenparse.inference.hmm.chain import filtered, next_symbol, posterior_states, sample
from eigenparse.learn.hmm.em import EmChoices, baum_welch, random_start
from eigenparse.learn.hmm.learner import HmmOptions
from eigenparse.learn.hmm.spectral import ChainChoices, Symbols, fit_spectral_hmm
from eigenparse.models.hmm.chain import proper_chain
from eigenparse.models.registry import load_model, save_model


def enumerate_total(start, T, E, word):
    total = 0.0
    for path in itertools.product(range(start.size), repeat=len(word)):
        p = start[path[0]] * E[word[0], path[0]]
        for t in range(1, len(word)):
            p *= T[path[t], path[t - 1]] * E[word[t], path[t]]
        total += p
    return total


def operator_product(model, word):
    """b_inf' B[x_n] .. B[x_1] b_1, which may be negative."""
    state = model.initial
    for x in word:
        state = model.operators[x] @ state
    return model.final @ state


def one(word):
    return np.array(word, dtype=np.int32), np.array([0, len(word)])


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), n=st.integers(1, 5))
def test_totals_filters_and_operators_agree_with_enumeration(seed, n):
    start, T, E = draw_hmm(seed)
    model = proper_chain(names(5), "word", start, T, E)
    word = np.random.default_rng(seed).integers(0, 5, n)
    true = enumerate_total(start, T, E, word)
    assert_allclose(operator_product(model, word), true, rtol=1e-10)
    assert_allclose(np.exp(filtered(model, *one(word)).log_p.sum()), true, rtol=1e-10)
    assert_allclose(posterior_states(model, *one(word)).sum(axis=1), 1.0, rtol=1e-10)


def test_next_symbol_is_the_ratio_of_totals():
    start, T, E = draw_hmm(1)
    model = proper_chain(names(5), "word", start, T, E)
    ratio = [enumerate_total(start, T, E, [0, 3, x]) for x in range(5)] / np.float64(
        enumerate_total(start, T, E, [0, 3])
    )
    assert_allclose(next_symbol(model, np.array([0, 3], dtype=np.int32)), ratio, rtol=1e-9)


def population(start, T, E, length):
    """All strings of a length as weighted sequences; the second token alone enters the moments."""
    words = list(itertools.product(range(E.shape[0]), repeat=length))
    p = np.array([enumerate_total(start, T, E, word) for word in words])
    ids = np.array(words, dtype=np.int32).reshape(-1)
    weights = np.zeros((len(words), length))
    weights[:, 1] = p
    offsets = np.arange(len(words) + 1) * length
    return Symbols(ids, offsets, names(E.shape[0]), weights.reshape(-1), p)


EXACT = {"kappa": 0.0, "kappa_past": 0.0, "cutoff": 1e-9, "shrink": 0.0, "floor": 0.0}


def worst(model, start, T, E):
    errors = []
    for word in ([0], [1, 2], [2, 0, 1], [3, 3, 1, 0], [0, 1, 2, 3, 2, 1]):
        errors.append(abs(operator_product(model, word) / enumerate_total(start, T, E, word) - 1.0))
    return max(errors)


@pytest.mark.parametrize("form", ["hsu", "foster"])
@pytest.mark.parametrize(("window", "length"), [(1, 3), (2, 4)])
@pytest.mark.parametrize("seed", [2, 5, 9])
def test_population_moments_give_the_true_probabilities(form, window, length, seed):
    start, T, E = draw_hmm(seed, k=2, n=4)
    data = population(start, T, E, length)
    model = fit_spectral_hmm(data, "word", ChainChoices(states=2, window=window, form=form, **EXACT))
    assert model.n_states == 2
    assert worst(model, start, T, E) < POPULATION


def test_dictionary_without_regression_fails():
    """C(y) with y = U'e_x and a dictionary U that is not orthonormal in range(O), as printed, is wrong."""
    start, T, E = draw_hmm(5, k=2, n=4)
    h1 = start
    P21 = E @ T @ np.diag(h1) @ E.T
    U = np.random.default_rng(0).standard_normal((4, 2))  # U'O is invertible: all that the paper asks for
    Sigma = U.T @ P21 @ U
    K = np.einsum(
        "zi,yj,xk,zyx->ijk", U, U, U, np.einsum("zh,hg,yg,g,gf,xf->zyx", E, T, E, np.ones(2), T * h1, E)
    )
    invS = np.linalg.inv(Sigma)
    a = P21 @ U @ invS
    c1 = U.T @ E @ h1
    cinf = (U.T @ E @ h1) @ invS

    def total(word, dictionary):
        state = c1
        for x in word:
            state = np.einsum("ijk,j->ik", K, dictionary[x]) @ invS @ state
        return cinf @ state

    words = ([0, 1], [2, 0, 1], [3, 3, 1])
    true = np.array([enumerate_total(start, T, E, word) for word in words])
    printed = np.array([total(word, U) for word in words])
    regression = np.array([total(word, a) for word in words])
    assert_allclose(regression, true, rtol=1e-8)
    assert np.abs(printed / true - 1.0).max() > 1e-2


def test_predictions_are_distributions_and_close_to_the_truth():
    start, T, E = draw_hmm(4, k=3, n=6)
    true = proper_chain(names(6), "word", start, T, E)
    ids, _ = sample(true, np.full(400, 100), seed=1)
    offsets = np.arange(401) * 100
    model = HmmOptions(states=3).fit_symbols(Symbols.of(ids, offsets, names(6)), "word")
    test, _ = sample(true, np.full(50, 100), seed=2)
    found, best = filtered(model, test, offsets[:51]), filtered(true, test, offsets[:51])
    assert best.perplexity <= found.perplexity < 1.01 * best.perplexity
    p = next_symbol(model, test[:20])
    assert p.min() > 0.0
    assert_allclose(p.sum(), 1.0, rtol=1e-12)


def test_em_never_goes_down_and_clusters_start_higher():
    start, T, E = draw_hmm(6, k=3, n=6)
    ids, _ = sample(proper_chain(names(6), "word", start, T, E), np.full(100, 30), seed=3)
    data = Symbols.of(ids, np.arange(101) * 30, names(6))
    choices = EmChoices(states=3, rounds=30, pseudo=0.0, tolerance=0.0)
    _, trace = baum_welch(data, lambda: random_start(data, choices), choices)
    assert np.diff(trace).min() > -1e-9 * abs(trace[0])
    model = HmmOptions("cluster", states=3, em_rounds=5).fit_symbols(data, "word")
    assert model.about["log_likelihood"][0] > trace[0]
    assert posterior_states(model, data.ids, data.offsets).shape == (3000, 3)


@pytest.mark.parametrize("method", ["spectral", "cluster", "em"])
@pytest.mark.parametrize("wrong", [{"states": 0}, {"states": -3}, {"window": 0}, {"em_rounds": -1}])
def test_numbers_out_of_range_are_refused(method, wrong):
    with pytest.raises(OptionError, match=f"{next(iter(wrong))} must be [01] or more, got"):
        HmmOptions(method=method, **wrong)


def test_files_and_bad_requests(tmp_path):
    start, T, E = draw_hmm(7)
    proper = proper_chain(names(5), "word", start, T, E)
    ids, _ = sample(proper, np.full(50, 40), seed=1)
    data = Symbols.of(ids, np.arange(51) * 40, names(5))
    for model in (proper, HmmOptions(states=3).fit_symbols(data, "word")):
        save_model(model, tmp_path / "m", "hmm")
        again = load_model(tmp_path / "m", "hmm")
        assert_allclose(
            filtered(again, ids, data.offsets).log_p, filtered(model, ids, data.offsets).log_p, rtol=1e-12
        )
    with pytest.raises(DataError, match="method cluster or em"):
        sample(again, np.array([3]), seed=0)
    with pytest.raises(OptionError, match="form must be"):
        HmmOptions(form="other")
    with pytest.raises(DataError, match="longer than the window"):
        HmmOptions().fit_symbols(Symbols.of(ids[:2], np.array([0, 1, 2]), names(5)), "word")


def test_command_line(tmp_path):
    text = tmp_path / "t.txt"
    text.write_text("abab abba\n" * 60)
    for method in ("spectral", "cluster", "em"):
        done = CliRunner().invoke(
            app,
            [
                "train",
                "hmm",
                str(text),
                "--method",
                method,
                "--states",
                "3",
                "--out",
                str(tmp_path / "m"),
                "--dev",
                str(text),
            ],
        )
        assert done.exit_code == 0, done.output
        assert "perplexity" in done.output
        assert load_model(tmp_path / "m", "hmm").unit == "char"


def test_pairs_of_symbols_are_products_of_operators_at_the_population():
    start, T, E = draw_hmm(3, k=2, n=4)
    data = population(start, T, E, 4)
    model = fit_spectral_hmm(data, "word", ChainChoices(states=2, pair_share=0.5, **EXACT))
    products = np.einsum("yj,xjk->xyk", model.predict, model.operators)
    assert_allclose(model.pairs, products, atol=POPULATION)
    true = proper_chain(names(4), "word", start, T, E)
    words, offsets = np.array([0, 3, 1, 2, 2, 0], dtype=np.int32), np.array([0, 4, 6])
    repaired = 0.03  # what the little of reset states that keeps filters stable changes here
    assert_allclose(
        filtered(model, words, offsets).log_p, filtered(true, words, offsets).log_p, atol=repaired
    )
    found = next_symbol(model, words[:3])
    assert_allclose(np.log(found[words[3]]), filtered(model, words, offsets).log_p[3], rtol=1e-9)
    assert_allclose(found.sum(), 1.0, rtol=1e-12)


def test_pairs_help_where_states_are_too_few_and_are_kept_in_files(tmp_path):
    """A cycle of blocks needs more states than it is given: the choice on held-out text takes the pairs."""
    rng = np.random.default_rng(0)
    move = rng.dirichlet(np.full(12, 0.15), size=12)
    ids = np.zeros(40_000, dtype=np.int32)
    for t in range(1, ids.size):
        ids[t] = rng.choice(12, p=move[ids[t - 1]])
    offsets = np.arange(0, 40_001, 100)
    data = Symbols.of(ids[:36_000], offsets[:361], names(12))
    without, chosen = (
        fit_spectral_hmm(data, "word", ChainChoices(states=4, pair_share=share)) for share in (0.0, None)
    )
    assert chosen.pair_share > 0.0
    values = [filtered(model, ids[36_000:], offsets[:41]).perplexity for model in (without, chosen)]
    assert values[1] < 0.95 * values[0]
    save_model(chosen, tmp_path / "m", "hmm")
    again = load_model(tmp_path / "m", "hmm")
    assert (again.pairs == chosen.pairs).all()
    assert again.pair_share == chosen.pair_share


def test_error_falls_with_the_square_root_of_the_sample():
    """Multinomial tables of all strings of four symbols, up to 1e8 of them: log error has a slope near -1/2."""
    start, T, E = draw_hmm(9, k=2, n=4)
    exact = population(start, T, E, 4)
    p = exact.start_weights / exact.start_weights.sum()
    sizes, errors = np.array([10**4, 10**5, 10**6, 10**7, 10**8]), []
    for size in sizes:
        found = []
        for seed in range(6):
            counts = np.random.default_rng((seed, int(size))).multinomial(size, p).astype(float)
            weights = np.zeros((counts.size, 4))
            weights[:, 1] = counts
            data = Symbols(exact.ids, exact.offsets, exact.names, weights.reshape(-1), counts)
            model = fit_spectral_hmm(data, "word", ChainChoices(states=2, pair_share=0.0, **EXACT))
            found.append(worst(model, start, T, E))
        errors.append(np.median(found))
    slope = np.polyfit(np.log(sizes), np.log(errors), 1)[0]
    assert -0.65 < slope < -0.35
    assert errors[-1] < 1e-2
