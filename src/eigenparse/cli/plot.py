"""eigenparse plot: a model's singular values, learning and calibration, or the curves of a report."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eigenparse.cli.main import app

if TYPE_CHECKING:
    from eigenparse.report.content import Curves, Report

EXAMPLES = """
Examples:

  eigenparse plot en --out english.png

  eigenparse plot my.model --gold dev.ptb --out calibration.svg

  eigenparse plot report.json --out curves.pdf
"""


@app.command(epilog=EXAMPLES)
def plot(
    source: Annotated[
        Path, typer.Argument(metavar="MODEL|REPORT", help="A grammar, or the JSON of a report.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Write this .png, .svg or .pdf.")],
    gold: Annotated[Path | None, typer.Option(help="Trees to hold a grammar's posteriors against.")] = None,
    most: Annotated[int, typer.Option(min=1, help="Gold sentences to parse at most.")] = 300,
    labels: Annotated[int, typer.Option(min=1, help="Labels whose singular values are shown.")] = 8,
) -> None:
    """Plot singular values, learning and calibration of a grammar, or every curve of a report."""
    from eigenparse.cli.output import check_target
    from eigenparse.corpus.files import write_whole
    from eigenparse.errors import OptionError
    from eigenparse.plot import render

    check_target(out)
    form = out.suffix.lower().removeprefix(".")
    if source.suffix == ".json":
        if gold is not None:
            raise OptionError("--gold calibrates a grammar, not a report; name a grammar")
        from eigenparse.report import read_report

        report = read_report(source)
        curves = report_curves(report)
        write_whole(out, render(curves, form, title=report.title))
    else:
        curves = model_curves(source, gold, most, labels)
        write_whole(out, render(curves, form, title=source.name))
    typer.echo(f"{out}: " + ", ".join(one.title for one in curves))


def report_curves(report: "Report") -> "list[Curves]":
    """Every set of curves in a report."""
    from eigenparse.report import Curves

    return [item for section in report.sections for item in section.items if isinstance(item, Curves)]


def model_curves(path: Path, gold: Path | None, most: int, labels: int) -> "list[Curves]":
    """What a grammar says about its learning and, with gold trees, about its honesty."""
    from eigenparse.cli.models import kind_of
    from eigenparse.errors import OptionError
    from eigenparse.models.grammar.kind import GRAMMARS
    from eigenparse.models.registry import load_model
    from eigenparse.plot import calibration_curves, learning_curves, singular_curves

    if (kind := kind_of(path)) != "lpcfg":
        raise OptionError(f"{path}: a model of kind {kind!r} has no plots yet; name a grammar or a report")
    latent = load_model(path, *GRAMMARS)
    names = [str(label) for label in latent.skeleton.labels]
    found = [singular_curves(latent.report, names, most=labels), learning_curves(latent.report)]
    if gold is not None:
        from eigenparse.api.calibration import calibrations
        from eigenparse.api.grammar import Grammar

        found.append(calibration_curves(calibrations(Grammar.of(latent), gold, most=most)))
    return [one for one in found if one is not None]
