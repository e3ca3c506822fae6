"""Random hidden Markov models."""

import numpy as np

import eigenparse.cli.verbs  # noqa: F401


def draw_hmm(seed, k=3, n=5):
    rng = np.random.default_rng(seed)
    start, T = rng.dirichlet(np.ones(k)), rng.dirichlet(np.full(k, 0.4), size=k).T
    return start, T, rng.dirichlet(np.full(n, 0.4), size=k).T


def names(n):
    return tuple(f"s{k}" for k in range(n))
