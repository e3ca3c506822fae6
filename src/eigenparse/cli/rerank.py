"""eigenparse rerank: lists of the best trees in, better trees out."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import READ, app, verb
from eigenparse.cli.options import Out, run

EXAMPLE = """
Example:

  eigenparse parse parser.model dev.conllu --kbest 50 | eigenparse rerank reranker.model
"""


@verb(app, epilog=EXAMPLE)
def rerank(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Model written by `train reranker`."), READ],
    nbest: Annotated[
        Path,
        typer.Argument(
            metavar="[FILE|-]", help="N-best lists written by `parse --kbest`; - is standard input."
        ),
        READ,
    ] = Path("-"),
    out: Out = None,
) -> None:
    """Choose the best tree from each n-best list."""
    from eigenparse.batch.requests import ParseRequest

    run("rerank", model, ParseRequest(nbest), out)
