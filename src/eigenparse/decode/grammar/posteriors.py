"""A chart in; posteriors of constituents and tags by name and span out."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import BoolVector, FloatArray, IntVector, LongVector, as_ids
from eigenparse.corpus.normalise import ROOT
from eigenparse.decode.grammar.objective import Brackets, BracketTable
from eigenparse.decode.grammar.parser import Parser


@dataclass(frozen=True, slots=True)
class SymbolTable:
    """What the labels of binary trees stand for; make it once for many sentences.

    names, is_tag, is_root: of the bracket ids of ``brackets``.  shown: (A,) equal numbers for labels
    that are the same in an n-ary tree, -1 for partial ones.
    """

    brackets: BracketTable
    names: tuple[str, ...]
    is_tag: BoolVector
    is_root: BoolVector
    shown: IntVector


def symbol_table(parser: Parser) -> SymbolTable:
    """Name the bracket ids of a parser."""
    ids = sorted(parser.table.ids.items(), key=lambda item: item[1])
    looks: dict[tuple[str, ...], int] = {}
    shown = [-1 if label.partial else looks.setdefault(label.chain, len(looks)) for label in parser.labels]
    return SymbolTable(
        parser.table,
        tuple(name for (name, _), _ in ids),
        np.array([tag for (_, tag), _ in ids], dtype=bool),
        np.array([name == ROOT and not tag for (name, tag), _ in ids], dtype=bool),
        as_ids(shown),
    )


def posterior_of(
    found: Brackets, table: SymbolTable, ids: IntVector, start: IntVector, end: IntVector
) -> FloatArray:
    """Posteriors of bracket ids over spans, 0 for those that the chart does not hold."""
    wanted = (start.astype(np.int64) * found.width + end) * len(table.names) + ids
    if found.keys.size == 0:
        return np.zeros(wanted.size)
    place = np.minimum(np.searchsorted(found.keys, wanted), found.keys.size - 1)
    return np.where(found.keys[place] == wanted, np.minimum(found.masses[place], 1.0), 0.0)


def spelled_out(table: SymbolTable, labels: IntVector, over_word: BoolVector) -> tuple[LongVector, IntVector]:
    """The bracket ids of each row's label from top to bottom: the row of each, and the ids."""
    first, last = table.brackets.chain_at[labels], table.brackets.chain_at[labels + 1]
    width = last - first
    row = np.repeat(np.arange(width.size), width)
    within = np.arange(row.size) - np.repeat(np.cumsum(width) - width, width)
    at = first[row] + within
    return row, np.where(over_word[row], table.brackets.chain[at], table.brackets.wide[at])


def listed(found: Brackets, table: SymbolTable, least: float) -> list[tuple[int, int, int, float]]:
    """Every constituent of at least that posterior as (id, start, end, posterior), by span."""
    span, ids = np.divmod(found.keys, len(table.names))
    keep = (found.masses >= least) & ~table.is_tag[ids] & ~table.is_root[ids]
    start, end = np.divmod(span[keep], found.width)
    mass = np.minimum(found.masses[keep], 1.0)
    rows = zip(ids[keep].tolist(), start.tolist(), end.tolist(), mass.tolist())
    return sorted(rows, key=lambda row: (row[1], -row[2], -row[3], row[0]))
