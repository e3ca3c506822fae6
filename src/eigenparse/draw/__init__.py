"""Trees and dependency arcs as pictures: text for terminals, SVG for pages, PNG for slides."""

from eigenparse.draw.arcs import draw_arcs_svg, draw_arcs_text
from eigenparse.draw.png import png
from eigenparse.draw.svg import draw_svg, row_posteriors
from eigenparse.draw.text import draw_text

__all__ = ["draw_arcs_svg", "draw_arcs_text", "draw_svg", "draw_text", "png", "row_posteriors"]
