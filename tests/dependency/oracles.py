"""Slow and obvious references: every dependency tree over a few words, listed."""

import functools
import itertools

import numpy as np


def is_tree(heads: tuple[int, ...]) -> bool:
    """One root, and every word leads to it."""
    if heads.count(0) != 1:
        return False
    for start in range(1, len(heads) + 1):
        seen, v = set(), start
        while v != 0:
            if v in seen:
                return False
            seen.add(v)
            v = heads[v - 1]
    return True


def crosses(heads: tuple[int, ...]) -> bool:
    """Whether two arcs, the root's included, cross."""
    arcs = [(min(h, m), max(h, m)) for m, h in enumerate(heads, start=1)]
    return any(a < c < b < d for (a, b), (c, d) in itertools.permutations(arcs, 2))


@functools.cache
def all_trees(n: int, projective: bool = True) -> tuple[tuple[int, ...], ...]:
    """Heads of every single-rooted tree over n words."""
    choices = itertools.product(range(n + 1), repeat=n)
    return tuple(h for h in choices if is_tree(h) and not (projective and crosses(h)))


def tree_score(heads: tuple[int, ...], scores: np.ndarray, siblings: np.ndarray, ends: np.ndarray) -> float:
    """Score of a tree, read off part by part."""
    total = sum(scores[h, m] for m, h in enumerate(heads, start=1))
    if siblings.size == 0:
        return float(total)
    for h in range(len(heads) + 1):
        for side in (0, 1):
            if h == 0 and side == 0:
                continue
            children = [m for m, g in enumerate(heads, start=1) if g == h and (m > h) == bool(side)]
            outwards = children if side else children[::-1]
            for last, m in zip([h, *outwards], outwards):
                total += siblings[h, last, m]
            total += ends[side, h, outwards[-1] if outwards else h]
    return float(total)
