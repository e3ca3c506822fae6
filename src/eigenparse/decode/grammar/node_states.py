"""A sentence in; its trees and the latent states of their nodes out.

Given that a label stands over a span, the posterior of state h is its share inside[h] * outside[h] of the item's
marginal.
"""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import FloatArray, IntVector, LongVector
from eigenparse.decode.grammar.derivations import Derivation
from eigenparse.decode.grammar.parser import Chart, Parser
from eigenparse.decode.grammar.posteriors import SymbolTable, spelled_out
from eigenparse.decode.grammar.request import row_spans


@dataclass(frozen=True, slots=True)
class NodeStates:
    """The binary label that a node belongs to, and the posteriors of its latent states: (m,), sum 1."""

    label: str
    shares: FloatArray


def row_states(parser: Parser, chart: Chart, tree: Derivation) -> list[NodeStates | None]:
    """The states of every row of a derivation under the first set of weights, where they are known.

    They are unknown if the weights give the sentence no positive probability, or if no state has a positive share.
    """
    weights = parser.grammar.members[0]
    if len(chart.members) != len(parser.grammar.members):
        return [None] * tree.label.size
    found, n = chart.members[0], chart.forest.n_words
    start, end = row_spans(tree)
    item = _find(
        _keys(chart.forest.label, chart.forest.start, chart.forest.end, n), _keys(tree.label, start, end, n)
    )
    states: list[NodeStates | None] = []
    for a, p in zip(tree.label.tolist(), item.tolist()):
        cell = slice(found.at[p], found.at[p + 1])
        share = np.maximum(found.inside[cell] * found.outside[cell], 0.0)
        total = float(share.sum())
        known = p >= 0 and share.size == weights.states[a] and total > 0
        states.append(NodeStates(str(parser.labels[a]), share / total) if known else None)
    return states


def _keys(label: IntVector, start: IntVector, end: IntVector, n: int) -> LongVector:
    """One number for each label and span."""
    keys: LongVector = (label.astype(np.int64) * (n + 1) + start) * (n + 1) + end
    return keys


def _find(keys: LongVector, wanted: LongVector) -> LongVector:
    """Places of wanted keys, -1 where absent."""
    order = np.argsort(keys, kind="stable")
    place = order[np.minimum(np.searchsorted(keys[order], wanted), keys.size - 1)]
    return np.where(keys[place] == wanted, place, -1)


def shown_rows(symbols: SymbolTable, tree: Derivation) -> tuple[list[int], list[int]]:
    """The rows behind the constituents and behind the tags of a derivation, in the order of ``Parse``."""
    start, end = row_spans(tree)
    order = np.lexsort((-end, start))
    row, ids = spelled_out(symbols, tree.label[order], tree.left[order] < 0)
    row = order[row]
    is_tag = np.append(row[1:] != row[:-1], True) & (tree.left[row] < 0)
    return row[~is_tag & ~symbols.is_root[ids]].tolist(), row[is_tag].tolist()
