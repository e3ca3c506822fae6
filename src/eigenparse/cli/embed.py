"""eigenparse embed: text in, vectors of its words out; a word and vectors in, its neighbours out."""

import inspect
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from eigenparse.cli.app import WRITTEN
from eigenparse.cli.learners import alone, learn, parameters
from eigenparse.errors import OptionError
from eigenparse.models.registry import Kind, named

TITLE = "Learn word vectors from text, or show the nearest neighbours of a word."
TOP = 10
OUT = typer.Option("--out", "-o", metavar="VECTORS", help="Output file for the vectors.")
MORE: dict[str, tuple[Any, Any]] = {
    "out": (Annotated[Path | None, OUT, WRITTEN], None),
    "text_out": (
        Annotated[Path | None, typer.Option(help="Also write the vectors in word2vec text format."), WRITTEN],
        None,
    ),
    "near": (Annotated[list[str] | None, typer.Option(help="Show the words nearest to this one.")], None),
    "top": (
        Annotated[int | None, typer.Option(min=1, help=f"Number of neighbours for --near. Default: {TOP}.")],
        None,
    ),
}


def command(kind: Kind) -> Any:
    """The command, made from the records of the kind and the options above."""
    options, reading = named(kind.options or ""), named(kind.reading or "")
    given = parameters(options, reading, MORE)
    usual = {one.name: one.default for one in given}

    def embed(**values: Any) -> None:
        near, top, text_out = (values.pop(name) for name in ("near", "top", "text_out"))
        if near and (values["out"] or text_out):
            raise OptionError("--near writes no file; leave out --out and --text-out")
        if top is not None and not near:
            raise OptionError("--top counts neighbours; add --near WORD or leave it out")
        if near:
            _refuse_learning(values, usual)
            _show(values["sources"], near, top or TOP)
        elif values["out"] is not None:
            _write_text(learn(kind, values), text_out)
        elif text_out is not None:
            with TemporaryDirectory() as folder:
                _write_text(learn(kind, {**values, "out": Path(folder) / "vectors"}), text_out)
        else:
            raise OptionError("no output file for the vectors; give --out FILE")

    embed.__doc__ = TITLE
    embed.__signature__ = inspect.Signature(given)  # type: ignore[attr-defined]
    return alone(embed, options.examples)


def _refuse_learning(values: dict[str, Any], usual: dict[str, Any]) -> None:
    """OptionError for an option of learning where nothing is learnt."""
    for name, value in values.items():
        if name != "sources" and value != usual[name]:
            raise OptionError(f"--{name.replace('_', '-')} is for learning; leave it out with --near")


def _write_text(vectors: Any, path: Path | None) -> None:
    from eigenparse.models.vectors.word2vec import save_word2vec

    if path is not None:
        save_word2vec(path, vectors)


def _show(sources: list[str], words: list[str], top: int) -> None:
    """A line for each neighbour: the word, its neighbour and their cosine."""
    from eigenparse.models.vectors.vectors import nearest
    from eigenparse.models.vectors.word2vec import load_vectors

    if len(sources) != 1:
        raise OptionError(f"--near reads exactly one file of vectors, got {len(sources)} instead")
    vectors = load_vectors(sources[0])
    for word in words:
        for other, cosine in nearest(vectors, word, top):
            typer.echo(f"{word}\t{other}\t{cosine:.4f}")
