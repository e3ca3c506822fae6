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
    trees: Annotated[int, typer.Option(min=100, help="Number of training trees.")] = 4000,
) -> None:
    """Train on a bundled synthetic treebank, compare with a plain PCFG, parse and draw."""
    from eigenparse.batch.demo import run_demo

    run_demo(out, seed=seed, n_trees=trees, tell=typer.echo)
