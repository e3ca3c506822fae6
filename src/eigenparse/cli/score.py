"""eigenparse score: trees or sequences in, their log-probabilities out."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.batch.requests import ScoreRequest
from eigenparse.cli.app import READ, app, verb
from eigenparse.cli.options import asks

Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A grammar, a latent tree model, a tagger or an HMM."), READ
]


@verb(app, epilog="Example:\n\n  eigenparse score english.model dev.ptb | tail -n 1")
@asks(ScoreRequest, leave_out=["exact"])
def score(model: Model) -> None:
    """Print the log-probability, its sign and the number of words of each tree, and totals.

    Trees are normalised first.  Every tree with words has a finite log-probability; unknown words are scored by
    their spelling.  Signed weights are not a distribution: their totals may be negative, and --project scores by the
    nearest distribution.  An HMM scores sequences, one per line.  A tagger scores words with their labels if its
    emission depends on the word alone and its weights are probabilities; otherwise it scores labels given the tokens.
    """
