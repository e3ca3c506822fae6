"""eigenparse score: trees in, their log-probabilities out."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.main import app
from eigenparse.cli.models import runner_for

RUNNERS = {
    "lpcfg": "eigenparse.cli.score:score_brackets",
    "deptree": "eigenparse.cli.score:score_dependencies",
}


@app.command(epilog="Example:\n\n  eigenparse score english.model dev.ptb | tail -n 1")
def score(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A grammar or a latent tree model.")],
    trees: Annotated[list[str], typer.Argument(metavar="TREES...", help="Trees; - is standard input.")],
    skip_broken: Annotated[
        bool, typer.Option("--skip-broken", help="Skip broken trees and count them.")
    ] = False,
) -> None:
    """Print log p, the sign of p and the number of words of each tree, and the totals.

    Trees are normalised first.  A tree with a rule that the model has never seen has log p -inf and sign 0.
    """
    runner_for(model, RUNNERS, "score trees")(model, trees, skip_broken)


def score_brackets(model: Path, trees: list[str], skip_broken: bool) -> None:
    """One line a tree: number, log p, sign, words; then totals."""
    import numpy as np

    from eigenparse.api.grammar import load
    from eigenparse.cli.progress import tell
    from eigenparse.corpus.brackets import notes, read_trees_report

    grammar = load(model)
    reading = read_trees_report(trees, skip_broken=skip_broken)
    for note in notes(reading):
        tell(note)
    found = grammar.score(reading.treebank)
    offsets = reading.treebank.offsets
    words = np.add.reduceat(_counted(reading.treebank), offsets[:-1])
    rows = zip(found.log_probability.tolist(), found.sign.tolist(), words.tolist())
    typer.echo("tree\tlog_p\tsign\twords")
    typer.echo(
        "".join(f"{i}\t{log:.6f}\t{sign:+.0f}\t{n}\n" for i, (log, sign, n) in enumerate(rows, 1)), nl=False
    )
    good = found.sign > 0
    total, n_words = float(found.log_probability[good].sum()), int(words[good].sum())
    typer.echo(
        f"total\t{total:.6f}\t{int(good.sum())} of {good.size} trees positive\t"
        f"{total / n_words if n_words else float('nan'):.6f} a word"
    )


def _counted(treebank: "Treebank") -> "BoolVector":  # type: ignore[name-defined]  # noqa: F821
    """Which rows are words that normalisation keeps."""
    import numpy as np

    empty = np.array([label == "-NONE-" for label in treebank.labels], dtype=bool)
    return (treebank.word >= 0) & ~empty[treebank.label]


def score_dependencies(model: Path, trees: list[str], skip_broken: bool) -> None:
    """Dependency trees, by a latent tree model."""
    import sys

    from eigenparse.cli.progress import tell
    from eigenparse.corpus.files import find_files, read_text
    from eigenparse.decode.dependency.rerank import score_conllu
    from eigenparse.models.registry import load_model

    loaded = load_model(model, "deptree")
    for path in find_files(trees, suffixes=(".conllu", ".conll")):
        lines = read_text(path).split("\n")
        for note in score_conllu(loaded, lines, sys.stdout, source=str(path), skip_broken=skip_broken):
            tell(f"skipped {note}")
