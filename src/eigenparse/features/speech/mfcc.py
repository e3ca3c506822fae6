"""Sound in, mel-frequency cepstra out: 13 coefficients with first and second differences, 39 values per frame.

The definitions are those of librosa's ``mfcc`` and ``delta`` (periodic Hamming window, mel scale of HTK
without area normalisation, decibels down to ``range_db`` below the loudest band, orthonormal DCT,
sinusoidal lifter), except that a frame begins where its window begins, not 56 samples earlier.
"""

from dataclasses import dataclass

import numpy as np
from scipy.fft import dct, rfft

from eigenparse.arrays import AnyArray
from eigenparse.errors import DataError, OptionError

FLOOR = 1e-10
CHUNK = 4096


@dataclass(frozen=True, slots=True)
class MfccChoices:
    """Window and step in seconds; span: frames on either side of a difference; lifter 0 is none."""

    window: float = 0.025
    step: float = 0.010
    n_coefficients: int = 13
    n_bands: int = 26
    pre_emphasis: float = 0.97
    lifter: int = 22
    range_db: float = 80.0
    span: int = 4
    centred: bool = True

    def window_samples(self, rate: int) -> int:
        """Samples of a window at a sampling rate."""
        return round(self.window * rate)

    def step_samples(self, rate: int) -> int:
        """Samples from one frame to the next."""
        return round(self.step * rate)


def n_frames(n_samples: int, rate: int, choices: MfccChoices) -> int:
    """Number of whole windows in a number of samples."""
    window, step = choices.window_samples(rate), choices.step_samples(rate)
    return 0 if n_samples < window else 1 + (n_samples - window) // step


def mel_filters(rate: int, n_fft: int, n_bands: int) -> AnyArray:
    """Triangles of height 1, evenly spaced in mel = 2595 log10(1 + f / 700), (n_bands, n_fft / 2 + 1)."""
    top = 2595.0 * np.log10(1.0 + rate / 2 / 700.0)
    edges = 700.0 * (10.0 ** (np.linspace(0.0, top, n_bands + 2) / 2595.0) - 1.0)
    frequency = np.arange(n_fft // 2 + 1) * (rate / n_fft)
    low, mid, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    rising, falling = (frequency - low) / (mid - low), (high - frequency) / (high - mid)
    return np.maximum(0.0, np.minimum(rising, falling))


def mel_spectrum(samples: AnyArray, rate: int, choices: MfccChoices) -> AnyArray:
    """Power in every mel band of every frame, (T, n_bands)."""
    window, step = choices.window_samples(rate), choices.step_samples(rate)
    n = n_frames(samples.size, rate, choices)
    if n < 1:
        raise DataError(
            f"{samples.size} samples at {rate} Hz are less than one window of {window}; give a longer recording"
        )
    n_fft = 1 << (window - 1).bit_length()
    sound = np.asarray(samples, dtype=np.float64)
    sharp = np.append(sound[:1], sound[1:] - choices.pre_emphasis * sound[:-1])
    frames = np.lib.stride_tricks.sliding_window_view(sharp, window)[::step][:n]
    hamming = 0.54 - 0.46 * np.cos(2.0 * np.pi * np.arange(window) / window)
    filters = mel_filters(rate, n_fft, choices.n_bands).T
    out = np.empty((n, choices.n_bands))
    for at in range(0, n, CHUNK):  # bounds the memory of hours of sound
        spectrum = rfft(frames[at : at + CHUNK] * hamming, n_fft, axis=1)
        out[at : at + CHUNK] = (spectrum.real**2 + spectrum.imag**2) @ filters
    return out


def cepstra(samples: AnyArray, rate: int, choices: MfccChoices) -> AnyArray:
    """Liftered cepstral coefficients without differences, (T, n_coefficients)."""
    decibels = 10.0 * np.log10(np.maximum(FLOOR, mel_spectrum(samples, rate, choices)))
    decibels = np.maximum(decibels, decibels.max() - choices.range_db)
    k = choices.n_coefficients
    out: AnyArray = dct(decibels, type=2, norm="ortho", axis=1)[:, :k]
    if choices.lifter:
        out = out * (1.0 + choices.lifter / 2 * np.sin(np.pi * np.arange(1, k + 1) / choices.lifter))
    return out


def difference(rows: AnyArray, order: int, span: int) -> AnyArray:
    """First or second derivative of the least-squares line or parabola through 2 span + 1 rows.

    The first and last row are repeated beyond the ends.
    """
    if span < 1 or order not in (1, 2):
        raise OptionError(
            f"a difference needs order 1 or 2 and span 1 or more, got {order} and {span} instead"
        )
    j = np.arange(-span, span + 1, dtype=np.float64)
    basis = j if order == 1 else j * j - np.mean(j * j)
    weight = order * basis / np.sum(basis * basis)
    n = rows.shape[0]
    padded = np.pad(rows, ((span, span), (0, 0)), mode="edge")
    out = np.zeros_like(rows, dtype=np.float64)
    for k in range(2 * span + 1):
        out += weight[k] * padded[k : k + n]
    return out


def mfcc(samples: AnyArray, rate: int, choices: MfccChoices | None = None) -> AnyArray:
    """Cepstra less their mean over the utterance, first and second differences, (T, 39) by default."""
    made = choices or MfccChoices()
    rows = cepstra(samples, rate, made)
    if made.centred:
        rows = rows - rows.mean(axis=0)
    return np.hstack([rows, difference(rows, 1, made.span), difference(rows, 2, made.span)])
