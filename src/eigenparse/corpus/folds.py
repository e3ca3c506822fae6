"""Consecutive folds of a corpus, for jack-knifing."""

import itertools

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.errors import OptionError


def folds(n_sentences: int, n_folds: int) -> list[tuple[AnyArray, AnyArray]]:
    """Sentences to train on and to apply to, for each fold of consecutive blocks."""
    if not 2 <= n_folds <= n_sentences:
        raise OptionError(f"folds must be 2 to {n_sentences}, got {n_folds} instead")
    edges = np.linspace(0, n_sentences, n_folds + 1).astype(int)
    everything = np.arange(n_sentences)
    return [
        (np.concatenate([everything[:a], everything[b:]]), everything[a:b])
        for a, b in itertools.pairwise(edges)
    ]
