"""eigenparse evaluate: what is right and what was predicted in, figures out."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import READ, app, verb
from eigenparse.cli.options import WAIT, Cluster, Jobs, Wait

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
    gold: Annotated[Path, typer.Argument(help="What is right."), READ],
    guess: Annotated[Path, typer.Argument(help="What was predicted, in the same order."), READ],
    params: Annotated[
        str | None, typer.Option(help="EVALB parameter file; COLLINS is built in."), READ
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exactly as the reference scorer.")] = False,
    compare: Annotated[
        Path | None, typer.Option(help="Another prediction: is the difference real?"), READ
    ] = None,
    per_sentence: Annotated[bool, typer.Option("--per-sentence", help="One line per sentence.")] = False,
    per_label: Annotated[bool, typer.Option("--per-label", help="One line per label.")] = False,
    cutoff: Annotated[int | None, typer.Option(help="Length of short sentences, scored apart.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All figures as JSON.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the resampling for --compare.")] = 0,
    resamples: Annotated[int, typer.Option(help="Number of resamples for --compare.")] = 10_000,
    format_name: Annotated[str | None, typer.Option("--format", help="Format, if not to be guessed.")] = None,
    train: Annotated[Path | None, typer.Option(help="Words that this file lacks are unknown."), READ] = None,
    keep_tag_suffix: Annotated[
        bool | None,
        typer.Option(
            "--keep-tag-suffix/--no-keep-tag-suffix",
            help="Whether tags such as N-D differ from N. Default: if the prediction has such tags.",
        ),
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(help="Leave out words and brackets of this label. May be repeated.")
    ] = None,
    rate: Annotated[int, typer.Option(min=1, help="Samples per second of .phn files.")] = 16_000,
    calibration: Annotated[
        bool,
        typer.Option(
            "--calibration", help="The prediction is a grammar: how often are its posteriors right?"
        ),
    ] = False,
    cluster: Cluster = None,
    wait: Wait = WAIT,
    jobs: Jobs = 1,
) -> None:
    """Score predictions against gold."""
    if calibration:
        from eigenparse.batch.evaluate_calibration import calibration_lines

        for text in calibration_lines(gold, guess):
            typer.echo(text, nl=False)
        return
    from eigenparse.batch import evaluate as batch
    from eigenparse.work.work import Where

    request = batch.EvaluateRequest(
        gold, guess, compare, params, strict, cutoff, per_sentence, per_label, as_json, seed, resamples, train,
        keep_tag_suffix, tuple(drop or ()), rate,
    )  # fmt: skip
    for text in batch.evaluate(request, format_name, Where(jobs, cluster, wait=wait)):
        typer.echo(text, nl=False)
