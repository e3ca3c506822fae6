"""eigenparse parse: sentences in, trees out, with any model that parses."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import READ, WRITTEN, app, verb
from eigenparse.cli.checks import WAIT
from eigenparse.cli.options import Cluster, Wait, run
from eigenparse.cli.texts import arguments, default_form, reading_of

EXAMPLES = """
Examples:

  eigenparse parse "The old man the boats."

  eigenparse parse en letter.txt --format conllu

  echo "The old man the boats ." | eigenparse parse english.model

  eigenparse parse english.model --raw-lines --format json titles.txt

  eigenparse parse en --constraints partial.txt

  eigenparse parse en letter.txt --ask --out corrected.ptb

  eigenparse parse english.model --kbest 5 --jobs 2 sentences.txt --out trees.ptb
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


@verb(app, epilog=EXAMPLES)
def parse(
    model: Model,
    source: Source = Path("-"),
    tagged: Tagged = False,
    tokens: Tokens = False,
    raw: Raw = False,
    raw_lines: RawLines = False,
    kbest: Kbest = 1,
    form: Format = None,
    decoder: Annotated[Decoder | None, typer.Option(help="What the chosen tree maximises.")] = None,
    combination: Annotated[Combination | None, typer.Option(help="How an ensemble is combined.")] = None,
    threshold: Threshold = None,
    max_length: MaxLength = None,
    memory: Memory = None,
    jobs: Threads = 1,
    out: Output = None,
    constraints: Constraints = None,
    keep_tag_suffix: KeepTagSuffix = None,
    drop: Drop = None,
    ask: Ask = False,
    cluster: Cluster = None,
    wait: Wait = WAIT,
) -> None:
    """Parse sentences into trees.

    Each sentence gives one tree, in order; an empty line stays empty.  Plain text is first split into sentences and
    tokens, unless it is tokenised already.  For trees and CoNLL-U, only the words are used.  The default model is en,
    the bundled grammar of English; en-ud, a dependency parser, writes CoNLL-U.

    With --kbest, each line has the score that orders the list, the probability of the tree given the sentence, and the
    tree, separated by tabs; an empty line ends each list.  A grammar with a judge, such as en, orders by the judge's
    score, which may differ from the order of probability.
    """
    from eigenparse.batch.requests import ParseRequest
    from eigenparse.models.registry import named

    model, source, text = arguments(model, source)
    given = {"tagged": tagged, "drop": bool(drop), "tokens": tokens, "raw": raw, "raw-lines": raw_lines}
    asked = ParseRequest(
        source=source,
        text=text,
        tagged=tagged,
        reading=reading_of(given, constraints is not None, source, text),
        kbest=kbest,
        form=form.value if form else default_form(text, out),
        decoder=decoder.value if decoder else None,
        combination=combination.value if combination else None,
        threshold=threshold,
        max_length=max_length,
        memory=None if memory is None else memory * 1_000_000,
        output=out,
        constraints=constraints,
        keep_tag_suffix=keep_tag_suffix,
        drop=tuple(drop or ()),
    )
    if ask:
        named("eigenparse.batch.ask:ask")(model, asked)
    else:
        run("parse", model, asked, out, jobs, cluster, wait)
