"""eigenparse train dependency: CoNLL-U trees in, a graph-based parser out."""

import sys
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from eigenparse import __version__
from eigenparse.cli.main import train


class Tags(StrEnum):
    """Where tags come from."""

    gold = "gold"
    predicted = "predicted"


@train.command()
def dependency(
    trees: Annotated[
        list[Path], typer.Argument(metavar="TRAIN...", help="CoNLL-U or CoNLL-X files with trees.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write.")],
    dev: Annotated[Path | None, typer.Option(help="Trees to score the parser on after training.")] = None,
    order: Annotated[int, typer.Option(min=1, max=2, help="2 also looks at neighbouring children.")] = 1,
    tags: Annotated[
        Tags,
        typer.Option(help="Tags as given, or predicted: taggers are learnt too, by ten-fold jack-knifing."),
    ] = Tags.gold,
    passes: Annotated[int, typer.Option(min=1, help="Passes over the sentences.")] = 10,
    crossing: Annotated[bool, typer.Option("--crossing", help="Allow crossing arcs (order 1).")] = False,
    bits: Annotated[int, typer.Option(min=8, max=26, help="Size of the weight table, as a power of 2.")] = 22,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the order of sentences.")] = 0,
    skip_broken: Annotated[bool, typer.Option("--skip-broken", help="Leave out what is no tree.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where an interrupted run of this command stopped.")
    ] = False,
    jobs: Annotated[
        int, typer.Option(min=0, metavar="N", help="Processes; arcs, relations and taggers are learnt apart.")
    ] = 1,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Learn on a Dask cluster, as tcp://host:8786.")
    ] = None,
) -> None:
    """Learn a dependency parser with relations: averaged MIRA over hashed features."""
    from eigenparse.cli.kept import kept_work
    from eigenparse.cli.output import check_target
    from eigenparse.corpus.conllu import read_many
    from eigenparse.learn.checkpoint import dependencies_mark
    from eigenparse.learn.dependency.mira import ArcLearner
    from eigenparse.models.dependency.arcs import save_arcs
    from eigenparse.run.ordered import open_run

    check_target(out)
    corpus = read_many(list(trees), skip_broken=skip_broken)
    for sentence in corpus.skipped:
        sys.stderr.write(f"eigenparse: skipped {sentence}\n")
    start = time.perf_counter()
    learner = ArcLearner(order=order, passes=passes, crossing=crossing, bits=bits, seed=seed, tags=tags.value)
    shown = _progress if sys.stderr.isatty() else None
    mark = dependencies_mark(corpus.trees, f"{__version__} {learner!r}")
    with kept_work(out, mark, resume=resume) as checkpoint:
        with open_run(cluster, jobs) as run:
            where = None if cluster is None and jobs == 1 else run
            model, report = learner.fit(corpus.trees, progress=shown, run=where, checkpoint=checkpoint)
        save_arcs(out, model)
    sys.stderr.write(
        f"eigenparse: learnt from {report.n_sentences} sentences, {report.n_words} words, "
        f"{report.n_lifted} lifted to projective trees, in {time.perf_counter() - start:.1f} s\n"
    )
    for name, share in report.tag_accuracy.items():
        sys.stderr.write(f"eigenparse: {100 * share:.2f} percent of the jack-knifed {name} are right\n")
    if dev is not None:
        _score(model, dev)


def _progress(what: str, done: int, total: int) -> None:
    sys.stderr.write(f"\r{what}: pass {done} of {total} ")
    if done == total:
        sys.stderr.write("\n")


def _score(model: "ArcModel", dev: Path) -> None:  # type: ignore[name-defined]  # noqa: F821
    """Print attachment figures on development trees."""
    from eigenparse.corpus.conllu import read_conllu
    from eigenparse.decode.dependency.arcs import parse
    from eigenparse.evaluate.attachment import attachment

    gold = read_conllu(dev).trees
    figures = attachment(gold, parse(model, gold)).figures()
    typer.echo("  ".join(f"{name} {value:.2f}" for name, value in figures.items()))
