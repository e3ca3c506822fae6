"""eigenparse evaluate: gold data and predictions in, scores out."""

from typing import Annotated

import typer

from eigenparse.batch.requests import EvaluateRequest
from eigenparse.cli.app import app, verb
from eigenparse.cli.checks import WAIT
from eigenparse.cli.fields import with_fields
from eigenparse.cli.options import Cluster, Jobs, Wait

EXAMPLES = """
Examples:

  eigenparse evaluate gold.ptb guess.ptb

  eigenparse evaluate gold.conllu guess.conllu --per-label

  eigenparse evaluate gold.ptb guess.ptb --compare other.ptb

  eigenparse evaluate corpus/test transcribed/

  eigenparse evaluate gold.ptb my.model --calibration
"""


@verb(app, epilog=EXAMPLES)
@with_fields(EvaluateRequest)
def evaluate(
    asked: EvaluateRequest,
    format_name: Annotated[
        str | None, typer.Option("--format", help="Input format. Default: recognised by content.")
    ] = None,
    calibration: Annotated[
        bool,
        typer.Option(
            "--calibration", help="GUESS is a grammar; compare its posteriors with how often it is right."
        ),
    ] = False,
    cluster: Cluster = None,
    wait: Wait = WAIT,
    jobs: Jobs = 1,
) -> None:
    """Score predictions against gold data."""
    from eigenparse.batch import evaluate as batch
    from eigenparse.work.work import Where

    if calibration:
        from eigenparse.batch.evaluate_calibration import calibration_lines

        for text in calibration_lines(asked, format_name):
            typer.echo(text, nl=False)
        return
    for text in batch.evaluate(asked, format_name, Where(jobs, cluster, wait=wait)):
        typer.echo(text, nl=False)
