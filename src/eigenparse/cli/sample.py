"""eigenparse sample: a model and a seed in, trees or sequences drawn from it out."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import READ, app, verb
from eigenparse.cli.options import Out, Seed, run

EXAMPLES = """
Examples:

  eigenparse sample english.model -n 10 --seed 1

  eigenparse sample letters.model -n 3 --length 60
"""


@verb(app, epilog=EXAMPLES)
def sample(
    model: Annotated[
        Path,
        typer.Argument(metavar="MODEL", help="A grammar, a latent tree model, a tagger or an HMM."),
        READ,
    ],
    n: Annotated[int, typer.Option("-n", "--number", min=1, help="Number of trees or sequences.")] = 1,
    seed: Seed = 0,
    max_words: Annotated[int, typer.Option(min=1, help="Redraw trees with more words than this.")] = 400,
    length: Annotated[
        int | None,
        typer.Option(
            min=1, help="Length of the sequences of an HMM. Default: drawn from the lengths in training."
        ),
    ] = None,
    words: Annotated[bool, typer.Option("--words", help="Print the words only.")] = False,
    project: Annotated[
        bool, typer.Option("--project", help="For a signed model, draw from the nearest distribution.")
    ] = False,
    out: Out = None,
) -> None:
    """Draw random trees or sequences from a model, one per line; from signed tensors only with --project."""
    from eigenparse.batch.requests import SampleRequest

    run("sample", model, SampleRequest(n, seed, max_words, length, words, project), out)
