"""eigenparse evaluate: gold data and predictions in, scores out."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import READ, app, verb
from eigenparse.cli.checks import WAIT
from eigenparse.cli.options import Cluster, Drop, Jobs, Wait

EXAMPLES = """
Examples:

  eigenparse evaluate gold.ptb guess.ptb

  eigenparse evaluate gold.conllu guess.conllu --per-label

  eigenparse evaluate gold.ptb guess.ptb --compare other.ptb

  eigenparse evaluate corpus/test transcribed/

  eigenparse evaluate gold.ptb my.model --calibration
"""


@verb(app, epilog=EXAMPLES)
def evaluate(
    gold: Annotated[Path, typer.Argument(help="Gold data."), READ],
    guess: Annotated[Path, typer.Argument(help="Predictions, in the same order."), READ],
    params: Annotated[
        str | None, typer.Option(help="EVALB parameter file. Default: COLLINS.prm, built in."), READ
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Score exactly as the reference scorer.")] = False,
    compare: Annotated[
        Path | None, typer.Option(help="Second prediction; test whether the difference is significant."), READ
    ] = None,
    per_sentence: Annotated[bool, typer.Option("--per-sentence", help="Print scores per sentence.")] = False,
    per_label: Annotated[bool, typer.Option("--per-label", help="Print scores per label.")] = False,
    cutoff: Annotated[int | None, typer.Option(help="Also score sentences up to this length.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all scores as JSON.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the resampling for --compare.")] = 0,
    resamples: Annotated[int, typer.Option(help="Number of resamples for --compare.")] = 10_000,
    format_name: Annotated[
        str | None, typer.Option("--format", help="Input format. Default: recognised by content.")
    ] = None,
    train: Annotated[Path | None, typer.Option(help="Training data, to find unknown words."), READ] = None,
    keep_tag_suffix: Annotated[
        bool | None,
        typer.Option(
            "--keep-tag-suffix/--no-keep-tag-suffix",
            help="Treat tags such as N-D as different from N. Default: if the prediction has such tags.",
        ),
    ] = None,
    drop: Drop = None,
    rate: Annotated[int, typer.Option(min=1, help="Sampling rate of .phn files in Hz.")] = 16_000,
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

    request = batch.EvaluateRequest(
        gold, guess, compare, params, strict, cutoff, per_sentence, per_label, as_json, seed, resamples, train,
        keep_tag_suffix, tuple(drop or ()), rate,
    )  # fmt: skip
    if calibration:
        from eigenparse.batch.evaluate_calibration import calibration_lines

        for text in calibration_lines(request, format_name):
            typer.echo(text, nl=False)
        return
    for text in batch.evaluate(request, format_name, Where(jobs, cluster, wait=wait)):
        typer.echo(text, nl=False)
