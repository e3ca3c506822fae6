"""A last resort: the fewest constituents that cover a sentence, glued under one root."""

import numpy as np

from eigenparse.arrays import BoolVector, FloatArray, IntVector, as_ids
from eigenparse.inference.grammar.forest import EVERYTHING_OPEN, Pruning, flat_readings
from eigenparse.kernels.grammar.forest import Constraints, RuleIndex, base_edges, base_inside
from eigenparse.kernels.grammar.kbest import Links, Lists, empty_lists, empty_rows, kbest_lists, kbest_rows
from eigenparse.kernels.grammar.tag_chain import Choices
from eigenparse.models.grammar.pcfg import LatentGrammar

Columns = tuple[IntVector, IntVector, IntVector, IntVector]
NARROW = (0.1, 1.0)  # beams for sentences with more edges than allowed
LEAST_EDGE = 1e-5


def cover(
    grammar: LatentGrammar, index: RuleIndex, words: Choices, limits: Constraints, pruning: Pruning, glue: int
) -> Columns:
    """Label, left, right and word position of a tree that covers the sentence, in post-order.

    pruning: its beam and its bound on edges are kept; if no beam has few enough edges, every word is a
    piece of its own.  ``glue`` is the label of the root over several pieces, ``glue + 1`` its partial label.
    """
    skeleton, n = grammar.skeleton, words.at.size - 1
    possible, readings = Constraints(*_possible(words, limits)), flat_readings(skeleton, words)
    for beam in (pruning.beam, *(one for one in NARROW if one > pruning.beam)):
        cells = base_inside(words, readings, index, possible, EVERYTHING_OPEN, beam, 0.0)
        label, start, end, entry = cells.items[:, : cells.first[-1]]
        worth = np.ones(label.size)
        edges = base_edges(cells, n, index, worth, 0.0, LEAST_EDGE, pruning.max_edges)
        if edges.belief.size or n == 1:
            break
    parent, left, right, _ = np.ascontiguousarray(edges.links[:, ::-1])
    share = edges.belief[::-1] / worth[parent]
    order = np.argsort(parent, kind="stable")
    edge_at = np.searchsorted(parent[order], np.arange(label.size + 1)).astype(np.int64)
    left, right = left[order], right[order]
    prior = np.ones(skeleton.n_labels) if grammar.context is None else grammar.context.before[-1]
    likely = words.probability[np.maximum(entry, 0)] * prior[label]
    word_score = np.where(entry >= 0, np.log(np.maximum(likely, 1e-300)), 0.0)
    links, lists = Links(entry, edge_at, left, right), empty_lists(label.size, 1)
    kbest_lists(word_score, np.log(np.maximum(share[order], 1e-300)), links, 1, lists)
    complete = np.array([not name.partial for name in skeleton.labels])[label]
    pieces = _fewest(n, start, end, lists.best[:, 0], complete & (lists.count > 0))
    return _glue(pieces, label, start, links, lists, n, glue)


def _possible(words: Choices, limits: Constraints) -> tuple[IntVector, BoolVector]:
    """Cells and masks without the limits that leave a word no tag at all: pieces must cover every word."""
    n, masks = words.at.size - 1, np.vstack([limits.masks, np.ones_like(limits.masks[:1])])
    cell = limits.cell_mask.copy()
    if cell.size:
        own = np.arange(n) * (n + 1) + np.arange(n) + 1
        word = np.repeat(np.arange(n), np.diff(words.at))
        open_tags = np.bincount(word, weights=masks[cell[own][word], words.label], minlength=n)
        cell[own[open_tags == 0]] = masks.shape[0] - 1
    return cell, masks


def _fewest(n: int, start: IntVector, end: IntVector, score: FloatArray, usable: FloatArray) -> list[int]:
    """Items that tile the sentence: as few as possible, then of highest score."""
    cost, total, last = [0] + [n + 1] * n, [0.0] * (n + 1), [-1] * (n + 1)
    for p in sorted(np.flatnonzero(usable).tolist(), key=lambda p: (int(end[p]), int(start[p]))):
        i, j = int(start[p]), int(end[p])
        candidate = (cost[i] + 1, -(total[i] + float(score[p])))
        if candidate < (cost[j], -total[j]):
            cost[j], total[j], last[j] = candidate[0], -candidate[1], p
    pieces, j = [], n
    while j > 0:
        pieces.append(last[j])
        j = int(start[last[j]])
    return pieces[::-1]


def _glue(
    pieces: list[int], label: IntVector, start: IntVector, links: Links, lists: Lists, n: int, glue: int
) -> Columns:
    """Pieces as one right-branching tree in post-order."""
    columns: list[list[int]] = [[], [], [], []]
    tops = []
    rows = empty_rows(2 * n)
    item, edge, a, b = rows
    for p in pieces:
        size = kbest_rows(p, 0, links, lists, rows)
        shift = len(columns[0])
        for r in range(size):
            leaf = edge[r] < 0
            row = (label[item[r]], -1 if leaf else a[r] + shift, -1 if leaf else b[r] + shift)
            for column, value in zip(columns, (*row, start[item[r]] if leaf else -1)):
                column.append(int(value))
        tops.append(len(columns[0]) - 1)
    node = tops.pop()
    while tops:
        for column, value in zip(columns, (glue + (len(tops) > 1), tops.pop(), node, -1)):
            column.append(value)
        node = len(columns[0]) - 1
    return as_ids(columns[0]), as_ids(columns[1]), as_ids(columns[2]), as_ids(columns[3])
