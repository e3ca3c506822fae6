"""A known grammar and a seed in, trees with their hidden states out, drawn level by level.

Trees are drawn in blocks, each from a random stream of its own, so that the first trees are the
same however many are asked for and a corpus of any size can be drawn piece by piece.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import BoolVector, FloatArray, IntVector, LongVector, as_ids, as_offsets, generator
from eigenparse.corpus.columns import Trees
from eigenparse.errors import OptionError
from eigenparse.synthetic.grammar import SyntheticGrammar

BLOCK = 4096
STREAM = 0x7EE5


@dataclass(frozen=True, slots=True)
class Sample:
    """Binary trees and, for every row, the hidden state that produced it.  state: (N,)."""

    trees: Trees
    state: IntVector


@dataclass(frozen=True, slots=True)
class _Tables:
    """Cumulative probabilities shifted by their mother's number, so that one search serves all."""

    root: FloatArray
    rule: FloatArray
    lexeme: FloatArray
    last_rule: LongVector
    last_lexeme: LongVector
    is_tag: BoolVector


@dataclass(frozen=True, slots=True)
class _Levels:
    """Nodes in breadth-first order: symbol, left child's number (-1 at tags), where levels begin."""

    symbol: LongVector
    left: LongVector
    starts: list[int]


def _shifted(mother: IntVector, probability: FloatArray, n_symbols: int) -> tuple[FloatArray, LongVector]:
    """mother + cumulative probability within the mother, and each mother's last entry."""
    total = np.cumsum(probability)
    count = np.bincount(mother, minlength=n_symbols)
    last = np.cumsum(count) - 1
    before = np.concatenate([[0.0], total])[last - count + 1]
    return mother + (total - before[mother]), last


def _tables(grammar: SyntheticGrammar) -> _Tables:
    n = grammar.n_symbols
    rule, last_rule = _shifted(grammar.rule[:, 0], grammar.rule_probability, n)
    lexeme, last_lexeme = _shifted(grammar.lexeme[:, 0], grammar.lexeme_probability, n)
    is_tag = np.bincount(grammar.lexeme[:, 0], minlength=n) > 0
    return _Tables(np.cumsum(grammar.root_probability), rule, lexeme, last_rule, last_lexeme, is_tag)


def _draw(edges: FloatArray, last: LongVector, mother: LongVector, rng: np.random.Generator) -> LongVector:
    """One entry for each mother, by inverting its cumulative distribution."""
    entry = np.searchsorted(edges, mother + rng.random(mother.size), side="right")
    return np.minimum(entry, last[mother])  # rounding may leave the last edge just below one


def _grow(grammar: SyntheticGrammar, tables: _Tables, n: int, rng: np.random.Generator) -> _Levels:
    """Expand all trees of a block together, one level after another."""
    roots = np.searchsorted(tables.root, rng.random(n), side="right")
    level = np.minimum(roots, np.flatnonzero(grammar.root_probability)[-1])
    symbols, lefts, starts = [], [], [0]
    while level.size:
        starts.append(starts[-1] + level.size)
        inner = np.flatnonzero(~tables.is_tag[level])
        left = np.full(level.size, -1, dtype=np.int64)
        left[inner] = starts[-1] + 2 * np.arange(inner.size)
        symbols.append(level)
        lefts.append(left)
        rule = _draw(tables.rule, tables.last_rule, level[inner], rng)
        level = grammar.rule[rule, 1:].reshape(-1).astype(np.int64)
    return _Levels(np.concatenate(symbols), np.concatenate(lefts), starts)


def _post_order(levels: _Levels, n: int) -> tuple[LongVector, LongVector]:
    """Row of every node when children stand before parents, and the offsets of the trees."""
    size = np.ones(levels.symbol.size, dtype=np.int64)
    bounds = list(zip(levels.starts[:-1], levels.starts[1:]))
    for low, high in reversed(bounds):
        inner = low + np.flatnonzero(levels.left[low:high] >= 0)
        left = levels.left[inner]
        size[inner] += size[left] + size[left + 1]
    row = np.zeros(levels.symbol.size, dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(size[:n])])
    row[:n] = offsets[1:] - 1
    for low, high in bounds:
        inner = low + np.flatnonzero(levels.left[low:high] >= 0)
        left = levels.left[inner]
        row[left + 1] = row[inner] - 1
        row[left] = row[inner] - 1 - size[left + 1]
    return row, offsets


def _block(grammar: SyntheticGrammar, tables: _Tables, rng: np.random.Generator) -> Sample:
    """One block of trees as post-order columns."""
    levels = _grow(grammar, tables, BLOCK, rng)
    row, offsets = _post_order(levels, BLOCK)
    symbol = np.empty_like(levels.symbol)
    symbol[row] = levels.symbol
    child = np.full((2, row.size), -1, dtype=np.int32)
    inner = np.flatnonzero(levels.left >= 0)
    child[0, row[inner]] = row[levels.left[inner]]
    child[1, row[inner]] = row[levels.left[inner] + 1]
    word = np.full(row.size, -1, dtype=np.int32)
    tags = np.flatnonzero(tables.is_tag[symbol])
    word[tags] = grammar.lexeme[_draw(tables.lexeme, tables.last_lexeme, symbol[tags], rng), 1]
    label = grammar.symbol_label()[symbol]
    trees = Trees(as_ids(label), child[0], child[1], word, as_offsets(offsets), grammar.labels, grammar.words)
    return Sample(trees, as_ids(symbol - grammar.offsets[label]))


def sample_blocks(grammar: SyntheticGrammar, n_trees: int, seed: int) -> Iterator[Sample]:
    """``n_trees`` trees in blocks, for corpora that need not fit into memory."""
    if n_trees < 1:
        raise OptionError(f"the number of trees must be 1 or more, got {n_trees} instead")
    tables = _tables(grammar)
    for first in range(0, n_trees, BLOCK):
        block = _block(grammar, tables, generator(seed, STREAM, first // BLOCK))
        stop = min(BLOCK, n_trees - first)
        yield Sample(block.trees.take(0, stop), block.state[: block.trees.offsets[stop]])


def _joined(blocks: list[Sample]) -> Sample:
    """Blocks of the same grammar one after another."""
    trees = [block.trees for block in blocks]
    shift = np.cumsum([0] + [part.label.size for part in trees])
    children = [
        [np.where(column >= 0, column + np.int32(by), column) for column in (part.left, part.right)]
        for part, by in zip(trees, shift)
    ]
    whole = Trees(
        label=np.concatenate([part.label for part in trees]),
        left=np.concatenate([pair[0] for pair in children]),
        right=np.concatenate([pair[1] for pair in children]),
        word=np.concatenate([part.word for part in trees]),
        offsets=np.concatenate([[0], *(part.offsets[1:] + by for part, by in zip(trees, shift))]),
        labels=trees[0].labels,
        words=trees[0].words,
    )
    return Sample(whole, np.concatenate([block.state for block in blocks]))


def sample_trees(grammar: SyntheticGrammar, n_trees: int, seed: int) -> Sample:
    """``n_trees`` independent trees; the first trees of a seed do not depend on ``n_trees``."""
    return _joined(list(sample_blocks(grammar, n_trees, seed)))
