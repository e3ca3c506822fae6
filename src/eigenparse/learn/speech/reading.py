"""How speech is read for training: a folder of recordings with phone alignments in, its parts out."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from eigenparse.corpus.phones import Utterance, find_speech
from eigenparse.errors import DataError
from eigenparse.learn.options import option


@dataclass(frozen=True, slots=True)
class Recordings:
    """Aligned recordings to learn from, and those of the development part, if the folder has one.

    fold: count TIMIT's 61 phones as 39.  resample: convert recordings at other rates than the first one's.
    mark: SHA-256 of the recordings and alignments to learn from.
    """

    train: tuple[Utterance, ...] = field(metadata={"fingerprint": False})
    dev: tuple[Utterance, ...] = field(default=(), metadata={"fingerprint": False})
    fold: bool = False
    resample: bool = False
    mark: str = ""


@dataclass(frozen=True)
class SpeechReading:
    """TIMIT, or a folder of recordings (WAV, SPHERE, FLAC) with a .phn file beside each."""

    sources: ClassVar[tuple[str, str]] = ("AUDIO_DIR", "TIMIT, or recordings with .phn files beside them.")
    resample: bool = option(False, "Convert recordings at other rates than the first one's.")

    def read(self, sources: Sequence[str | Path]) -> Recordings:
        """The training and development parts of the folder."""
        if len(sources) != 1:
            raise DataError(f"got {len(sources)} folders of recordings; put them into one folder")
        found = find_speech(sources[0])
        return Recordings(found.train, found.dev, found.is_timit, self.resample, mark_of(found.train))

    def held_out(self, data: Recordings) -> Recordings | None:
        """The development part, which a model is scored on."""
        return replace(data, train=data.dev, dev=(), mark=mark_of(data.dev)) if data.dev else None


def mark_of(utterances: Sequence[Utterance]) -> str:
    """SHA-256 of recordings and alignments."""
    total = hashlib.sha256()
    for utterance in utterances:
        for path in (utterance.audio, utterance.alignment):
            with open(path, "rb") as file:
                total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()
