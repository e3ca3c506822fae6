"""A report on the terminal: every table and, as a table, every plot."""

import re
from typing import IO

from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from eigenparse.report.content import Report, Table, curve_table, shown

PIPE_WIDTH = 160


def print_report(report: Report, *, file: IO[str] | None = None, curves: bool = True) -> None:
    """Print a report to standard output or to a text stream; without ``curves``, its tables only."""
    console = Console(file=file, highlight=False, emoji=False)
    if not console.is_terminal:
        console = Console(file=file, highlight=False, emoji=False, width=PIPE_WIDTH)
    console.print(f"[bold]{escape(report.title)}[/bold]\n")
    _print_text(console, report.intro)
    for section in report.sections:
        console.print(f"[bold]{escape(section.title)}[/bold]\n")
        _print_text(console, section.text)
        for item in section.items:
            if curves or isinstance(item, Table):
                _print_table(console, item if isinstance(item, Table) else curve_table(item))


def _print_text(console: Console, text: str) -> None:
    if text:
        console.print(escape(re.sub(r"[ \t]*\n[ \t]*(?!\n)", "\n", text.strip())) + "\n")


def _print_table(console: Console, table: Table) -> None:
    """The first column to the left, the others to the right."""
    console.print(f"[italic]{escape(table.title)}[/italic]")
    grid = Grid()
    for j, name in enumerate(table.header):
        grid.add_column(escape(name), justify="left" if j == 0 else "right")
    for row in table.rows:
        grid.add_row(*(escape(shown(cell)) for cell in row))
    console.print(grid)
    console.print(escape(table.note) + "\n" if table.note else "")
