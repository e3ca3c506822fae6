"""Curves in, one picture with all of them out; needs the extra ``plot``."""

import io
import math
import warnings
from collections.abc import Sequence
from typing import Any

from eigenparse.errors import DataError, OptionError, printable
from eigenparse.report.content import Curves

FORMATS = ("png", "svg", "pdf")
COLOURS = ("#0d6e6e", "#c2410c", "#1f3a5f", "#a16207", "#7e22ce", "#15803d", "#be123c", "#475569")
SETTINGS: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e2e8f0",
    "axes.edgecolor": "#94a3b8",
    "svg.hashsalt": "eigenparse",
    "svg.fonttype": "none",
}


def render(curves: Sequence[Curves], form: str, *, title: str = "") -> bytes:
    """All curves in one picture, two in a row; the same curves always give the same bytes."""
    if form not in FORMATS:
        raise OptionError(
            f"a plot is written as {', '.join(FORMATS)}, not as {form!r}; change the file's name"
        )
    if not curves:
        raise OptionError(
            "there is nothing to plot; name a grammar that was clustered, or a report with curves"
        )
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise OptionError("plots need more packages; run pip install 'eigenparse[plot]'") from None
    columns = min(len(curves), 2)
    rows = math.ceil(len(curves) / columns)
    with matplotlib.rc_context(SETTINGS), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # characters that no font has, axes without extent
        figure = Figure(figsize=(5.4 * columns, 3.8 * rows + 0.4), layout="constrained")
        for number, one in enumerate(curves, start=1):
            _plot(figure.add_subplot(rows, columns, number), one)
        if title:
            figure.suptitle(_plain(title), fontsize=11)
        stream = io.BytesIO()
        metadata: dict[str, Any] = {"png": {"Software": None}, "svg": {"Date": None}}.get(
            form, {"CreationDate": None}
        )
        try:
            figure.savefig(stream, format=form, dpi=150, metadata=metadata)
        except (ValueError, OverflowError) as problem:
            raise DataError(f"the curves cannot be drawn ({problem}); check their numbers") from None
    return stream.getvalue()


def _plain(text: str) -> str:
    """A text that is drawn literally: no formulas, no control characters."""
    return printable(text).replace("$", r"\$")


def _plot(axes: Any, curves: Curves) -> None:
    """One set of curves on its axes."""
    for k, line in enumerate(curves.series):
        colour = COLOURS[k % len(COLOURS)]
        style = "-" if k < len(COLOURS) else "--"
        axes.plot(
            line.x,
            line.y,
            style,
            color=colour,
            label=_plain(line.name),
            marker="o",
            markersize=3,
            linewidth=1.4,
        )
        if line.low:
            axes.fill_between(line.x, line.low, line.high, color=colour, alpha=0.15, linewidth=0)
    axes.set_title(_plain(curves.title), fontsize=10)
    axes.set_xlabel(_plain(curves.x_label))
    axes.set_ylabel(_plain(curves.y_label))
    if curves.x_log:
        axes.set_xscale("log")
    elif all(float(x).is_integer() for line in curves.series for x in line.x):
        axes.xaxis.get_major_locator().set_params(integer=True)
    if curves.y_log:
        axes.set_yscale("log")
    if curves.series:
        axes.legend(fontsize=8, frameon=False)
