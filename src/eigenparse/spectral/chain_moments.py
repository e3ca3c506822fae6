"""Moments of chains around a constant first coordinate: feature rows in, views and smoothed tensors out.

The two views of a group of rows are X = [1, (phi - mean) U] and W = [1, (psi - mean) V / sigma], with U,
sigma, V the singular triples of the centred cross-moment.  Then E[X W'] is the identity and
E[X] = E[W] = e_0, whatever the sample: a single coordinate is the model without states.  Rows carry
weights: 1 in a corpus, multiplicities or exact probabilities where those are known.
"""

from dataclasses import dataclass, replace

import numpy as np

from eigenparse.arrays import AnyArray, IntMatrix, IntVector, LongVector
from eigenparse.errors import OptionError
from eigenparse.spectral.svd import FeatureRows, orthonormal

OVERSAMPLE = 6
POWER_PASSES = 2
CHUNK = 8192
PROJECTION = ("left", "right", "left_mean", "right_mean", "singular")


def scaled_rows(ids: IntMatrix, weights: AnyArray, *, kappa: float) -> FeatureRows:
    """Feature ids (n, K) of one group, packed, each feature scaled by sqrt(n / (count + kappa))."""
    flat, packed = np.unique(ids, return_inverse=True)
    packed = packed.reshape(ids.shape)
    count = np.bincount(packed.reshape(-1), weights=np.repeat(weights, ids.shape[1]), minlength=flat.size)
    bottom = count + kappa
    scale = np.sqrt(weights.sum() / np.where(bottom > 0.0, bottom, 1.0)) * (count > 0.0)
    return FeatureRows(np.ascontiguousarray(packed.astype(np.int32)), scale)


@dataclass(frozen=True, slots=True)
class CentredProjection:
    """left = U (d, m - 1), right = V / sigma (e, m - 1), the means of both views, and sigma (m - 1,)."""

    left: AnyArray
    right: AnyArray
    left_mean: AnyArray
    right_mean: AnyArray
    singular: AnyArray

    def one(self, rows: FeatureRows) -> AnyArray:
        """X = [1, phi U - mean], (n, m)."""
        return _with_constant(rows, self.left, self.left_mean)

    def other(self, rows: FeatureRows) -> AnyArray:
        """W = [1, psi V / sigma - mean], (n, m)."""
        return _with_constant(rows, self.right, self.right_mean)

    def padded(self) -> "CentredProjection":
        """The same with an additional feature that projects to zero: for unknown features (``known_rows``)."""
        blank = np.zeros((1, self.singular.size))
        left, right = np.vstack([self.left, blank]), np.vstack([self.right, blank])
        return replace(self, left=left, right=right)


def known_rows(positions: IntMatrix, scale: AnyArray) -> FeatureRows:
    """Feature rows of positions (n, K) in a known table of features; -1 for a feature that is not in the table."""
    ids = np.where(positions < 0, scale.size, positions)
    return FeatureRows(np.ascontiguousarray(ids, dtype=np.int32), np.append(scale, 0.0))


def _with_constant(rows: FeatureRows, directions: AnyArray, mean: AnyArray) -> AnyArray:
    ones = np.ones((rows.ids.shape[0], 1))
    return ones if not mean.size else np.hstack([ones, rows.times(directions) - mean])


def centred_projection(
    one: FeatureRows,
    other: FeatureRows,
    weights: AnyArray,
    n_states: int,
    *,
    rng: np.random.Generator,
    cutoff: float = 1e-2,
) -> CentredProjection:
    """Both views from the leading n_states - 1 triples of the centred cross-moment.

    Triples with a singular value below ``cutoff`` times the largest are dropped.  The projection can be applied to
    other rows of the same features.
    """
    if n_states < 1:
        raise OptionError(f"the number of states must be 1 or more, got {n_states} instead")
    d, e = one.scale.size, other.scale.size
    none = CentredProjection(np.zeros((d, 0)), np.zeros((e, 0)), np.zeros(0), np.zeros(0), np.zeros(0))
    share = (weights / weights.sum())[:, None]
    if n_states == 1 or weights.size < 3 or min(d, e) < 2:
        return none

    def cross(left: FeatureRows, right: FeatureRows, M: AnyArray) -> AnyArray:
        inner: AnyArray = right.times(M)
        return left.transposed_times(np.ascontiguousarray(share * (inner - (share * inner).sum(axis=0))))

    k = min(n_states - 1 + OVERSAMPLE, d, e)
    W: AnyArray = rng.standard_normal((e, k))
    for _ in range(POWER_PASSES):
        W = orthonormal(cross(other, one, orthonormal(cross(one, other, W))))
    if W.shape[1] == 0:  # beyond their means, the two sides are uncorrelated
        return none
    left, singular, mixing = np.linalg.svd(cross(one, other, W), full_matrices=False)
    m = min(n_states - 1, int(np.sum(singular > cutoff * max(singular[0], 1e-300))))
    if singular[0] < 1e-10 or m == 0:
        return none
    U, V = left[:, :m], W @ mixing[:m].T
    flip = np.sign(U[np.abs(U).argmax(axis=0), np.arange(m)])
    U, V = np.ascontiguousarray(U * flip), np.ascontiguousarray(V * flip / singular[:m])
    means = [(share * rows.times(M)).sum(axis=0) for rows, M in ((one, U), (other, V))]
    return CentredProjection(U, V, means[0], means[1], singular[:m])


def sums_by(groups: IntVector | LongVector, rows: AnyArray, n_groups: int) -> AnyArray:
    """Sums (n_groups, d) of the rows (n, d) of each group."""
    if not rows.shape[1]:
        return np.zeros((n_groups, 0))
    columns = [np.bincount(groups, weights=rows[:, j], minlength=n_groups) for j in range(rows.shape[1])]
    return np.stack(columns, axis=1)


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
    """q = sqrt(n) / (strength + sqrt(n)): the weight of an estimate from n rows."""
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
    return q * full + (1 - q) * (q * pairs + (1 - q) * (q * singles + (1 - q) * nothing))


def smoothed_second(y: AnyArray, z: AnyArray, weights: AnyArray, strength: float) -> AnyArray:
    """The same for two views, (b, c)."""
    q = trust(weights.sum(), strength)
    share = (weights / weights.sum())[:, None]
    singles = np.outer(share[:, 0] @ y, share[:, 0] @ z)
    nothing = np.zeros((y.shape[1], z.shape[1]))
    nothing[0, 0] = 1.0
    return q * (y.T @ (share * z)) + (1 - q) * (q * singles + (1 - q) * nothing)


def smoothed_first(x: AnyArray, weights: AnyArray, strength: float) -> AnyArray:
    """The same for one view, (a,)."""
    nothing = np.zeros(x.shape[1])
    nothing[0] = 1.0
    if weights.sum() <= 0.0:
        return nothing
    q = trust(weights.sum(), strength)
    return q * (weights @ x) / weights.sum() + (1 - q) * nothing
