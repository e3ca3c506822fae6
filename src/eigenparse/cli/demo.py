"""eigenparse demo: the whole job on the bundled treebank, in under a minute."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.main import app


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for trees and pictures.")] = Path(
        "demo-output"
    ),
    seed: Annotated[int, typer.Option(min=0, help="Seed of the treebank and of the learning.")] = 0,
    trees: Annotated[int, typer.Option(min=100, help="Trees to learn from.")] = 4000,
) -> None:
    """Learn from a synthetic treebank with known hidden states, compare, parse and draw."""
    from eigenparse.cli.demo_run import run_demo

    run_demo(out, seed=seed, n_trees=trees, tell=typer.echo)
