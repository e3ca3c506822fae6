"""eigenparse plot: a model's singular values, learning and calibration, or the curves of a report."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import READ, WRITTEN, app, verb

MOST = 300

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
            metavar="MODEL|REPORT", help="A grammar, the JSON of `train --report`, or the JSON of a report."
        ),
        READ,
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Output file: .png, .svg or .pdf."), WRITTEN],
    gold: Annotated[Path | None, typer.Option(help="Gold trees to plot calibration with."), READ] = None,
    most: Annotated[
        int | None, typer.Option(min=1, help=f"Maximum number of gold sentences to parse. Default: {MOST}.")
    ] = None,
    labels: Annotated[int, typer.Option(min=1, help="Number of labels whose singular values are shown.")] = 8,
) -> None:
    """Plot singular values, learning curve and calibration of a grammar, or the curves of a report."""
    from eigenparse.batch.plot import plot as plot_curves
    from eigenparse.errors import OptionError

    if most is not None and gold is None:
        raise OptionError("--most counts gold sentences; add --gold FILE or leave it out")
    typer.echo(f"{out}: " + ", ".join(plot_curves(source, out, gold, most=most or MOST, n_labels=labels)))
