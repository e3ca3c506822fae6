"""Trees as pictures: text for terminals, SVG for pages."""

from eigenparse.draw.posteriors import row_posteriors
from eigenparse.draw.svg import draw_svg
from eigenparse.draw.text import draw_text

__all__ = ["draw_svg", "draw_text", "row_posteriors"]
