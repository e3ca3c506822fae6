"""Recordings in, phones with their times and posteriors out."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from eigenparse.batch.places import ModelPlace, loaded
from eigenparse.batch.requests import TranscribeRequest
from eigenparse.corpus.audio import AUDIO_SUFFIXES, read_audio
from eigenparse.corpus.files import find_files, write_whole
from eigenparse.corpus.phones import write_textgrid
from eigenparse.decode.speech.phones import Transcript
from eigenparse.decode.speech.phones import transcribe as transcribe_audio
from eigenparse.errors import OptionError
from eigenparse.models.speech.phones import PhoneRecogniser
from eigenparse.work.work import Where, open_work

# Formats, and endings of their files.
FORMATS = {"times": ".txt", "phn": ".phn", "textgrid": ".TextGrid", "json": ".json"}


@dataclass(frozen=True, slots=True)
class Recording:
    """One recording to transcribe; number: its place among those asked for."""

    place: ModelPlace
    asked: TranscribeRequest
    number: int


def transcribe(path: Path, asked: TranscribeRequest, where: Where) -> Iterator[bytes]:
    """The rows of every recording, in order."""
    if asked.form not in FORMATS:
        raise OptionError(f"format must be one of {', '.join(FORMATS)}, got {asked.form!r} instead")
    asked = replace(asked, sources=tuple(find_files(asked.sources, suffixes=AUDIO_SUFFIXES)))
    if asked.form == "textgrid" and (asked.frames or (len(asked.sources) > 1 and asked.folder is None)):
        raise OptionError(
            "a TextGrid holds the phones of one recording; add --folder FOLDER, leave out --frames"
        )
    names = [Path(source).stem for source in asked.sources]
    if asked.folder is not None and (twice := {name for name in names if names.count(name) > 1}):
        raise OptionError(
            f"{len(twice)} names of recordings, as {min(twice)}, come twice; use a folder for each"
        )
    if asked.folder is not None:
        asked.folder.mkdir(parents=True, exist_ok=True)
    place = ModelPlace.of(path)
    todo = (Recording(place, asked, number) for number in range(len(asked.sources)))
    with open_work("transcribing", where) as work:
        for number, text in enumerate(work.map(transcribe_one, todo)):
            if asked.folder is None:
                yield text
                continue
            work.progress("recordings", number + 1, len(asked.sources))
            write_whole(asked.folder / f"{Path(asked.sources[number]).stem}{FORMATS[asked.form]}", text)


def transcribe_one(recording: Recording) -> bytes:
    """The rows of one recording; a line with its name before them if there are several."""
    model, asked, number = loaded(recording.place), recording.asked, recording.number
    path = asked.sources[number]
    found = transcribe_audio(model, read_audio(path), resample=asked.resample)
    if asked.form == "textgrid":
        return write_textgrid(found.segments, found.rate).encode("utf-8")
    named = len(asked.sources) > 1 and asked.form != "json" and asked.folder is None
    title = [f"{chr(10) if number else ''}# {path}"] if named else []
    lines = [*title, *_lines(model, found, str(path), asked.form, asked.frames)]
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def _lines(model: PhoneRecogniser, found: Transcript, path: str, form: str, frames: bool) -> Iterator[str]:
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


def _rows(model: PhoneRecogniser, found: Transcript, frames: bool) -> Iterator[tuple[int, int, str, float]]:
    """Start and end sample, phone and posterior of every segment or frame."""
    if frames:
        for t, (phone, p) in enumerate(zip(found.frames.tolist(), found.posterior.tolist(), strict=True)):
            yield t * found.step, (t + 1) * found.step, model.phones[phone], round(float(p), 4)
        return
    part = found.segments
    times = zip(part.start.tolist(), part.end.tolist(), part.phones, found.segment_posteriors(), strict=True)
    for start, end, phone, p in times:
        yield start, end, phone, round(p, 4)
