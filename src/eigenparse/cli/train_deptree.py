"""eigenparse train deptree: CoNLL-U trees in, a latent-variable tree model out."""

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
    from eigenparse.cli.output import check_target
    from eigenparse.learn.dependency.reading import TreeReading
    from eigenparse.learn.dependency.trees import DepTreeOptions
    from eigenparse.models.registry import save_model
    from eigenparse.work.kept import fingerprint
    from eigenparse.work.progress import tell
    from eigenparse.work.work import Where, Work, open_work

    check_target(out)
    options = DepTreeOptions(
        estimator=estimator.value, states=states, channels=channels or "", members=members, rounds=rounds,
        ridge=ridge, seed=seed,
    )  # fmt: skip
    data = TreeReading(skip_broken, vectors).read(trees)
    for note in data.notes:
        tell(note)
    options.tuned(data, None if dev is None else data, Work())
    start = time.perf_counter()
    mark = fingerprint(__version__, options, data)
    with open_work("learning", Where(jobs, cluster, resume), out=out, mark=mark) as work:
        model = options.fit(data, work)
        save_model(model, out, options.kind)
    about = model.about
    tell(f"learnt {states} states from {about['trees']} trees in {time.perf_counter() - start:.1f} s")
    if about.get("lifted"):
        tell(f"lifted {about['lifted']} trees with crossing arcs to projective ones")
    if not model.is_proper:
        tell(
            f"{about['families']} families; the totals of {about['not_positive']} training trees are not positive"
        )
    if dev is not None:
        _parse_dev(model, dev)


def _parse_dev(model: "TreeModel", dev: Path) -> None:  # type: ignore[name-defined]  # noqa: F821
    """Parse development trees with the model alone and print attachment figures."""
    from eigenparse.corpus.conllu import read_conllu
    from eigenparse.decode.dependency.split_heads import parse_split_heads, tree_parser
    from eigenparse.evaluate.attachment import attachment

    gold = read_conllu(dev).trees
    start = time.process_time()
    figures = attachment(gold, parse_split_heads(tree_parser(model), gold)).figures()
    speed = len(gold) / (time.process_time() - start)
    shown = ("UAS", "LAS", "UAS without punctuation", "complete")
    typer.echo("  ".join(f"{name} {figures[name]:.2f}" for name in shown) + f"  {speed:.0f} sentences/s")
