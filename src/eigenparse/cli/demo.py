"""eigenparse demo: the whole job on the bundled treebank, in under a minute."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import FOLDER, app, verb
from eigenparse.cli.options import Seed


@verb(app, epilog="Example:\n\n  eigenparse demo --out demo-output")
def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for trees and pictures."), FOLDER] = Path(
        "demo-output"
    ),
    seed: Seed = 0,
    trees: Annotated[int, typer.Option(min=100, help="Trees to learn from.")] = 4000,
) -> None:
    """Learn from a synthetic treebank with known hidden states, compare, parse and draw."""
    from eigenparse.batch.demo import run_demo

    run_demo(out, seed=seed, n_trees=trees, tell=typer.echo)
