"""Random latent tree models, their exact moments, and tree probabilities by summing over all states."""

import itertools
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray
from eigenparse.corpus.dependencies import Dependencies, columns_of
from eigenparse.features.dependency.channels import parents
from eigenparse.learn.dependency.moments import FamilyMoments, family_moments
from eigenparse.models.dependency.deptree import DepTree


@dataclass(frozen=True)
class Truth:
    """pi (k,), T (2, k, k), O (n, k) and the law rho (k,) of the states of two-sided parents."""

    pi: np.ndarray
    T: np.ndarray
    O: np.ndarray  # noqa: E741
    rho: np.ndarray


def draw_truth(k: int, n: int, seed: int, *, equal: bool = False) -> Truth:
    """A random model, redrawn until its matrices are well conditioned.

    With ``equal`` the law of states is uniform at roots, parents and children.
    """
    for trial in itertools.count():
        rng = np.random.default_rng((seed, trial))
        pi, rho = rng.dirichlet(np.ones(k), size=2)
        T = rng.dirichlet(np.full(k, 0.5), size=(2, k)).transpose(0, 2, 1)
        O = rng.dirichlet(np.full(n, 0.5), size=k).T  # noqa: E741
        if equal:
            pi = rho = np.full(k, 1.0 / k)
            T = np.stack([doubly_stochastic(rng, k), doubly_stochastic(rng, k)])
        smallest = min(np.linalg.svd(M)[1][-1] for M in (T[0], T[1], O))
        if smallest > 0.1 and min(pi.min(), rho.min()) > 0.05:
            return Truth(pi, T, O, rho)
    raise AssertionError


def doubly_stochastic(rng: np.random.Generator, k: int) -> np.ndarray:
    weights = rng.dirichlet(np.full(4, 0.5))
    return sum(w * np.eye(k)[rng.permutation(k)] for w in weights)


def family_table(truth: Truth) -> np.ndarray:
    """Exact joint probability of (left, parent, right) words of two-sided parents: (n, n, n)."""
    left, right = truth.O @ truth.T[0], truth.O @ truth.T[1]
    return np.einsum("ah,bh,ch,h->abc", left, truth.O, right, truth.rho)


def moments(truth: Truth, U: np.ndarray, table: np.ndarray | None = None) -> FamilyMoments:
    """Population moments under the projection U (n, k), or those of a table of counts."""
    table = family_table(truth) if table is None else table
    a, b, c = (index.ravel() for index in np.indices(table.shape))
    root = truth.O @ truth.pi
    n = U.shape[0]
    return family_moments(U[a], U[b], U[c], b, n, U, weight=table.ravel(), root_weight=root)


def enumerate_tree(truth: Truth, heads: tuple[int, ...], words: tuple[int, ...]) -> float:
    """Probability of the words of a tree, summed over all states."""
    k, n = truth.pi.size, len(heads)
    total = 0.0
    for states in itertools.product(range(k), repeat=n):
        p = 1.0
        for m, h in enumerate(heads, start=1):
            g = states[m - 1]
            p *= truth.O[words[m - 1], g]
            p *= truth.pi[g] if h == 0 else truth.T[int(m > h), g, states[h - 1]]
        total += p
    return total


def relabelled(model: DepTree, like: Dependencies, *, rng: np.random.Generator) -> Dependencies:
    """New words for the shapes of given trees, drawn from a proper model's first channel.

    Each word's form is the symbol drawn for it; tags repeat it.
    """
    names = model.symbols[0]
    table = model.observation[: len(names)]
    state = np.zeros(like.n_words, dtype=np.int64)
    parent, rows = parents(like), np.arange(like.n_words)
    depth = _depths(parent)
    for level in range(int(depth.max(initial=-1)) + 1):
        here = rows[depth == level]
        if level == 0:
            weights = np.tile(model.start, (here.size, 1))
        else:
            side = (here > parent[here]).astype(np.int64)
            weights = model.transition[side, :, state[parent[here]]]
        state[here] = _draw(weights, rng)
    drawn = [names[i] for i in _draw(table.T[state], rng)]
    blank = ["_"] * len(drawn)
    columns = dict.fromkeys(("lemma", "feats", "relation"), blank) | dict.fromkeys(
        ("form", "upos", "xpos"), drawn
    )
    return columns_of(columns, like.head.tolist(), like.lengths().tolist(), [0] * len(drawn))


def _draw(weights: FloatArray, rng: np.random.Generator) -> AnyArray:
    """One index per row of unnormalised weights (n, k)."""
    steps = np.cumsum(weights, axis=1)
    point = rng.random((weights.shape[0], 1)) * steps[:, -1:]
    return np.asarray(np.minimum((steps <= point).sum(axis=1), weights.shape[1] - 1))


def _depths(parent: AnyArray) -> AnyArray:
    """(T,) arcs between every word and its root, from the rows of heads."""
    above, depth = parent, np.zeros(parent.size, dtype=np.int64)
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, parent[above], -1)
    return depth
