"""One tree in, a stand-alone SVG document out: no scripts, no outside resources, all text escaped."""

import math
from collections.abc import Sequence
from html import escape

from eigenparse.corpus.columns import Label, Treebank
from eigenparse.corpus.normalise import ROOT
from eigenparse.draw.layout import Shape, arrange, display_width, shape_of
from eigenparse.errors import DataError

LEVEL, MARGIN, GAP, LABEL_SIZE, WORD_SIZE = 46, 18, 14, 13, 16
MAX_DESCRIPTION = 1000
UNSURE, SURE = (194, 65, 12), (13, 110, 110)
STYLE = """
  text { text-anchor: middle; }
  .label { font: 600 13px "Source Sans 3", "Helvetica Neue", Helvetica, Arial, sans-serif; fill: #1f3a5f; }
  .tag { font-weight: 400; fill: #64748b; }
  .word { font: 16px "Source Serif 4", Georgia, "Times New Roman", serif; fill: #111827; }
  .branch { fill: none; stroke: #94a3b8; stroke-width: 1.3; stroke-linecap: round; }
  .paper { fill: #ffffff; }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0f172a; } .label { fill: #bfdbfe; } .tag { fill: #94a3b8; }
    .word { fill: #f1f5f9; } .branch { stroke: #475569; }
  }
"""


def draw_svg(
    treebank: Treebank, i: int = 0, *, posterior: Sequence[float] | None = None, title: str | None = None
) -> str:
    """Tree ``i`` as an SVG document.

    posterior: one number from 0 to 1 for each row of tree ``i`` (not a number where unknown); it
    colours the label and stands in its tooltip.
    """
    shape = shape_of(treebank, i)
    n = len(shape.label)
    if posterior is not None and len(posterior) != n:
        raise DataError(f"{len(posterior)} posteriors for a tree of {n} nodes; give one for each node")
    known = [math.nan] * n if posterior is None else [float(p) for p in posterior]
    placement = arrange(shape, _widths(shape.label, LABEL_SIZE), _widths(shape.word, WORD_SIZE), GAP)
    x = [MARGIN + middle for middle in placement.middle]
    y = _heights(shape)
    width, height = placement.width + 2 * MARGIN, max(y) + 26 + MARGIN
    parts = [_branch(x, y, row, shape.parent[row]) for row in range(n - 1)]
    parts += [_node(shape, row, x[row], y[row], known[row]) for row in range(n)]
    return document(width, height, title or _sentence(shape), parts)


def _widths(texts: list[str], size: int) -> list[int]:
    """Generous widths in pixels: the fonts of the reader are not known."""
    return [math.ceil(display_width(text) * size * 0.62) for text in texts]


def _heights(shape: Shape) -> list[int]:
    """Phrases hang from the root, tags stand in one line at the bottom."""
    lowest = max(shape.depth)
    top = MARGIN + LABEL_SIZE
    return [top + LEVEL * (depth if shape.children[row] else lowest) for row, depth in enumerate(shape.depth)]


def _sentence(shape: Shape) -> str:
    return " ".join(word for word in shape.word if word)


def _branch(x: list[int], y: list[int], child: int, parent: int) -> str:
    """A curve from under the parent's label to above the child's."""
    x0, y0, x1, y1 = x[parent], y[parent] + 6, x[child], y[child] - 14
    bend = y0 + min(y1 - y0, LEVEL) * 0.55
    curve = f"C{x0} {bend:.1f} {x1} {bend:.1f} {x1} {min(y1, y0 + LEVEL)}"
    return f'<path class="branch" d="M{x0} {y0}{curve}V{y1}"/>'


def _colour(posterior: float) -> str:
    share = min(max(posterior, 0.0), 1.0) ** 2
    mixed = (round(low + (high - low) * share) for low, high in zip(UNSURE, SURE))
    return "#" + "".join(f"{value:02x}" for value in mixed)


def _node(shape: Shape, row: int, x: int, y: int, posterior: float) -> str:
    """A label, its tooltip and, at a tag, the word below."""
    start, stop = shape.span[row]
    is_tag = not shape.children[row]
    tip, paint = f"{shape.label[row]}, words {start + 1} to {stop}", ""
    if not math.isnan(posterior):
        tip += f", posterior {posterior:.3f}"
        paint = f' style="fill:{_colour(posterior)};opacity:{0.45 + 0.55 * min(max(posterior, 0), 1):.2f}"'
    name = "label tag" if is_tag else "label"
    label = f'<text class="{name}" x="{x}" y="{y}"{paint}>{escape(shape.label[row])}</text>'
    text = f"<g><title>{escape(tip)}</title>{label}"
    if is_tag:
        text += f'<text class="word" x="{x}" y="{y + 24}">{escape(shape.word[row])}</text>'
    return text + "</g>"


def document(width: int, height: int, title: str, parts: list[str], *, style: str = "") -> str:
    """A whole document; ``style`` adds to what all pictures share."""
    short = title if len(title) <= MAX_DESCRIPTION else title[: MAX_DESCRIPTION - 1] + "…"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(short)}">'
    )
    start = [head, f"<title>{escape(short)}</title>", f"<style>{STYLE}{style}</style>"]
    paper = f'<rect class="paper" width="{width}" height="{height}" rx="8"/>'
    return "\n".join([*start, paper, *parts, "</svg>", ""])


def row_posteriors(labels: Sequence[Label], posterior: Sequence[float]) -> list[float]:
    """Posteriors of the rows of an n-ary tree, its root included, from those of the binary tree.

    labels, posterior: of one tree's binary rows in post-order.  Every label of a collapsed chain
    gets the number of its row; intermediate rows are dropped.
    """
    rows: list[float] = []
    for number, (label, value) in enumerate(zip(labels, posterior, strict=True)):
        if not label.partial or number == len(labels) - 1:
            rows += [float(value)] * len(label.chain)
    return rows if labels[-1].chain[0] == ROOT else [*rows, 1.0]
