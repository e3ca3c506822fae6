"""eigenparse tag: tokens in, the same tokens with a column of labels or states out."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import READ, app, verb
from eigenparse.cli.options import Asked, asks

EXAMPLES = """
Examples:

  eigenparse tag chunker.model tokens.txt --posteriors

  echo "the old man" | eigenparse tag tagger.model --format plain
"""


@verb(app, epilog=EXAMPLES)
@asks
def tag(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="Model of `train rhmm` or `train hmm`."), READ
    ],
    file: Annotated[Path, typer.Argument(metavar="[FILE|-]", help="Tokens to label."), READ] = Path("-"),
    posteriors: Annotated[bool, typer.Option("--posteriors", help="Add each label's posterior.")] = False,
    kbest: Annotated[
        int, typer.Option(min=1, max=10_000, help="Number of label sequences per sentence, as JSON lines.")
    ] = 1,
    columns: Annotated[str | None, typer.Option(help="Names of the input columns, with commas.")] = None,
    form: Annotated[
        str, typer.Option("--format", help="Input format: auto, columns, tagged, conllu, brackets or plain.")
    ] = "auto",
) -> Asked:
    """Label tokens, one per line in columns, or one sentence per line with --format plain.

    An HMM gives the number of the most probable hidden state of each symbol.
    """
    from eigenparse.batch.requests import TagRequest

    names = tuple(columns.split(",")) if columns else None
    return model, TagRequest(file, form, names, posteriors, kbest)
