"""Moments of chains around a constant first coordinate: feature rows in, views and smoothed tensors out.

The two views of a group of rows are X = [1, (phi - mean) U] and W = [1, (psi - mean) V / sigma], with U,
sigma, V the singular triples of the centred cross-moment.  Then E[X W'] is the identity and
E[X] = E[W] = e_0, whatever the sample: a single coordinate is the model without states.  Rows carry
weights: 1 in a corpus, multiplicities or exact probabilities where those are known.
"""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, IntMatrix
from eigenparse.errors import OptionError
from eigenparse.spectral.svd import FeatureRows, orthonormal

OVERSAMPLE = 6
POWER_PASSES = 2
CHUNK = 8192


@dataclass(frozen=True, slots=True)
class Views:
    """Two views of n rows in m coordinates, the first constant, and the m - 1 singular values behind them."""

    one: AnyArray
    other: AnyArray
    singular: AnyArray


def scaled_rows(ids: IntMatrix, weights: AnyArray, *, kappa: float) -> FeatureRows:
    """Feature ids (n, K) of one group, packed, each feature scaled by sqrt(n / (count + kappa))."""
    flat, packed = np.unique(ids, return_inverse=True)
    packed = packed.reshape(ids.shape)
    count = np.bincount(packed.reshape(-1), weights=np.repeat(weights, ids.shape[1]), minlength=flat.size)
    bottom = count + kappa
    scale = np.sqrt(weights.sum() / np.where(bottom > 0.0, bottom, 1.0)) * (count > 0.0)
    return FeatureRows(np.ascontiguousarray(packed.astype(np.int32)), scale)


def centred_views(
    one: FeatureRows,
    other: FeatureRows,
    weights: AnyArray,
    n_states: int,
    *,
    rng: np.random.Generator,
    cutoff: float = 1e-2,
) -> Views:
    """Both views from the leading n_states - 1 triples of the centred cross-moment.

    Triples with a singular value below ``cutoff`` times the largest are dropped.
    """
    if n_states < 1:
        raise OptionError(f"the number of states must be 1 or more, got {n_states} instead")
    ones = np.ones((one.ids.shape[0], 1))
    share = (weights / weights.sum())[:, None]
    if n_states == 1 or ones.size < 3 or min(one.scale.size, other.scale.size) < 2:
        return Views(ones, ones, np.zeros(0))

    def cross(left: FeatureRows, right: FeatureRows, M: AnyArray) -> AnyArray:
        inner: AnyArray = right.times(M)
        return left.transposed_times(np.ascontiguousarray(share * (inner - (share * inner).sum(axis=0))))

    k = min(n_states - 1 + OVERSAMPLE, one.scale.size, other.scale.size)
    W: AnyArray = rng.standard_normal((other.scale.size, k))
    for _ in range(POWER_PASSES):
        W = orthonormal(cross(other, one, orthonormal(cross(one, other, W))))
    left, singular, mixing = np.linalg.svd(cross(one, other, W), full_matrices=False)
    m = min(n_states - 1, int(np.sum(singular > cutoff * max(singular[0], 1e-300))))
    if singular[0] < 1e-10 or m == 0:
        return Views(ones, ones, np.zeros(0))
    U, V = left[:, :m], W @ mixing[:m].T
    flip = np.sign(U[np.abs(U).argmax(axis=0), np.arange(m)])
    X: AnyArray = one.times(np.ascontiguousarray(U * flip))
    Z: AnyArray = other.times(np.ascontiguousarray(V * flip))
    X, Z = X - (share * X).sum(axis=0), (Z - (share * Z).sum(axis=0)) / singular[:m]
    return Views(np.hstack([ones, X]), np.hstack([ones, Z]), singular[:m])


def third_moment(x: AnyArray, y: AnyArray, z: AnyArray) -> AnyArray:
    """Sum of x ⊗ y ⊗ z over rows, (a, b * c), a bounded number of rows at a time."""
    n = x.shape[0]
    total: AnyArray = np.zeros((x.shape[1], y.shape[1] * z.shape[1]))
    for start in range(0, n, CHUNK):
        part = slice(start, min(n, start + CHUNK))
        both = (y[part, :, None] * z[part, None, :]).reshape(-1, total.shape[1])
        total += x[part].T @ both
    return total


def trust(n: float, strength: float) -> float:
    """q = sqrt(n) / (strength + sqrt(n)): how much n rows are believed."""
    return float(np.sqrt(n) / (strength + np.sqrt(n))) if n > 0.0 else 0.0


def smoothed_third(x: AnyArray, y: AnyArray, z: AnyArray, weights: AnyArray, strength: float) -> AnyArray:
    """Third moment (a, b, c) backed off to pair x single products, to products of means, to e_0 ⊗ e_0 ⊗ e_0.

    The trust q in the rows is the same at every level; all views have a constant first coordinate.
    """
    a, b, c = x.shape[1], y.shape[1], z.shape[1]
    q = trust(weights.sum(), strength)
    share = (weights / weights.sum())[:, None]
    x, mz = x * share, share[:, 0] @ z
    mx, my = x.sum(axis=0), share[:, 0] @ y
    full = third_moment(x, y, z).reshape(a, b, c)
    pairs = (
        (x.T @ y)[:, :, None] * mz
        + (x.T @ z)[:, None, :] * my[None, :, None]
        + mx[:, None, None] * (y.T @ (share * z))[None]
    ) / 3.0
    singles = mx[:, None, None] * my[None, :, None] * mz
    nothing = np.zeros((a, b, c))
    nothing[0, 0, 0] = 1.0
    smooth: AnyArray = q * full + (1 - q) * (q * pairs + (1 - q) * (q * singles + (1 - q) * nothing))
    return smooth


def smoothed_second(y: AnyArray, z: AnyArray, weights: AnyArray, strength: float) -> AnyArray:
    """The same for two views, (b, c)."""
    q = trust(weights.sum(), strength)
    share = (weights / weights.sum())[:, None]
    singles = np.outer(share[:, 0] @ y, share[:, 0] @ z)
    nothing = np.zeros((y.shape[1], z.shape[1]))
    nothing[0, 0] = 1.0
    smooth: AnyArray = q * (y.T @ (share * z)) + (1 - q) * (q * singles + (1 - q) * nothing)
    return smooth


def smoothed_first(x: AnyArray, weights: AnyArray, strength: float) -> AnyArray:
    """The same for one view, (a,)."""
    nothing = np.zeros(x.shape[1])
    nothing[0] = 1.0
    if weights.sum() <= 0.0:
        return nothing
    q = trust(weights.sum(), strength)
    smooth: AnyArray = q * (weights @ x) / weights.sum() + (1 - q) * nothing
    return smooth
