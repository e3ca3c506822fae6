"""``eigenparse transcribe``: recordings in, phones with their times out."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eigenparse.cli.main import app

if TYPE_CHECKING:
    from eigenparse.decode.speech.phones import Transcript
    from eigenparse.models.speech.phones import PhoneRecogniser

FORMATS = ("times", "phn", "json")


@app.command()
def transcribe(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="What `train phones` wrote.")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="WAV, SPHERE or FLAC.")],
    frames: Annotated[bool, typer.Option("--frames", help="A line a frame, not a phone.")] = False,
    form: Annotated[
        str, typer.Option("--format", help="times (seconds), phn (samples, as TIMIT) or json.")
    ] = "times",
    resample: Annotated[bool, typer.Option("--resample", help="Convert recordings at other rates.")] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File instead of standard output.")] = None,
) -> None:
    """Recognise the phones of recordings: start, end, phone and posterior a line."""
    from eigenparse.cli.output import result_stream
    from eigenparse.corpus.audio import read_audio
    from eigenparse.decode.speech.phones import transcribe as transcribe_audio
    from eigenparse.errors import OptionError
    from eigenparse.models.registry import load_model

    if form not in FORMATS:
        raise OptionError(f"format must be one of {', '.join(FORMATS)}, got {form!r} instead")
    recogniser = load_model(model, "phones")
    with result_stream(out) as stream:
        for number, path in enumerate(files):
            found = transcribe_audio(recogniser, read_audio(path), resample=resample)
            if len(files) > 1 and form != "json":
                stream.write(f"{chr(10) if number else ''}# {path}\n".encode())
            for line in _lines(recogniser, found, str(path), form, frames):
                stream.write(f"{line}\n".encode())


def _lines(
    model: "PhoneRecogniser", found: "Transcript", path: str, form: str, frames: bool
) -> Iterator[str]:
    """The rows of one recording in the format asked for."""
    rows = list(_rows(model, found, frames))
    if form == "json":
        names = ("start", "end", "phone", "posterior")
        items = [dict(zip(names, (a / found.rate, b / found.rate, phone, p))) for a, b, phone, p in rows]
        yield json.dumps({"file": path, "frames" if frames else "segments": items}, ensure_ascii=False)
    elif form == "phn":
        yield from (f"{a} {b} {phone}" for a, b, phone, _ in rows)
    else:
        yield from (
            f"{a / found.rate:8.3f} {b / found.rate:8.3f} {phone:<6} {p:.3f}" for a, b, phone, p in rows
        )


def _rows(
    model: "PhoneRecogniser", found: "Transcript", frames: bool
) -> Iterator[tuple[int, int, str, float]]:
    """Start and end sample, phone and posterior of every segment or frame."""
    if frames:
        for t, (phone, p) in enumerate(zip(found.frames.tolist(), found.posterior.tolist(), strict=True)):
            yield t * found.step, (t + 1) * found.step, model.phones[phone], round(float(p), 4)
        return
    part = found.segments
    times = zip(part.start.tolist(), part.end.tolist(), part.phones, found.segment_posteriors(), strict=True)
    for start, end, phone, p in times:
        yield start, end, phone, round(p, 4)
