"""Recordings in, phones with times out: front end, codes, marginals of the tagger, runs of frames."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, IntVector
from eigenparse.corpus.audio import Audio, at_rate, refuse_silence
from eigenparse.corpus.phones import Segments, frame_segments
from eigenparse.corpus.sequences import Column, Sequences
from eigenparse.features.codes import codes_of
from eigenparse.features.speech.mfcc import mfcc
from eigenparse.features.speech.phones import CODE
from eigenparse.inference.tagger.chain import label_marginals
from eigenparse.models.speech.phones import PhoneRecogniser


@dataclass(frozen=True, slots=True)
class Transcript:
    """frames: (T,) phone ids; posterior: (T,) of each; segments: runs of frames in samples at ``rate``."""

    frames: IntVector
    posterior: AnyArray
    segments: Segments
    rate: int
    step: int

    def segment_posteriors(self) -> list[float]:
        """Mean posterior of every segment's frames."""
        first = np.concatenate([[0], np.flatnonzero(np.diff(self.frames)) + 1])
        mean = np.add.reduceat(self.posterior, first) / np.diff(np.append(first, self.frames.size))
        return [float(value) for value in mean]


def code_sequences(codes: IntVector, n_codes: int, lengths: list[int]) -> Sequences:
    """Sequences with the one column of codes."""
    symbols = tuple(str(k) for k in range(n_codes))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Sequences((Column(CODE, codes, symbols),), offsets, np.arange(1, len(lengths) + 1))


def transcribe(model: PhoneRecogniser, audio: Audio, *, resample: bool = False) -> Transcript:
    """The likeliest phone at every frame, and its runs.

    Raises DataError if the recording is silent or shorter than a window, OptionError at another rate.
    """
    sound = at_rate(refuse_silence(audio), model.rate, resample=resample)
    rows = mfcc(sound.samples, sound.rate, model.mfcc)
    codes = codes_of(model.codebook, rows)
    sequences = code_sequences(codes, len(model.codebook), [codes.size])
    mu = label_marginals(model.tagger, sequences)
    best = mu.argmax(axis=1).astype(np.int32)
    window, step = model.mfcc.window_samples(model.rate), model.mfcc.step_samples(model.rate)
    segments = frame_segments(best, model.phones, sound.samples.size, window, step)
    # marginals of a model learnt by moments may be slightly above one
    posterior = np.clip(mu[np.arange(best.size), best], 0.0, 1.0)
    return Transcript(best, posterior, segments, model.rate, step)
