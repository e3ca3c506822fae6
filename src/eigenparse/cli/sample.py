"""eigenparse sample: a model and a seed in, trees or sequences drawn from it out."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import READ, WRITTEN, app, verb
from eigenparse.cli.options import Seed, run

EXAMPLES = """
Examples:

  eigenparse sample english.model -n 10 --seed 1

  eigenparse sample letters.model -n 3 --length 60
"""


@verb(app, epilog=EXAMPLES)
def sample(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A grammar, a tagger or an HMM."), READ],
    n: Annotated[int, typer.Option("-n", "--number", min=1, help="How many trees or sequences.")] = 1,
    seed: Seed = 0,
    max_words: Annotated[int, typer.Option(min=1, help="Draw longer trees again.")] = 400,
    length: Annotated[
        int | None,
        typer.Option(min=1, help="Symbols of each sequence of an HMM. Default: drawn as in training."),
    ] = None,
    words: Annotated[bool, typer.Option("--words", help="Print the words only.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write this file instead."), WRITTEN
    ] = None,
) -> None:
    """Draw trees or sequences, one per line, from a model of probabilities (not from signed tensors)."""
    from eigenparse.batch.requests import SampleRequest

    run("sample", model, SampleRequest(n, seed, max_words, length, words), output)
