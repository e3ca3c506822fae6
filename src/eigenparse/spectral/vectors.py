"""Word vectors from counts of pairs of words at distances 1, 2, ...: sparse counts in, vectors (n, k) out.

Every second moment that the methods need is linear in the counts P_d[x, y] of y standing d words after x:
of a word with its contexts, of left with right contexts (distances add up), of contexts with themselves.
Counts may be raised to a power first (square roots: [stratos-etal-2015]).
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy import sparse

from eigenparse.arrays import AnyArray, IntVector, LongVector, generator
from eigenparse.errors import DataError
from eigenparse.spectral.svd import orthonormal

METHODS = ("cca", "cca2", "svd", "lrmvl")
OVERSAMPLE = 10
POWER_PASSES = 3
RATES = (0.5, 0.8)  # of the exponentially smoothed contexts of LR-MVL
Apply = Callable[[AnyArray], AnyArray]


@dataclass(frozen=True, slots=True)
class PairStatistics:
    """words: (n,) counts; pairs[d - 1] = P_d: (n, n) sparse."""

    words: AnyArray
    pairs: tuple[sparse.csr_matrix, ...]


def reach_of(method: str, window: int, reach: int) -> int:
    """The largest distance that a method needs to be counted."""
    return {"svd": 1, "cca": window, "cca2": 2 * window, "lrmvl": 2 * reach}[method]


def pair_matrix(starts: LongVector, seconds: IntVector, counts: AnyArray) -> sparse.csr_matrix:
    """Second words and counts of the pairs of every first word, [starts[x], starts[x + 1]), as a sparse matrix."""
    n = starts.size - 1
    if seconds.size < 2**31:
        starts = starts.astype(np.int32)
    return sparse.csr_matrix((counts.astype(np.float32), seconds, starts), shape=(n, n))


def vectors_of(
    counts: PairStatistics,
    method: str,
    dim: int,
    *,
    window: int = 2,
    power: float = 0.5,
    rounds: int = 4,
    seed: int = 0,
) -> tuple[AnyArray, AnyArray]:
    """Vectors (n, dim) with rows of length one, and the singular values behind the columns."""
    n = counts.words.size
    if dim >= n:
        raise DataError(f"{n} words cannot have {dim} dimensions; use fewer or give more text")
    if not any(one.nnz for one in counts.pairs):
        raise DataError("no two words stand in one line; give one sentence per line")
    powered = PairStatistics(counts.words, tuple(_power(one, power) for one in counts.pairs))
    rng = generator(seed, 31)
    if method == "svd":
        found = _bigram_svd(powered, dim, rng)
    elif method == "cca":
        found = _one_step(powered, dim, window, power, rng)
    elif method == "cca2":
        found = _two_step(powered, dim, window, power, rng)
    else:
        found = _lr_mvl(powered, dim, power, rounds, rng)
    return _unit_rows(found[0]), found[1]


def _power(matrix: sparse.csr_matrix, power: float) -> sparse.csr_matrix:
    """The same matrix with its entries raised to a power, in place of the counts."""
    matrix.data **= np.float32(power)
    return matrix


def _unit_rows(M: AnyArray) -> AnyArray:
    length = np.linalg.norm(M, axis=1, keepdims=True)
    return M / np.where(length > 0.0, length, 1.0)


def leading_left(
    times: Apply, transposed: Apply, width: int, k: int, rng: np.random.Generator
) -> tuple[AnyArray, AnyArray, AnyArray]:
    """U (n, k), sigma (k,), V (width, k) of a matrix given by its products, with fixed signs."""
    W = rng.standard_normal((width, k + OVERSAMPLE)).astype(np.float32)
    for _ in range(POWER_PASSES):
        W = orthonormal(transposed(orthonormal(times(W))))
    left, sigma, mixing = np.linalg.svd(times(W).astype(np.float64), full_matrices=False)
    U, sigma, V = left[:, :k], sigma[:k], W @ mixing[:k].T
    flip = np.sign(U[np.abs(U).argmax(axis=0), np.arange(U.shape[1])])
    return U * flip, sigma, V * flip


def _bigram_svd(counts: PairStatistics, k: int, rng: np.random.Generator) -> tuple[AnyArray, AnyArray]:
    """Left vectors of [P_1, P_1'], not scaled: next and previous words [dhillon-etal-2012, section 2]."""
    n = counts.words.size
    P = counts.pairs[0]

    def times(M: AnyArray) -> AnyArray:
        return P @ M[:n] + P.T @ M[n:]

    U, sigma, _ = leading_left(times, lambda M: np.vstack([P.T @ M, P @ M]).astype(np.float32), 2 * n, k, rng)
    return U * sigma, sigma


def _roots(total: AnyArray, power: float) -> AnyArray:
    """total^(-power / 2), and 0 where the total is 0."""
    scale: AnyArray = np.where(total > 0.0, np.maximum(total, 1.0) ** (-0.5 * power), 0.0)
    return scale.astype(np.float32)


def _one_step(
    counts: PairStatistics, k: int, window: int, power: float, rng: np.random.Generator
) -> tuple[AnyArray, AnyArray]:
    """Left vectors of D_w^-1/2 [P_1, P_1', P_2, P_2', ...] D_c^-1/2."""
    n = counts.words.size
    scale = _roots(counts.words, power)[:, None]
    blocks = [one for P in counts.pairs[:window] for one in (P, P.T)]

    def times(M: AnyArray) -> AnyArray:
        total = np.zeros((n, M.shape[1]), dtype=np.float32)
        for b, P in enumerate(blocks):
            total += P @ (scale * M[b * n : (b + 1) * n])
        return scale * total

    def transposed(M: AnyArray) -> AnyArray:
        scaled = scale * M
        return np.vstack([scale * (P.T @ scaled) for P in blocks])

    U, sigma, _ = leading_left(times, transposed, n * len(blocks), k, rng)
    return U * np.sqrt(sigma), sigma


def _two_step(
    counts: PairStatistics, k: int, window: int, power: float, rng: np.random.Generator
) -> tuple[AnyArray, AnyArray]:
    """CCA of left with right contexts, then of words with both projections [dhillon-etal-2015]."""
    n = counts.words.size
    scale = _roots(counts.words, power)[:, None]
    places = range(window)

    def times(
        M: AnyArray,
    ) -> AnyArray:  # rows: left contexts at 1..w before; columns: right ones at 1..w after
        parts = [scale * M[j * n : (j + 1) * n] for j in places]
        return np.vstack([scale * sum(counts.pairs[i + j + 1] @ parts[j] for j in places) for i in places])

    def transposed(M: AnyArray) -> AnyArray:
        parts = [scale * M[i * n : (i + 1) * n] for i in places]
        return np.vstack([scale * sum(counts.pairs[i + j + 1].T @ parts[i] for i in places) for j in places])

    U, _, V = leading_left(times, transposed, n * window, k, rng)
    left = [scale * U[i * n : (i + 1) * n].astype(np.float32) for i in places]
    right = [scale * V[j * n : (j + 1) * n].astype(np.float32) for j in places]
    words = np.hstack(
        [sum(counts.pairs[i].T @ left[i] for i in places), sum(counts.pairs[j] @ right[j] for j in places)]
    )
    both = [(side, place, M) for side, Ms in ((-1, left), (1, right)) for place, M in enumerate(Ms, start=1)]
    moment = np.zeros((2 * k, 2 * k))
    for (s, i, A), (r, j, B) in product(both, both):
        at = (slice(0, k) if s < 0 else slice(k, 2 * k), slice(0, k) if r < 0 else slice(k, 2 * k))
        moment[at] += A.T.astype(np.float64) @ _apart(counts, r * j - s * i, B, power)
    return _with_words(scale * words, moment, k)


def _apart(counts: PairStatistics, distance: int, B: AnyArray, power: float) -> AnyArray:
    """E[e_x e_y'] B for y standing ``distance`` words after x."""
    if distance == 0:
        diagonal: AnyArray = (counts.words**power)[:, None] * B
        return diagonal
    if abs(distance) > len(counts.pairs):
        return np.zeros_like(B)
    P = counts.pairs[abs(distance) - 1]
    return P @ B if distance > 0 else P.T @ B


def _with_words(words: AnyArray, moment: AnyArray, k: int) -> tuple[AnyArray, AnyArray]:
    """Word side of the CCA of words (already scaled) with states of the given second moment."""
    M = words.astype(np.float64) @ _inverse_root(moment)
    left, sigma, _ = np.linalg.svd(M, full_matrices=False)
    U, sigma = left[:, :k], sigma[:k]
    flip = np.sign(U[np.abs(U).argmax(axis=0), np.arange(U.shape[1])])
    return U * flip * np.sqrt(sigma), sigma


def _inverse_root(moment: AnyArray) -> AnyArray:
    """moment^(-1/2) on its leading directions."""
    values, vectors = np.linalg.eigh((moment + moment.T) / 2.0)
    keep = values > 1e-4 * values[-1]
    return vectors[:, keep] / np.sqrt(values[keep])


def _lr_mvl(
    counts: PairStatistics, k: int, power: float, rounds: int, rng: np.random.Generator
) -> tuple[AnyArray, AnyArray]:
    """Rounds of CCA between words and exponentially smoothed left and right states [dhillon-etal-2011]."""
    n, reach = counts.words.size, len(counts.pairs) // 2
    scale = _roots(counts.words, power)[:, None]
    A = scale * rng.standard_normal((n, k)).astype(np.float32)
    found = (A, np.zeros(k))
    for _ in range(rounds):
        forward = [counts.pairs[d] @ A for d in range(2 * reach)]  # E[x, A of the word d + 1 after x]
        backward = [counts.pairs[d].T @ A for d in range(2 * reach)]
        between = [A.T.astype(np.float64) @ one for one in forward]
        same = A.T.astype(np.float64) @ ((counts.words**power)[:, None] * A)
        weights = [[rate**d for d in range(reach)] for rate in RATES]
        left = np.hstack([sum(w * M for w, M in zip(ws, backward, strict=False)) for ws in weights])
        right = np.hstack([sum(w * M for w, M in zip(ws, forward, strict=False)) for ws in weights])
        within, across = _state_moments(same, between, weights)
        to_left, to_right = _canonical(within, across, within.T, k)
        words = np.hstack([left @ to_left, right @ to_right])
        mixed = to_left.T @ across @ to_right
        moment = np.block(
            [[to_left.T @ within @ to_left, mixed], [mixed.T, to_right.T @ within.T @ to_right]]
        )
        found = _with_words(scale * words, moment, k)
        A = (scale * found[0]).astype(np.float32)
    return found


def _state_moments(
    same: AnyArray, between: list[AnyArray], weights: list[list[float]]
) -> tuple[AnyArray, AnyArray]:
    """Second moments of the smoothed left states with themselves and with the right states."""
    k, r, reach = same.shape[0], len(weights), len(weights[0])
    within, across = np.zeros((r, k, r, k)), np.zeros((r, k, r, k))
    for a, b in product(range(r), range(r)):
        for i, j in product(range(reach), range(reach)):
            weight = weights[a][i] * weights[b][j]
            pair = same if i == j else (between[i - j - 1] if i > j else between[j - i - 1].T)
            within[a, :, b] += weight * pair
            across[a, :, b] += weight * between[i + j + 1]
    return within.reshape(r * k, r * k), across.reshape(r * k, r * k)


def _canonical(left: AnyArray, across: AnyArray, right: AnyArray, k: int) -> tuple[AnyArray, AnyArray]:
    """The k leading canonical directions of two states."""
    one, other = _inverse_root(left), _inverse_root(right)
    U, _, Vt = np.linalg.svd(one.T @ across @ other, full_matrices=False)
    return one @ U[:, :k], other @ Vt[:k].T
