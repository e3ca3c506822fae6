"""Recognise what two files hold and have them scored by the module for that format."""

import importlib
from collections.abc import Iterator
from pathlib import Path

from eigenparse.batch.requests import EvaluateRequest, refuse_given
from eigenparse.corpus.files import read_bytes
from eigenparse.corpus.recognise import recognise_lines
from eigenparse.errors import OptionError
from eigenparse.work.work import Where, open_work

_SAMPLE = 1 << 16  # bytes looked at


# Formats that can be scored: the module whose ``run(request, work)`` gives lines, and the name in ``recognise_lines``.
FORMATS = {
    "phones": ("eigenparse.batch.evaluate_phones", "phones"),
    "brackets": ("eigenparse.batch.evaluate_brackets", "trees"),
    "dependencies": ("eigenparse.batch.evaluate_dependencies", "conllu"),
    "columns": ("eigenparse.batch.evaluate_columns", "columns"),
}
_OF_TREES = ("params", "strict", "cutoff", "keep_tag_suffix", "drop")
IDLE = {  # options that have no effect for a format
    "phones": (*_OF_TREES, "compare", "train", "per_label"),
    "brackets": ("train", "rate"),
    "dependencies": (*_OF_TREES, "train", "rate"),
    "columns": (*_OF_TREES, "compare", "per_sentence", "rate"),
}


def _is_columns(text: str) -> bool:
    """Whether a text starts with a token and its labels in a line, or with word_TAG tokens."""
    first = text.split("\n", 1)[0]
    return len(first.split("\t")) < 10 and (len(first.split()) > 1 or "_" in first[1:-1])


def start_of(path: Path) -> str:
    """The start of a file without blank lines and comments."""
    text = read_bytes(path)[:_SAMPLE].decode("utf-8", "replace")
    lines = (
        line for line in text.split("\n") if line.strip() and not line.startswith(("#", "%", ";;", "*x*"))
    )
    return "\n".join(lines).lstrip()


def choose_format(gold: Path, name: str | None) -> str:
    """The format asked for, or that of the gold file."""
    names = ", ".join(FORMATS)
    if name is None and gold.is_dir():
        return "phones"
    if name is None:
        start = start_of(gold)
        kind = recognise_lines(start.split("\n"))
        name = next((name for name, (_, known) in FORMATS.items() if known == kind), None)
        if name is None and not _is_columns(start):
            raise OptionError(
                f"{gold}: not a format that can be scored; name it with --format, one of {names}"
            )
        return name or "columns"
    if name not in FORMATS:
        raise OptionError(f"format must be one of {names}, got {name} instead")
    return name


def evaluate(request: EvaluateRequest, form: str | None, where: Where) -> Iterator[str]:
    """Figures of a prediction against gold, as text to print.  form: name of the format, None to recognise it."""
    chosen = choose_format(request.gold, form)
    refuse_given(request, chosen, *IDLE[chosen])
    if request.compare is None:
        refuse_given(request, "one prediction", "resamples", "seed")
    module = importlib.import_module(FORMATS[chosen][0])
    with open_work("scoring", where) as work:
        yield from module.run(request, work)
