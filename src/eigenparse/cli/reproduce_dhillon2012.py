"""eigenparse reproduce dhillon2012: table 1 of the paper on any dependency treebank."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import FOLDER, READ, reproduce, verb
from eigenparse.cli.options import Report, Seed, numbers, publish


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
    estimators: Annotated[
        str,
        typer.Option(
            help="Latent models whose log-probability is tried, one row each; NAME@K has K states, NAME-words uses "
            "words with vectors."
        ),
    ] = "lpcfg,printed,printed@5,printed@20",
    states: Annotated[
        str, typer.Option(help="States per estimator.")
    ] = "lpcfg=16,lpcfg-tensor=16,em=32,printed=10",
    vectors: Annotated[
        Path | None,
        typer.Option(help="Word vectors (the paper: embed --method lrmvl), for NAME-words."),
        READ,
    ] = None,
    tags: Annotated[
        str, typer.Option(help="predicted (the paper: 10-fold jack-knifing of the training trees) or gold.")
    ] = "predicted",
    strip_punctuation: Annotated[
        bool, typer.Option("--strip-punctuation", help="Remove punctuation from all trees first.")
    ] = False,
    best: Annotated[int, typer.Option(min=2, help="Number of trees per n-best list.")] = 50,
    folds: Annotated[int, typer.Option(min=2, help="Folds of jack-knifing.")] = 3,
    passes: Annotated[int, typer.Option(min=1, help="Training passes of the parser.")] = 10,
    keep: Annotated[
        Path | None, typer.Option(help="Keep parsers and lists in this folder and reuse them."), FOLDER
    ] = None,
    seed: Seed = 0,
) -> None:
    """Repeat table 1 of Dhillon et al. (2012): parser, re-ranker, re-ranker with log p, of both orders."""
    from eigenparse.corpus.conllu import read_conllu
    from eigenparse.corpus.dependencies import without_punctuation
    from eigenparse.errors import OptionError
    from eigenparse.experiments.dhillon2012 import Plan, parsers_alone, run_order, with_tags_of_taggers
    from eigenparse.experiments.dhillon2012_report import table_report
    from eigenparse.models.vectors.word2vec import load_vectors
    from eigenparse.work.progress import tell

    try:
        sizes = tuple((name.strip(), int(n)) for name, n in (part.split("=") for part in states.split(",")))
    except ValueError:
        raise OptionError(f"states must look like lpcfg=16,em=32, got {states!r} instead") from None
    names = tuple(name.strip() for name in estimators.split(",") if name.strip())
    plan = Plan(
        orders=numbers(orders, "orders"),
        estimators=names,
        states=sizes,
        n_best=best,
        n_folds=folds,
        passes=passes,
        seed=seed,
        keep=keep,
        vectors=None if vectors is None else load_vectors(vectors),
    )
    if tags not in ("predicted", "gold"):
        raise OptionError(f"tags must be predicted or gold, got {tags!r} instead")
    files = {"train": train, "dev": dev, "test": test}
    parts = {name: read_conllu(path).trees for name, path in files.items()}
    if strip_punctuation:
        parts = {name: without_punctuation(trees) for name, trees in parts.items()}
    facts = {f"{name} sentences": len(trees) for name, trees in parts.items()}
    learn = parts.pop("train")
    if tags == "predicted":
        learn, parts = with_tags_of_taggers(learn, parts, seed, tell)
    outcomes = [run_order(order, learn, parts, plan, tell) for order in plan.orders]
    alone = parsers_alone(learn, parts, plan, tell)
    seconds = {f"CPU seconds, order {found.order}": round(found.seconds) for found in outcomes}
    settings = {
        "tags": tags,
        "punctuation": "removed" if strip_punctuation else "kept and scored",
        "trees per list": best,
        "folds": folds,
        "passes": passes,
        "lpcfg members": plan.members,
        "seed": seed,
    }
    publish(table_report(outcomes, alone, plan, {**facts, **settings, **seconds}), out)
