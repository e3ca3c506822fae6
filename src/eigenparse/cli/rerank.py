"""eigenparse train reranker and eigenparse rerank: n-best lists in, better trees out."""

import sys
from pathlib import Path
from typing import Annotated

import typer

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
    seed: Annotated[int, typer.Option(min=0, help="Seed of the order of lists.")] = 0,
) -> None:
    """Learn to choose from n-best lists that jack-knifed parsers make of the training sentences."""
    from eigenparse.corpus.conllu import read_many
    from eigenparse.decode.arcs import kbest
    from eigenparse.learn.deptree_fit import learner_like
    from eigenparse.learn.mira import learner_of
    from eigenparse.learn.rerank import Lists, RerankLearner, jackknifed_lists
    from eigenparse.models.arcs import ArcModel, load_arcs
    from eigenparse.models.deptree import load_deptree
    from eigenparse.models.rerank import save_reranker

    def make_lists(model: ArcModel, sentences: "Dependencies") -> Lists:  # type: ignore[name-defined]  # noqa: F821
        found = kbest(model, sentences, best)
        return found.heads, found.scores, found.found

    base = load_arcs(parser)
    models = tuple(load_deptree(path) for path in deptree or [])
    corpus = read_many(list(trees)).trees
    lists = jackknifed_lists(
        corpus, learner_of(base), tuple(learner_like(m) for m in models), make_lists, n_folds=folds
    )
    chosen = tuple(name.strip() for name in families.split(",") if name.strip())
    model = RerankLearner(families=chosen, passes=passes, seed=seed).fit(lists, corpus.head, models)
    save_reranker(out, model)
    sys.stderr.write(
        f"eigenparse: learnt from {len(lists)} lists; weights {model.dense_weights.round(3).tolist()}\n"
    )


@app.command()
def rerank(
    model: Annotated[Path, typer.Argument(help="A re-ranker.")],
    nbest: Annotated[
        Path, typer.Argument(help="Lists as parse --kbest writes them; - is standard input.")
    ] = Path("-"),
) -> None:
    """Print the best tree of every n-best list."""
    from eigenparse.corpus.files import read_text
    from eigenparse.decode.rerank import rerank_conllu
    from eigenparse.models.rerank import load_reranker

    rerank_conllu(load_reranker(model), read_text(nbest).split("\n"), sys.stdout, source=str(nbest))
