"""Leading singular triples against a dense decomposition; clusters and their laws."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.cluster import KMeans

from eigenparse.kernels.clusters import improve_centres
from eigenparse.spectral.cluster import SAMPLE, centres_of, cluster_rows, spread_out
from eigenparse.spectral.svd import EXACT, FeatureRows, cross_svd, orthonormal
from tolerances import CANCELLED, ROUNDING, SINGLE


def dense(rows: FeatureRows) -> np.ndarray:
    matrix = np.zeros((rows.ids.shape[0], rows.scale.size))
    for i, ids in enumerate(rows.ids):
        for f in ids:
            matrix[i, f] += rows.scale[f]
    return matrix


def cross_moment(inside: FeatureRows, outside: FeatureRows) -> np.ndarray:
    return dense(inside).T @ dense(outside) / inside.ids.shape[0]


def random_rows(seed: int, n: int, d: int, templates: int, dtype: type = np.float64) -> FeatureRows:
    rng = np.random.default_rng(seed)
    width = d // templates
    ids = rng.integers(width, size=(n, templates)) + width * np.arange(templates)
    return FeatureRows(ids.astype(np.int32), (0.5 + rng.random(d)).astype(dtype))


def related_rows(seed: int, dtype: type = np.float64) -> tuple[FeatureRows, FeatureRows]:
    """Inside and outside features that share a hidden class, so that singular values spread."""
    rng = np.random.default_rng(seed)
    hidden = rng.integers(5, size=600)
    ids = []
    for shift in (0, 1):
        table = np.random.default_rng([seed, shift]).dirichlet(np.full(8, 0.3), size=5)
        own = np.array([[rng.choice(8, p=table[h]), 8 + h, 13 + rng.integers(7)] for h in hidden])
        ids.append(own.astype(np.int32))
    scales = [(0.5 + np.random.default_rng([seed, s]).random(20)).astype(dtype) for s in (2, 3)]
    return FeatureRows(ids[0], scales[0]), FeatureRows(ids[1], scales[1])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("m", [1, 3, 5])
def test_leading_triples_equal_the_dense_decomposition(seed: int, m: int) -> None:
    inside, outside = related_rows(seed)
    U, sigma, Vt = np.linalg.svd(cross_moment(inside, outside))
    found = cross_svd(inside, outside, m, rng=np.random.default_rng(1))
    assert_allclose(found.singular, sigma[:m], rtol=1e-6)
    gap = (sigma[m - 1] - sigma[m]) / sigma[0]
    assert gap > 0.001
    assert_allclose(found.left @ found.left.T, U[:, :m] @ U[:, :m].T, rtol=0, atol=1e-6)
    assert_allclose(found.right @ found.right.T, Vt[:m].T @ Vt[:m], rtol=0, atol=1e-6)


def tilted_rows(seed: int, dtype: type) -> tuple[FeatureRows, FeatureRows]:
    """Features of Zipf's kind over more than EXACT ids: singular values fall slowly, as those of treebanks do."""
    rng = np.random.default_rng(seed)
    hidden = np.minimum(rng.zipf(1.3, size=1500), 60)
    sides = []
    for shift in (0, 1):
        noise = np.minimum(rng.zipf(1.5, size=(1500, 3)), 130) - 1
        own = (hidden * (7 + shift) + rng.integers(3, size=1500)) % 130
        ids = np.stack([own, 130 + noise[:, 0], 260 + (noise[:, 1] + own) % 130, 390 + noise[:, 2]], axis=1)
        count = np.bincount(ids.ravel(), minlength=520)
        sides.append(FeatureRows(ids.astype(np.int32), np.sqrt(1500 / (count + 5)).astype(dtype)))
    return sides[0], sides[1]


@pytest.mark.parametrize(
    ("seed", "m", "dtype"),
    [(0, 3, np.float32), (1, 12, np.float64), (2, 32, np.float32), (3, 40, np.float64)],
)
def test_leading_spaces_are_within_a_tenth_of_a_degree(seed: int, m: int, dtype: type) -> None:
    """Larger than EXACT, so that the directions are iterated; every cut behind which there is a gap of 1 %."""
    inside, outside = tilted_rows(seed, dtype)
    assert min(inside.scale.size, outside.scale.size) > EXACT
    found = cross_svd(inside, outside, m, rng=np.random.default_rng(7))
    U, sigma, Vt = np.linalg.svd(cross_moment(inside, outside))
    parted = [c for c in range(1, m + 1) if sigma[c - 1] >= 1.01 * sigma[c]]
    assert len(parted) >= min(m, 10) - 2
    for ours, exact in ((found.left, U), (found.right, Vt.T)):
        assert_allclose(ours.T @ ours, np.eye(m), rtol=0, atol=1e-5)
        overlap = exact.T @ ours.astype(np.float64)
        outside_of = [np.linalg.norm(overlap[c:, :c]) for c in parted]  # not less than the largest sine
        assert np.degrees(np.arcsin(np.minimum(outside_of, 1.0))).max() < 0.1


@pytest.mark.parametrize("seed", range(5))
def test_moments_of_low_rank_end_the_iteration(seed: int) -> None:
    """Many features but few distinct rows: there is nothing beyond the rank but rounding."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(400, size=(5, 3)).astype(np.int32)
    rows = FeatureRows(kinds[rng.integers(5, size=200)], np.ones(400, dtype=np.float32))
    Omega = cross_moment(rows, rows)
    found = cross_svd(rows, rows, 9, rng=rng)
    assert found.singular.size == np.linalg.matrix_rank(Omega) == 5
    assert_allclose(found.left * found.singular @ found.right.T, Omega, rtol=0, atol=1e-4)


def test_all_of_a_small_moment_is_exact() -> None:
    """With as many directions as columns nothing is left to chance."""
    inside, outside = random_rows(0, 80, 9, 3), random_rows(1, 80, 6, 2)
    Omega = cross_moment(inside, outside)
    found = cross_svd(inside, outside, 6, rng=np.random.default_rng(0), cutoff=0.0)
    assert_allclose(found.left * found.singular @ found.right.T, Omega, rtol=0, atol=CANCELLED)
    assert_allclose(found.left.T @ found.left, np.eye(found.singular.size), rtol=0, atol=CANCELLED)
    assert_allclose(found.right.T @ found.right, np.eye(found.singular.size), rtol=0, atol=CANCELLED)


def test_signs_are_settled_and_values_sorted() -> None:
    found = cross_svd(*related_rows(3), 5, rng=np.random.default_rng(0))
    largest = found.left[np.abs(found.left).argmax(axis=0), np.arange(5)]
    assert np.all(largest > 0)
    assert np.all(np.diff(found.singular) <= 0)


def test_more_states_than_rank_give_the_rank() -> None:
    rng = np.random.default_rng(4)
    kind = rng.integers(2, size=50)
    rows = FeatureRows(np.stack([kind, 2 + kind], axis=1).astype(np.int32), np.ones(4))
    other = FeatureRows(kind[:, None].astype(np.int32), np.ones(2))
    found = cross_svd(rows, other, 9, rng=rng)
    assert found.singular.size == np.linalg.matrix_rank(cross_moment(rows, other)) == 2
    assert found.left.shape == (4, 2)
    assert found.right.shape == (2, 2)


def test_repeated_singular_values_span_the_right_space() -> None:
    kind = np.arange(40) % 4
    rows = FeatureRows(kind[:, None].astype(np.int32), np.ones(4))
    found = cross_svd(rows, rows, 4, rng=np.random.default_rng(0))
    assert_allclose(found.singular, 0.25, rtol=ROUNDING)
    assert_allclose(found.left * found.singular @ found.right.T, np.eye(4) / 4, rtol=0, atol=ROUNDING)


def test_one_row_has_one_direction() -> None:
    rows = FeatureRows(np.array([[0, 1]], dtype=np.int32), np.ones(2))
    found = cross_svd(rows, rows, 3, rng=np.random.default_rng(0))
    assert_allclose(found.singular, [2.0], rtol=ROUNDING)


def test_single_precision_is_near_double() -> None:
    double = cross_svd(*related_rows(2), 3, rng=np.random.default_rng(0))
    single = cross_svd(*related_rows(2, np.float32), 3, rng=np.random.default_rng(0))
    assert single.left.dtype == np.float32
    assert_allclose(single.singular, double.singular, rtol=10 * SINGLE)
    assert_allclose(single.left @ single.left.T, double.left @ double.left.T, rtol=0, atol=100 * SINGLE)


def test_products_with_feature_rows_equal_dense_ones() -> None:
    rows, rng = random_rows(5, 30, 12, 3), np.random.default_rng(0)
    M, P = rng.standard_normal((12, 4)), rng.standard_normal((30, 4))
    assert_allclose(rows.times(M), dense(rows) @ M, rtol=ROUNDING, atol=ROUNDING)
    assert_allclose(rows.transposed_times(P), dense(rows).T @ P, rtol=ROUNDING, atol=ROUNDING)


def test_orthonormal_bases_drop_what_depends() -> None:
    rng = np.random.default_rng(6)
    M = rng.standard_normal((20, 3))
    Q = orthonormal(np.concatenate([M, M @ rng.standard_normal((3, 2))], axis=1))
    assert Q.shape == (20, 3)
    assert_allclose(Q.T @ Q, np.eye(3), rtol=0, atol=ROUNDING)
    assert_allclose(Q @ (Q.T @ M), M, rtol=0, atol=CANCELLED)


def separated(n: int, k: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    kind = rng.integers(k, size=n)
    centres = 20.0 * rng.permutation(np.eye(k))
    return (centres[kind] + 0.1 * rng.standard_normal((n, k))).astype(np.float32), kind


@pytest.mark.parametrize("n", [200, SAMPLE + 2_000])
def test_separated_clusters_are_found_and_numbered_densely(n: int) -> None:
    rows, kind = separated(n, 4, 0)
    state = cluster_rows(rows, 4, rng=np.random.default_rng(0))
    assert set(state.tolist()) == set(range(4))
    assert len({(a, b) for a, b in zip(state.tolist(), kind.tolist())}) == 4


def test_clusters_are_deterministic() -> None:
    rows = np.random.default_rng(1).standard_normal((500, 6)).astype(np.float32)
    a, b = (cluster_rows(rows, 8, rng=np.random.default_rng(5)) for _ in range(2))
    assert np.array_equal(a, b)
    assert set(a.tolist()) == set(range(8))


@pytest.mark.parametrize("copies", [1, 40])
def test_duplicate_rows_leave_no_cluster_empty(copies: int) -> None:
    distinct = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]], dtype=np.float32)
    rows = np.repeat(distinct, copies, axis=0)
    state = cluster_rows(rows, 8, rng=np.random.default_rng(0))
    assert set(state.tolist()) == {0, 1, 2}
    assert [len(set(part.tolist())) for part in np.split(state, 3)] == [1, 1, 1]


def test_rows_that_differ_by_rounding_are_one_cluster() -> None:
    distinct = np.array([[1.0, 3.0], [-2.0, 1.0], [4.0, -5.0]], dtype=np.float32)
    rows = np.repeat(distinct, 2, axis=0)
    rows[::2] = np.nextafter(rows[::2], np.float32(9.0))
    state = cluster_rows(rows, 6, rng=np.random.default_rng(0))
    assert set(state.tolist()) == set(range(state.max() + 1))


def test_one_state_and_equal_rows_are_one_cluster() -> None:
    rows = np.random.default_rng(1).standard_normal((10, 2)).astype(np.float32)
    assert not cluster_rows(rows, 1, rng=np.random.default_rng(0)).any()
    assert not cluster_rows(np.ones_like(rows), 5, rng=np.random.default_rng(0)).any()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", [(500, 8, 5), (60, 4, 20)])
def test_centres_are_those_of_the_reference_library(shape: tuple[int, int, int], weighted: bool) -> None:
    """From the same start, which has a test of its own by being the library's to the bit."""
    n, d, k = shape
    rng = np.random.default_rng([n, weighted])
    rows = rng.standard_normal((n, d)) + rng.integers(0, 4, (n, 1))
    weight = rng.random(n) * 3 if weighted else None
    found = centres_of(rows, k, rng=np.random.default_rng(5), weight=weight)
    seed = int(np.random.default_rng(5).integers(2**31))
    start = partial(spread_out, weight=weight)
    theirs = KMeans(k, init=start, n_init=1, max_iter=50, random_state=seed).fit(rows, sample_weight=weight)
    assert_allclose(found, theirs.cluster_centers_, rtol=1e-8, atol=1e-8)


def test_centres_without_rows_take_the_farthest() -> None:
    """Two centres at one place: the second has no row at first, and gets the one that stands alone."""
    rows = np.array([[0.0], [0.1], [0.2], [9.0]])
    centres = np.array([[0.1], [50.0]])
    improve_centres(rows, np.ones(4), centres, 10, 0.0)
    assert_allclose(centres, [[0.1], [9.0]])
