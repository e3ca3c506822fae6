"""One dependency tree in, arcs over its words out: a stand-alone SVG document, or lines for a terminal."""

import math
from dataclasses import dataclass
from html import escape

from eigenparse.corpus.dependencies import Dependencies
from eigenparse.draw.layout import display_width
from eigenparse.draw.svg import GAP, LABEL_SIZE, MARGIN, WORD_SIZE, document
from eigenparse.errors import OptionError, printable

LEVEL, FOOT = 30, 64
STYLE = """
  .arc { fill: none; stroke: #94a3b8; stroke-width: 1.4; }
  .head { fill: #94a3b8; }
  .relation { font: 600 11px "Source Sans 3", "Helvetica Neue", Helvetica, Arial, sans-serif; fill: #1f3a5f; }
  @media (prefers-color-scheme: dark) {
    .arc { stroke: #475569; } .head { fill: #475569; } .relation { fill: #bfdbfe; }
  }
"""
UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
BOXES = {
    0: " ", LEFT | RIGHT: "─", UP | DOWN: "│", DOWN | RIGHT: "┌", UP | RIGHT: "└", UP | DOWN | RIGHT: "├",
    DOWN | LEFT | RIGHT: "┬", UP | LEFT | RIGHT: "┴", UP | DOWN | LEFT | RIGHT: "┼",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Arcs:
    """A dependency tree as lists; head counts words from 0, -1 at the root.

    level: of each word's arc, 1 for the lowest; an arc lies above every arc inside it.
    """

    word: list[str]
    tag: list[str]
    relation: list[str]
    head: list[int]
    level: list[int]


def arcs_of(trees: Dependencies, i: int) -> Arcs:
    """Tree ``i`` of a corpus."""
    if not 0 <= i < len(trees):
        raise OptionError(f"tree {i + 1} does not exist; choose one from 1 to {len(trees)}")
    low, high = int(trees.offsets[i]), int(trees.offsets[i + 1])

    def texts(name: str) -> list[str]:
        return [printable(text) for text in trees.strings(name)[low:high]]

    head = [int(h) - 1 for h in trees.head[low:high].tolist()]
    tag = [x if x != "_" else u for x, u in zip(texts("xpos"), texts("upos"))]
    return Arcs(texts("form"), tag, texts("relation"), head, levels(head))


def levels(head: list[int], *, apart: bool = False) -> list[int]:
    """The lowest levels at which arcs meet only at their ends, or (``apart``) not at all; 0 at the root.

    >>> levels([1, 2, -1, 2]), levels([1, 2, -1, 2], apart=True)
    ([1, 1, 0, 1], [1, 2, 0, 3])
    """
    order = sorted((i for i, h in enumerate(head) if h >= 0), key=lambda i: (abs(i - head[i]), i))
    level = [0] * len(head)
    highest = [0] * len(head)  # of the arcs over each word and the gap behind it, or the gap alone
    for i in order:
        low, high = sorted((i, head[i]))
        high += apart
        level[i] = 1 + max(highest[low:high])
        highest[low:high] = [level[i]] * (high - low)
    return level


def draw_arcs_svg(trees: Dependencies, i: int = 0, *, title: str | None = None) -> str:
    """Tree ``i`` as an SVG document: arrows from heads to dependents above the words."""
    arcs = arcs_of(trees, i)
    x, width = _middles(arcs)
    base = MARGIN + LEVEL * (max(arcs.level, default=0) + 1)
    parts = [_arc(arcs, x, base, i) for i in range(len(arcs.word))]
    for at, word, tag in zip(x, arcs.word, arcs.tag):
        parts.append(f'<text class="word" x="{at}" y="{base + 22}">{escape(word)}</text>')
        parts.append(f'<text class="label tag" x="{at}" y="{base + 42}">{escape(tag)}</text>')
    return document(width, base + FOOT, title or " ".join(arcs.word), parts, style=STYLE)


def _middles(arcs: Arcs) -> tuple[list[int], int]:
    """The middle of each word, and the width of all; an arc between neighbours has room for its relation."""
    sizes = [
        math.ceil(max(display_width(word) * WORD_SIZE * 0.62, display_width(tag) * LABEL_SIZE * 0.62))
        for word, tag in zip(arcs.word, arcs.tag)
    ]
    room = [0] * len(sizes)  # wanted from the middle of a word to the middle of the next
    for i, h in enumerate(arcs.head):
        if h >= 0 and abs(h - i) == 1:
            room[min(h, i)] = max(
                room[min(h, i)], math.ceil(display_width(arcs.relation[i]) * 11 * 0.62) + GAP
            )
    x, at = [], MARGIN + sizes[0] // 2
    for i, size in enumerate(sizes):
        x.append(at)
        if i + 1 < len(sizes):
            at += max((size + sizes[i + 1]) // 2 + GAP, room[i])
    return x, at + sizes[-1] // 2 + MARGIN


def _arc(arcs: Arcs, x: list[int], base: int, i: int) -> str:
    """The arrow to a word, with its relation on top; to the root word one from above."""
    h, relation = arcs.head[i], escape(arcs.relation[i])
    tip = f'<path class="head" d="M{x[i]} {base}l-4 -8h8z"/>'
    if h < 0:
        label = f'<text class="relation" x="{x[i]}" y="{MARGIN - 4}">{relation}</text>'
        return f'<g><path class="arc" d="M{x[i]} {MARGIN}V{base - 8}"/>{tip}{label}</g>'
    y = base - LEVEL * arcs.level[i]
    start, end = x[h] + (6 if i > h else -6), x[i]
    bend = min(14, abs(end - start) // 2) * (1 if end > start else -1)
    curve = f"M{start} {base}V{y + 14}Q{start} {y} {start + bend} {y}H{end - bend}Q{end} {y} {end} {y + 14}V{base - 8}"
    words = f"{escape(arcs.word[h])} → {escape(arcs.word[i])}"
    label = f'<text class="relation" x="{(start + end) // 2}" y="{y - 4}">{relation}</text>'
    return f'<g><title>{words}: {relation}</title><path class="arc" d="{curve}"/>{tip}{label}</g>'


def draw_arcs_text(trees: Dependencies, i: int = 0) -> str:
    """Tree ``i`` as lines of text: a word per line, arcs on the left, an arrow at every dependent.

    >>> from eigenparse.corpus.heads import to_dependencies
    >>> from eigenparse.corpus.brackets import parse_trees
    >>> print(draw_arcs_text(to_dependencies(parse_trees("(S (NP (DT a) (NN dog)) (VP (VBZ barks)))"))))
     ┌►a      DT   DT:NP
    ┌┴►dog    NN   NP:S
    └──barks  VBZ  root
    """
    arcs = arcs_of(trees, i)
    level = levels(arcs.head, apart=True)
    columns, n = max(level, default=0), len(arcs.word)
    grid = [[0] * columns for _ in range(n)]
    for d, h in enumerate(arcs.head):
        if h < 0:
            continue
        place, (low, high) = columns - level[d], sorted((d, h))
        for row in range(low, high + 1):
            grid[row][place] |= (DOWN if row < high else 0) | (UP if row > low else 0)
        for row in (low, high):
            grid[row][place] |= RIGHT
            for column in range(place + 1, columns):
                grid[row][column] |= LEFT | RIGHT
    width = [max(map(display_width, texts)) for texts in (arcs.word, arcs.tag)]
    lines = []
    for row in range(n):
        lead = "".join(BOXES.get(mask, "┼") for mask in grid[row])
        lead += "►" if arcs.head[row] >= 0 else "─" if columns else ""
        cells = [
            text + " " * (w - display_width(text)) for text, w in zip((arcs.word[row], arcs.tag[row]), width)
        ]
        lines.append("  ".join([lead + cells[0], cells[1], arcs.relation[row]]).rstrip())
    return "\n".join(lines)
