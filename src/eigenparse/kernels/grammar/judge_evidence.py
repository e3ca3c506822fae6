"""Bracket posteriors of a chart by key in, the likely ones as columns out."""

from typing import NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel


class Likely(NamedTuple):
    """Likely brackets, sorted by start, then end: (m,) each, voices (V, m).

    place: where they stand among all.  mass: at most one.
    """

    place: np.ndarray
    start: np.ndarray
    end: np.ndarray
    symbol: np.ndarray
    mass: np.ndarray
    voices: np.ndarray


# What it computes: the brackets of at least the mass ``least`` whose symbols are wanted.  Layout: the key of a bracket
# is (start * width + end) * n_symbols + symbol, and keys are sorted, so that brackets come out sorted by start and end.
# Order: one pass counts, one pass fills.
@kernel
def likely_brackets(keys, masses, voices, width, wanted, least):
    """Columns of the wanted brackets; wanted: (S,) of symbols."""
    n, r = 0, 0
    for k in range(keys.size):
        n += masses[k] >= least and wanted[keys[k] % wanted.size]
    place, start, end = np.empty(n, np.int64), np.empty(n, np.int32), np.empty(n, np.int32)
    symbol, mass, own = np.empty(n, np.int32), np.empty(n), np.empty((voices.shape[0], n))
    for k in range(keys.size):
        if masses[k] >= least and wanted[keys[k] % wanted.size]:
            span = keys[k] // wanted.size
            place[r], start[r], end[r], symbol[r] = k, span // width, span % width, keys[k] % wanted.size
            mass[r] = min(masses[k], 1.0)
            for v in range(voices.shape[0]):
                own[v, r] = voices[v, k]
            r += 1
    return Likely(place, start, end, symbol, mass, own)


@kernel
def likeliest(word, symbol, mass, tag):
    """The tag of the largest mass of every word, the last of equals; words without any keep what ``tag`` has."""
    best = np.full(tag.size, -1.0)
    for k in range(word.size):
        if mass[k] >= best[word[k]]:
            best[word[k]], tag[word[k]] = mass[k], symbol[k]
