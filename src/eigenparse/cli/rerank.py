"""eigenparse rerank: n-best lists in, better trees out."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.main import app


@app.command()
def rerank(
    model: Annotated[Path, typer.Argument(help="A re-ranker.")],
    nbest: Annotated[
        Path, typer.Argument(help="Lists as parse --kbest writes them; - is standard input.")
    ] = Path("-"),
) -> None:
    """Print the best tree of every n-best list."""
    from eigenparse.corpus.files import read_text
    from eigenparse.decode.dependency.rerank import rerank_conllu
    from eigenparse.models.registry import load_model

    rerank_conllu(load_model(model, "reranker"), read_text(nbest).split("\n"), sys.stdout, source=str(nbest))
