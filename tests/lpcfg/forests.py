"""Unpruned forests of small grammars, and values by item and edge."""

import numpy as np
from numpy.testing import assert_allclose

from eigenparse.inference.grammar.forest import (
    NO_PRUNING,
    Constraints,
    Forest,
    build_forest,
    choices,
    rule_index,
    unconstrained,
)
from eigenparse.models.words import symbols_of, word_table
from lpcfg.worlds import (
    World,
)


def full_forest(world: World, words: list[str], limits: Constraints | None = None) -> Forest | None:
    skeleton = world.skeleton
    symbols = symbols_of(word_table(skeleton), words)
    limits = limits or unconstrained(skeleton)
    return build_forest(world.grammar, rule_index(skeleton), choices(skeleton, symbols), limits, NO_PRUNING)


def item_values(world: World, forest: Forest, values: np.ndarray) -> dict[tuple[str, int, int], float]:
    keys = zip((world.names[a] for a in forest.label), forest.start.tolist(), forest.end.tolist())
    return dict(zip(keys, values.tolist()))


def edge_values(
    world: World, forest: Forest, values: np.ndarray
) -> dict[tuple[str, str, str, int, int, int], float]:
    parent = np.repeat(np.arange(forest.label.size), np.diff(forest.edge_at))
    found = {}
    for e, p in enumerate(parent):
        rule = tuple(world.names[a] for a in world.skeleton.rules[forest.rule[e]])
        found[*rule, int(forest.start[p]), int(forest.end[forest.left[e]]), int(forest.end[p])] = float(
            values[e]
        )
    assert len(found) == values.size
    return found


def assert_same(found: dict, wanted: dict, tolerance: float) -> None:
    """The same parts, and the same numbers up to a share of the largest."""
    assert set(found) == set(wanted)
    keys = list(wanted)
    scale = max(abs(v) for v in wanted.values()) if wanted else 1.0
    assert_allclose(
        [found[k] for k in keys], [wanted[k] for k in keys], rtol=tolerance, atol=tolerance * scale
    )


def limited(world: World, n: int, masks: dict[tuple[int, int], set[str]]) -> Constraints:
    """Constraints from the labels that single spans may hold."""
    table = np.ones((len(masks) + 1, world.skeleton.n_labels), dtype=bool)
    cell = np.zeros(n * (n + 1), dtype=np.int32)
    for row, ((i, j), allowed) in enumerate(masks.items(), start=1):
        table[row] = [name in allowed for name in world.names]
        cell[i * (n + 1) + j] = row
    return Constraints(cell, table)
