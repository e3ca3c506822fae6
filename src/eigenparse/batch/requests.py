"""What a user asks of a verb; a kind of model uses what has a meaning for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True)
class ParseRequest:
    """Sentences to parse, and how.

    text: plain text instead of a source.  tagged: tokens are word_TAG.  raw: sentences and tokens are found first.
    form: how trees are written.  memory: bytes.  output: the file that is written, None for standard output.
    """

    source: Path = Path(STANDARD_INPUT)
    text: str | None = None
    tagged: bool = False
    raw: bool = False
    kbest: int = 1
    form: str = "brackets"
    decoder: str | None = None
    combination: str | None = None
    threshold: float | None = None
    max_length: int | None = None
    memory: int | None = None
    output: Path | None = None


@dataclass(frozen=True, slots=True)
class TagRequest:
    """Tokens to label.  form: of the file, "auto" to look at it.  columns: their names."""

    source: Path = Path(STANDARD_INPUT)
    form: str = "auto"
    columns: tuple[str, ...] | None = None
    posteriors: bool = False
    kbest: int = 1


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """Trees or sequences whose probabilities are wanted.  column: of files of columns."""

    sources: Sequence[str] = (STANDARD_INPUT,)
    skip_broken: bool = False
    column: str | None = None


@dataclass(frozen=True, slots=True)
class SampleRequest:
    """Trees or sequences to draw.

    max_words: longer trees are drawn again.  length: symbols of a sequence.  words: leave out brackets.
    """

    n: int = 1
    seed: int = 0
    max_words: int = 400
    length: int = 40
    words: bool = False


@dataclass(frozen=True, slots=True)
class TranscribeRequest:
    """Recordings to transcribe.  form: "times", "phn" or "json".  frames: a line per frame."""

    sources: Sequence[Path] = ()
    form: str = "times"
    frames: bool = False
    resample: bool = False


@dataclass(frozen=True, slots=True)
class InfoRequest:
    """What to show of a model.  labels: by name; otherwise the n_labels most frequent ones."""

    labels: Sequence[str] = ()
    n_labels: int = 6
    top: int = 5
