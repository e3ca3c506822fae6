"""Word vectors in, the dictionary U of the latent tree model out."""

import numpy as np

from eigenparse.arrays import FloatArray
from eigenparse.errors import OptionError
from eigenparse.models.vectors.vectors import WordVectors


def vector_dictionary(vectors: WordVectors, names: tuple[str, ...], k: int) -> FloatArray:
    """U (W, k): vectors of symbols, rotated to the k directions in which known words spread most.

    Symbols are forms in lower case, written in any case in the vectors; tags that stand for rare forms, and
    forms without a vector, get the mean of the vectors.
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
