"""eigenparse draw: trees and dependency arcs as terminal text, SVG or PNG files."""

import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eigenparse.cli.main import app

if TYPE_CHECKING:
    from eigenparse.corpus.columns import Treebank
    from eigenparse.corpus.dependencies import Dependencies

PIPE_WIDTH = 100
EXAMPLES = """
Examples:

  eigenparse parse "The old man the boats." | eigenparse draw -

  eigenparse draw trees.ptb --arcs --format svg --out arcs.svg

  eigenparse draw corpus.conllu --number 3 --format png --out third.png
"""


class Picture(StrEnum):
    """What a picture is made of."""

    text = "text"
    svg = "svg"
    png = "png"


def numbered(out: Path, number: int, total: int) -> Path:
    """``tree.svg`` for one tree; ``tree-01.svg``, ``tree-02.svg`` … for several."""
    return out if total == 1 else out.with_name(f"{out.stem}-{number:0{len(str(total))}d}{out.suffix}")


@app.command(epilog=EXAMPLES)
def draw(
    trees: Annotated[
        list[str],
        typer.Argument(
            metavar="TREES...", help="Files, directories or globs of trees, or CoNLL-U; - is standard input."
        ),
    ],
    form: Annotated[
        Picture | None, typer.Option("--format", help="Text for the terminal, SVG or PNG.")
    ] = None,
    arcs: Annotated[bool, typer.Option("--arcs", help="Draw dependency arcs, by head rules.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write this file; several pictures get numbers.")
    ] = None,
    number: Annotated[int | None, typer.Option(min=1, help="Draw this tree only, counted from 1.")] = None,
    width: Annotated[
        int | None, typer.Option(min=1, help="Columns of text; wider trees are drawn sideways.")
    ] = None,
    scale: Annotated[float, typer.Option(min=0.1, max=20, help="Pixels of PNG for each of SVG.")] = 2.0,
    skip_broken: Annotated[bool, typer.Option(help="Skip broken trees.")] = False,
) -> None:
    """Draw trees or dependency arcs, upright where they fit into the terminal and sideways where they do not."""
    from eigenparse.errors import OptionError

    form = form or _form_of(out)
    corpus = read_corpus(trees, arcs=arcs, skip_broken=skip_broken)
    chosen = range(len(corpus)) if number is None else range(number - 1, number)
    if form is not Picture.text:
        if out is None and len(chosen) != 1:
            raise OptionError(
                f"{len(chosen)} pictures do not fit into one stream; add --out FILE or --number N"
            )
        for i in chosen:
            _write(picture(corpus, i, form, scale), numbered(out, i + 1, len(chosen)) if out else None)
        return
    columns = width or (shutil.get_terminal_size().columns if sys.stdout.isatty() else PIPE_WIDTH)
    _write(("\n\n".join(as_text(corpus, i, columns) for i in chosen) + "\n").encode(), out)


def _form_of(out: Path | None) -> Picture:
    """What the name of a file asks for."""
    suffix = "" if out is None else out.suffix.lower().removeprefix(".")
    return Picture(suffix) if suffix in ("svg", "png") else Picture.text


def read_corpus(names: list[str], *, arcs: bool, skip_broken: bool) -> "Treebank | Dependencies":
    """Trees, or dependency trees if the files hold those or ``arcs`` asks for them."""
    from eigenparse.corpus.brackets import parse_trees, read_trees
    from eigenparse.corpus.conllu import read_lines, read_many
    from eigenparse.corpus.files import read_text
    from eigenparse.corpus.heads import to_dependencies
    from eigenparse.corpus.normalise import normalise

    if names == ["-"]:
        text = read_text("-")
        if looks_like_conllu(text):
            return read_lines(text.split("\n"), source="standard input", skip_broken=skip_broken).trees
        treebank = parse_trees(text, skip_broken=skip_broken)
    elif all(".conll" in Path(name).name for name in names):
        return read_many(names, skip_broken=skip_broken).trees
    else:
        treebank = read_trees(names, skip_broken=skip_broken)
    return to_dependencies(normalise(treebank)) if arcs else treebank


def looks_like_conllu(text: str) -> bool:
    """Whether the first line that is no comment has a number and tabs."""
    for line in text.split("\n"):
        if line.strip() and not line.startswith("#"):
            return line[:1].isdigit() and "\t" in line
    return False


def picture(corpus: "Treebank | Dependencies", i: int, form: Picture, scale: float) -> bytes:
    """One tree as the bytes of a picture."""
    from eigenparse.corpus.columns import Treebank
    from eigenparse.draw import draw_arcs_svg, draw_svg, png

    svg = draw_svg(corpus, i) if isinstance(corpus, Treebank) else draw_arcs_svg(corpus, i)
    return png(svg, scale=scale) if form is Picture.png else svg.encode("utf-8")


def as_text(corpus: "Treebank | Dependencies", i: int, columns: int) -> str:
    """One tree as lines of text."""
    from eigenparse.corpus.columns import Treebank
    from eigenparse.draw import draw_arcs_text, draw_text

    return draw_text(corpus, i, width=columns) if isinstance(corpus, Treebank) else draw_arcs_text(corpus, i)


def _write(content: bytes, out: Path | None) -> None:
    from eigenparse.cli.output import result_stream

    with result_stream(out) as stream:
        stream.write(content)
