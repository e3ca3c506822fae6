"""Trees and dependency arcs as text, SVG or PNG."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from eigenparse.batch.convert import chosen_rules
from eigenparse.batch.files import check_files, write_chunks
from eigenparse.batch.written import numbered, tell_written
from eigenparse.corpus.brackets import parse_trees, read_trees
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.conllu import read_lines, read_many
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.corpus.files import read_text
from eigenparse.corpus.heads import to_dependencies
from eigenparse.corpus.normalise import normalise
from eigenparse.draw import draw_arcs_svg, draw_arcs_text, draw_svg, draw_text, png
from eigenparse.errors import OptionError

MOST_BESIDE = 10  # more pictures than this need --folder
Corpus = Treebank | Dependencies


@dataclass(frozen=True, slots=True)
class Canvas:
    """How to draw.

    form: "text", "svg" or "png".  columns: of text.  number: of the only tree to draw, from 1.  folder: for pictures.
    """

    form: str
    columns: int
    scale: float
    number: int | None = None
    folder: Path | None = None


def draw(
    sources: Sequence[str], out: Path | None, canvas: Canvas, *, arcs: bool = False, skip_broken: bool = False
) -> None:
    """Draw the trees of files: text in one stream, pictures in one file each."""
    if canvas.form == "text" and canvas.folder is not None:
        raise OptionError("--folder is for pictures, and text goes into one file; name it with --out")
    corpus = read_corpus(sources, arcs=arcs, skip_broken=skip_broken)
    number = canvas.number
    chosen = range(len(corpus)) if number is None else range(number - 1, number)
    if canvas.form == "text":
        text = "\n\n".join(as_text(corpus, i, canvas.columns) for i in chosen) + "\n"
        write_chunks([text.encode()], out)
        return
    if out is None and canvas.folder is None and len(chosen) != 1:
        raise OptionError(f"{len(chosen)} pictures do not fit into one stream; add --out FILE or --number N")
    if len(chosen) > MOST_BESIDE and canvas.folder is None:
        raise OptionError(
            f"{len(chosen)} pictures would be written; add --folder FOLDER for them, or --number N"
        )
    if canvas.folder is not None:
        canvas.folder.mkdir(parents=True, exist_ok=True)
        out = canvas.folder / (out.name if out else f"tree.{canvas.form}")
    files = [numbered(out, i + 1, len(chosen)) if out else None for i in chosen]
    check_files(sources, files)
    for i, path in zip(chosen, files):
        write_chunks([picture(corpus, i, canvas.form, canvas.scale)], path)
    tell_written([path for path in files if path is not None])


def read_corpus(names: Sequence[str], *, arcs: bool, skip_broken: bool) -> Corpus:
    """Trees, or dependency trees if the files hold those or ``arcs`` asks for them."""
    if list(names) == ["-"]:
        text = read_text("-")
        if looks_like_conllu(text):
            return read_lines(text.split("\n"), source="standard input", skip_broken=skip_broken).trees
        treebank = parse_trees(text, skip_broken=skip_broken)
    elif all(".conll" in Path(name).name for name in names):
        return read_many(list(names), skip_broken=skip_broken).trees
    else:
        treebank = read_trees(list(names), skip_broken=skip_broken)
    if not arcs:
        return treebank
    cleaned = normalise(treebank)
    return to_dependencies(cleaned, chosen_rules(cleaned))


def looks_like_conllu(text: str) -> bool:
    """Whether the first line that is no comment has a number and tabs."""
    for line in text.split("\n"):
        if line.strip() and not line.startswith("#"):
            return line[:1].isdigit() and "\t" in line
    return False


def picture(corpus: Corpus, i: int, form: str, scale: float) -> bytes:
    """One tree as the bytes of a picture."""
    svg = draw_svg(corpus, i) if isinstance(corpus, Treebank) else draw_arcs_svg(corpus, i)
    return png(svg, scale=scale) if form == "png" else svg.encode("utf-8")


def as_text(corpus: Corpus, i: int, columns: int) -> str:
    """One tree as lines of text."""
    return draw_text(corpus, i, width=columns) if isinstance(corpus, Treebank) else draw_arcs_text(corpus, i)
