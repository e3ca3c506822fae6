"""eigenparse reproduce dhillon2012: table 1 of the paper on any dependency treebank."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import FOLDER, READ, reproduce, verb
from eigenparse.cli.options import Report, Seed, numbers, publish

Estimators = Annotated[
    str,
    typer.Option(
        help="Latent models whose log-probability is tried, one row each; NAME@K has K states, NAME-words uses "
        "words with vectors."
    ),
]
Vectors = Annotated[
    Path | None, typer.Option(help="Word vectors (the paper: embed --method lrmvl), for NAME-words."), READ
]
Tags = Annotated[
    str, typer.Option(help="predicted (the paper: 10-fold jack-knifing of the training trees) or gold.")
]
StripPunctuation = Annotated[
    bool, typer.Option("--strip-punctuation", help="Remove punctuation from all trees first.")
]


@verb(
    reproduce,
    epilog="Example:\n\n  eigenparse reproduce dhillon2012 --train a.conllu --dev b.conllu --test c.conllu",
)
def dhillon2012(
    train: Annotated[Path, typer.Option(help="Training trees in CoNLL-U."), READ],
    dev: Annotated[Path, typer.Option(help="Development trees."), READ],
    test: Annotated[Path, typer.Option(help="Test trees."), READ],
    out: Report = Path("dhillon2012"),
    orders: Annotated[str, typer.Option(help="Orders of the parser.")] = "1,2",
    estimators: Estimators = "lpcfg,printed,printed@5,printed@20",
    states: Annotated[
        str, typer.Option(help="States per estimator.")
    ] = "lpcfg=16,lpcfg-tensor=16,em=32,printed=10",
    vectors: Vectors = None,
    tags: Tags = "predicted",
    strip_punctuation: StripPunctuation = False,
    best: Annotated[int, typer.Option(min=2, help="Number of trees per n-best list.")] = 50,
    folds: Annotated[int, typer.Option(min=2, help="Folds of jack-knifing.")] = 3,
    passes: Annotated[int, typer.Option(min=1, help="Training passes of the parser.")] = 10,
    keep: Annotated[
        Path | None, typer.Option(help="Keep parsers and lists in this folder and reuse them."), FOLDER
    ] = None,
    seed: Seed = 0,
) -> None:
    """Repeat table 1 of Dhillon et al. (2012): parser, re-ranker, re-ranker with log p, of both orders."""
    from eigenparse.experiments.dhillon2012 import Plan, sizes_of
    from eigenparse.experiments.dhillon2012_report import reproduced
    from eigenparse.models.vectors.word2vec import load_vectors
    from eigenparse.work.progress import tell

    plan = Plan(
        orders=numbers(orders, "orders"),
        estimators=tuple(name.strip() for name in estimators.split(",") if name.strip()),
        states=sizes_of(states),
        n_best=best,
        n_folds=folds,
        passes=passes,
        seed=seed,
        keep=keep,
        vectors=None if vectors is None else load_vectors(vectors),
    )
    files = {"train": train, "dev": dev, "test": test}
    publish(reproduced(files, plan, tags, tell, strip_punctuation=strip_punctuation), out)
