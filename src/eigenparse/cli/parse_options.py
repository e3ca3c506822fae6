"""Arguments and options of ``eigenparse parse``."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import READ, WRITTEN


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


Model = Annotated[
    Path,
    typer.Argument(metavar="[MODEL|TEXT]", help="Model file; bundled: en, and en-ud for dependencies."),
    READ,
]
Source = Annotated[
    Path,
    typer.Argument(metavar="[FILE|-|TEXT]", help="Text, tokens, trees or CoNLL-U; the format is recognised."),
    READ,
]
Tagged = Annotated[bool, typer.Option("--tagged", help="Tokens are word_TAG; the tags are kept.")]
Tokens = Annotated[bool, typer.Option("--tokens", help="Input is tokenised, with spaces.")]
Raw = Annotated[bool, typer.Option("--raw", help="Plain text: split into sentences and tokens.")]
RawLines = Annotated[
    bool, typer.Option("--raw-lines", help="Plain text, one sentence per line: tokenise only.")
]
Kbest = Annotated[int, typer.Option(min=1, max=10_000, metavar="K", help="Number of trees per sentence.")]
Format = Annotated[
    Form | None, typer.Option("--format", help="Output format; a sentence given at a terminal is drawn.")
]
Maximised = Annotated[Decoder | None, typer.Option(help="What the chosen tree maximises.")]
Combined = Annotated[Combination | None, typer.Option(help="How an ensemble is combined.")]
Threshold = Annotated[
    float | None,
    typer.Option(min=0.0, max=1.0, help="Minimum posterior for a bracket; higher favours precision."),
]
MaxLength = Annotated[int | None, typer.Option(min=1, help="Skip sentences with more words.")]
Memory = Annotated[int | None, typer.Option(min=1, metavar="MB", help="Memory limit per chart.")]
Threads = Annotated[int, typer.Option(min=0, metavar="N", help="Threads or processes; 0 for all cores.")]
Output = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Output file; it is written completely or not at all."),
    WRITTEN,
]
Constraints = Annotated[
    Path | None,
    typer.Option(help="File of sentences with known brackets, such as: (NP the old man) the boats."),
    READ,
]
KeepTagSuffix = Annotated[
    bool | None,
    typer.Option(
        "--keep-tag-suffix/--no-keep-tag-suffix",
        help="Refuse a grammar that was trained otherwise. Default: as it was trained.",
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(help="For trees: leave out the words below nodes with this label. May be repeated."),
]
Ask = Annotated[
    bool, typer.Option("--ask", help="Correct trees interactively; accepted ones are added to --out.")
]
