"""eigenparse draw: trees and dependency arcs as terminal text, SVG or PNG files."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.batch.requests import DrawRequest
from eigenparse.cli.app import WRITTEN, app, verb
from eigenparse.cli.fields import with_fields

EXAMPLES = """
Examples:

  eigenparse parse "The old man the boats." | eigenparse draw -

  eigenparse draw trees.ptb --arcs --format svg --out arcs.svg

  eigenparse draw trees.ptb --folder pictures

  eigenparse draw corpus.conllu --number 3 --format png --out third.png
"""


@verb(app, epilog=EXAMPLES)
@with_fields(DrawRequest)
def draw(
    asked: DrawRequest,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Output file; several pictures get numbered names."),
        WRITTEN,
    ] = None,
) -> None:
    """Draw trees or dependency arcs in the terminal, as SVG or as PNG."""
    from eigenparse.batch.draw import draw as draw_trees

    draw_trees(asked, out)
