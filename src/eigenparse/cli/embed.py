"""``eigenparse embed``: text in, vectors of its words out; a word and vectors in, its neighbours out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eigenparse.cli.main import app
from eigenparse.work.work import Where, open_work

if TYPE_CHECKING:
    from eigenparse.learn.vectors.learner import VectorOptions
    from eigenparse.learn.vectors.reading import TextReading


@app.command(
    epilog="Examples:\n\n  eigenparse embed wiki.txt.xz --dim 50 --out wiki.vectors\n\n"
    "  eigenparse embed --near river wiki.vectors"
)
def embed(
    text: Annotated[
        list[Path], typer.Argument(metavar="TEXT...", help="Text, one sentence a line; with --near: VECTORS.")
    ],
    out: Annotated[Path | None, typer.Option(help="Where the vectors go (safetensors).")] = None,
    text_out: Annotated[Path | None, typer.Option(help="Write them as word2vec text too.")] = None,
    near: Annotated[list[str] | None, typer.Option(help="Show the words nearest to this one.")] = None,
    top: Annotated[int, typer.Option(min=1, help="With --near: how many.")] = 10,
    dim: Annotated[int, typer.Option(min=1, help="Dimensions.")] = 50,
    method: Annotated[
        str, typer.Option(help="cca (one step), cca2 (two steps), svd (of bigrams) or lrmvl.")
    ] = "cca",
    window: Annotated[int, typer.Option(min=1, help="Words on each side that count as context.")] = 2,
    vocabulary: Annotated[int, typer.Option(min=1, help="The most frequent words get vectors.")] = 50_000,
    min_count: Annotated[int, typer.Option(min=1, help="Rarer words get none.")] = 2,
    lower: Annotated[bool, typer.Option(help="Make all words lower case.")] = False,
    power: Annotated[float, typer.Option(help="Raise counts to this power (1: leave them).")] = 0.5,
    seed: Annotated[int, typer.Option(min=0, help="Seed.")] = 0,
    words: Annotated[
        Path | None, typer.Option(metavar="VECTORS", help="Take the dictionary of these vectors.")
    ] = None,
    keep_statistics: Annotated[
        bool, typer.Option("--keep-statistics", help="Keep the counts, so that `merge` can add files.")
    ] = False,
    jobs: Annotated[int, typer.Option(min=0, metavar="N", help="Processes that count; 0 for all cores.")] = 1,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Count on a Dask cluster, as tcp://host:8786.")
    ] = None,
) -> None:
    """Learn word vectors from text, or show the nearest neighbours of a word."""
    from eigenparse.errors import OptionError
    from eigenparse.learn.vectors.learner import VectorOptions
    from eigenparse.learn.vectors.reading import TextReading

    if near:
        if len(text) != 1:
            raise OptionError(f"--near reads one file of vectors, got {len(text)} instead")
        _show(text[0], near, top)
        return
    if out is None and text_out is None:
        raise OptionError("nowhere to write the vectors; give --out FILE")
    options = VectorOptions(
        dim=dim, method=method, window=window, vocabulary=vocabulary, min_count=min_count, lower=lower,
        power=power, seed=seed, keep_statistics=keep_statistics,
    )  # fmt: skip
    _learn(options, TextReading(words), text, out, text_out, Where(jobs, cluster))


def _learn(
    options: "VectorOptions",
    reading: "TextReading",
    text: list[Path],
    out: Path | None,
    text_out: Path | None,
    where: Where,
) -> None:
    from eigenparse.cli.output import check_target
    from eigenparse.models.registry import save_model
    from eigenparse.models.vectors.word2vec import save_word2vec
    from eigenparse.work.progress import tell

    targets = [path for path in (out, text_out) if path is not None]
    for path in targets:
        check_target(path)
    data = reading.read(text)
    with open_work("embed", where) as work:
        vectors = options.fit(data, work)
    if out is not None:
        save_model(vectors, out, options.kind)
    if text_out is not None:
        save_word2vec(text_out, vectors)
    about = vectors.about
    tell(
        f"{about['n_tokens']} tokens, {len(vectors.words)} words, {about['n_pairs']} kinds of pairs "
        f"({about['pairs_dropped']} occurrences let go), {vectors.vectors.shape[1]} dimensions; "
        f"wrote {' and '.join(map(str, targets))}"
    )


def _show(path: Path, words: list[str], top: int) -> None:
    from eigenparse.models.vectors.vectors import nearest
    from eigenparse.models.vectors.word2vec import load_vectors

    vectors = load_vectors(path)
    for word in words:
        for other, cosine in nearest(vectors, word, top):
            typer.echo(f"{word}\t{other}\t{cosine:.4f}")
