"""eigenparse train reranker and eigenparse rerank: n-best lists in, better trees out."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from eigenparse import __version__
from eigenparse.cli.main import app, train


@train.command()
def reranker(
    trees: Annotated[
        list[Path], typer.Argument(metavar="TRAIN...", help="The trees the parser was trained on.")
    ],
    parser: Annotated[Path, typer.Option(help="A dependency parser; its settings are used in every fold.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write.")],
    deptree: Annotated[list[Path] | None, typer.Option(help="A latent tree model; may be repeated.")] = None,
    best: Annotated[int, typer.Option(min=2, help="Trees a list.")] = 50,
    folds: Annotated[int, typer.Option(min=2, help="Folds of jack-knifing.")] = 3,
    passes: Annotated[int, typer.Option(min=1, help="Passes over the lists.")] = 10,
    families: Annotated[
        str, typer.Option(help="Tag patterns: sides, grandparent, siblings.")
    ] = "sides,grandparent",
    feature: Annotated[
        list[str] | None, typer.Option(help="A pattern of your own, as 'm.w h.w g.t'; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the order of lists.")] = 0,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where an interrupted run of this command stopped.")
    ] = False,
    skip_broken: Annotated[bool, typer.Option("--skip-broken", help="Leave out what is no tree.")] = False,
    jobs: Annotated[int, typer.Option(min=0, metavar="N", help="Processes, a fold each; 0: all cores.")] = 1,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Make lists on a Dask cluster, as tcp://host:8786.")
    ] = None,
) -> None:
    """Learn to choose from n-best lists that jack-knifed parsers make of the training sentences."""
    from eigenparse.cli.output import check_target
    from eigenparse.learn.dependency.reading import RerankerReading
    from eigenparse.learn.dependency.rerank import RerankerOptions
    from eigenparse.models.registry import save_model
    from eigenparse.work.kept import fingerprint
    from eigenparse.work.progress import tell
    from eigenparse.work.work import Where, open_work

    check_target(out)
    options = RerankerOptions(
        best=best, folds=folds, passes=passes, families=families, feature=tuple(feature or ()), seed=seed
    )
    data = RerankerReading(skip_broken, parser, tuple(deptree or ())).read(trees)
    for note in data.notes:
        tell(note)
    mark = fingerprint(__version__, options, data)
    with open_work("learning", Where(jobs, cluster, resume), out=out, mark=mark) as work:
        model = options.fit(data, work)
        save_model(model, out, options.kind)
    tell(f"learnt from {model.about['lists']} lists; weights {model.dense_weights.round(3).tolist()}")


@app.command()
def rerank(
    model: Annotated[Path, typer.Argument(help="A re-ranker.")],
    nbest: Annotated[
        Path, typer.Argument(help="Lists as parse --kbest writes them; - is standard input.")
    ] = Path("-"),
) -> None:
    """Print the best tree of every n-best list."""
    from eigenparse.corpus.files import read_text
    from eigenparse.decode.dependency.rerank import rerank_conllu
    from eigenparse.models.registry import load_model

    rerank_conllu(load_model(model, "reranker"), read_text(nbest).split("\n"), sys.stdout, source=str(nbest))
