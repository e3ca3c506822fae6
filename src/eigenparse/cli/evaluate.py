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
    cluster: Cluster = None,
    wait: Wait = WAIT,
    jobs: Jobs = 1,
) -> None:
    """Score predictions against gold."""
    from eigenparse.batch import evaluate as batch
    from eigenparse.work.work import Where

    request = batch.EvaluateRequest(
        gold, guess, compare, params, strict, cutoff, per_sentence, per_label, as_json, seed, resamples, train
    )
    for text in batch.evaluate(request, format_name, Where(jobs, cluster, wait=wait)):
        typer.echo(text, nl=False)
