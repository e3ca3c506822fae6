"""Moments of chains around a constant first coordinate: feature rows in, views and smoothed tensors out.

The two views of a group of rows are X = [1, (phi - mean) U] and W = [1, (psi - mean) V / sigma], with U,
sigma, V the singular triples of the centred cross-moment.  Then E[X W'] is the identity and
E[X] = E[W] = e_0, whatever the sample: a single coordinate is the model without states.
"""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, IntMatrix
from eigenparse.errors import OptionError
from eigenparse.spectral.svd import FeatureRows, orthonormal

OVERSAMPLE = 6
POWER_PASSES = 2
CHUNK = 8192


@dataclass(frozen=True, slots=True)
class Views:
    """Two views of n rows in m coordinates, the first constant, and the m - 1 singular values behind them."""

    one: FloatArray
    other: FloatArray
    singular: FloatArray


def scaled_rows(ids: IntMatrix, *, kappa: float) -> FeatureRows:
    """Feature ids (n, K) of one group, packed, each feature scaled by sqrt(n / (count + kappa))."""
    flat, packed = np.unique(ids, return_inverse=True)
    count = np.bincount(packed.reshape(-1), minlength=flat.size)
    scale = np.sqrt(ids.shape[0] / (count + kappa))
    return FeatureRows(np.ascontiguousarray(packed.reshape(ids.shape).astype(np.int32)), scale)


def centred_views(
    one: FeatureRows, other: FeatureRows, n_states: int, *, rng: np.random.Generator, cutoff: float = 1e-2
) -> Views:
    """Both views from the leading n_states - 1 triples of the centred cross-moment.

    Triples with a singular value below ``cutoff`` times the largest are dropped.
    """
    if n_states < 1:
        raise OptionError(f"the number of states must be 1 or more, got {n_states} instead")
    n = one.ids.shape[0]
    ones = np.ones((n, 1))
    if n_states == 1 or n < 3 or min(one.scale.size, other.scale.size) < 2:
        return Views(ones, ones, np.zeros(0))
    mean_one, mean_other = one.transposed_times(ones) / n, other.transposed_times(ones) / n

    def forth(M: AnyArray) -> AnyArray:
        inner: AnyArray = other.times(M)
        out: AnyArray = one.transposed_times(inner - inner.mean(axis=0)) / n
        return out

    def back(M: AnyArray) -> AnyArray:
        inner: AnyArray = one.times(M)
        out: AnyArray = other.transposed_times(inner - inner.mean(axis=0)) / n
        return out

    k = min(n_states - 1 + OVERSAMPLE, one.scale.size, other.scale.size)
    W: AnyArray = rng.standard_normal((other.scale.size, k))
    for _ in range(POWER_PASSES):
        W = orthonormal(back(orthonormal(forth(W))))
    left, singular, mixing = np.linalg.svd(forth(W), full_matrices=False)
    m = min(n_states - 1, int(np.sum(singular > cutoff * max(singular[0], 1e-300))))
    if singular[0] < 1e-10 or m == 0:
        return Views(ones, ones, np.zeros(0))
    U, V = left[:, :m], W @ mixing[:m].T
    flip = np.sign(U[np.abs(U).argmax(axis=0), np.arange(m)])
    U, V = U * flip, V * flip
    X = one.times(U) - (mean_one.T @ U)
    Z = (other.times(V) - (mean_other.T @ V)) / singular[:m]
    return Views(np.hstack([ones, X]), np.hstack([ones, Z]), singular[:m])


def third_moment(x: FloatArray, y: FloatArray, z: FloatArray) -> FloatArray:
    """Mean of x ⊗ y ⊗ z over rows, (a, b * c), a bounded number of rows at a time."""
    n = x.shape[0]
    total: FloatArray = np.zeros((x.shape[1], y.shape[1] * z.shape[1]))
    for start in range(0, n, CHUNK):
        part = slice(start, min(n, start + CHUNK))
        both = (y[part, :, None] * z[part, None, :]).reshape(-1, total.shape[1])
        total += x[part].T @ both
    total /= n
    return total


def smoothed_third(x: FloatArray, y: FloatArray, z: FloatArray, strength: float) -> FloatArray:
    """Third moment (a, b, c) backed off to pair x single products, to products of means, to e_0 ⊗ e_0 ⊗ e_0.

    q = sqrt(n) / (strength + sqrt(n)) at every level; all views have a constant first coordinate.
    """
    n, (a, b, c) = x.shape[0], (x.shape[1], y.shape[1], z.shape[1])
    q = np.sqrt(n) / (strength + np.sqrt(n))
    mx, my, mz = x.mean(axis=0), y.mean(axis=0), z.mean(axis=0)
    full = third_moment(x, y, z).reshape(a, b, c)
    pairs = (
        (x.T @ y / n)[:, :, None] * mz
        + (x.T @ z / n)[:, None, :] * my[None, :, None]
        + mx[:, None, None] * (y.T @ z / n)[None]
    ) / 3.0
    singles = mx[:, None, None] * my[None, :, None] * mz
    nothing = np.zeros((a, b, c))
    nothing[0, 0, 0] = 1.0
    smooth: FloatArray = q * full + (1 - q) * (q * pairs + (1 - q) * (q * singles + (1 - q) * nothing))
    return smooth


def smoothed_second(y: FloatArray, z: FloatArray, strength: float) -> FloatArray:
    """The same for two views, (b, c)."""
    n = y.shape[0]
    q = np.sqrt(n) / (strength + np.sqrt(n))
    singles = np.outer(y.mean(axis=0), z.mean(axis=0))
    nothing = np.zeros((y.shape[1], z.shape[1]))
    nothing[0, 0] = 1.0
    smooth: FloatArray = q * (y.T @ z / n) + (1 - q) * (q * singles + (1 - q) * nothing)
    return smooth
