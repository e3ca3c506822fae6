"""eigenparse transcribe: recordings in, phones with their times out."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import FOLDER, READ, app, verb
from eigenparse.cli.options import Asked, asks


@verb(
    app,
    epilog="Examples:\n\n  eigenparse transcribe voices.model interview.wav --format phn\n\n"
    "  eigenparse transcribe voices.model recordings/ --format textgrid --folder grids",
)
@asks
def transcribe(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model written by `train phones`."), READ],
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="WAV, SPHERE, FLAC, folders."), READ],
    frames: Annotated[bool, typer.Option("--frames", help="Print one line per frame.")] = False,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="Output format: times (seconds), phn (samples, as in TIMIT), textgrid (Praat) or json.",
        ),
    ] = "times",
    resample: Annotated[
        bool, typer.Option("--resample", help="Resample recordings whose sampling rate differs.")
    ] = False,
    folder: Annotated[Path | None, typer.Option(help="Write one file per recording here."), FOLDER] = None,
) -> Asked:
    """Recognise phones in recordings; print start, end, phone and posterior."""
    from eigenparse.batch.requests import TranscribeRequest

    return model, TranscribeRequest(tuple(files), form, frames, resample, folder)
