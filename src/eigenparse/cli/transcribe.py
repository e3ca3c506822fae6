"""eigenparse transcribe: recordings in, phones with their times out."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.batch.requests import TranscribeRequest
from eigenparse.cli.app import READ, app, verb
from eigenparse.cli.options import asks


@verb(
    app,
    epilog="Examples:\n\n  eigenparse transcribe voices.model interview.wav --format phn\n\n"
    "  eigenparse transcribe voices.model recordings/ --format textgrid --folder grids",
)
@asks(TranscribeRequest)
def transcribe(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model written by `train phones`."), READ],
) -> None:
    """Recognise phones in recordings; print start, end, phone and posterior."""
