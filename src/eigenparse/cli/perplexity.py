"""eigenparse perplexity: text or trees in, how well a model predicts them out."""

from typing import Annotated

import typer

from eigenparse.cli.app import app, verb
from eigenparse.cli.options import Asked, asks
from eigenparse.cli.score import Column, Model, Project, Sources

Exact = Annotated[
    bool, typer.Option("--exact", help="Sum over all trees of a sentence; slow from 20 words on.")
]
EXAMPLES = """
Examples:

  eigenparse perplexity letters.model held-out.txt

  eigenparse perplexity english.model dev.ptb --jobs 2
"""


@verb(app, epilog=EXAMPLES)
@asks
def perplexity(
    model: Model,
    sources: Sources,
    column: Column = None,
    exact: Exact = False,
    project: Project = False,
) -> Asked:
    """Print exp of the mean negative log-probability, per word and per character or per symbol.

    A grammar sums over the trees of each sentence: over those that parsing looks at, so that the figure is an upper
    bound, or over all with --exact.  Trees as input get a figure of their own.  An HMM predicts each symbol from those
    before it.  A tagger sums over all labellings of a sentence; labels in the input get a figure of their own.
    """
    from eigenparse.batch.requests import ScoreRequest

    return model, ScoreRequest(tuple(sources), column=column, project=project, exact=exact)
