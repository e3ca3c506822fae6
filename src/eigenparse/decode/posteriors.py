"""A chart in; posteriors of constituents and tags by name and span out."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import FloatArray, IntVector, LongVector, as_ids, as_offsets
from eigenparse.corpus.normalise import ROOT
from eigenparse.decode.parser import Chart, Parser


@dataclass(frozen=True, slots=True)
class SymbolTable:
    """The symbols that labels of binary trees stand for; make it once for many sentences.

    chain: symbol ids from top to bottom, label a owning [chain_at[a], chain_at[a + 1]); partial
    labels have none.  shown: (A,) equal numbers for labels that look alike in an n-ary tree, -1 for
    partial ones.  root: the id of TOP.
    """

    symbols: tuple[str, ...]
    chain_at: LongVector
    chain: IntVector
    shown: IntVector
    root: int


def symbol_table(parser: Parser) -> SymbolTable:
    """Number the symbols of a parser's labels."""
    ids: dict[str, int] = {ROOT: 0}
    at, chain = [0], []
    for label in parser.labels:
        if not label.partial:
            chain += [ids.setdefault(symbol, len(ids)) for symbol in label.chain]
        at.append(len(chain))
    looks: dict[tuple[str, ...], int] = {}
    shown = [-1 if label.partial else looks.setdefault(label.chain, len(looks)) for label in parser.labels]
    return SymbolTable(tuple(ids), as_offsets(at), as_ids(chain), as_ids(shown), 0)


@dataclass(frozen=True, slots=True)
class SpanPosteriors:
    """Posteriors of (symbol, start, end), sorted by code, constituents and tags apart.

    A constituent's posterior is the sum over all labels of that span whose chain holds its symbol.
    """

    n_words: int
    bracket_code: LongVector
    bracket_mass: FloatArray
    tag_code: LongVector
    tag_mass: FloatArray

    def brackets(self, symbol: IntVector, start: IntVector, end: IntVector) -> FloatArray:
        """Posteriors of constituents, 0 for those not in the chart."""
        return _look_up(self.bracket_code, self.bracket_mass, self._code(symbol, start, end))

    def tags(self, symbol: IntVector, start: IntVector) -> FloatArray:
        """Posteriors of the tags of words."""
        return _look_up(self.tag_code, self.tag_mass, self._code(symbol, start, start))

    def _code(self, symbol: IntVector, start: IntVector, end: IntVector) -> LongVector:
        return span_codes(symbol, start, end, self.n_words)

    def listed(self, least: float) -> list[tuple[int, int, int, float]]:
        """Every constituent of at least that posterior as (symbol, start, end, posterior), by span."""
        width = self.n_words + 1
        keep = self.bracket_mass >= least
        symbol, place = np.divmod(self.bracket_code[keep], width * width)
        rows = zip(
            symbol.tolist(), *(x.tolist() for x in np.divmod(place, width)), self.bracket_mass[keep].tolist()
        )
        return sorted(rows, key=lambda row: (row[1], -row[2], -row[3], row[0]))


def span_codes(symbol: IntVector, start: IntVector, end: IntVector, n_words: int) -> LongVector:
    """One number for each (symbol, start, end) of a sentence."""
    return (symbol.astype(np.int64) * (n_words + 1) + start) * (n_words + 1) + end


def span_posteriors(table: SymbolTable, chart: Chart) -> SpanPosteriors:
    """Sum the beliefs in items by the symbols they stand for."""
    forest, n = chart.forest, chart.forest.n_words
    over_word = forest.entry >= 0
    first, last = table.chain_at[forest.label], table.chain_at[forest.label + 1]
    width = np.maximum(last - first - over_word, 0)
    item = np.repeat(np.arange(width.size), width)
    within = np.arange(item.size) - np.repeat(np.cumsum(width) - width, width)
    symbol = table.chain[first[item] + within]
    code = span_codes(symbol, forest.start[item], forest.end[item], n)
    shown = symbol != table.root
    word = np.flatnonzero(over_word)
    bottom, start = table.chain[last[word] - 1], forest.start[word]
    return SpanPosteriors(
        n,
        *_summed(code[shown], chart.belief.item[item[shown]]),
        *_summed(span_codes(bottom, start, start, n), chart.belief.item[word]),
    )


def _summed(code: LongVector, mass: FloatArray) -> tuple[LongVector, FloatArray]:
    """Distinct codes and their total mass, at most one (signed weights may overshoot)."""
    distinct, place = np.unique(code, return_inverse=True)
    return distinct, np.minimum(np.bincount(place, weights=mass, minlength=distinct.size), 1.0)


def _look_up(codes: LongVector, mass: FloatArray, wanted: LongVector) -> FloatArray:
    if codes.size == 0:
        return np.zeros(wanted.size)
    place = np.minimum(np.searchsorted(codes, wanted), codes.size - 1)
    return np.where(codes[place] == wanted, mass[place], 0.0)
