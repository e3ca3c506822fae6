"""Leading singular triples of a cross-moment that is never formed: feature ids in, projections out."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import BoolVector, FloatArray, IntMatrix
from eigenparse.kernels.rows import gather, scatter

EXACT = 300  # a moment with so few rows or columns is decomposed as a whole
BLOCK = 8  # columns that are multiplied together: one line of the cache in double precision
CHECKED = 3  # blocks between checks of convergence
MOST_BLOCKS = 500
ROUNDING = 100  # units of rounding, relative to the largest eigenvalue, below which what is left is noise
GAP, ANGLE = 0.01, np.radians(0.1)


@dataclass(frozen=True, slots=True)
class FeatureRows:
    """Rows of a sparse feature matrix: ids (n, T) of the active features and a scale per feature.

    weight: (n,) how many rows each row stands for in sums over rows; None: each for one.
    """

    ids: IntMatrix
    scale: FloatArray
    weight: FloatArray | None = None

    @property
    def total(self) -> float:
        """Sum of the weights of all rows."""
        return float(self.ids.shape[0] if self.weight is None else self.weight.sum())

    def some(self, wanted: BoolVector | slice) -> "FeatureRows":
        """Some of the rows, over the same features."""
        return FeatureRows(self.ids[wanted], self.scale)

    def times(self, M: FloatArray) -> FloatArray:
        """phi @ M, dense (n, k)."""
        out = np.empty((self.ids.shape[0], M.shape[1]), dtype=M.dtype)
        gather(self.ids, self.scale, M, out)
        return out

    def transposed_times(self, P: FloatArray) -> FloatArray:
        """phi.T @ P, dense (d, k), each row counted by its weight."""
        if self.weight is not None:
            P = P * self.weight[:, None].astype(P.dtype)
        out = np.empty((self.scale.size, P.shape[1]), dtype=P.dtype)
        scatter(self.ids, self.scale, P, out)
        return out


@dataclass(frozen=True, slots=True)
class Projection:
    """left = U (d, m), singular = sigma (m,), right = V (e, m), in descending order, with fixed signs."""

    left: FloatArray
    singular: FloatArray
    right: FloatArray


def orthonormal(M: FloatArray, cutoff: float = 1e-6) -> FloatArray:
    """An orthonormal basis of the columns of M; directions below a relative cutoff are dropped."""
    if M.shape[1] == 0:
        return M
    # the squared condition number costs digits: a second pass restores them
    Q, _ = np.linalg.qr(whitened(M.astype(np.float64), cutoff))
    return Q.astype(M.dtype)


def whitened(M: FloatArray, cutoff: float = 1e-6) -> FloatArray:
    """A basis of the columns of M that is orthonormal up to the rounding of M's squared condition number."""
    values, vectors = np.linalg.eigh((M.T @ M).astype(np.float64))
    keep = values > cutoff**2 * max(values[-1], 1e-300)
    return np.asarray(M @ (vectors[:, keep] / np.sqrt(values[keep])).astype(M.dtype))


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
    singular values below ``cutoff`` times the largest are dropped.  A moment with at most EXACT rows or columns is
    decomposed as a whole.  Of a larger one, the space of the first c pairs is within ANGLE of the exact one for
    every c with sigma_c >= (1 + GAP) sigma_c+1.
    """
    swapped = inside.scale.size < outside.scale.size
    tall, short = (outside, inside) if swapped else (inside, outside)
    e = short.scale.size
    if e <= max(EXACT, room(n_states)):
        B = tall.transposed_times(short.times(np.eye(e, dtype=short.scale.dtype))).astype(np.float64)
        W = np.linalg.eigh(B.T @ B)[1][:, : -n_states - 1 : -1]
        B = B @ W
    else:
        W = leading_directions(tall, short, n_states, rng)
        B = tall.transposed_times(short.times(W)).astype(np.float64)  # Omega W, (d, k)
    left, singular, mixing = np.linalg.svd(B / short.total, full_matrices=False)
    m = max(1, min(n_states, int(np.sum(singular > cutoff * max(singular[0], 1e-300)))))
    pair = left[:, :m], W.astype(np.float64) @ mixing[:m].T
    U, V = reversed(pair) if swapped else pair
    # A singular pair is known only up to sign: make U's largest entry positive.
    flip = np.sign(U[np.abs(U).argmax(axis=0), np.arange(m)])
    dtype = inside.scale.dtype
    return Projection(left=(U * flip).astype(dtype), singular=singular[:m], right=(V * flip).astype(dtype))


def room(wanted: int) -> int:
    """Columns of a basis in which ``wanted`` directions are looked for."""
    return 2 * wanted + 4 * BLOCK


def leading_directions(
    tall: FeatureRows, short: FeatureRows, wanted: int, rng: np.random.Generator
) -> FloatArray:
    """Orthonormal (e, wanted): the leading eigenvectors of A = Omega.T Omega by restarted block Lanczos.

    Q (e, q) is an orthonormal basis, T = Q.T A Q, N the basis of what A adds to the space of Q: A Q = Q T + N R E.T,
    where E picks the last block.  T y = theta y gives the vector Q y with residual |R E.T y|.
    A full basis is cut down to its leading vectors.
    """
    size, dtype, last = short.scale.size, short.scale.dtype, 0
    Q = np.zeros((size, room(wanted) + BLOCK), dtype=dtype)
    T = np.zeros((Q.shape[1], Q.shape[1]))
    N = orthonormal(rng.standard_normal((size, BLOCK)).astype(dtype))
    have, noise = 0, ROUNDING * np.finfo(dtype).eps
    for step in range(1, MOST_BLOCKS + 1):
        last, have = have, have + N.shape[1]
        Q[:, last:have] = N
        basis = Q[:, :have]
        Z = short.transposed_times(tall.times(tall.transposed_times(short.times(N))))
        H = basis.T @ Z
        T[:have, last:have], T[last:have, :have] = H, H.T
        Z -= basis @ H
        N = Z[:, :0]
        if np.linalg.norm(Z) > noise * np.abs(T).max():
            N = whitened(Z)
            N = whitened(N - basis @ (basis.T @ N))
        full, over = have + BLOCK > room(wanted), N.shape[1] == 0 or step == MOST_BLOCKS
        if not (full or over or (step % CHECKED == 0 and have > wanted)):
            continue
        theta, Y = (part[..., ::-1] for part in np.linalg.eigh(T[:have, :have]))
        residual = np.linalg.norm(N.T @ Z @ Y[last:, : wanted + 1], axis=0)
        if over or settled(theta[: wanted + 1], residual):
            break
        if full:
            have = wanted + BLOCK
            Q[:, :have] = basis @ Y[:, :have].astype(dtype)
            T[:] = 0.0
            np.fill_diagonal(T[:have, :have], theta)
    return np.asarray(basis @ Y[:, :wanted].astype(dtype))


def settled(theta: FloatArray, residual: FloatArray) -> bool:
    """Whether the angle of every leading space with a gap behind it, |residuals| / gap at most, is within ANGLE."""
    sigma = np.sqrt(np.maximum(theta, 0.0))
    parted = sigma[:-1] >= (1 + GAP) * sigma[1:]
    angle = np.sqrt(np.cumsum(residual[:-1] ** 2)) / np.maximum(theta[:-1] - theta[1:], 1e-300)
    return bool(np.all(angle[parted] <= ANGLE))
