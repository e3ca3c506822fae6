"""A sentence in; its trees and the latent states of their nodes out.

The state of a node is known only by what it explains: given that a label stands over a span, its
states have the shares inside[h] * outside[h] of the item's marginal.
"""

from dataclasses import dataclass, replace

import numpy as np

from eigenparse.arrays import FloatArray, IntVector, LongVector
from eigenparse.decode.constraints import give_tags, limit_spans
from eigenparse.decode.parser import Chart, Derivation, Parser, best_trees, explore, word_choices
from eigenparse.decode.posteriors import SymbolTable, spelled_out
from eigenparse.decode.request import Answer, Request, answer, distinct_trees, lookup_form, row_spans


@dataclass(frozen=True, slots=True)
class NodeStates:
    """The binary label that a node belongs to, and the posteriors of its latent states: (m,), sum 1."""

    label: str
    shares: FloatArray


def answer_and_chart(
    parser: Parser, symbols: SymbolTable, request: Request, *, k: int = 1
) -> tuple[Answer, Chart | None]:
    """What ``answer`` says, and the chart that it read it from; no chart after a fallback."""
    forms = [lookup_form(parser, token) for token in request.tokens]
    words = word_choices(parser, forms)
    unknown: tuple[int, ...] = ()
    if request.tags is not None:
        given = give_tags(parser, words, request.tags)
        words, unknown = given.words, given.relaxed
    words, limits = limit_spans(parser, words, request.limits, tagged=request.tags is not None)
    free = request.tags is None and not request.limits
    chart = explore(parser, words, limits, forms if free else None)
    if chart is None:
        return answer(parser, symbols, request, k=k), None
    decoded = distinct_trees(symbols, lambda wanted: best_trees(parser, chart, wanted), k)
    if unknown and decoded.status == "ok":
        decoded = replace(decoded, status="relaxed")
    return Answer(decoded, chart.posteriors, unknown), chart


def row_states(parser: Parser, chart: Chart, tree: Derivation) -> list[NodeStates | None]:
    """The states of every row of a derivation under the first set of weights, where they are known.

    They are not where a set of weights gave the sentence no mass, or where the signs of moments
    leave no positive share.
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
    row, ids = spelled_out(symbols, tree.label[order])
    row = order[row]
    is_tag = np.append(row[1:] != row[:-1], True) & (tree.left[row] < 0)
    return row[~is_tag & ~symbols.is_root[ids]].tolist(), row[is_tag].tolist()
