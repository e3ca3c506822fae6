"""eigenparse score: trees or sequences in, their log-probabilities out."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import READ, app, verb
from eigenparse.cli.options import WAIT, Cluster, Jobs, Out, SkipBroken, Wait, run

Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A grammar, a latent tree model or an HMM."), READ
]
Sources = Annotated[
    list[str], typer.Argument(metavar="FILE...", help="Trees, or text for an HMM; - is standard input."), READ
]
Column = Annotated[str | None, typer.Option(help="Column that an HMM of columns reads; else the last.")]


@verb(app, epilog="Example:\n\n  eigenparse score english.model dev.ptb | tail -n 1")
def score(
    model: Model,
    sources: Sources,
    skip_broken: SkipBroken = False,
    column: Column = None,
    jobs: Jobs = 1,
    cluster: Cluster = None,
    wait: Wait = WAIT,
    out: Out = None,
) -> None:
    """Print log p, the sign of p and the number of words of each tree, and the totals.

    Trees are normalised first.  A tree with a rule that the model has never seen has log p -inf and sign 0.  An HMM
    scores sequences, one per line.
    """
    from eigenparse.batch.requests import ScoreRequest

    run("score", model, ScoreRequest(tuple(sources), skip_broken, column), out, jobs, cluster, wait)
