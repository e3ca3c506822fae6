"""eigenparse sample: a grammar and a seed in, trees drawn from it out."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.main import app


@app.command(epilog="Example:\n\n  eigenparse sample english.model -n 10 --seed 1")
def sample(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A grammar of `train lpcfg`.")],
    n: Annotated[int, typer.Option("-n", "--number", min=0, help="How many trees.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed.")] = 0,
    max_words: Annotated[int, typer.Option(min=1, help="Draw longer trees again.")] = 400,
    words: Annotated[bool, typer.Option("--words", help="Print the words only.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write this file instead.")] = None,
) -> None:
    """Draw trees from a grammar of probabilities (not from signed tensors), one a line."""
    from eigenparse.api.grammar import load
    from eigenparse.cli.models import runner_for
    from eigenparse.cli.output import result_stream
    from eigenparse.corpus.brackets import format_trees

    runner_for(model, {"lpcfg": "eigenparse.api.grammar:load"}, "draw trees")
    trees = load(model).sample(n, seed=seed, max_words=max_words)
    if words:
        bounds = zip(trees.offsets[:-1].tolist(), trees.offsets[1:].tolist())
        rows = ([trees.words[w] for w in trees.word[i:j].tolist() if w >= 0] for i, j in bounds)
        text = "".join(" ".join(row) + "\n" for row in rows).encode("utf-8")
    else:
        text = format_trees(trees)
    with result_stream(output) as stream:
        stream.write(text)
