"""``eigenparse evaluate``: recognise what two files hold and hand them to the scorer of that format."""

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.main import app
from eigenparse.errors import OptionError

_SAMPLE = 1 << 16  # bytes looked at


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked for; a format uses what has a meaning for it."""

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
    cluster: str | None = None
    jobs: int = 1


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be scored.

    recognises: whether the start of a file, comments and blank lines left out, is of this format.
    module: where ``run(request) -> None`` is; imported only when needed.
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


# The first format that recognises the gold file scores it: one line here for each.
FORMATS: tuple[Format, ...] = (
    Format("brackets", _is_brackets, "eigenparse.cli.evaluate_brackets"),
    Format("dependencies", _is_dependencies, "eigenparse.cli.evaluate_dependencies"),
    Format("columns", _is_columns, "eigenparse.cli.evaluate_columns"),
)


def start_of(path: Path) -> str:
    """The start of a file without blank lines and comments."""
    from eigenparse.corpus.files import read_bytes

    text = read_bytes(path)[:_SAMPLE].decode("utf-8", "replace")
    lines = (
        line for line in text.split("\n") if line.strip() and not line.startswith(("#", "%", ";;", "*x*"))
    )
    return "\n".join(lines).lstrip()


def choose_format(gold: Path, name: str | None) -> Format:
    """The format asked for, or the first that recognises the gold file."""
    names = ", ".join(known.name for known in FORMATS)
    start = start_of(gold) if name is None else ""
    for known in FORMATS:
        if known.name == name or (name is None and known.recognises(start)):
            return known
    if name is None:
        raise OptionError(f"{gold}: not a format that can be scored; name it with --format, one of {names}")
    raise OptionError(f"format must be one of {names}, got {name} instead")


@app.command()
def evaluate(
    gold: Annotated[Path, typer.Argument(help="What is right.")],
    guess: Annotated[Path, typer.Argument(help="What was predicted, in the same order.")],
    params: Annotated[str | None, typer.Option(help="EVALB parameter file; COLLINS is built in.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exactly as the reference scorer.")] = False,
    compare: Annotated[Path | None, typer.Option(help="Another prediction: is the difference real?")] = None,
    per_sentence: Annotated[bool, typer.Option("--per-sentence", help="One line a sentence.")] = False,
    per_label: Annotated[bool, typer.Option("--per-label", help="One line a label.")] = False,
    cutoff: Annotated[int | None, typer.Option(help="Length of short sentences, scored apart.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All figures as JSON.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the resampling for --compare.")] = 0,
    resamples: Annotated[int, typer.Option(help="Number of resamples for --compare.")] = 10_000,
    format_name: Annotated[str | None, typer.Option("--format", help="Format, if not to be guessed.")] = None,
    train: Annotated[Path | None, typer.Option(help="Words that this file lacks are unknown.")] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Score on a Dask cluster, as tcp://host:8786.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=0, metavar="N", help="Processes; 0 for all cores.")] = 1,
) -> None:
    """Score predictions against gold."""
    request = Request(
        gold, guess, compare, params, strict, cutoff, per_sentence, per_label, as_json, seed, resamples, train,
        cluster, jobs,
    )  # fmt: skip
    importlib.import_module(choose_format(gold, format_name).module).run(request)
