"""eigenparse parse: sentences in, trees out, with any model that parses."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.main import app
from eigenparse.cli.models import runner_for

EXAMPLES = """
Examples:

  eigenparse parse "The old man the boats."

  eigenparse parse en letter.txt --raw --format conllu

  echo "The old man the boats ." | eigenparse parse english.model

  eigenparse parse english.model --raw --format json letter.txt

  eigenparse parse english.model --kbest 5 --jobs 2 sentences.txt --output trees.ptb
"""
# A kind of model that parses: one line here.
RUNNERS = {
    "lpcfg": "eigenparse.cli.parse_start:run",
    "dependency": "eigenparse.cli.parse_dependency:run",
    "deptree": "eigenparse.cli.parse_dependency:run_split_heads",
}
CLUSTER_RUNNERS = {
    "lpcfg": "eigenparse.cli.cluster:parse_sentences",
    "dependency": "eigenparse.cli.cluster:parse_dependencies",
    "deptree": "eigenparse.cli.cluster:parse_split_heads",
}


class Form(StrEnum):
    """How trees are written."""

    brackets = "brackets"
    json = "json"
    conllu = "conllu"
    text = "text"
    svg = "svg"


class Decoder(StrEnum):
    """What the chosen tree maximises."""

    brackets = "brackets"
    labelled_recall = "labelled-recall"
    max_rule = "max-rule"


class Combination(StrEnum):
    """How the members of an ensemble vote."""

    product = "product"
    sum = "sum"


@dataclass(frozen=True, slots=True)
class ParseRequest:
    """What the user asked for; a kind of model uses what has a meaning for it."""

    model: Path
    source: Path
    tagged: bool
    raw: bool
    kbest: int
    form: str
    decoder: str | None
    combination: str | None
    threshold: float | None
    max_length: int | None
    memory: int | None
    jobs: int
    output: Path | None
    text: str | None = None
    cluster: str | None = None


@app.command(epilog=EXAMPLES)
def parse(
    model: Annotated[Path, typer.Argument(metavar="[MODEL|TEXT]", help="A model that `train` wrote, or en.")],
    source: Annotated[
        Path,
        typer.Argument(
            metavar="[FILE|-|TEXT]", help="A sentence a line, tokens separated by blanks; or a text."
        ),
    ] = Path("-"),
    tagged: Annotated[bool, typer.Option("--tagged", help="Tokens are word_TAG; the tags are kept.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="Plain text: split sentences and tokens first.")] = False,
    kbest: Annotated[int, typer.Option(min=1, metavar="K", help="So many different trees a sentence.")] = 1,
    form: Annotated[
        Form | None, typer.Option("--format", help="How to write trees; a text at a terminal is drawn.")
    ] = None,
    decoder: Annotated[Decoder | None, typer.Option(help="What the tree is to maximise.")] = None,
    combination: Annotated[Combination | None, typer.Option(help="How an ensemble votes.")] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Least worth of a bracket; more for precision, less for recall.")
    ] = None,
    max_length: Annotated[int | None, typer.Option(min=1, help="Skip longer sentences.")] = None,
    memory: Annotated[int | None, typer.Option(min=1, metavar="MB", help="Most for one chart.")] = None,
    jobs: Annotated[int, typer.Option(min=0, metavar="N", help="Threads; 0 for all cores.")] = 1,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write this file instead, whole or not at all.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Parse on a Dask cluster, as tcp://host:8786.")
    ] = None,
) -> None:
    """Parse sentences; every line gives a line, in order.  An empty line stays empty.

    A text instead of a file is cut into sentences and tokens first; without a model, English is assumed.
    """
    from eigenparse.errors import OptionError

    model, source, text = arguments(model, source)
    if text is not None and tagged:
        raise OptionError("--tagged needs a file with one sentence a line; put the tagged text into one")
    if tagged and raw:
        raise OptionError("--tagged and --raw exclude each other; plain text has no tags")
    request = ParseRequest(
        model=model,
        source=source,
        tagged=tagged,
        raw=raw or text is not None,
        kbest=kbest,
        form=form.value if form else default_form(text, output),
        decoder=decoder.value if decoder else None,
        combination=combination.value if combination else None,
        threshold=threshold,
        max_length=max_length,
        memory=None if memory is None else memory * 1_000_000,
        jobs=jobs,
        output=output,
        text=text,
        cluster=cluster,
    )
    runners = RUNNERS if cluster is None else CLUSTER_RUNNERS
    runner_for(model, runners, "parse")(request)


def is_text(argument: str) -> bool:
    """Whether an argument that is no file is meant as text: it has blanks, or ends like a sentence."""
    return len(argument.split()) > 1 or argument.endswith((".", "!", "?", "…", '"', "”"))


def arguments(model: Path, source: Path) -> tuple[Path, Path, str | None]:
    """Model, source and text, whichever of the two arguments holds the text."""
    if str(source) == "-" and not model.exists() and is_text(str(model)):
        return Path("en"), source, str(model)
    if str(source) != "-" and not source.exists() and is_text(str(source)):
        return model, source, str(source)
    return model, source, None


def default_form(text: str | None, output: Path | None) -> str:
    """A picture for somebody who typed a sentence at a terminal, brackets for everything else."""
    import sys

    return "text" if text is not None and output is None and sys.stdout.isatty() else "brackets"
