"""One tree in, lines of box-drawing characters out: from the top down, or sideways if that is too wide."""

from eigenparse.corpus.columns import Treebank
from eigenparse.draw.layout import Placement, Shape, arrange, display_width, shape_of

GAP = 2
DEEPEST = 40  # maximum number of guide lines; for deeper nodes their number is printed instead
Line = list[tuple[int, str]]


def draw_text(treebank: Treebank, i: int = 0, *, width: int = 100) -> str:
    """Tree ``i`` as text of at most ``width`` columns where its words allow that.

    >>> from eigenparse.corpus.brackets import parse_trees
    >>> print(draw_text(parse_trees("(S (NP (PRP it)) (VP (VBZ rains)))")))
        S
     ┌──┴──┐
     NP    VP
     │     │
    PRP   VBZ
     it  rains
    """
    shape = shape_of(treebank, i)
    sizes = [display_width(label) for label in shape.label]
    words = [display_width(word) for word in shape.word]
    placement = arrange(shape, sizes, words, GAP)
    return _upright(shape, placement) if placement.width <= width else _sideways(shape)


def _upright(shape: Shape, placement: Placement) -> str:
    """Labels on every second line, connectors between them, words under their tags."""
    lines: list[Line] = [[] for _ in range(2 * max(shape.depth) + 2)]
    for row, label in enumerate(shape.label):
        y, children = 2 * shape.depth[row], shape.children[row]
        lines[y].append((placement.start[row], label))
        if children:
            middles = [placement.middle[child] for child in children]
            lines[y + 1].append((middles[0], _connector(placement.middle[row], middles)))
        else:
            word = shape.word[row]
            lines[y + 1].append((placement.middle[row] - (display_width(word) - 1) // 2, word))
    return "\n".join(map(_joined, lines)).rstrip("\n")


def _connector(parent: int, children: list[int]) -> str:
    """The line from a parent down to its children, starting at the first child."""
    if len(children) == 1:
        return "│"
    line = ["─"] * (children[-1] - children[0] + 1)
    for child in children[1:-1]:
        line[child - children[0]] = "┬"
    at = parent - children[0]
    line[at] = "┼" if line[at] == "┬" else "┴"
    line[0], line[-1] = "┌", "┐"
    return "".join(line)


def _joined(pieces: Line) -> str:
    """Pieces at their columns, from left to right."""
    text, column = [], 0
    for start, piece in sorted(pieces):
        text.append(" " * (start - column) + piece)
        column = max(start, column) + display_width(piece)
    return "".join(text).rstrip()


def _sideways(shape: Shape) -> str:
    """One node per line, indented by its depth; a phrase over one tag shares the tag's line."""
    lines: list[str] = []
    guides: list[str] = []
    waiting = [(len(shape.label) - 1, True)]
    while waiting:
        row, is_last = waiting.pop()
        depth = shape.depth[row]
        del guides[max(depth - 1, 0) :]
        hidden = max(len(guides) - DEEPEST, 0)
        start = (f"…{hidden} " if hidden else "") + "".join(guides[hidden:])
        branch = "" if depth == 0 else "└─ " if is_last else "├─ "
        if depth:
            guides.append("   " if is_last else "│  ")
        children = shape.children[row]
        text = shape.label[row]
        if len(children) == 1 and not shape.children[children[0]]:
            text += " ─ " + shape.label[children[0]]
            row, children = children[0], []
        lines.append(start + branch + (f"{text} {shape.word[row]}" if shape.word[row] else text))
        waiting += [(child, child == children[-1]) for child in reversed(children)]
    return "\n".join(lines)
