"""eigenparse score: trees or sequences in, their log-probabilities out."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import READ, app, verb
from eigenparse.cli.options import Asked, SkipBroken, asks

Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A grammar, a latent tree model, a tagger or an HMM."), READ
]
Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...", help="Trees, labelled tokens, or text for an HMM; - is standard input."
    ),
    READ,
]
Column = Annotated[str | None, typer.Option(help="Column to read for an HMM of columns. Default: the last.")]
Project = Annotated[
    bool,
    typer.Option(
        "--project", help="For a signed model, use the nearest distribution, and print the difference."
    ),
]


@verb(app, epilog="Example:\n\n  eigenparse score english.model dev.ptb | tail -n 1")
@asks
def score(
    model: Model,
    sources: Sources,
    skip_broken: SkipBroken = False,
    column: Column = None,
    project: Project = False,
) -> Asked:
    """Print the log-probability, its sign and the number of words of each tree, and totals.

    Trees are normalised first.  Every tree with words has a finite log-probability; unknown words are scored by
    their spelling.  Signed weights are not a distribution: their totals may be negative, and --project scores by the
    nearest distribution.  An HMM scores sequences, one per line.  A tagger scores words with their labels if its
    emission depends on the word alone and its weights are probabilities; otherwise it scores labels given the tokens.
    """
    from eigenparse.batch.requests import ScoreRequest

    return model, ScoreRequest(tuple(sources), skip_broken, column, project)
