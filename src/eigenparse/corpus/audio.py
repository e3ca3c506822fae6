"""Recordings in, samples out: WAV, NIST SPHERE (TIMIT's .WAV files) and, with the extra ``audio``, FLAC."""

import io
import wave
from dataclasses import dataclass
from math import gcd
from pathlib import Path

import numpy as np

from eigenparse.arrays import AnyArray, frozen
from eigenparse.corpus.recognise import HEAD, NAMES, recognise
from eigenparse.errors import DataError, FormatError, OptionError

AUDIO_SUFFIXES = (".flac", ".wav", ".sph", ".nist")
UNKNOWN_LENGTH = 0x7FFF0000  # bytes; a file that was written to a pipe states a larger length than it has
SPHERE_ORDER = {"01": "<", "10": ">", "1": "<"}


@dataclass(frozen=True, slots=True)
class Audio:
    """One channel of sound.  samples: (n,) float64 between -1 and 1; rate: samples per second."""

    samples: AnyArray
    rate: int
    source: str

    @property
    def seconds(self) -> float:
        """Duration."""
        return self.samples.size / self.rate


def read_audio(path: str | Path) -> Audio:
    """Read a recording; its first bytes tell the format, and several channels are averaged.

    Raises FormatError if the file is damaged or of a coding that is not read.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise DataError(f"{path}: cannot be read ({problem.strerror}); check the path") from None
    if content[:8] == b"NIST_1A\n":
        samples, rate = _sphere(content, str(path))
    elif content[:4] == b"RIFF" and content[8:12] == b"WAVE":
        samples, rate = _wav(content, str(path))
    else:
        samples, rate = _other(content, str(path))
    if not 1000 <= rate <= 384_000:
        raise _broken(path, f"a sampling rate of {rate} Hz is not plausible", "convert the file again")
    if not samples.shape[0]:
        raise _broken(path, "the recording has no samples", "leave it out or record it again")
    return Audio(frozen(samples.mean(axis=1)), rate, str(path))


def _broken(source: str | Path, problem: str, remedy: str) -> FormatError:
    return FormatError(problem, source=str(source), line=1, remedy=remedy)


def _wav(content: bytes, source: str) -> tuple[AnyArray, int]:
    """Linear samples of a RIFF file, (n, channels)."""
    try:
        with wave.open(io.BytesIO(content)) as stream:
            width, channels, rate = stream.getsampwidth(), stream.getnchannels(), stream.getframerate()
            promised = stream.getnframes() * width * channels
            raw = stream.readframes(stream.getnframes())
    except (wave.Error, EOFError, RuntimeError) as problem:
        remedy = "convert it to 16-bit linear samples (PCM)"
        raise _broken(source, f"not a WAV file that can be read ({problem})", remedy) from None
    if width not in (1, 2, 3, 4):
        raise _broken(source, f"samples of {width} bytes are not read", "convert it to 16 bits")
    if len(raw) < promised < UNKNOWN_LENGTH:
        short = f"{promised} bytes of samples are promised, {len(raw)} are there"
        raise _broken(source, short, "copy it again")
    raw = raw[: len(raw) - len(raw) % (width * channels)]
    return linear(raw, width, "<", unsigned=width == 1).reshape(-1, channels), rate


def linear(raw: bytes, width: int, order: str, *, unsigned: bool = False) -> AnyArray:
    """Integers of 1 to 4 bytes as fractions of full scale; order: ``<`` or ``>``."""
    if unsigned:
        return (np.frombuffer(raw, dtype=np.uint8).astype(np.float64) - 128.0) / 128.0
    if width == 3:
        bytes_of = np.frombuffer(raw, dtype=np.uint8).reshape(-1, 3)
        wide = np.zeros((bytes_of.shape[0], 4), dtype=np.uint8)
        wide[:, 1:] = bytes_of if order == "<" else bytes_of[:, ::-1]
        return wide.reshape(-1).view("<i4") / 2.0**31
    return np.frombuffer(raw, dtype=f"{order}i{width}") / 2.0 ** (8 * width - 1)


def _sphere(content: bytes, source: str) -> tuple[AnyArray, int]:
    """Linear samples of a NIST SPHERE file, (n, channels): a text header of 1024 bytes, then samples."""
    fields, start = sphere_header(content, source)
    coding = fields.get("sample_coding", "pcm")
    if coding != "pcm":
        remedy = "unpack it to linear samples first (w_decode -o pcm, or sox)"
        raise _broken(source, f"SPHERE samples are coded as {coding!r}", remedy)
    try:
        width, channels = int(fields.get("sample_n_bytes", "2")), int(fields.get("channel_count", "1"))
        rate, count = int(fields["sample_rate"]), int(fields["sample_count"])
        order = SPHERE_ORDER[fields.get("sample_byte_format", "01")]
    except (KeyError, ValueError) as problem:
        raise _broken(source, f"the SPHERE header lacks {problem}", "copy the file again") from None
    if width not in (1, 2, 4) or channels < 1 or count < 0:
        raise _broken(source, "the SPHERE header makes no sense", "copy the file again")
    size = count * channels * width
    raw = content[start : start + size]
    if len(raw) < size:
        raise _broken(source, f"{size} bytes of samples are promised, {len(raw)} are there", "copy it again")
    return linear(raw, width, order).reshape(-1, channels), rate


def sphere_header(content: bytes, source: str) -> tuple[dict[str, str], int]:
    """Fields of a SPHERE header (``name -type value`` per line up to ``end_head``) and where samples begin."""
    lines = content[:65536].split(b"\n", 2)
    try:
        start = int(lines[1])
    except (IndexError, ValueError):
        raise _broken(source, "the SPHERE header has no length", "copy the file again") from None
    fields: dict[str, str] = {}
    for number, line in enumerate(content[:start].decode("latin-1").split("\n"), start=1):
        words = line.split(None, 2)
        if words and words[0] == "end_head":
            return fields, start
        if number > 2 and len(words) == 3 and words[1].startswith("-"):
            fields[words[0]] = words[2].strip()
    raise _broken(source, "the SPHERE header has no end_head", "copy the file again")


def _other(content: bytes, source: str) -> tuple[AnyArray, int]:
    """FLAC and whatever else libsndfile reads, (n, channels)."""
    try:
        import soundfile
    except ImportError:
        remedy = "install the extra: pip install 'eigenparse[audio]'"
        raise _broken(source, "neither WAV nor SPHERE, and FLAC needs soundfile", remedy) from None
    try:
        samples, rate = soundfile.read(io.BytesIO(content), dtype="float64", always_2d=True)
    except (soundfile.LibsndfileError, RuntimeError, TypeError):
        kind = recognise(content[:HEAD])
        what = "audio in another format, or damaged" if kind == "audio" else NAMES[kind]
        raise _broken(
            source, f"not a recording that can be read, but {what}", "give WAV, SPHERE or FLAC"
        ) from None
    return samples, int(rate)


def is_silent(audio: Audio) -> bool:
    """Whether all samples are the same."""
    return bool(np.ptp(audio.samples) == 0.0)


def refuse_silence(audio: Audio) -> Audio:
    """The recording itself; DataError if it is silent."""
    if is_silent(audio):
        raise DataError(
            f"{audio.source}: the recording is silent (all samples are the same); check the microphone or leave it out"
        )
    return audio


def at_rate(audio: Audio, rate: int, *, resample: bool = False) -> Audio:
    """The same sound at a sampling rate: refused if it differs, or converted if asked."""
    if audio.rate == rate:
        return audio
    if not resample:
        raise OptionError(
            f"{audio.source}: sampled at {audio.rate} Hz where {rate} Hz is expected; convert it or pass --resample"
        )
    from scipy.signal import resample_poly

    common = gcd(rate, audio.rate)
    return Audio(
        frozen(resample_poly(audio.samples, rate // common, audio.rate // common)), rate, audio.source
    )
