"""eigenparse tag: tokens in, the same tokens with a column of labels or states out."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.batch.requests import TagRequest
from eigenparse.cli.app import READ, app, verb
from eigenparse.cli.options import asks

EXAMPLES = """
Examples:

  eigenparse tag chunker.model tokens.txt --posteriors

  echo "the old man" | eigenparse tag tagger.model --format plain
"""


@verb(app, epilog=EXAMPLES)
@asks(TagRequest)
def tag(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="Model of `train rhmm` or `train hmm`."), READ
    ],
) -> None:
    """Label tokens, one per line in columns, or one sentence per line with --format plain.

    An HMM gives the number of the most probable hidden state of each symbol.
    """
