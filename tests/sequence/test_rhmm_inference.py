"""Forward-backward, joint probabilities and k-best lists against enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from tests.sequence.oracles import (
    ROUNDING,
    all_labellings,
    draw_model,
    joint,
    marginals,
    symbols_as_sequences,
    tagger,
)

from eigenparse.inference.tagger.chain import NO_PRUNING, dense_marginals, posteriors
from eigenparse.inference.tagger.kbest import joint_log, kbest

BASES = (None, 5)  # diagonal, and tensors in a random basis


@pytest.mark.parametrize("basis", BASES)
@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000), n=st.integers(1, 4))
def test_marginals_equal_enumeration(basis, seed, n):
    model = draw_model(seed, n_labels=3, n_states=2, n_symbols=4)
    symbols = np.random.default_rng(seed).integers(0, 4, n)
    found = posteriors(
        tagger(model, rotate_seed=basis), symbols_as_sequences([symbols], 4), pruning=NO_PRUNING
    )
    mu = marginals(model, symbols)
    assert_allclose(found.log_abs[0], np.log(mu[0].sum()), rtol=0, atol=1e-8)
    assert found.sign[0] == 1.0
    assert_allclose(dense_marginals(found, 3), mu / mu.sum(axis=1, keepdims=True), rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("basis", BASES)
def test_joint_probability_equals_enumeration(basis):
    model = draw_model(3, n_labels=2, n_states=3, n_symbols=3)
    symbols = [2, 0, 1, 1]
    sequences = symbols_as_sequences([symbols], 3)
    for labels in all_labellings(model, 4):
        value, sign = joint_log(tagger(model, rotate_seed=basis), sequences, np.array(labels, dtype=np.int32))
        assert sign[0] == 1.0
        assert_allclose(np.exp(value[0]), joint(model, labels, symbols), rtol=1e-9)


@pytest.mark.parametrize("basis", BASES)
def test_kbest_of_all_labellings_is_the_sorted_enumeration(basis):
    model = draw_model(11, n_labels=2, n_states=2, n_symbols=3)
    symbols = [0, 1, 2, 1]
    paths = kbest(
        tagger(model, rotate_seed=basis), symbols_as_sequences([symbols], 3), 16, pruning=NO_PRUNING
    )[0]
    true = sorted(
        ((joint(model, labels, symbols), labels) for labels in all_labellings(model, 4)), reverse=True
    )
    assert [tuple(row) for row in paths.labels.tolist()] == [labels for _, labels in true]
    assert_allclose(np.exp(paths.log_joint), [p for p, _ in true], rtol=1e-8)
    assert_allclose(paths.share.sum(), 1.0, rtol=1e-8)


def test_kbest_of_few_is_distinct_and_sorted():
    model = draw_model(12, n_labels=3, n_states=2, n_symbols=4)
    lists = kbest(tagger(model), symbols_as_sequences([[0, 1, 2, 3, 1], [2]], 4), 4, pruning=NO_PRUNING)
    for paths, n in zip(lists, (5, 1)):
        assert paths.labels.shape[1] == n
        assert len({tuple(row) for row in paths.labels.tolist()}) == len(paths.labels)
        assert np.all(np.diff(paths.log_joint) <= 0.0)
    assert len(lists[1].labels) == 3


def test_sequences_do_not_leak_into_each_other():
    model = draw_model(7, n_labels=3, n_states=2, n_symbols=4)
    many = [[0, 1, 2], [3], [1, 1, 1, 1, 0]]
    together = posteriors(tagger(model), symbols_as_sequences(many, 4), pruning=NO_PRUNING)
    apart = [posteriors(tagger(model), symbols_as_sequences([one], 4), pruning=NO_PRUNING) for one in many]
    assert_allclose(together.log_abs, np.concatenate([one.log_abs for one in apart]), rtol=1e-12)
    assert_allclose(together.marginal, np.concatenate([one.marginal for one in apart]), atol=ROUNDING)


def test_long_sequences_do_not_underflow():
    model = draw_model(8, n_labels=2, n_states=2, n_symbols=3)
    found = posteriors(
        tagger(model, rotate_seed=2), symbols_as_sequences([[0, 1, 2] * 2000], 3), pruning=NO_PRUNING
    )
    assert np.isfinite(found.log_abs[0])
    assert found.log_abs[0] < -2000
    assert_allclose(dense_marginals(found, 2).sum(axis=1), 1.0, rtol=1e-9)


def test_total_over_all_strings_of_each_length_is_the_length_distribution():
    model = draw_model(9, n_labels=2, n_states=2, n_symbols=2)
    strings = [[(k >> i) & 1 for i in range(3)] for k in range(8)]
    found = posteriors(tagger(model, rotate_seed=4), symbols_as_sequences(strings, 2), pruning=NO_PRUNING)
    state = model.pi.reshape(-1)
    T = model.t.reshape(4, 4)
    assert_allclose(np.exp(found.log_abs).sum(), model.f.reshape(-1) @ T @ T @ state, rtol=1e-9)


def test_backward_pass_as_printed_is_wrong():
    """Figure 2 starts beta at N + 1 and loops from N, which emits the last symbol twice."""
    model = draw_model(4, n_labels=2, n_states=2, n_symbols=3)
    symbols = [0, 2, 1]
    A, n = 2, len(symbols)
    C = [[[model.t[b, :, a, :] * model.o[x, a][None] for a in range(A)] for b in range(A)] for x in range(3)]
    alpha = [[model.pi[a] for a in range(A)]]
    for i in range(n - 1):
        alpha.append([sum(C[symbols[i]][b][a] @ alpha[i][a] for a in range(A)) for b in range(A)])
    beta = {n: [model.f[a] * model.o[symbols[-1], a] for a in range(A)]}
    for i in range(n - 1, -1, -1):
        beta[i] = [sum(beta[i + 1][b] @ C[symbols[i]][b][a] for b in range(A)) for a in range(A)]
    printed = np.array([[beta[i][a] @ alpha[i][a] for a in range(A)] for i in range(n)])
    true = marginals(model, symbols)
    wrong = np.abs(printed / printed.sum(axis=1, keepdims=True) - true / true.sum(axis=1, keepdims=True))
    assert wrong.max() > 1e-2
