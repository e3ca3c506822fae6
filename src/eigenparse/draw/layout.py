"""One tree of a treebank in, places of its nodes on a grid out; nothing recurses.

Rows are the tree's own, in post-order: children before parents, root last.
"""

import unicodedata
from dataclasses import dataclass

from eigenparse.corpus.columns import Treebank
from eigenparse.errors import OptionError, printable

NO_LABEL = "·"


@dataclass(frozen=True, slots=True)
class Shape:
    """A tree as lists.  word is empty at phrases; depth counts from 0 at the root."""

    label: list[str]
    word: list[str]
    parent: list[int]
    children: list[list[int]]
    depth: list[int]
    span: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Placement:
    """Integer positions: where each label starts, the middle of each node, and the total width."""

    start: list[int]
    middle: list[int]
    width: int


def display_width(text: str) -> int:
    """Columns that a text takes in a terminal."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))


def shape_of(treebank: Treebank, i: int) -> Shape:
    """Tree ``i`` of a treebank."""
    if not 0 <= i < len(treebank):
        raise OptionError(f"tree {i + 1} does not exist; choose one from 1 to {len(treebank)}")
    low, high = int(treebank.offsets[i]), int(treebank.offsets[i + 1])
    labels = [printable(treebank.labels[a]) or NO_LABEL for a in treebank.label[low:high].tolist()]
    words = [printable(treebank.words[x]) if x >= 0 else "" for x in treebank.word[low:high].tolist()]
    parent = [p - low if p >= 0 else -1 for p in treebank.parent[low:high].tolist()]
    children: list[list[int]] = [[] for _ in parent]
    span: list[tuple[int, int]] = [(0, 0)] * len(parent)
    position = 0
    for row, up in enumerate(parent):
        if children[row]:
            span[row] = span[children[row][0]][0], span[children[row][-1]][1]
        else:
            span[row] = position, position + 1
            position += 1
        if up >= 0:
            children[up].append(row)
    depth = [0] * len(parent)
    for row in range(len(parent) - 2, -1, -1):
        depth[row] = depth[parent[row]] + 1
    return Shape(labels, words, parent, children, depth, span)


def arrange(shape: Shape, label_width: list[int], word_width: list[int], gap: int) -> Placement:
    """Put children side by side under their parent, ``gap`` apart, so that no two labels meet."""
    n = len(shape.label)
    width, below = [0] * n, [0] * n
    for row in range(n):
        children = shape.children[row]
        below[row] = sum(width[child] for child in children) + gap * max(len(children) - 1, 0)
        width[row] = max(label_width[row], word_width[row], below[row])
    left = [0] * n
    for row in range(n - 1, -1, -1):
        at = left[row] + (width[row] - below[row]) // 2
        for child in shape.children[row]:
            left[child] = at
            at += width[child] + gap
    start, middle = [0] * n, [0] * n
    for row in range(n):
        children = shape.children[row]
        ends = (
            (middle[children[0]] + middle[children[-1]]) // 2
            if children
            else left[row] + (width[row] - 1) // 2
        )
        middle[row] = ends
        wanted = ends - (label_width[row] - 1) // 2
        start[row] = min(max(wanted, left[row]), left[row] + width[row] - label_width[row])
    return Placement(start, middle, width[n - 1])
