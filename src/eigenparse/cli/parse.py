"""eigenparse parse: sentences in, trees out, with any model that parses."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import READ, WRITTEN, app, verb
from eigenparse.cli.options import WAIT, Cluster, Wait, run

EXAMPLES = """
Examples:

  eigenparse parse "The old man the boats."

  eigenparse parse en letter.txt --raw --format conllu

  echo "The old man the boats ." | eigenparse parse english.model

  eigenparse parse english.model --raw --format json letter.txt

  eigenparse parse english.model --kbest 5 --jobs 2 sentences.txt --output trees.ptb
"""


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


@verb(app, epilog=EXAMPLES)
def parse(
    model: Annotated[
        Path, typer.Argument(metavar="[MODEL|TEXT]", help="A model that `train` wrote, or en."), READ
    ],
    source: Annotated[
        Path,
        typer.Argument(
            metavar="[FILE|-|TEXT]", help="One sentence per line, tokens separated by blanks; or a text."
        ),
        READ,
    ] = Path("-"),
    tagged: Annotated[bool, typer.Option("--tagged", help="Tokens are word_TAG; the tags are kept.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="Plain text: split sentences and tokens first.")] = False,
    kbest: Annotated[int, typer.Option(min=1, metavar="K", help="So many different trees per sentence.")] = 1,
    form: Annotated[
        Form | None, typer.Option("--format", help="How to write trees; a text at a terminal is drawn.")
    ] = None,
    decoder: Annotated[Decoder | None, typer.Option(help="What the tree is to maximise.")] = None,
    combination: Annotated[Combination | None, typer.Option(help="How an ensemble votes.")] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Minimum posterior for a bracket; higher favours precision.")
    ] = None,
    max_length: Annotated[int | None, typer.Option(min=1, help="Skip longer sentences.")] = None,
    memory: Annotated[
        int | None, typer.Option(min=1, metavar="MB", help="Memory limit of one chart.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=0, metavar="N", help="Threads or processes; 0 for all cores.")] = 1,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write this file instead, whole or not at all."),
        WRITTEN,
    ] = None,
    cluster: Cluster = None,
    wait: Wait = WAIT,
) -> None:
    """Parse sentences; every line gives a line, in order.  An empty line stays empty.

    A text instead of a file is cut into sentences and tokens first; without a model, English is assumed.
    """
    from eigenparse.batch.requests import ParseRequest
    from eigenparse.errors import OptionError

    model, source, text = arguments(model, source)
    if text is not None and tagged:
        raise OptionError("--tagged needs a file with one sentence per line; put the tagged text into one")
    if tagged and raw:
        raise OptionError("--tagged and --raw exclude each other; plain text has no tags")
    asked = ParseRequest(
        source=source,
        text=text,
        tagged=tagged,
        raw=raw or text is not None,
        kbest=kbest,
        form=form.value if form else default_form(text, output),
        decoder=decoder.value if decoder else None,
        combination=combination.value if combination else None,
        threshold=threshold,
        max_length=max_length,
        memory=None if memory is None else memory * 1_000_000,
        output=output,
    )
    run("parse", model, asked, output, jobs, cluster, wait)


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
    return "text" if text is not None and output is None and sys.stdout.isatty() else "brackets"
