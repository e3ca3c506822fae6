"""Charts against enumeration of all trees of up to six words."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.dependency.oracles import all_trees, crosses, is_tree, tree_score

from eigenparse.kernels.dependency.arborescence import best_arborescence
from eigenparse.kernels.dependency.arc_trees import closest_projective, projective_flags, tree_faults
from eigenparse.kernels.dependency.eisner import NO_ENDS, NO_SIBLINGS, arc_posteriors, best_tree
from eigenparse.kernels.dependency.eisner_kbest import kbest_trees

ROUNDING = 1e-10  # the same sum in another order
CASES = [(n, order, seed) for n in range(1, 7) for order in (1, 2) for seed in range(3)]


def draw(n: int, order: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng((n, order, seed))
    scores = rng.normal(size=(n + 1, n + 1))
    if order == 1:
        return scores, NO_SIBLINGS, NO_ENDS
    return scores, rng.normal(size=(n + 1, n + 1, n + 1)), rng.normal(size=(2, n + 1, n + 1))


@pytest.mark.parametrize(("n", "order", "seed"), CASES)
def test_best_and_kbest_equal_enumeration(n: int, order: int, seed: int) -> None:
    parts = draw(n, order, seed)
    # The root has no left side, and a first-child score of its own.
    ranked = sorted(((tree_score(t, *parts), t) for t in all_trees(n)), reverse=True)
    head = np.zeros(n, dtype=np.int32)
    assert_allclose(best_tree(*parts, head), ranked[0][0], rtol=ROUNDING)
    assert tuple(head) == ranked[0][1]
    k = min(50, len(ranked) + 3)
    heads, totals = np.zeros((k, n), dtype=np.int32), np.zeros(k)
    found = kbest_trees(*parts, heads, totals)
    assert found == min(k, len(ranked))
    assert [tuple(h) for h in heads[:found]] == [t for _, t in ranked[:found]]
    assert_allclose(totals[:found], [s for s, _ in ranked[:found]], rtol=ROUNDING, atol=ROUNDING)


@pytest.mark.parametrize(("n", "order", "seed"), CASES)
def test_marginals_equal_enumeration(n: int, order: int, seed: int) -> None:
    parts = draw(n, order, seed)
    expected, total = np.zeros((n + 1, n + 1)), 0.0
    for tree in all_trees(n):
        weight = np.exp(tree_score(tree, *parts))
        total += weight
        for m, h in enumerate(tree, start=1):
            expected[h, m] += weight
    marginal = np.empty((n + 1, n + 1))
    assert_allclose(arc_posteriors(*parts, marginal), np.log(total), rtol=ROUNDING, atol=ROUNDING)
    assert_allclose(marginal, expected / total, rtol=ROUNDING, atol=ROUNDING)
    assert_allclose(marginal[:, 1:].sum(axis=0), 1.0, rtol=ROUNDING)


@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize("seed", range(6))
def test_crossing_trees_equal_enumeration(n: int, seed: int) -> None:
    scores = draw(n, 1, seed)[0] * (1.0, 1e3, 1e-3)[seed % 3]
    best, tree = max((tree_score(t, scores, NO_SIBLINGS, NO_ENDS), t) for t in all_trees(n, projective=False))
    head = np.zeros(n, dtype=np.int32)
    assert_allclose(best_arborescence(scores, head), best, rtol=ROUNDING)
    assert tuple(head) == tree


def test_long_sentences_give_trees() -> None:
    for n in (0, 1, 2, 120):
        scores = draw(n, 1, 0)[0]
        head = np.zeros(n, dtype=np.int32)
        best_tree(scores, NO_SIBLINGS, NO_ENDS, head)
        assert n == 0 or (is_tree(tuple(head)) and not crosses(tuple(head)))
        if n:
            best_arborescence(scores, head)
            assert is_tree(tuple(head))


def test_facts_about_trees_equal_enumeration() -> None:
    for n in (1, 2, 3, 4):
        for code in range((n + 1) ** n):
            heads = tuple(code // (n + 1) ** i % (n + 1) for i in range(n))
            column, offsets = np.array(heads, dtype=np.int32), np.array([0, n])
            fault, _ = tree_faults(column, offsets)
            assert (fault[0] == 0) == is_tree(heads)
            if is_tree(heads):
                assert projective_flags(column, offsets)[0] == (not crosses(heads))


def test_lifting_is_least_and_keeps_projective_trees() -> None:
    def steps(tree: tuple[int, ...], lifted: tuple[int, ...]) -> float:
        total = 0
        for m, h in enumerate(tree, start=1):
            while h != lifted[m - 1]:
                if h == 0:
                    return np.inf
                h, total = tree[h - 1], total + 1
        return total

    for tree in all_trees(5, projective=False)[::7]:
        column = np.array(tree, dtype=np.int32)
        closest_projective(column, np.array([0, 5]), np.array([0]))
        lifted = tuple(int(h) for h in column)
        assert lifted in all_trees(5)
        assert steps(tree, lifted) == min(steps(tree, other) for other in all_trees(5))
