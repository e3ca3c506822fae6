"""eigenparse compare: gold and guessed trees in, a page of their differences out."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import FOLDER, READ, app, verb

EXAMPLES = """
Examples:

  eigenparse compare gold.ptb guess.ptb --out errors

  eigenparse compare gold.ptb grammar.ptb ensemble.ptb --out errors

  eigenparse compare gold.ptb guess.ptb --train my.model --out errors
"""


@verb(app, epilog=EXAMPLES)
def compare(
    gold: Annotated[Path, typer.Argument(metavar="GOLD", help="Gold trees."), READ],
    guesses: Annotated[
        list[Path], typer.Argument(metavar="GUESS...", help="Predicted trees of one or two parsers."), READ
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for index.html."), FOLDER],
    params: Annotated[Path | None, typer.Option(metavar="FILE.prm", help="EVALB parameters."), READ] = None,
    train: Annotated[
        Path | None,
        typer.Option(
            metavar="TREES|MODEL",
            help="Training trees, or the grammar that parsed: errors at words unknown to it are counted apart.",
        ),
        READ,
    ] = None,
) -> None:
    """Write a web page of the differences between gold and predicted trees, worst sentences first.

    Missing, wrong and crossing brackets are marked; tables count error classes and confused labels and tags.  All
    counts agree with `eigenparse evaluate`.
    """
    from eigenparse.batch.compare import compared, known_words
    from eigenparse.corpus.files import write_whole
    from eigenparse.evaluate.evalb_params import COLLINS, load_params
    from eigenparse.work.progress import tell

    known = None if train is None else known_words(train)
    found = compared(gold, guesses, COLLINS if params is None else load_params(params), known)
    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / "index.html", found.page.encode("utf-8"))
    for line in found.summary:
        typer.echo(line)
    tell(f"wrote {out / 'index.html'}")
