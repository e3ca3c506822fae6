"""Projected words of family events in, spectral parameters of the latent tree model out.

An event is a word with children on both sides: the mean projection of its left children, its own
and the mean of its right children.  Whatever the law of the states of such words, the estimator
``consistent_parameters`` is exact on population moments; ``printed_parameters`` follows the paper
exactly and is exact only if roots, parents and children all have the same law of states.
"""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, Sums
from eigenparse.errors import DataError


@dataclass(frozen=True, slots=True)
class FamilyMoments(Sums):
    """Weighted sums over family events and over roots; they add.

    Notation:  y_l, y_p, y_r projections of left child, parent, right child (k,).
    K = sum y_l y_p y_r (k, k, k), left, parent, right.  pair_left = sum y_p y_l', pair_right = sum
    y_p y_r', skip = sum y_l y_r' (k, k).  right = sum y_r.  word = sum of e_x y_r' over the parent's
    symbol x (W, k).  root = sum of y over roots.  n, n_root: total weights.
    """

    K: FloatArray
    pair_left: FloatArray
    pair_right: FloatArray
    skip: FloatArray
    right: FloatArray
    word: FloatArray
    root: FloatArray
    n: float
    n_root: float


@dataclass(frozen=True, slots=True)
class SpectralParameters:
    """c_1 (k,), c_inf (k,), E (2, k, k), D (k, k, k) with D(y) = sum_l y[l] D[l], A (W, k)."""

    start: FloatArray
    final: FloatArray
    transition: FloatArray
    product: FloatArray
    observation: FloatArray


def family_moments(
    left: FloatArray,
    parent: FloatArray,
    right: FloatArray,
    word: AnyArray,
    n_symbols: int,
    root: FloatArray,
    *,
    weight: FloatArray | None = None,
    root_weight: FloatArray | None = None,
) -> FamilyMoments:
    """Moments of events (M, k) whose parents show symbol ``word`` (M,), and of roots (R, k)."""
    w = np.ones(left.shape[0]) if weight is None else weight
    v = np.ones(root.shape[0]) if root_weight is None else root_weight
    table = np.zeros((n_symbols, right.shape[1]))
    np.add.at(table, word, right * w[:, None])
    return FamilyMoments(
        K=np.einsum("ni,nj,nl->ijl", left * w[:, None], parent, right, optimize=True),
        pair_left=(parent * w[:, None]).T @ left,
        pair_right=(parent * w[:, None]).T @ right,
        skip=(left * w[:, None]).T @ right,
        right=w @ right,
        word=table,
        root=v @ root,
        n=float(w.sum()),
        n_root=float(v.sum()),
    )


def inverse(matrix: FloatArray, ridge: float) -> FloatArray:
    """Regularised right inverse M' (M M' + ridge s1^2 I)^-1, s1 the largest singular value."""
    U, s, Vt = np.linalg.svd(matrix, full_matrices=False)
    if s[0] == 0.0:
        raise DataError(
            "the moments are all zero; train on trees with words that have children on both sides"
        )
    keep = s > 1e-12 * s[0]
    gain = np.where(keep, s / np.where(keep, s**2 + ridge * s[0] ** 2, 1.0), 0.0)
    return np.asarray((Vt.T * gain) @ U.T)


def consistent_parameters(m: FamilyMoments, *, ridge: float = 0.0) -> SpectralParameters:
    """All from the same events: E_L = Omega_L Sigma_R^-1, E_R = Omega_R Sigma_L^-1,
    D(y) = E_L^-1 K(y) Sigma_R^-1, c_inf' = mean(y_r)' Sigma_R^-1, a_x' = E[1_x y_r'] Sigma_R^-1.
    """
    if m.n <= 0 or m.n_root <= 0:
        raise DataError("no word has children on both sides; train on larger trees")
    over_R = inverse(m.pair_right / m.n, ridge)
    E_L = (m.skip / m.n) @ over_R
    E_R = (m.skip.T / m.n) @ inverse(m.pair_left / m.n, ridge)
    D = np.einsum("ai,ijl,lb->jab", inverse(E_L, ridge), m.K / m.n, over_R, optimize=True)
    return SpectralParameters(
        start=m.root / m.n_root,
        final=(m.right / m.n) @ over_R,
        transition=np.stack([E_L, E_R]),
        product=np.ascontiguousarray(D),
        observation=(m.word / m.n) @ over_R,
    )


def printed_parameters(
    m: FamilyMoments, mean: FloatArray, pair_left: FloatArray, pair_right: FloatArray, dictionary: FloatArray
) -> SpectralParameters:
    """The estimator of section 3.3 as printed: mu over all words, Sigma over all pairs.

    mean = mu (k,); pair_left, pair_right = Sigma_L, Sigma_R (k, k), means over all (parent, child)
    pairs; dictionary = U (W, k), whose rows give y_x = (U'U)^-1 U' e_x.  K is read as the matrix
    formula has it (row left, column right).
    """
    over_R = inverse(pair_right, 0.0)
    E_L = (m.skip / m.n) @ over_R
    E_R = (m.skip.T / m.n) @ inverse(pair_left, 0.0)
    D = np.einsum("ai,ijl,lb->jab", inverse(E_L, 0.0), m.K / m.n, over_R, optimize=True)
    final = mean @ over_R
    rows = dictionary @ inverse(dictionary.T @ dictionary, 0.0)
    # A leaf is c_inf' D(y_x); as a row of the table that is linear in y_x.
    observation = np.einsum("a,jab,xj->xb", final, D, rows, optimize=True)
    return SpectralParameters(mean, final, np.stack([E_L, E_R]), np.ascontiguousarray(D), observation)


def visible_states(
    p: SpectralParameters, *, rng: np.random.Generator, tries: int = 20
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Non-negative start (k,), transition (2, k, k) and observation (W, k) behind spectral parameters.

    D(w) = G diag(G'w) G^-1: the eigenvectors of a random D(w), scaled so that c_inf' G = 1, are G;
    then O = A G, T_d = G^-1 E_d G, pi = G^-1 c_1, clipped at 0 and normalised.  Of several random w
    the one whose eigenvalues lie furthest apart is used.
    """
    k = p.start.size
    best, G = -np.inf, np.eye(k)
    for _ in range(tries):
        w = rng.standard_normal(k)
        values, vectors = np.linalg.eig(np.einsum("j,jab->ab", w, p.product))
        gaps = np.abs(values[:, None] - values[None, :]) + np.eye(k) * 1e300
        spread = gaps.min() / max(np.abs(values).max(), 1e-300) - np.abs(values.imag).sum()
        scale = p.final @ vectors.real
        if spread > best and np.all(np.abs(scale) > 1e-12):
            best, G = spread, vectors.real / scale
    back = np.linalg.pinv(G)
    transition = np.stack([_columns(back @ E @ G) for E in p.transition])
    return _columns((back @ p.start)[:, None])[:, 0], transition, p.observation @ G


def _columns(matrix: FloatArray, floor: float = 0.0) -> FloatArray:
    """Columns clipped at ``floor`` and scaled to sum to one."""
    positive = np.maximum(matrix, floor)
    total = positive.sum(axis=0)
    return np.asarray(np.where(total > 0, positive / np.where(total > 0, total, 1.0), 1.0 / matrix.shape[0]))
