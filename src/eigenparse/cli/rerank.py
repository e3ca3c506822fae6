"""eigenparse train reranker and eigenparse rerank: n-best lists in, better trees out."""

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eigenparse import __version__
from eigenparse.cli.main import app, train

if TYPE_CHECKING:
    from eigenparse.corpus.dependencies import Dependencies
    from eigenparse.learn.dependency.rerank import Lists
    from eigenparse.models.dependency.arcs import ArcModel


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
    from eigenparse.cli.kept import kept_work
    from eigenparse.cli.output import check_target
    from eigenparse.corpus.conllu import read_many
    from eigenparse.learn.checkpoint import dependencies_mark
    from eigenparse.learn.dependency.deptree_fit import learner_like
    from eigenparse.learn.dependency.mira import learner_of
    from eigenparse.learn.dependency.rerank import RerankLearner, jackknifed_lists
    from eigenparse.models.dependency.arcs import load_arcs
    from eigenparse.models.dependency.deptree import load_deptree
    from eigenparse.models.dependency.rerank import check_patterns, save_reranker
    from eigenparse.run.ordered import open_run

    check_target(out)
    base = load_arcs(parser)
    models = tuple(load_deptree(path) for path in deptree or [])
    reading = read_many(list(trees), skip_broken=skip_broken)
    for sentence in reading.skipped:
        sys.stderr.write(f"eigenparse: skipped {sentence}\n")
    corpus = reading.trees
    learners = tuple(learner_like(m) for m in models)
    chosen = tuple(name.strip() for name in families.split(",") if name.strip())
    learner = RerankLearner(families=chosen, patterns=tuple(feature or ()), passes=passes, seed=seed)
    check_patterns(learner.patterns)
    own = learner_of(base)
    mark = dependencies_mark(corpus, f"{__version__} {learner!r} {own!r} {learners!r} {best} {folds}")
    with kept_work(out, mark, resume=resume) as checkpoint:
        with open_run(cluster, jobs) as run:
            make_lists = partial(_best_lists, best=best)
            lists = jackknifed_lists(
                corpus, own, learners, make_lists, n_folds=folds, run=run, checkpoint=checkpoint
            )
        model = learner.fit(lists, corpus.head, models, checkpoint=checkpoint)
        save_reranker(out, model)
    sys.stderr.write(
        f"eigenparse: learnt from {len(lists)} lists; weights {model.dense_weights.round(3).tolist()}\n"
    )


def _best_lists(model: "ArcModel", sentences: "Dependencies", best: int) -> "Lists":
    """The n best trees of a parser, as a worker makes them."""
    from eigenparse.decode.dependency.arcs import kbest

    found = kbest(model, sentences, best)
    return found.heads, found.scores, found.found


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
    from eigenparse.models.dependency.rerank import load_reranker

    rerank_conllu(load_reranker(model), read_text(nbest).split("\n"), sys.stdout, source=str(nbest))
