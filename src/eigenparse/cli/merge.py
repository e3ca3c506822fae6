"""eigenparse merge: models of parts of a corpus in, the model of the whole corpus out, where that is exact."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import READ, WRITTEN, app, verb

EXACT = "embed, train hmm or train rhmm with --keep-statistics"


@verb(app, epilog="Example:\n\n  eigenparse merge monday.vectors tuesday.vectors --out both.vectors")
def merge(
    models: Annotated[
        list[Path], typer.Argument(metavar="MODEL...", help=f"Models of one kind, written by {EXACT}."), READ
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="MODEL", help="Model file to write."), WRITTEN],
) -> None:
    """Merge models that kept their statistics; the result is the model of all their data together."""
    from eigenparse.batch.merge import merge as merge_models

    merge_models(models, out)
