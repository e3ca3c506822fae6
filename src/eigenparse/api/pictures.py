"""Parses in, pictures out."""

from eigenparse.corpus.brackets import parse_trees
from eigenparse.decode.grammar.results import Parse
from eigenparse.draw import draw_svg, draw_text
from eigenparse.draw.layout import shape_of

SURE, MOST_DOUBTS = 0.9, 5  # smaller posteriors count as uncertain; maximum number of them that is shown


def svg(parse: Parse, *, title: str | None = None) -> str:
    """A parse as an SVG document, its labels coloured by their posteriors."""
    treebank = parse_trees(parse.tree)
    shape = shape_of(treebank, 0)
    known = {(b.label, b.start, b.end): b.posterior for b in parse.brackets}
    posterior = []
    for row, (label, (start, end)) in enumerate(zip(shape.label, shape.span)):
        if shape.children[row]:
            posterior.append(
                known.get((label, start, end), 1.0 if row == len(shape.label) - 1 else float("nan"))
            )
        else:
            posterior.append(parse.tags[start].posterior if parse.tags else float("nan"))
    return draw_svg(treebank, posterior=posterior, title=title)


def text(parse: Parse, *, width: int = 100) -> str:
    """A parse as lines of text, upright where it fits into ``width`` columns."""
    return draw_text(parse_trees(parse.tree), width=width)


def doubts(parse: Parse) -> str:
    """A line with the tree's probability, and one for each of the least sure constituents and tags."""
    lines = [f"p(tree) = {parse.probability:.3f}" + ("" if parse.status == "ok" else f", {parse.status}")]
    unsure = [(b.posterior, b.label, b.start, b.end) for b in parse.brackets if b.posterior < SURE]
    unsure += [(t.posterior, t.tag, i, i + 1) for i, t in enumerate(parse.tags) if t.posterior < SURE]
    for posterior, label, start, end in sorted(unsure)[:MOST_DOUBTS]:
        lines.append(f"{posterior:.3f}  {label:<5} {' '.join(parse.tokens[start:end])}")
    return "\n".join(lines)
