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
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A file of `train phones`."), READ],
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="WAV, SPHERE or FLAC, or folders."), READ
    ],
    frames: Annotated[bool, typer.Option("--frames", help="One line per frame, not per phone.")] = False,
    form: Annotated[
        str,
        typer.Option("--format", help="times (seconds), phn (samples, as TIMIT), textgrid (Praat) or json."),
    ] = "times",
    resample: Annotated[bool, typer.Option("--resample", help="Convert recordings at other rates.")] = False,
    folder: Annotated[
        Path | None, typer.Option(help="Write a file for each recording into this folder."), FOLDER
    ] = None,
) -> Asked:
    """Recognise the phones of recordings: start, end, phone and posterior on each line."""
    from eigenparse.batch.requests import TranscribeRequest

    return model, TranscribeRequest(tuple(files), form, frames, resample, folder)
