"""Curves in, an SVG picture for a page out: lines, bands between bounds, marks with their value as a tooltip.

Pages need pictures without any extra package, without outside resources and with colours for light and dark, which
matplotlib's SVG does not have; ``eigenparse.plot.figures`` uses matplotlib for picture files (PNG, SVG, PDF).
"""

import itertools
from collections.abc import Sequence
from html import escape

from eigenparse.report.content import Curves, Series, shown
from eigenparse.report.scale import Axis, axis_of, drawable

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 400, 72, 20, 14, 52
COLOURS = 8
MARKS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.6-3.6h7.2v7.2h-7.2z",
    "M0-4.8L4.5 3.4h-9z",
    "M0-5L5 0L0 5L-5 0z",
)
Point = tuple[float, float]


def draw_curves(curves: Curves) -> str:
    """One picture: grid, axes, a line for each series; the legend stands apart."""
    horizontal = axis_of((x for line in curves.series for x in line.x), log=curves.x_log, tight=True)
    bounds = (y for line in curves.series for y in (*line.y, *line.low, *line.high))
    vertical = axis_of(bounds, log=curves.y_log)
    parts = [_grid(horizontal, vertical), _axis_names(curves)]
    parts += [_band(line, k, horizontal, vertical) for k, line in enumerate(curves.series)]
    parts += [_line(line, k, horizontal, vertical) for k, line in enumerate(curves.series)]
    head = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(curves.title)}">'
    return "\n".join([head, f"<title>{escape(curves.title)}</title>", *parts, "</svg>"])


def legend(curves: Curves) -> str:
    """The names of the lines beside their marks."""
    entries = (
        f'<span class="key"><svg class="sample c{k % COLOURS}" viewBox="-14 -7 28 14" aria-hidden="true">'
        f'<path class="line" d="M-13 0H13"/><path class="mark" d="{MARKS[k % len(MARKS)]}"/></svg>'
        f"{escape(line.name)}</span>"
        for k, line in enumerate(curves.series)
    )
    return f'<div class="legend">{"".join(entries)}</div>'


def _across(axis: Axis, value: float) -> float:
    return LEFT + axis.share(value) * (WIDTH - LEFT - RIGHT)


def _down(axis: Axis, value: float) -> float:
    return HEIGHT - BOTTOM - axis.share(value) * (HEIGHT - TOP - BOTTOM)


def _grid(horizontal: Axis, vertical: Axis) -> str:
    """Faint lines and the numbers at the ticks."""
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = []
    for tick in vertical.ticks:
        y = _down(vertical, tick)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{right}"/>')
        parts.append(f'<text class="tick end" x="{LEFT - 8}" y="{y + 4:.1f}">{tick_text(tick)}</text>')
    for tick in horizontal.ticks:
        x = _across(horizontal, tick)
        parts.append(f'<path class="grid" d="M{x:.1f} {TOP}V{bottom}"/>')
        parts.append(f'<text class="tick" x="{x:.1f}" y="{bottom + 18}">{tick_text(tick)}</text>')
    parts.append(f'<path class="axis" d="M{LEFT} {TOP}V{bottom}H{right}"/>')
    return "\n".join(parts)


def tick_text(value: float) -> str:
    """A tick's number, short."""
    if value != 0 and not 1e-4 <= abs(value) < 1e6:
        return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")
    return f"{value:,.10f}".rstrip("0").rstrip(".") if abs(value) >= 1 else f"{value:.6g}"


def _axis_names(curves: Curves) -> str:
    middle = (TOP + HEIGHT - BOTTOM) / 2
    return (
        f'<text class="name" x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}">{escape(curves.x_label)}</text>'
        f'<text class="name" transform="translate(16 {middle}) rotate(-90)">{escape(curves.y_label)}</text>'
    )


def _points(xs: Sequence[float], ys: Sequence[float], horizontal: Axis, vertical: Axis) -> list[Point | None]:
    """Positions of the values; None for values that cannot be drawn."""
    return [
        (_across(horizontal, x), _down(vertical, y))
        if drawable(x, horizontal.log) and drawable(y, vertical.log)
        else None
        for x, y in zip(xs, ys)
    ]


def _runs(points: Sequence[Point | None]) -> list[list[Point]]:
    """Unbroken stretches of points."""
    groups = itertools.groupby(points, key=lambda point: point is not None)
    return [[point for point in group if point is not None] for present, group in groups if present]


def _path(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _band(line: Series, k: int, horizontal: Axis, vertical: Axis) -> str:
    """The area between the bounds of a line."""
    if not line.low:
        return ""
    low = _points(line.x, line.low, horizontal, vertical)
    high = _points(line.x, line.high, horizontal, vertical)
    pairs = [(a, b) for a, b in zip(low, high) if a is not None and b is not None]
    outline = [b for _, b in pairs] + [a for a, _ in reversed(pairs)]
    return f'<path class="band c{k % COLOURS}" d="{_path(outline)}Z"/>' if len(pairs) > 1 else ""


def _line(line: Series, k: int, horizontal: Axis, vertical: Axis) -> str:
    """A line, and at each value a mark whose tooltip says the value."""
    points = _points(line.x, line.y, horizontal, vertical)
    parts = [f'<path class="line" d="{_path(run)}"/>' for run in _runs(points) if len(run) > 1]
    for x, y, point in zip(line.x, line.y, points):
        if point is not None:
            tip = f"{line.name}: {shown(y)} at {tick_text(x)}"
            place = f'transform="translate({point[0]:.1f} {point[1]:.1f})"'
            mark = MARKS[k % len(MARKS)]
            parts.append(f'<path class="mark" d="{mark}" {place}><title>{escape(tip)}</title></path>')
    return f'<g class="c{k % COLOURS}">{"".join(parts)}</g>'
