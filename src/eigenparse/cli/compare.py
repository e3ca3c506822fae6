"""eigenparse compare: gold and guessed trees in, a page of their differences out."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import FOLDER, READ, app, verb

EXAMPLES = """
Examples:

  eigenparse compare gold.ptb guess.ptb --out errors

  eigenparse compare gold.ptb grammar.ptb ensemble.ptb --out errors
"""


@verb(app, epilog=EXAMPLES)
def compare(
    gold: Annotated[Path, typer.Argument(metavar="GOLD", help="Gold trees."), READ],
    guesses: Annotated[
        list[Path], typer.Argument(metavar="GUESS...", help="Trees of one or two parsers."), READ
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for index.html."), FOLDER],
    params: Annotated[
        Path | None, typer.Option(metavar="FILE.prm", help="EVALB parameter file."), READ
    ] = None,
) -> None:
    """Write a self-contained page that shows every difference, the worst sentences first.

    Missing, wrong and crossing brackets are marked; tables count error classes and confused labels and tags.  All
    counts agree with `eigenparse evaluate`.
    """
    from eigenparse.corpus.files import write_whole
    from eigenparse.errors import OptionError
    from eigenparse.evaluate.errors import find_errors
    from eigenparse.evaluate.evalb_params import COLLINS, load_params
    from eigenparse.evaluate.pairing import pair_files
    from eigenparse.report.errors_page import Guess, errors_page
    from eigenparse.work.progress import tell

    if len(guesses) > 2:
        raise OptionError(f"compare shows one or two parsers, got {len(guesses)} files; leave some out")
    chosen = COLLINS if params is None else load_params(params)
    shown, summary = [], []
    pairs = [pair_files(gold, path) for path in guesses]
    for path, pair in zip(guesses, pairs):
        scores = pair.score(params=chosen).all
        shown.append(Guess(path.name, pair.guess.treebank, find_errors(pair, chosen)))
        summary.append(
            f"{path.name}: F1 {scores.f1:.2f}, precision {scores.precision:.2f}, recall {scores.recall:.2f}, "
            f"{scores.matched} of {scores.gold} gold brackets found, {scores.guess} guessed, "
            f"{scores.complete} of {scores.scored} sentences without an error"
        )
    out.mkdir(parents=True, exist_ok=True)
    page = errors_page(
        f"{gold.name} and {' and '.join(one.name for one in shown)}", pairs[0].gold.treebank, shown, summary
    )
    write_whole(out / "index.html", page.encode("utf-8"))
    for line in summary:
        typer.echo(line)
    tell(f"wrote {out / 'index.html'}")
