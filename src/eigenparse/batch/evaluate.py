"""Recognise what two files hold and have them scored by the module for that format."""

import importlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from eigenparse.corpus.files import read_bytes
from eigenparse.corpus.recognise import recognise_lines
from eigenparse.errors import OptionError
from eigenparse.work.work import Where, open_work

_SAMPLE = 1 << 16  # bytes looked at


@dataclass(frozen=True, slots=True)
class EvaluateRequest:
    """What the user asked for; a format uses what has a meaning for it.

    keep_tag_suffix: whether N-D and N are different tags; None: if the guess has such tags.  drop: labels whose words
    do not count.  rate: samples per second that the times of .phn files count.
    """

    gold: Path
    guess: Path
    compare: Path | None
    params: str | None
    strict: bool
    cutoff: int | None
    per_sentence: bool
    per_label: bool
    as_json: bool
    seed: int
    resamples: int
    train: Path | None = None
    keep_tag_suffix: bool | None = None
    drop: tuple[str, ...] = ()
    rate: int = 16_000


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be scored.

    recognises: whether the start of a file, comments and blank lines left out, is of this format.
    module: where ``run(request, work)`` is, which gives lines; imported only when needed.
    """

    name: str
    recognises: Callable[[str], bool]
    module: str


def _is_brackets(text: str) -> bool:
    """Whether a text starts with a label in a bracket (columns may start with a bracket alone)."""
    return re.match(r"\((\s*\()?[^\s()]+[\s(]", text) is not None


def _is_columns(text: str) -> bool:
    """Whether a text starts with a token and its labels in a line, or with word_TAG tokens."""
    first = text.split("\n", 1)[0]
    return len(first.split("\t")) < 10 and (len(first.split()) > 1 or "_" in first[1:-1])


def _is_dependencies(text: str) -> bool:
    """Whether a text starts with a numbered word in ten columns."""
    return re.match(r"1(-\d+)?\t([^\t\n]*\t){8}", text) is not None


def _is_phones(text: str) -> bool:
    """Whether a text is a phone alignment."""
    return recognise_lines(text.split("\n")) == "phones"


# The first format that recognises the gold file scores it: one line here for each.
FORMATS: tuple[Format, ...] = (
    Format("phones", _is_phones, "eigenparse.batch.evaluate_phones"),
    Format("brackets", _is_brackets, "eigenparse.batch.evaluate_brackets"),
    Format("dependencies", _is_dependencies, "eigenparse.batch.evaluate_dependencies"),
    Format("columns", _is_columns, "eigenparse.batch.evaluate_columns"),
)


def start_of(path: Path) -> str:
    """The start of a file without blank lines and comments."""
    text = read_bytes(path)[:_SAMPLE].decode("utf-8", "replace")
    lines = (
        line for line in text.split("\n") if line.strip() and not line.startswith(("#", "%", ";;", "*x*"))
    )
    return "\n".join(lines).lstrip()


def choose_format(gold: Path, name: str | None) -> Format:
    """The format asked for, or the first that recognises the gold file."""
    names = ", ".join(known.name for known in FORMATS)
    if name is None and gold.is_dir():
        name = "phones"
    start = start_of(gold) if name is None else ""
    for known in FORMATS:
        if known.name == name or (name is None and known.recognises(start)):
            return known
    if name is None:
        raise OptionError(f"{gold}: not a format that can be scored; name it with --format, one of {names}")
    raise OptionError(f"format must be one of {names}, got {name} instead")


def evaluate(request: EvaluateRequest, form: str | None, where: Where) -> Iterator[str]:
    """Figures of a prediction against gold, as text to print.  form: name of the format, None to recognise it."""
    module = importlib.import_module(choose_format(request.gold, form).module)
    with open_work("scoring", where) as work:
        yield from module.run(request, work)
