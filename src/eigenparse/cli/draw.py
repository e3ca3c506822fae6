"""eigenparse draw: trees and dependency arcs as terminal text, SVG or PNG files."""

import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import FOLDER, READ, WRITTEN, app, verb
from eigenparse.cli.options import SkipBroken
from eigenparse.errors import OptionError

PIPE_WIDTH = 100
SCALE = 2.0
EXAMPLES = """
Examples:

  eigenparse parse "The old man the boats." | eigenparse draw -

  eigenparse draw trees.ptb --arcs --format svg --out arcs.svg

  eigenparse draw trees.ptb --folder pictures

  eigenparse draw corpus.conllu --number 3 --format png --out third.png
"""


class Picture(StrEnum):
    """What a picture is made of."""

    text = "text"
    svg = "svg"
    png = "png"


@verb(app, epilog=EXAMPLES)
def draw(
    trees: Annotated[
        list[str],
        typer.Argument(
            metavar="TREES...", help="Files, directories or globs of trees, or CoNLL-U; - is standard input."
        ),
        READ,
    ],
    form: Annotated[
        Picture | None,
        typer.Option("--format", help="Output format. Default: by the name of the output file."),
    ] = None,
    arcs: Annotated[
        bool, typer.Option("--arcs", help="Draw dependency arcs found by head rules instead of trees.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Output file; several pictures get numbered names."),
        WRITTEN,
    ] = None,
    folder: Annotated[Path | None, typer.Option(help="Write one picture per tree here."), FOLDER] = None,
    number: Annotated[int | None, typer.Option(min=1, help="Draw only this tree, counted from 1.")] = None,
    width: Annotated[
        int | None, typer.Option(min=1, help="Width of text; wider trees are drawn sideways.")
    ] = None,
    scale: Annotated[
        float | None, typer.Option(min=0.1, max=20, help=f"Scale of PNG pictures. Default: {SCALE:g}.")
    ] = None,
    skip_broken: SkipBroken = False,
) -> None:
    """Draw trees or dependency arcs in the terminal, as SVG or as PNG."""
    from eigenparse.batch.draw import Canvas
    from eigenparse.batch.draw import draw as draw_trees

    chosen = form or (Picture.svg if folder is not None and out is None else _form_of(out))
    for flag, given, of in (("--width", width, Picture.text), ("--scale", scale, Picture.png)):
        if given is not None and chosen is not of:
            raise OptionError(f"{flag} changes nothing with --format {chosen.value}; leave it out")
    columns = width or (shutil.get_terminal_size().columns if sys.stdout.isatty() else PIPE_WIDTH)
    canvas = Canvas(chosen.value, columns, scale or SCALE, number, folder)
    draw_trees(trees, out, canvas, arcs=arcs, skip_broken=skip_broken)


def _form_of(out: Path | None) -> Picture:
    """What the name of a file asks for."""
    suffix = "" if out is None else out.suffix.lower().removeprefix(".")
    if suffix in ("jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "pdf", "eps"):
        raise OptionError(f"trees are drawn as svg, png or text, not as {suffix}; change the file's name")
    return Picture(suffix) if suffix in ("svg", "png") else Picture.text
