"""The latent tree model: algorithm 1, its estimators and their laws on known models."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.dependency.latent import Truth, draw_truth, enumerate_tree, family_table, moments
from tests.dependency.oracles import all_trees

from eigenparse.inference.dependency.deptree import score_symbols
from eigenparse.learn.dependency.instruments import (
    WordViews,
    instrument_moments,
    instrument_parameters,
)
from eigenparse.learn.dependency.moments import (
    SpectralParameters,
    consistent_parameters,
    printed_parameters,
    visible_states,
)
from eigenparse.models.dependency.deptree import DepTree, proper_model

ROUNDING = 1e-10  # the same sum in another order
POPULATION = 1e-8  # a few well-conditioned inverses
K, N = 3, 6


def model_of(p: SpectralParameters, n: int) -> DepTree:
    return DepTree(
        "test",
        ("form",),
        (tuple(map(str, range(n))),),
        p.start,
        p.transition,
        p.observation,
        p.final,
        p.product,
    )


def true_model(truth: Truth) -> DepTree:
    names = (tuple(map(str, range(truth.O.shape[0]))),)
    return proper_model("truth", ("form",), names, truth.pi, truth.T, truth.O)


def some_trees(
    seed: int, sizes: tuple[int, ...] = (1, 2, 3, 4, 5)
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    rng = np.random.default_rng(seed)
    chosen = []
    for n in sizes:
        shapes = all_trees(n, projective=n > 4)
        for _ in range(4):
            words = tuple(int(w) for w in rng.integers(N, size=n))
            chosen.append((shapes[rng.integers(len(shapes))], words))
    return chosen


def totals(model: DepTree, trees: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> np.ndarray:
    head = np.array([h for heads, _ in trees for h in heads], dtype=np.int32)
    symbols = np.array([w for _, words in trees for w in words], dtype=np.int32)[:, None]
    offsets = np.cumsum([0] + [len(heads) for heads, _ in trees])
    found = score_symbols(model, head, offsets, symbols)
    return found.sign * np.exp(found.log_abs)


def random_dictionary(seed: int) -> np.ndarray:
    return np.random.default_rng((seed, 99)).uniform(-1, 1, size=(N, K))


@pytest.mark.parametrize("seed", range(5))
def test_algorithm_1_equals_enumeration_in_any_basis(seed: int) -> None:
    truth, trees = draw_truth(K, N, seed), some_trees(seed)
    expected = [enumerate_tree(truth, *tree) for tree in trees]
    assert_allclose(totals(true_model(truth), trees), expected, rtol=ROUNDING)
    G = np.random.default_rng(seed).normal(size=(K, K))
    B = np.linalg.inv(G)
    D = np.einsum("ai,ji,ib->jab", G, G, B)  # D(y) = G diag(G'y) G^-1
    moved = SpectralParameters(G @ truth.pi, B.sum(axis=0), G @ truth.T @ B, D, truth.O @ B)
    assert_allclose(totals(model_of(moved, N), trees), expected, rtol=1e-8)


@pytest.mark.parametrize("seed", range(10))
def test_consistent_estimator_is_exact_on_population_moments(seed: int) -> None:
    truth, trees = draw_truth(K, N, seed), some_trees(seed)
    expected = [enumerate_tree(truth, *tree) for tree in trees]
    p = consistent_parameters(moments(truth, random_dictionary(seed)))
    assert_allclose(totals(model_of(p, N), trees), expected, rtol=POPULATION)
    # A leaf is c_inf' D(y_x) with y_x the regression dictionary, here and only here twice the same.
    leaf = np.einsum("a,jab,xj->xb", p.final, p.product, p.observation)
    assert_allclose(leaf, p.observation, atol=POPULATION)


def printed(truth: Truth, U: np.ndarray) -> SpectralParameters:
    """The printed estimator on population moments; pairs are families, words pooled over roles."""
    m = moments(truth, U)
    parts = truth.rho + truth.T[0] @ truth.rho + truth.T[1] @ truth.rho + truth.pi
    mean = U.T @ truth.O @ (parts / 4)
    return printed_parameters(m, mean, m.pair_left / m.n, m.pair_right / m.n, U)


@pytest.mark.parametrize("seed", range(5))
def test_printed_estimator_is_wrong_unless_all_laws_are_equal(seed: int) -> None:
    trees = some_trees(seed, (2, 3, 4))
    for equal in (False, True):
        truth = draw_truth(K, N, seed, equal=equal)
        U = np.linalg.svd(truth.O, full_matrices=False)[0]  # spans the range of O, as the paper needs
        expected = np.array([enumerate_tree(truth, *tree) for tree in trees])
        error = np.abs(totals(model_of(printed(truth, U), N), trees) / expected - 1)
        if equal:
            assert error.max() < POPULATION
        else:
            assert np.median(error) > 1e-2


def instrument_views(truth: Truth, U: np.ndarray, seed: int) -> tuple[WordViews, np.ndarray]:
    """Population views of a word: head above on either side or none, a child on each side or none.

    Whether there is a child depends on the state; that it is there is a second channel.
    """
    rng = np.random.default_rng((seed, 5))
    present = rng.uniform(0.2, 0.8, size=(2, K))  # of a left and a right child, by state
    law = {-1: truth.pi, 0: truth.rho, 1: rng.dirichlet(np.ones(K))}  # of the word's head, by side
    rows: list[tuple[np.ndarray, ...]] = []
    for side in (-1, 0, 1):
        for left, right in itertools.product((False, True), repeat=2):
            chance = np.where(left, present[0], 1 - present[0]) * np.where(right, present[1], 1 - present[1])
            # joint of (head word, own word, left word, right word); absent words are summed out
            up = truth.pi[None] if side < 0 else truth.O @ (law[side][:, None] * truth.T[side].T)
            below = [
                truth.O @ truth.T[d] if there else np.ones((1, K)) for d, there in enumerate((left, right))
            ]
            joint = np.einsum("gh,xh,ah,bh->gxab", up * chance, truth.O, *below)
            g, x, a, b = (i.ravel() for i in np.indices(joint.shape))
            zero = np.zeros((x.size, K))
            above = np.zeros((x.size, 2 * K))
            if side >= 0:
                above[:, side * K : (side + 1) * K] = U[g]
            lefts, rights = (U[i] if there else zero for i, there in ((a, left), (b, right)))
            symbols = np.stack([x, np.full(x.size, N + left)], axis=1)
            rows.append((U[x], lefts, rights, above, symbols, np.full(x.size, side < 0), joint.ravel() / 3))
    own, lefts, rights, above, symbols, is_root, weight = (np.concatenate(c) for c in zip(*rows))
    views = WordViews(own, lefts, rights, above, symbols, np.array([False, True]), is_root, weight)
    return views, np.stack([1 - present[0], present[0]])


@pytest.mark.parametrize("seed", range(5))
def test_instruments_are_exact_on_population_moments(seed: int) -> None:
    truth, trees = draw_truth(K, N, seed), some_trees(seed)
    views, valence = instrument_views(truth, random_dictionary(seed), seed)
    p = instrument_parameters(instrument_moments(views, N + 2))
    expected = [enumerate_tree(truth, *tree) for tree in trees]
    assert_allclose(totals(model_of(p, N + 2), trees), expected, rtol=1e-7)
    G = random_dictionary(seed).T @ truth.O
    assert_allclose(p.observation[N:] @ G, valence, atol=1e-7)
    # Children as instruments of a channel that counts them are no instruments: a negative control.
    wrong = instrument_parameters(instrument_moments(replace(views, shape=np.array([False, False])), N + 2))
    assert np.abs(wrong.observation[N:] @ G - valence).max() > 1e-2


def test_ignores_the_choice_of_dictionary() -> None:
    truth, trees = draw_truth(K, N, 3), some_trees(3)
    U = random_dictionary(3)
    A = np.random.default_rng(0).normal(size=(K, K))
    one, two = (totals(model_of(consistent_parameters(moments(truth, V)), N), trees) for V in (U, U @ A))
    assert_allclose(one, two, rtol=1e-6)


def test_visible_states_are_recovered() -> None:
    for seed in range(5):
        truth, trees = draw_truth(K, N, seed), some_trees(seed)
        p = consistent_parameters(moments(truth, random_dictionary(seed)))
        start, transition, observation = visible_states(p, rng=np.random.default_rng(0))
        order = [int(np.abs(observation - truth.O[:, [h]]).sum(axis=0).argmin()) for h in range(K)]
        assert_allclose(observation[:, order], truth.O, atol=1e-6)
        assert_allclose(start[order], truth.pi, atol=1e-6)
        assert_allclose(transition[:, order][:, :, order], truth.T, atol=1e-6)
        model = proper_model("x", ("form",), (("a",) * N,), start, transition, observation)
        assert_allclose(totals(model, trees), [enumerate_tree(truth, *t) for t in trees], rtol=1e-5)


def test_error_falls_with_the_square_root_of_the_sample() -> None:
    truth, trees = draw_truth(K, N, 1), some_trees(1, (2, 3))
    U, table = random_dictionary(1), family_table(truth)
    expected = np.array([enumerate_tree(truth, *tree) for tree in trees])
    sizes, errors = [10**5, 10**6, 10**7, 10**8], []
    for size in sizes:
        drawn = []
        for repeat in range(8):
            rng = np.random.default_rng((size, repeat))
            sample = rng.multinomial(size, table.ravel() / table.sum()).reshape(table.shape)
            p = consistent_parameters(moments(truth, U, sample.astype(float)))
            drawn.append(np.median(np.abs(totals(model_of(p, N), trees) / expected - 1)))
        errors.append(np.mean(drawn))
    slope = np.polyfit(np.log(sizes), np.log(errors), 1)[0]
    assert -0.7 < slope < -0.3


def test_probabilities_of_all_words_sum_to_one() -> None:
    truth = draw_truth(2, 3, 0)
    heads = (2, 0, 4, 2)
    words = np.array(np.meshgrid(*[range(3)] * 4)).reshape(4, -1).T
    assert_allclose(
        totals(true_model(truth), [(heads, tuple(map(int, w))) for w in words]).sum(), 1.0, rtol=ROUNDING
    )


def test_long_trees_neither_underflow_nor_recurse() -> None:
    truth = draw_truth(K, N, 0)
    n = 3000
    head = np.arange(n, dtype=np.int32)  # a chain
    found = score_symbols(true_model(truth), head, np.array([0, n, n]), np.zeros((n, 1), dtype=np.int32))
    assert found.log_abs[0] < -745
    assert np.isfinite(found.log_abs).all()
    assert found.sign.tolist() == [1.0, 1.0]
