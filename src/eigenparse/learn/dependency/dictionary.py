"""The dictionary U of the latent tree model: counts of arcs or word vectors in, a short vector per symbol out."""

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import svds

from eigenparse.arrays import AnyArray, FloatArray, generator
from eigenparse.errors import OptionError
from eigenparse.features.dependency.channels import Shapes, parents
from eigenparse.models.vectors.vectors import WordVectors


def arc_counts(trees: Shapes, symbol: AnyArray, n_symbols: int) -> sparse.csr_matrix:
    """Counts (W, 4 W) of symbols with their neighbours: the head and the children, told apart by side."""
    up = parents(trees)
    child = np.flatnonzero(up >= 0)
    head, side = up[child], (up[child] < child).astype(np.int64)
    a, b = symbol[child].astype(np.int64), symbol[head].astype(np.int64)
    row = np.concatenate([a, b])
    column = np.concatenate([b + side * n_symbols, a + (2 + side) * n_symbols])
    return sparse.coo_matrix((np.ones(row.size), (row, column)), shape=(n_symbols, 4 * n_symbols)).tocsr()


def arc_dictionary(counts: sparse.csr_matrix, k: int) -> FloatArray:
    """U (W, k): leading left singular vectors of square-rooted counts of symbols with their neighbours."""
    n_symbols = counts.shape[0]
    if not 1 <= k < n_symbols:
        raise OptionError(
            f"{k} states need more than {k} observed symbols, got {n_symbols}; use fewer states"
        )
    counts = counts.sqrt()
    over_row = 1.0 / np.sqrt(np.maximum(np.asarray(counts.sum(axis=1)).ravel(), 1.0))
    over_column = 1.0 / np.sqrt(np.maximum(np.asarray(counts.sum(axis=0)).ravel(), 1.0))
    scaled = sparse.diags(over_row) @ counts @ sparse.diags(over_column)
    U, s, _ = svds(scaled, k=k, v0=generator(0, 7).standard_normal(n_symbols))
    U = U[:, np.argsort(-s)]
    return np.asarray(U * np.sign(U[np.abs(U).argmax(axis=0), np.arange(k)]))


def vector_dictionary(vectors: WordVectors, names: tuple[str, ...], k: int) -> FloatArray:
    """U (W, k): vectors of symbols, rotated to the k directions of largest variance of known words.

    Symbols are forms in lower case; case is ignored in the vectors.  Tags that replace rare forms, and forms without
    a vector, get the mean of the vectors.
    """
    n, width = vectors.vectors.shape
    if not 1 <= k <= width:
        raise OptionError(f"{k} states need vectors of at least {k} numbers, got {width}; use fewer states")
    place: dict[str, int] = {}
    for row in range(n - 1, 0, -1):
        place[vectors.words[row].lower()] = row
    rows = np.array([place.get(name, 0) for name in names], dtype=np.int64)
    if not (rows > 0).any():
        raise OptionError("none of the forms has a vector; give vectors of the same language")
    table = np.asarray(vectors.vectors, dtype=np.float64)
    known = table[rows[rows > 0]]
    values = np.where((rows > 0)[:, None], table[rows], known.mean(axis=0))
    _, _, directions = np.linalg.svd(known, full_matrices=False)
    if directions.shape[0] < k:
        raise OptionError(f"only {directions.shape[0]} forms have a vector; use fewer states than {k}")
    U = values @ directions[:k].T
    return np.asarray(U * np.sign(U[np.abs(U).argmax(axis=0), np.arange(k)]))
