"""What a report is: frozen values, checked when made."""

import math
from dataclasses import dataclass

from eigenparse.errors import DataError

Cell = str | int | float | None
"""What a table holds: text, a count, a measurement, or nothing."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a header; a note below."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.header):
                raise DataError(
                    f"table {self.title!r}: a row of {len(row)} cells under a header of {len(self.header)}; "
                    "give one cell per column"
                )


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a plot; ``low`` and ``high``, when given, bound each value."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        bounds = [len(part) for part in (self.low, self.high)]
        if len(self.x) != len(self.y) or any(size not in (0, len(self.x)) for size in bounds):
            raise DataError(f"series {self.name!r}: x, y, low and high differ in length; make them equal")
        if bounds[0] != bounds[1]:
            raise DataError(f"series {self.name!r}: only one of low and high is given; give both or none")


@dataclass(frozen=True, slots=True)
class Curves:
    """Lines in one plot; an axis is linear unless it is said to be logarithmic."""

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    note: str = ""
    x_log: bool = False
    y_log: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, its text (a blank line separates paragraphs), and the tables and curves below it."""

    title: str
    text: str = ""
    items: tuple[Table | Curves, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A titled sequence of sections."""

    title: str
    intro: str = ""
    sections: tuple[Section, ...] = ()


def shown(cell: Cell) -> str:
    """A cell as text: three or four significant digits, an em dash for nothing."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "—"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int):
        return f"{cell:,}"
    size = abs(cell)
    if size == 0 or math.isinf(size):
        return "0" if size == 0 else ("∞" if cell > 0 else "−∞")
    if 0.001 <= size < 1000:
        return f"{cell:.{1 if size >= 100 else 2 if size >= 1 else 3 if size >= 0.1 else 4}f}"
    return f"{cell:,.0f}" if 1000 <= size < 1e7 else f"{cell:.2e}"


def curve_table(curves: Curves) -> Table:
    """The same numbers as a table: a row for each x, a column for each line."""
    columns = [dict(zip(line.x, line.y)) for line in curves.series]
    xs = sorted({x for line in curves.series for x in line.x})
    names = tuple(line.name for line in curves.series)
    rows = tuple((_whole(x), *(column.get(x) for column in columns)) for x in xs)
    return Table(f"{curves.title}: {curves.y_label}", (curves.x_label, *names), rows, curves.note)


def _whole(x: float) -> Cell:
    """Whole numbers without decimals."""
    return int(x) if math.isfinite(x) and x == int(x) else x
