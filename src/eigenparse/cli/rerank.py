"""eigenparse rerank: lists of the best trees in, better trees out."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.batch.requests import RerankRequest
from eigenparse.cli.app import READ, app, verb
from eigenparse.cli.options import asks

EXAMPLE = """
Example:

  eigenparse parse parser.model dev.conllu --kbest 50 | eigenparse rerank reranker.model
"""


@verb(app, epilog=EXAMPLE)
@asks(RerankRequest, running=["out"])
def rerank(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Model written by `train reranker`."), READ],
) -> None:
    """Choose the best tree from each n-best list."""
