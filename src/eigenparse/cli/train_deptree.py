"""eigenparse train deptree: CoNLL-U trees in, a latent-variable tree model out."""

import sys
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from eigenparse import __version__
from eigenparse.cli.main import train


class Estimator(StrEnum):
    """Ways to estimate the model."""

    consistent = "consistent"
    printed = "printed"
    instruments = "instruments"
    recovered = "recovered"
    cluster = "cluster"
    em = "em"
    lpcfg = "lpcfg"


@train.command()
def deptree(
    trees: Annotated[
        list[Path], typer.Argument(metavar="TRAIN...", help="CoNLL-U or CoNLL-X files with trees.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write.")],
    dev: Annotated[
        Path | None, typer.Option(help="Trees to parse and score after training; lpcfg only.")
    ] = None,
    states: Annotated[int, typer.Option(min=1, help="Number of hidden states.")] = 10,
    estimator: Annotated[Estimator, typer.Option(help="How the model is estimated.")] = Estimator.em,
    channels: Annotated[
        str | None,
        typer.Option(help="What is observed of a word: tag,left,right,distance, or upos for lpcfg."),
    ] = None,
    members: Annotated[int, typer.Option(min=1, help="Grammars of lpcfg whose log p are averaged.")] = 1,
    vectors: Annotated[
        Path | None,
        typer.Option(help="Word vectors that embed wrote: the dictionary of spectral estimators."),
    ] = None,
    rounds: Annotated[int, typer.Option(min=0, help="EM rounds of em and recovered.")] = 8,
    ridge: Annotated[float, typer.Option(min=0.0, help="Regularisation of spectral inverses.")] = 1e-3,
    seed: Annotated[int, typer.Option(min=0, help="Seed of clustering and recovery.")] = 0,
    skip_broken: Annotated[bool, typer.Option("--skip-broken", help="Leave out what is no tree.")] = False,
    jobs: Annotated[int, typer.Option(min=0, metavar="N", help="Processes that count; 0: all cores.")] = 1,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Count on a Dask cluster, as tcp://host:8786.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where an interrupted run of this command stopped.")
    ] = False,
) -> None:
    """Learn the probability of words given their dependency tree, with a hidden state a word."""
    from eigenparse.cli.kept import kept_work
    from eigenparse.cli.output import check_target
    from eigenparse.cli.progress import stages
    from eigenparse.corpus.conllu import read_many
    from eigenparse.learn.checkpoint import dependencies_mark, mark_of
    from eigenparse.learn.dependency.deptree_fit import DepTreeLearner
    from eigenparse.learn.rounds import silent
    from eigenparse.models.dependency.deptree import save_deptree
    from eigenparse.models.vectors.vectors import load_vectors
    from eigenparse.run.ordered import open_run

    check_target(out)
    with stages("reading"):
        corpus = read_many(list(trees), skip_broken=skip_broken)
    for sentence in corpus.skipped:
        sys.stderr.write(f"eigenparse: skipped {sentence}\n")
    start = time.perf_counter()
    learner = DepTreeLearner(
        estimator=estimator.value,
        n_states=states,
        channels=tuple(name.strip() for name in channels.split(",")) if channels else (),
        members=members,
        relations=estimator is Estimator.lpcfg,
        rounds=rounds,
        ridge=ridge,
        seed=seed,
    )
    known = load_vectors(vectors) if vectors else None
    words = "" if known is None else mark_of([list(known.words), known.vectors])
    mark = dependencies_mark(corpus.trees, f"{__version__} {learner!r} {words}")
    with kept_work(out, mark, resume=resume) as checkpoint:
        with stages("learning") as tell, open_run(cluster, jobs) as run:
            model, report = learner.fit(
                corpus.trees, vectors=known, run=run, checkpoint=checkpoint, tell=tell or silent
            )
        save_deptree(out, model)
    seconds = time.perf_counter() - start
    sys.stderr.write(f"eigenparse: learnt {states} states from {report.n_trees} trees in {seconds:.1f} s\n")
    if report.n_lifted:
        sys.stderr.write(
            f"eigenparse: lifted {report.n_lifted} trees with crossing arcs to projective ones\n"
        )
    if not model.is_proper:
        sys.stderr.write(
            f"eigenparse: {report.n_families} families; the totals of {report.n_not_positive} training trees "
            "are not positive\n"
        )
    if dev is not None:
        _parse_dev(model, dev)


def _parse_dev(model: "TreeModel", dev: Path) -> None:  # type: ignore[name-defined]  # noqa: F821
    """Parse development trees with the model alone and print attachment figures."""
    from eigenparse.corpus.conllu import read_conllu
    from eigenparse.decode.dependency.split_heads import parse_split_heads, tree_parser
    from eigenparse.errors import OptionError
    from eigenparse.evaluate.attachment import attachment
    from eigenparse.models.dependency.split_heads import SplitHeads

    if not isinstance(model, SplitHeads):
        raise OptionError("only --estimator lpcfg is a parser too; leave out --dev or change the estimator")
    gold = read_conllu(dev).trees
    start = time.process_time()
    figures = attachment(gold, parse_split_heads(tree_parser(model), gold)).figures()
    speed = len(gold) / (time.process_time() - start)
    shown = ("UAS", "LAS", "UAS without punctuation", "complete")
    typer.echo("  ".join(f"{name} {figures[name]:.2f}" for name in shown) + f"  {speed:.0f} sentences/s")
