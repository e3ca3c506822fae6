"""Trees and dependency arcs as text, SVG or PNG."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from eigenparse.batch.convert import chosen_rules
from eigenparse.batch.files import check_files, write_chunks
from eigenparse.batch.requests import DrawRequest
from eigenparse.batch.written import numbered, tell_written
from eigenparse.corpus.brackets import parse_trees, read_trees
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.conllu import read_lines, read_many
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.corpus.files import read_text
from eigenparse.corpus.heads import to_dependencies
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.recognise import recognise_lines
from eigenparse.draw import draw_arcs_svg, draw_arcs_text, draw_svg, draw_text, png
from eigenparse.errors import OptionError

MOST_BESIDE = 10  # more pictures than this need --folder
PIPE_WIDTH, SCALE = 100, 2.0
LOOK = 200  # lines that tell trees from CoNLL-U
Corpus = Treebank | Dependencies


def draw(asked: DrawRequest, out: Path | None) -> None:
    """Draw the trees of files: text in one stream, pictures in one file each."""
    folder, number = asked.folder, asked.number
    form = asked.form or ("svg" if folder is not None and out is None else form_of(out))
    if out is not None and out.suffix.lower() in {".svg", ".png"} - {f".{form}"}:
        raise OptionError(f"--format {form} does not fit the file's name {out.name}; change one of them")
    for flag, given, of in (("--width", asked.width, "text"), ("--scale", asked.scale, "png")):
        if given is not None and form != of:
            raise OptionError(f"{flag} changes nothing with --format {form}; leave it out")
    if form == "text" and folder is not None:
        raise OptionError("--folder is for pictures, and text goes into one file; name it with --out")
    corpus = read_corpus(asked.sources, arcs=asked.arcs, skip_broken=asked.skip_broken)
    chosen = range(len(corpus)) if number is None else range(number - 1, number)
    if form == "text":
        width = asked.width or (shutil.get_terminal_size().columns if sys.stdout.isatty() else PIPE_WIDTH)
        write_chunks([("\n\n".join(as_text(corpus, i, width) for i in chosen) + "\n").encode()], out)
        return
    if out is None and folder is None and len(chosen) != 1:
        raise OptionError(f"{len(chosen)} pictures do not fit into one stream; add --out FILE or --number N")
    if len(chosen) > MOST_BESIDE and folder is None:
        raise OptionError(
            f"{len(chosen)} pictures would be written; add --folder FOLDER for them, or --number N"
        )
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        out = folder / (out.name if out else f"tree.{form}")
    files = [numbered(out, i + 1, len(chosen)) if out else None for i in chosen]
    check_files(asked.sources, files)
    for i, path in zip(chosen, files):
        write_chunks([picture(corpus, i, form, asked.scale or SCALE)], path)
    tell_written([path for path in files if path is not None])


def form_of(out: Path | None) -> str:
    """The format that the name of a file asks for."""
    suffix = "" if out is None else out.suffix.lower().removeprefix(".")
    if suffix in ("jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "pdf", "eps"):
        raise OptionError(f"trees are drawn as svg, png or text, not as {suffix}; change the file's name")
    return suffix if suffix in ("svg", "png") else "text"


def read_corpus(names: Sequence[str], *, arcs: bool, skip_broken: bool) -> Corpus:
    """Trees, or dependency trees if the files hold those or ``arcs`` asks for them."""
    if list(names) == ["-"]:
        text = read_text("-")
        if recognise_lines(text.split("\n")[:LOOK]) == "conllu":
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


def picture(corpus: Corpus, i: int, form: str, scale: float) -> bytes:
    """One tree as the bytes of a picture."""
    svg = draw_svg(corpus, i) if isinstance(corpus, Treebank) else draw_arcs_svg(corpus, i)
    return png(svg, scale=scale) if form == "png" else svg.encode("utf-8")


def as_text(corpus: Corpus, i: int, columns: int) -> str:
    """One tree as lines of text."""
    return draw_text(corpus, i, width=columns) if isinstance(corpus, Treebank) else draw_arcs_text(corpus, i)
