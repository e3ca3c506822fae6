"""eigenparse train dependency: CoNLL-U trees in, a graph-based parser out."""

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
    from eigenparse.cli.output import check_target
    from eigenparse.learn.dependency.arcs import ArcOptions
    from eigenparse.learn.dependency.reading import DependencyReading
    from eigenparse.models.registry import save_model
    from eigenparse.work.kept import fingerprint
    from eigenparse.work.progress import tell
    from eigenparse.work.work import Where, open_work

    check_target(out)
    options = ArcOptions(order=order, passes=passes, crossing=crossing, bits=bits, seed=seed, tags=tags.value)
    data = DependencyReading(skip_broken).read(trees)
    for note in data.notes:
        tell(note)
    start = time.perf_counter()
    mark = fingerprint(__version__, options, data)
    with open_work("learning", Where(jobs, cluster, resume), out=out, mark=mark) as work:
        model = options.fit(data, work)
        save_model(model, out, options.kind)
    about = model.about
    tell(
        f"learnt from {about['sentences']} sentences, {about['words']} words, "
        f"{about['lifted']} lifted to projective trees, in {time.perf_counter() - start:.1f} s"
    )
    for name, share in about["tag_accuracy"].items():
        tell(f"{100 * share:.2f} percent of the jack-knifed {name} are right")
    if dev is not None:
        _score(model, dev)


def _score(model: "ArcModel", dev: Path) -> None:  # type: ignore[name-defined]  # noqa: F821
    """Print attachment figures on development trees."""
    from eigenparse.corpus.conllu import read_conllu
    from eigenparse.evaluate.attachment import attachment
    from eigenparse.inference.dependency.arcs import parse

    gold = read_conllu(dev).trees
    figures = attachment(gold, parse(model, gold)).figures()
    typer.echo("  ".join(f"{name} {value:.2f}" for name, value in figures.items()))
