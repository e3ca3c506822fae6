"""Recordings and cepstra: formats written here by hand, identities, and librosa where it is installed."""

import pathlib
import struct
import sys
import wave

import numpy as np
import pytest
from tests.conftest import data_dir

from eigenparse.corpus.audio import Audio, at_rate, is_silent, linear, read_audio, refuse_silence
from eigenparse.errors import DataError, FormatError, OptionError
from eigenparse.features.speech.mfcc import MfccChoices, cepstra, difference, mel_filters, mfcc, n_frames

RATE = 16_000
LIBROSA = 2e-4  # decibels; librosa's mel filters are in single precision, cepstra here reach 700


def tone(seconds: float = 0.3, rate: int = RATE, pitch: float = 440.0) -> np.ndarray:
    t = np.arange(int(seconds * rate)) / rate
    noise = np.random.default_rng(0).normal(0, 0.01, t.size)
    return 0.5 * np.sin(2 * np.pi * pitch * t) + noise


def write_wav(
    path: pathlib.Path, samples: np.ndarray, rate: int = RATE, width: int = 2, channels: int = 1
) -> None:
    whole = np.round(np.repeat(samples[:, None], channels, axis=1) * (2 ** (8 * width - 1) - 1)).astype(
        np.int64
    )
    if width == 1:
        raw = (whole + 128).astype(np.uint8).tobytes()
    else:
        raw = b"".join(int(v).to_bytes(width, "little", signed=True) for v in whole.reshape(-1))
    with wave.open(str(path), "wb") as stream:
        stream.setnchannels(channels)
        stream.setsampwidth(width)
        stream.setframerate(rate)
        stream.writeframes(raw)


def sphere(samples: np.ndarray, *, order: str = "01", coding: str = "pcm", count: int | None = None) -> bytes:
    fields = [
        "NIST_1A", "   1024", "channel_count -i 1", f"sample_count -i {count or samples.size}",
        f"sample_rate -i {RATE}", "sample_n_bytes -i 2", f"sample_byte_format -s2 {order}",
        f"sample_coding -s{len(coding)} {coding}", "end_head",
    ]  # fmt: skip
    head = "\n".join(fields).encode() + b"\n"
    return head.ljust(1024) + samples.astype("<i2" if order == "01" else ">i2").tobytes()


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("channels", [1, 2])
def test_wav_of_every_width_reads_back(tmp_path: pathlib.Path, width: int, channels: int) -> None:
    write_wav(tmp_path / "a.wav", tone(0.05), width=width, channels=channels)
    found = read_audio(tmp_path / "a.wav")
    assert found.rate == RATE
    assert found.seconds == pytest.approx(0.05)
    np.testing.assert_allclose(found.samples, tone(0.05), rtol=0, atol=1.1 / 2 ** (8 * width - 1))


@pytest.mark.parametrize("order", ["01", "10"])
def test_sphere_reads_back(tmp_path: pathlib.Path, order: str) -> None:
    values = np.random.default_rng(1).integers(-(2**15), 2**15, 500)
    (tmp_path / "SA1.WAV").write_bytes(sphere(values, order=order))
    found = read_audio(tmp_path / "SA1.WAV")
    np.testing.assert_array_equal(found.samples * 2**15, values)
    assert found.rate == RATE


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (sphere(np.zeros(10), count=99), "promised"),
        (sphere(np.ones(10), coding="pcm,embedded-shorten-v2.00"), "coded as"),
        (sphere(np.ones(10))[:60], "end_head"),
        (b"NIST_1A\nmany\n", "no length"),
        (b"RIFF\x04\x00\x00\x00WAVE", "not a WAV file"),
        (
            b"RIFF"
            + struct.pack("<I", 36)
            + b"WAVEfmt "
            + struct.pack("<IHHIIHH", 16, 3, 1, RATE, 4 * RATE, 4, 32),
            "WAV",
        ),
        (b"what is this", "not a recording|soundfile"),
        (b"", "not a recording|soundfile"),
    ],
)
def test_damaged_recordings_are_refused(tmp_path: pathlib.Path, content: bytes, words: str) -> None:
    (tmp_path / "bad.wav").write_bytes(content)
    with pytest.raises(FormatError, match=words):
        read_audio(tmp_path / "bad.wav")


def test_a_wav_that_was_cut_is_refused_unless_its_length_was_never_known(tmp_path: pathlib.Path) -> None:
    write_wav(tmp_path / "a.wav", tone())
    whole = (tmp_path / "a.wav").read_bytes()
    (tmp_path / "cut.wav").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FormatError, match="promised"):
        read_audio(tmp_path / "cut.wav")
    at = whole.index(b"data") + 4
    (tmp_path / "piped.wav").write_bytes(whole[:at] + b"\xff\xff\xff\xff" + whole[at + 4 :])
    assert np.array_equal(read_audio(tmp_path / "piped.wav").samples, read_audio(tmp_path / "a.wav").samples)


def test_missing_and_empty_recordings_are_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read_audio(tmp_path / "none.wav")
    write_wav(tmp_path / "empty.wav", np.zeros(0))
    with pytest.raises(FormatError, match="no samples"):
        read_audio(tmp_path / "empty.wav")


def test_flac_needs_the_extra(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.flac").write_bytes(b"fLaC....")
    monkeypatch.setitem(sys.modules, "soundfile", None)
    with pytest.raises(FormatError, match=r"eigenparse\[audio\]"):
        read_audio(tmp_path / "a.flac")


def test_flac_equals_wav(tmp_path: pathlib.Path) -> None:
    soundfile = pytest.importorskip("soundfile")
    write_wav(tmp_path / "a.wav", tone(0.05))
    soundfile.write(tmp_path / "a.flac", read_audio(tmp_path / "a.wav").samples, RATE, subtype="PCM_16")
    np.testing.assert_array_equal(
        read_audio(tmp_path / "a.flac").samples, read_audio(tmp_path / "a.wav").samples
    )


def test_big_endian_of_three_bytes() -> None:
    np.testing.assert_allclose(linear(b"\x40\x00\x00\xc0\x00\x00", 3, ">"), [0.5, -0.5])


def test_silence_and_rates() -> None:
    silent = Audio(np.full(100, 0.25), RATE, "s.wav")
    assert is_silent(silent)
    with pytest.raises(DataError, match="silent"):
        refuse_silence(silent)
    slow = Audio(tone(0.5, 8000), 8000, "t.wav")
    with pytest.raises(OptionError, match="8000 Hz where 16000 Hz"):
        at_rate(slow, RATE)
    fast = at_rate(slow, RATE, resample=True)
    assert (fast.rate, fast.samples.size) == (RATE, 8000)
    pitch = np.abs(np.fft.rfft(fast.samples)).argmax() / 0.5
    assert pitch == pytest.approx(440.0)


def test_frames_are_counted() -> None:
    choices = MfccChoices()
    assert [n_frames(n, RATE, choices) for n in (399, 400, 559, 560)] == [0, 1, 1, 2]
    assert mfcc(tone(), RATE).shape == (n_frames(4800, RATE, choices), 39)
    with pytest.raises(DataError, match="less than one window"):
        mfcc(np.ones(399), RATE)


def test_mel_filters_are_triangles_that_share_their_edges() -> None:
    filters = mel_filters(RATE, 512, 26)
    assert filters.min() == 0.0
    assert filters.max() <= 1.0
    inside = slice(int(filters[0].argmax()) + 1, int(filters[-1].argmax()))
    np.testing.assert_allclose(filters.sum(axis=0)[inside], 1.0)


def test_cepstra_follow_their_definition() -> None:
    samples, choices = tone(), MfccChoices(lifter=0)
    sharp = np.append(samples[:1], samples[1:] - 0.97 * samples[:-1])
    n = np.arange(400)
    frame = sharp[320:720] * (0.54 - 0.46 * np.cos(2 * np.pi * n / 400))
    power = np.abs(np.exp(-2j * np.pi * np.outer(np.arange(257), n) / 512) @ frame) ** 2
    mel = 10 * np.log10(mel_filters(RATE, 512, 26) @ power)
    k, b = np.arange(13)[:, None], np.arange(26)
    expected = np.where(k == 0, np.sqrt(1 / 26), np.sqrt(2 / 26)) * np.cos(np.pi * k * (2 * b + 1) / 52) @ mel
    np.testing.assert_allclose(cepstra(samples, RATE, choices)[2], expected.reshape(-1), rtol=1e-9, atol=1e-9)


def test_differences_of_a_parabola_are_its_derivatives() -> None:
    t = np.arange(40.0)[:, None]
    rows = 3.0 + 2.0 * t - 0.5 * t * t
    inner = slice(4, -4)
    np.testing.assert_allclose(difference(rows, 1, 4)[inner], (2.0 - t)[inner], atol=1e-9)
    np.testing.assert_allclose(difference(rows, 2, 4)[inner], -1.0, atol=1e-9)
    np.testing.assert_allclose(difference(np.ones((3, 2)), 1, 4), 0.0, atol=1e-12)


def test_loudness_moves_only_what_is_not_centred() -> None:
    np.testing.assert_allclose(mfcc(tone(), RATE), mfcc(0.1 * tone(), RATE), rtol=0, atol=1e-6)


@pytest.mark.data
@pytest.mark.thorough
def test_librosa_agrees_on_real_speech() -> None:
    librosa = pytest.importorskip("librosa", reason="librosa is not installed; it is in the test group")
    folder = data_dir("speech-ru") / "dev"
    for path in sorted(folder.glob("*.flac"))[:3]:
        audio = read_audio(path)
        sharp = np.append(audio.samples[:1], audio.samples[1:] - 0.97 * audio.samples[:-1])
        theirs = librosa.feature.mfcc(
            y=np.pad(sharp, 56), sr=audio.rate, n_mfcc=13, n_fft=512, win_length=400, hop_length=160,
            window="hamming", center=False, n_mels=26, htk=True, mel_norm=None, lifter=22,
        )  # fmt: skip
        ours = cepstra(audio.samples, audio.rate, MfccChoices())
        np.testing.assert_allclose(ours, theirs.T, rtol=0, atol=LIBROSA)
        for order in (1, 2):
            slope = librosa.feature.delta(ours.T, order=order, width=9, mode="nearest").T
            np.testing.assert_allclose(difference(ours, order, 4), slope, rtol=0, atol=1e-9)
