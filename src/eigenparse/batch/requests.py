"""Requests: the options of a command; each kind of model uses those that apply to it."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from eigenparse.errors import OptionError

STANDARD_INPUT = "-"
FLAGS = {"n_labels": "labels", "as_json": "json", "form": "format"}  # of fields with other names
# How text is read: as it looks, as tokens separated by spaces, as plain text, as plain text with one sentence per line.
AUTO, TOKENS, RAW, RAW_LINES = "auto", "tokens", "raw", "raw-lines"


@dataclass(frozen=True, slots=True)
class ParseRequest:
    """Sentences to parse, and how.

    text: given instead of a source.  tagged: tokens are word_TAG.  reading: AUTO, TOKENS, RAW or RAW_LINES.
    form: how trees are written.  memory: bytes.  output: the file that is written, None for standard output.
    constraints: a file of sentences with what is known of their trees, instead of a source.  keep_tag_suffix: what the
    model is expected to do with tags; None: whatever it does.  drop: labels of nodes whose words are left out of trees.
    """

    source: Path = Path(STANDARD_INPUT)
    text: str | None = None
    tagged: bool = False
    reading: str = AUTO
    kbest: int = 1
    form: str = "brackets"
    decoder: str | None = None
    combination: str | None = None
    threshold: float | None = None
    max_length: int | None = None
    memory: int | None = None
    output: Path | None = None
    constraints: Path | None = None
    keep_tag_suffix: bool | None = None
    drop: tuple[str, ...] = ()


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
    """Trees or sequences whose probabilities are wanted.

    column: of files of columns.  project: use the nearest distribution to signed weights.  exact: sum over all trees.
    """

    sources: Sequence[str] = (STANDARD_INPUT,)
    skip_broken: bool = False
    column: str | None = None
    project: bool = False
    exact: bool = False


@dataclass(frozen=True, slots=True)
class SampleRequest:
    """Trees or sequences to draw.

    max_words: longer trees are drawn again.  length: symbols of a sequence, None
    for as many as in training.  words: leave out brackets.  project: of signed weights the nearest distribution.
    """

    n: int = 1
    seed: int = 0
    max_words: int = 400
    length: int | None = None
    words: bool = False
    project: bool = False


@dataclass(frozen=True, slots=True)
class TranscribeRequest:
    """Recordings to transcribe, and folders of them.

    form: "times", "phn", "textgrid" or "json".  frames: a line per frame.  folder: for a file per recording.
    """

    sources: Sequence[Path] = ()
    form: str = "times"
    frames: bool = False
    resample: bool = False
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class InfoRequest:
    """What to show of a model.  labels: by name; otherwise the n_labels most frequent ones."""

    labels: Sequence[str] = ()
    n_labels: int = 6
    top: int = 5


def refuse_given(asked: Any, what: str, *names: str) -> None:
    """OptionError if one of these fields of a request was given, which have no effect for this kind of model."""
    for one in fields(asked):
        if one.name in names and getattr(asked, one.name) != one.default:
            flag = FLAGS.get(one.name, one.name).replace("_", "-")
            raise OptionError(f"--{flag} changes nothing for {what}; leave it out")
