"""The known grammar: its closed forms against plain loops, and learning from samples of it."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from eigenparse.corpus.columns import check_trees
from eigenparse.errors import OptionError
from eigenparse.experiments.consistency import learn_known, measure, probabilities_of, slope, theorem_8
from eigenparse.experiments.known import (
    A,
    B,
    C,
    D,
    KnownGrammar,
    S,
    blurred,
    conditions,
    corpus_of,
    draw_counts,
    known_grammar,
    tree_probabilities,
)

ROUNDING = 1e-12


@pytest.fixture(scope="module", params=[(2, 3, 0), (3, 3, 1)])
def grammar(request: pytest.FixtureRequest) -> KnownGrammar:
    return known_grammar(*request.param)


def joint(g: KnownGrammar) -> dict[tuple[int, ...], float]:
    """p(tree and states), one entry for each, by plain loops."""
    m, n = g.n_states, g.n_words
    table = {}
    for r, s in itertools.product(range(2), repeat=2):
        for b, c, d in itertools.product(range(n), repeat=3):
            for h, k, i, j in itertools.product(range(m), repeat=4):
                p = (
                    g.top[r, h, k]
                    * g.phrase[h, s, i, j]
                    * g.word[0, k, b]
                    * g.word[1, i, c]
                    * g.word[2, j, d]
                )
                table[r, s, b, c, d, h, k, i, j] = float(p)
    return table


def test_probabilities_equal_sums_over_states(grammar: KnownGrammar) -> None:
    total = np.zeros_like(tree_probabilities(grammar))
    for place, p in joint(grammar).items():
        total[place[:5]] += p
    assert_allclose(tree_probabilities(grammar), total, rtol=ROUNDING)
    assert_allclose(total.sum(), 1.0, rtol=ROUNDING)


def test_conditions_equal_moments_by_loops(grammar: KnownGrammar) -> None:
    """Omega^a = E[phi psi^T | a] with indicators of whole trees, and I^a = E[phi | a, h]."""
    parts = {  # label: (inside, outside, state) as places in (r, s, b, c, d, hA, hB, hC, hD)
        A: ((1, 3, 4), (0, 2), 5),
        B: ((2,), (0, 1, 3, 4), 6),
        C: ((3,), (0, 1, 2, 4), 7),
        D: ((4,), (0, 1, 2, 3), 8),
    }
    sigma, xi, table = [], [], joint(grammar)
    for inside, outside, state in parts.values():
        sides = [
            {k: n for n, k in enumerate(sorted({tuple(k[x] for x in side) for k in table}))}
            for side in (inside, outside)
        ]
        omega = np.zeros((len(sides[0]), len(sides[1])))
        by_state = np.zeros((len(sides[0]), grammar.n_states))
        for place, p in table.items():
            row = sides[0][tuple(place[x] for x in inside)]
            omega[row, sides[1][tuple(place[x] for x in outside)]] += p
            by_state[row, place[state]] += p
        sigma.append(np.linalg.svd(omega, compute_uv=False)[grammar.n_states - 1])
        by_state /= by_state.sum(axis=0)
        xi.append(np.linalg.svd(by_state, compute_uv=False)[grammar.n_states - 1])
    known = conditions(grammar)
    assert_allclose([known.sigma, known.xi], [min(sigma), min(xi)], rtol=1e-8)
    assert_allclose(known.gamma, min(grammar.top.min(), grammar.phrase.min()))


def test_corpora_hold_the_trees_they_are_asked_for() -> None:
    counts = np.zeros((2, 2, 3, 3, 3), dtype=np.int64)
    counts[0, 0, 0, 1, 2] = 2
    counts[1, 1, 2, 1, 0] = 1
    trees = check_trees(corpus_of(counts))
    assert len(trees) == 3
    assert trees.label.reshape(3, 5).tolist() == [[C, D, A, B, S], [C, D, A, B, S], [B, D, C, A, S]]
    assert trees.word.reshape(3, 5).tolist() == [[1, 2, -1, 0, -1], [1, 2, -1, 0, -1], [2, 0, 1, -1, -1]]
    assert trees.left.tolist()[10:] == [-1, -1, -1, 11, 10]
    assert trees.right.tolist()[10:] == [-1, -1, -1, 12, 13]


def test_blurring_draws_words_together(grammar: KnownGrammar) -> None:
    assert_allclose(blurred(grammar, 1.0).word, grammar.word)
    same = blurred(grammar, 0.0).word
    assert_allclose(same, np.broadcast_to(same[:, :1], same.shape))
    assert conditions(blurred(grammar, 0.3)).sigma < conditions(grammar).sigma


def test_learning_converges_and_a_plain_grammar_does_not() -> None:
    grammar = known_grammar(2, 4, 0)
    found = [measure(grammar, n, runs=2, seed=0) for n in (1_000, 8_000, 64_000)]
    rate = slope([one.n_trees for one in found], [one.error for one in found])
    assert -0.75 < rate < -0.3
    assert found[-1].plain_error > 5 * found[-1].error
    assert slope([one.n_trees for one in found], [one.plain_error for one in found]) > -0.2
    again = measure(grammar, 1_000, runs=2, seed=0)
    assert again.errors == found[0].errors


def test_nearly_exact_counts_give_nearly_the_truth() -> None:
    grammar = known_grammar(2, 3, 2)
    truth = tree_probabilities(grammar)
    learnt = learn_known(corpus_of(np.rint(truth * 40_000).astype(np.int64)), 2)
    assert np.abs(probabilities_of(learnt, truth.shape) - truth).sum() < 5e-3


def test_unseen_words_have_no_probability() -> None:
    counts = np.zeros((2, 2, 2, 2, 2), dtype=np.int64)
    counts[0, 0, 0, 0, 0] = 3  # one word of two
    learnt = probabilities_of(learn_known(corpus_of(counts), 1), counts.shape)
    assert_allclose(learnt[0, 0, 0, 0, 0], 1.0)
    assert np.count_nonzero(learnt) == 1


def test_the_bound_falls_as_the_root_and_grows_with_the_condition() -> None:
    grammar = known_grammar(2, 4, 0)
    known = conditions(grammar)
    assert_allclose(theorem_8(known, grammar, 400) / theorem_8(known, grammar, 1_600), 2.0)
    rough = blurred(grammar, 0.5)
    assert theorem_8(conditions(rough), rough, 400) > theorem_8(known, grammar, 400)


def test_counts_add_to_the_sample_size() -> None:
    truth = tree_probabilities(known_grammar(2, 3, 0))
    assert draw_counts(truth, 123, np.random.default_rng(0)).sum() == 123
    with pytest.raises(OptionError, match="cannot be distinguished"):
        known_grammar(4, 3, 0)


def test_one_node_of_each_tree_is_right_too_but_less_exact(grammar: KnownGrammar) -> None:
    """The paper's figure 7 draws one node of each tree; both are consistent, all nodes are nearer."""
    found = measure(grammar, 40_000, runs=2, seed=0)
    assert found.error < found.single_error < 4 * found.error
    truth = tree_probabilities(grammar)
    trees = corpus_of(draw_counts(truth, 2_000, np.random.default_rng(0)))
    every = np.ones(trees.label.size, dtype=np.bool_)
    one, two = (probabilities_of(learn_known(trees, 2, 0, nodes), truth.shape) for nodes in (None, every))
    assert_allclose(one, two, rtol=0, atol=1e-9)
