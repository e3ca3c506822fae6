"""eigenparse draw: trees as terminal text or as SVG files."""

import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.main import app

PIPE_WIDTH = 100


class Picture(StrEnum):
    """What a picture is made of."""

    text = "text"
    svg = "svg"


def numbered(out: Path, number: int, total: int) -> Path:
    """``tree.svg`` for one tree; ``tree-01.svg``, ``tree-02.svg`` … for several."""
    return out if total == 1 else out.with_name(f"{out.stem}-{number:0{len(str(total))}d}{out.suffix}")


@app.command()
def draw(
    trees: Annotated[
        list[str],
        typer.Argument(metavar="TREES...", help="Files, directories or globs of trees; - is standard input."),
    ],
    form: Annotated[Picture, typer.Option("--format", help="Text for the terminal, or SVG.")] = Picture.text,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write this file; several SVG get numbers.")
    ] = None,
    number: Annotated[int | None, typer.Option(min=1, help="Draw this tree only, counted from 1.")] = None,
    width: Annotated[
        int | None, typer.Option(min=1, help="Columns of text; wider trees are drawn sideways.")
    ] = None,
    skip_broken: Annotated[bool, typer.Option(help="Skip broken trees.")] = False,
) -> None:
    """Draw trees, upright where they fit into the terminal and sideways where they do not."""
    from eigenparse.corpus.brackets import read_trees
    from eigenparse.corpus.files import write_whole
    from eigenparse.draw import draw_svg, draw_text
    from eigenparse.errors import OptionError

    treebank = read_trees(trees, skip_broken=skip_broken)
    chosen = range(len(treebank)) if number is None else range(number - 1, number)
    if form is Picture.svg:
        if out is None and len(chosen) != 1:
            raise OptionError(
                f"{len(chosen)} SVG pictures do not fit into one stream; add --out FILE or --number N"
            )
        for i in chosen:
            picture = draw_svg(treebank, i)
            if out is None:
                sys.stdout.write(picture)
            else:
                write_whole(numbered(out, i + 1, len(chosen)), picture.encode())
        return
    columns = width or (shutil.get_terminal_size().columns if sys.stdout.isatty() else PIPE_WIDTH)
    text = "\n\n".join(draw_text(treebank, i, width=columns) for i in chosen) + "\n"
    if out is None:
        sys.stdout.write(text)
    else:
        write_whole(out, text.encode())
