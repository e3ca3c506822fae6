"""eigenparse perplexity: text or trees in, how well a model predicts them out."""

from typing import Annotated

import typer

from eigenparse.cli.app import app, verb
from eigenparse.cli.options import Asked, asks
from eigenparse.cli.score import Column, Model, Project, Sources

Exact = Annotated[
    bool, typer.Option("--exact", help="Sum over all trees of a sentence; slow for more than 20 words.")
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
    """Print the perplexity of text per word, per character or per symbol.

    A grammar sums over the trees of each sentence that survive pruning, which gives an upper bound; --exact sums over
    all trees.  If the input has trees, their perplexity is printed too.  An HMM predicts each symbol from those before
    it.  A tagger sums over all labellings of a sentence; if the input has labels, their perplexity is printed too.
    """
    from eigenparse.batch.requests import ScoreRequest

    return model, ScoreRequest(tuple(sources), column=column, project=project, exact=exact)
