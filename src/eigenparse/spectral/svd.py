"""Leading singular triples of a cross-moment that is never formed: feature ids in, projections out."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import FloatArray, IntMatrix
from eigenparse.kernels.rows import gather, scatter

OVERSAMPLE = 8
POWER_PASSES = 3


@dataclass(frozen=True, slots=True)
class FeatureRows:
    """Rows of a sparse feature matrix: ids (n, T) of the active features and a scale per feature."""

    ids: IntMatrix
    scale: FloatArray

    def times(self, M: FloatArray) -> FloatArray:
        """phi @ M, dense (n, k)."""
        out = np.empty((self.ids.shape[0], M.shape[1]), dtype=M.dtype)
        gather(self.ids, self.scale, M, out)
        return out

    def transposed_times(self, P: FloatArray) -> FloatArray:
        """phi.T @ P, dense (d, k)."""
        out = np.empty((self.scale.size, P.shape[1]), dtype=P.dtype)
        scatter(self.ids, self.scale, P, out)
        return out


@dataclass(frozen=True, slots=True)
class Projection:
    """left = U (d, m), singular = sigma (m,), right = V (e, m), sorted down, signs settled."""

    left: FloatArray
    singular: FloatArray
    right: FloatArray


def orthonormal(M: FloatArray, cutoff: float = 1e-6) -> FloatArray:
    """An orthonormal basis of the columns of M; directions below a relative cutoff are dropped."""
    if M.shape[1] == 0:
        return M
    wide = M.astype(np.float64)
    values, vectors = np.linalg.eigh(wide.T @ wide)
    keep = values > cutoff**2 * max(values[-1], 1e-300)
    wide = wide @ (
        vectors[:, keep] / np.sqrt(values[keep])
    )  # in its own place: tall ones are most of the memory
    Q, _ = np.linalg.qr(wide)  # the squared condition number costs digits: a second pass restores them
    return Q.astype(M.dtype)


def cross_svd(
    inside: FeatureRows,
    outside: FeatureRows,
    n_states: int,
    *,
    rng: np.random.Generator,
    cutoff: float = 1e-4,
) -> Projection:
    """Leading directions shared by inside and outside features.

    Notation [cohen-etal-2014, figure 8]:  Omega = phi.T psi / n (d, e);  m = n_states at most:
    singular values below ``cutoff`` times the largest are dropped.
    """
    n, d, e = inside.ids.shape[0], inside.scale.size, outside.scale.size
    k = min(n_states + OVERSAMPLE, d, e)
    dtype = inside.scale.dtype
    W = rng.standard_normal((e, k)).astype(dtype)
    for _ in range(POWER_PASSES):
        Q = orthonormal(inside.transposed_times(outside.times(W)))
        W = orthonormal(outside.transposed_times(inside.times(Q)))
    B = inside.transposed_times(outside.times(W)).astype(np.float64) / n  # Omega W, (d, k)
    left, singular, mixing = np.linalg.svd(B, full_matrices=False)
    m = max(1, min(n_states, int(np.sum(singular > cutoff * max(singular[0], 1e-300)))))
    U, V = left[:, :m], W.astype(np.float64) @ mixing[:m].T
    # A singular pair is known only up to sign: make U's largest entry positive.
    flip = np.sign(U[np.abs(U).argmax(axis=0), np.arange(m)])
    return Projection(left=(U * flip).astype(dtype), singular=singular[:m], right=(V * flip).astype(dtype))
