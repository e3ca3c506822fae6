"""Small corpora of labelled sequences and of tones that several tests use."""

import itertools
import pathlib
import wave

import numpy as np

from eigenparse.corpus.sequences import Sequences
from eigenparse.learn.tagger.base import labelled
from eigenparse.learn.tagger.learner import TaggerOptions


def toy_corpus(n=400, seed=0):
    """Labels A and B with a hidden phase: after two A comes B, which a bigram cannot count."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        phase, sequence = int(rng.integers(3)), []
        for _ in range(int(rng.integers(4, 12))):
            label = "B" if phase == 2 else "A"
            word = rng.choice(["x", "y"], p=[0.6, 0.4] if label == "A" else [0.4, 0.6])
            sequence.append((str(word), label))
            phase = (phase + 1) % 3
        rows.append(sequence)
    return Sequences.of(("word", "label"), rows)


def as_lists(corpus):
    ends = corpus.offsets.tolist()
    words, labels = corpus.column("word").strings(), corpus.column("label").strings()
    spans = list(itertools.pairwise(ends))
    return [words[i:j] for i, j in spans], [labels[i:j] for i, j in spans]


RATE = 16_000

PITCH = {"lo": 300.0, "mid": 900.0, "hi": 2700.0}


def sing(seed: int, n: int = 12, rate: int = RATE) -> tuple[np.ndarray, str]:
    """Tones after one another, each 40 to 120 ms long, and their alignment."""
    rng = np.random.default_rng(seed)
    sound, lines, at = [], [], 0
    before = ""
    for _ in range(n):
        phone = str(rng.choice([name for name in ("pau", *PITCH) if name != before]))
        size = int(rng.integers(640, 1920)) * rate // RATE
        t = np.arange(size) / rate
        level = 0.3 * np.sin(2 * np.pi * PITCH[phone] * t) if phone != "pau" else np.zeros(size)
        sound.append(level + rng.normal(0, 0.003, size))
        lines.append(f"{at} {at + size} {phone}")
        at, before = at + size, phone
    return np.concatenate(sound), "\n".join(lines) + "\n"


def write_wav(path: pathlib.Path, samples: np.ndarray, rate: int = RATE) -> None:
    with wave.open(str(path), "wb") as stream:
        stream.setnchannels(1)
        stream.setsampwidth(2)
        stream.setframerate(rate)
        stream.writeframes(np.round(samples * 32767).astype("<i2").tobytes())


def fit(corpus, **options):
    """A tagger of the column ``label``."""
    return TaggerOptions(**options).fit(labelled(corpus, "label"))


def column_lines(corpus):
    """CoNLL lines of all columns, an empty line after every sequence."""
    columns = [column.strings() for column in corpus.columns]
    for start, stop in itertools.pairwise(corpus.offsets.tolist()):
        yield from (" ".join(column[t] for column in columns) for t in range(start, stop))
        yield ""
