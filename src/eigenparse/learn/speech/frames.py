"""Aligned recordings in, frames with features and phones out, and sequences of their codes."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, IntVector, as_ids, as_offsets
from eigenparse.corpus.audio import at_rate, read_audio, refuse_silence
from eigenparse.corpus.phones import Utterance, fold_phone, frame_phones, read_phn
from eigenparse.corpus.sequences import Column, Sequences
from eigenparse.errors import DataError, FormatError
from eigenparse.features.speech.mfcc import MfccChoices, mfcc
from eigenparse.features.speech.phones import CODE, PHONE


@dataclass(frozen=True, slots=True)
class Frames:
    """Frames of several recordings.  rows: (T, d) float32; phones: T names; lengths: frames per recording."""

    rows: AnyArray
    phones: list[str]
    lengths: list[int]
    rate: int
    seconds: float


def read_frames(
    utterances: Iterable[Utterance],
    choices: MfccChoices,
    *,
    fold: bool = False,
    rate: int | None = None,
    resample: bool = False,
) -> Frames:
    """Features and phones of all frames; the first recording sets the sampling rate unless one is given."""
    rows, phones, lengths = [], [], []
    seconds = 0.0
    for utterance in utterances:
        audio = refuse_silence(read_audio(utterance.audio))
        rate = rate or audio.rate
        sound = at_rate(audio, rate, resample=resample)
        segments = read_phn(utterance.alignment)
        made = mfcc(sound.samples, rate, choices).astype(np.float32)
        if segments.end[-1] > audio.samples.size + choices.window_samples(audio.rate):
            raise FormatError(
                f"the alignment ends at sample {segments.end[-1]}, the recording at {audio.samples.size}",
                source=str(utterance.alignment),
                line=len(segments.phones),
                remedy="check that both belong together and that samples are counted at the recording's rate",
            )
        window, step = choices.window_samples(audio.rate), choices.step_samples(audio.rate)
        names = frame_phones(segments, made.shape[0], window, step)
        phones += [fold_phone(name) for name in names] if fold else names
        rows.append(made)
        lengths.append(made.shape[0])
        seconds += audio.seconds
    if not rows or rate is None:
        raise DataError("there is no recording to read; name a folder with recordings and .phn files")
    return Frames(np.vstack(rows), phones, lengths, rate, seconds)


def frame_sequences(frames: Frames, codes: IntVector, n_codes: int, names: tuple[str, ...]) -> Sequences:
    """Columns ``code`` and ``phone``; a phone that is not among the names gets an id beyond them."""
    known = {name: k for k, name in enumerate(names)}
    more = sorted(set(frames.phones) - known.keys())
    known |= {name: len(names) + k for k, name in enumerate(more)}
    ids = as_ids([known[name] for name in frames.phones])
    columns = (
        Column(CODE, codes, tuple(str(k) for k in range(n_codes))),
        Column(PHONE, ids, (*names, *more)),
    )
    offsets = as_offsets(np.concatenate([[0], np.cumsum(frames.lengths)]))
    return Sequences(columns, offsets, as_offsets(np.arange(1, offsets.size)))
