"""Seeded clustering of projected rows: (n, d) in, one state per row out."""

import numpy as np

from eigenparse.arrays import FloatArray, IntVector, LongVector
from eigenparse.kernels.clusters import improve_centres
from eigenparse.kernels.rows import nearest
from eigenparse.threads import one_thread

SAMPLE = 10_000
ROUNDS, TOLERANCE = 50, 1e-4  # of k-means; the tolerance is a share of the mean variance of a column


def cluster_rows(rows: FloatArray, n_states: int, *, rng: np.random.Generator) -> IntVector:
    """A cluster id in 0..k-1 for each row, k <= n_states; no cluster is empty.

    Centres come from at most SAMPLE rows; every row then joins its nearest centre.
    """
    with one_thread():  # several threads would add up sums in varying order
        return clusters(rows, n_states, rng=rng)


def clusters(
    rows: FloatArray, n_states: int, *, rng: np.random.Generator, weight: FloatArray | None = None
) -> IntVector:
    """The same if linear algebra is already limited to one thread; setting the limit is slow for small labels."""
    n = rows.shape[0]
    centres = centres_of(rows, n_states, rng=rng, weight=weight)
    if centres is None:
        return np.zeros(n, dtype=np.int32)
    state = np.empty(n, dtype=np.int32)
    nearest(rows, centres, state)
    _, packed = np.unique(state, return_inverse=True)
    return packed.astype(np.int32)


def centres_of(
    rows: FloatArray, n_states: int, *, rng: np.random.Generator, weight: FloatArray | None = None
) -> FloatArray | None:
    """Centres (k, d) of at most SAMPLE rows; None if all rows are one cluster.

    To be called where linear algebra is limited to one thread.  weight: (n,) rows that each row stands for.
    """
    n = rows.shape[0]
    chosen = slice(None) if n <= SAMPLE else np.sort(rng.choice(n, SAMPLE, replace=False))
    sample, heavy = rows[chosen], np.ones(n) if weight is None else weight
    heavy = heavy[chosen].astype(rows.dtype)
    k = distinct_rows(sample, n_states)
    if k == 1:
        return None
    mean, spread = sample.mean(axis=0), float(np.mean(np.var(sample, axis=0)))
    about = np.ascontiguousarray(sample - mean)  # smaller numbers, smaller roundings
    centres = spread_out(about, k, np.random.RandomState(int(rng.integers(2**31))), weight=heavy)
    improve_centres(about, heavy, centres, ROUNDS, TOLERANCE * spread)
    return centres + mean


def spread_out(
    rows: FloatArray, k: int, random_state: np.random.RandomState, *, weight: FloatArray | None = None
) -> FloatArray:
    """Where k-means starts (k, d): k-means++ with several candidates per step, drawn as scikit-learn does.

    The result is the same to the bit as that of ``init="k-means++"``.  Here the rows are converted and squared
    once, not at every step; with scikit-learn's own start, training a grammar took 3 to 11 percent longer, and
    importing it takes a second.
    """
    n, tries = rows.shape[0], 2 + int(np.log(k))
    wide, heavy = rows.astype(np.float64), np.ones(n, dtype=rows.dtype) if weight is None else weight
    square = np.einsum("ij,ij->i", wide, wide)

    def distances(chosen: LongVector) -> FloatArray:
        found = -2.0 * (wide[chosen] @ wide.T)
        found += square[chosen, None]
        found += square
        return np.maximum(found.astype(rows.dtype), 0)

    centres = np.empty(k, dtype=np.int64)
    centres[0] = random_state.choice(n, p=heavy / heavy.sum())
    nearest_square = distances(centres[:1])
    potential = nearest_square @ heavy
    for c in range(1, k):
        aims = random_state.uniform(size=tries) * potential
        chosen = np.minimum(np.searchsorted(np.cumsum(nearest_square * heavy), aims), n - 1)
        closer = np.minimum(nearest_square, distances(chosen))
        potentials = closer @ heavy[:, None]
        best = int(np.argmin(potentials))
        centres[c], nearest_square, potential = chosen[best], closer[best], potentials[best]
    return rows[centres]


def distinct_rows(rows: FloatArray, enough: int) -> int:
    """How many different rows there are, counted up to ``enough``."""
    seen: set[bytes] = set()
    for row in rows:
        seen.add((row + 0.0).tobytes())  # -0.0 and 0.0 are the same
        if len(seen) >= enough:
            break
    return len(seen)
