"""``eigenparse embed``: text in, vectors of its words out; a word and vectors in, its neighbours out."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eigenparse.cli.app import app

if TYPE_CHECKING:
    from eigenparse.learn.vectors.learner import VectorChoices


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
    from eigenparse.learn.vectors.learner import VectorChoices

    if near:
        if len(text) != 1:
            raise OptionError(f"--near reads one file of vectors, got {len(text)} instead")
        _show(text[0], near, top)
        return
    if out is None and text_out is None:
        raise OptionError("nowhere to write the vectors; give --out FILE")
    choices = VectorChoices(
        dim=dim,
        method=method,
        window=window,
        vocabulary=vocabulary,
        min_count=min_count,
        lower=lower,
        power=power,
        seed=seed,
    )
    _learn(text, choices, out, text_out, _How(words, keep_statistics, jobs, cluster))


@dataclass(frozen=True, slots=True)
class _How:
    """Where words come from, what is kept, and who counts."""

    words: Path | None
    keep_statistics: bool
    jobs: int
    cluster: str | None


def _learn(
    text: list[Path], choices: "VectorChoices", out: Path | None, text_out: Path | None, how: _How
) -> None:
    from eigenparse.cli.output import check_target
    from eigenparse.cli.progress import stages, tell
    from eigenparse.corpus.text_blocks import text_files
    from eigenparse.learn.vectors.learner import count_files, learn_vectors
    from eigenparse.learn.vectors.statistics import save_statistics
    from eigenparse.models.vectors.vectors import load_vectors, save_vectors, save_word2vec
    from eigenparse.run.ordered import open_run

    targets = [path for path in (out, text_out) if path is not None]
    for path in targets:
        check_target(path)
    names = None if how.words is None else load_vectors(how.words).words
    run_alone = how.cluster is None and how.jobs == 1
    with stages("embed") as told, open_run(how.cluster, how.jobs) as run:
        where = None if run_alone else run
        vocabulary, pairs = count_files(text_files(text), choices, told=told, run=where, names=names)
        if told is not None:
            told("singular vectors")
        vectors = learn_vectors(vocabulary, pairs, choices)
    if out is not None and how.keep_statistics:
        save_statistics(out, vectors, (vocabulary, pairs, choices))
    elif out is not None:
        save_vectors(out, vectors)
    if text_out is not None:
        save_word2vec(text_out, vectors)
    about = vectors.about
    tell(
        f"{about['n_tokens']} tokens, {len(vectors.words)} words, {about['n_pairs']} kinds of pairs "
        f"({about['pairs_dropped']} occurrences let go), {vectors.vectors.shape[1]} dimensions; "
        f"wrote {' and '.join(map(str, targets))}"
    )


def _show(path: Path, words: list[str], top: int) -> None:
    from eigenparse.models.vectors.vectors import load_vectors, nearest

    vectors = load_vectors(path)
    for word in words:
        for other, cosine in nearest(vectors, word, top):
            typer.echo(f"{word}\t{other}\t{cosine:.4f}")
