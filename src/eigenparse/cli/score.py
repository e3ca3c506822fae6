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
Column = Annotated[str | None, typer.Option(help="Column that an HMM of columns reads; else the last.")]
Project = Annotated[
    bool,
    typer.Option("--project", help="Of a signed model, use the nearest distribution, and say what it costs."),
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
    """Print log p, the sign of p and the number of words of each tree, and the totals.

    Trees are normalised first.  Every tree with words has a finite log p; unknown words are spelt out.  Signed weights
    are no distribution: their totals may be negative, and --project scores by the nearest distribution.  An HMM scores
    sequences, one per line.  A tagger scores words with their labels if its emission looks at the word alone and its
    weights are probabilities, else the labels given the tokens.
    """
    from eigenparse.batch.requests import ScoreRequest

    return model, ScoreRequest(tuple(sources), skip_broken, column, project)
