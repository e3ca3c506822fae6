"""eigenparse plot: a model's singular values, learning and calibration, or the curves of a report."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import READ, WRITTEN, app, verb

EXAMPLES = """
Examples:

  eigenparse plot en --out english.png

  eigenparse plot my.model --gold dev.ptb --out calibration.svg

  eigenparse plot training.json --out learning.svg

  eigenparse plot report.json --out curves.pdf
"""


@verb(app, epilog=EXAMPLES)
def plot(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL|REPORT", help="A grammar, what `train --report` wrote, or the JSON of a report."
        ),
        READ,
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Write this .png, .svg or .pdf."), WRITTEN],
    gold: Annotated[
        Path | None, typer.Option(help="Trees to hold a grammar's posteriors against."), READ
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="Gold sentences to parse at most.")] = 300,
    labels: Annotated[int, typer.Option(min=1, help="Labels whose singular values are shown.")] = 8,
) -> None:
    """Plot singular values, learning and calibration of a grammar, or every curve of a report."""
    from eigenparse.batch.plot import plot as plot_curves

    typer.echo(f"{out}: " + ", ".join(plot_curves(source, out, gold, most=most, n_labels=labels)))
