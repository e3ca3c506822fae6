"""eigenparse parse: sentences in, trees out, with any model that parses."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import READ, WRITTEN, app, verb
from eigenparse.cli.checks import WAIT
from eigenparse.cli.options import Cluster, Wait, run
from eigenparse.cli.texts import arguments, default_form

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


@verb(app, epilog=EXAMPLES)
def parse(
    model: Annotated[
        Path,
        typer.Argument(metavar="[MODEL|TEXT]", help="Model file; bundled: en, and en-ud for dependencies."),
        READ,
    ],
    source: Annotated[
        Path,
        typer.Argument(
            metavar="[FILE|-|TEXT]", help="Text, tokens, trees or CoNLL-U; the format is recognised."
        ),
        READ,
    ] = Path("-"),
    tagged: Annotated[bool, typer.Option("--tagged", help="Tokens are word_TAG; the tags are kept.")] = False,
    tokens: Annotated[bool, typer.Option("--tokens", help="Input is tokenised, with spaces.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="Plain text: split into sentences and tokens.")] = False,
    raw_lines: Annotated[
        bool, typer.Option("--raw-lines", help="Plain text, one sentence per line: tokenise only.")
    ] = False,
    kbest: Annotated[
        int, typer.Option(min=1, max=10_000, metavar="K", help="Number of trees per sentence.")
    ] = 1,
    form: Annotated[
        Form | None,
        typer.Option("--format", help="Output format; a sentence given at a terminal is drawn."),
    ] = None,
    decoder: Annotated[Decoder | None, typer.Option(help="What the chosen tree maximises.")] = None,
    combination: Annotated[Combination | None, typer.Option(help="How an ensemble is combined.")] = None,
    threshold: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="Minimum posterior for a bracket; higher favours precision."),
    ] = None,
    max_length: Annotated[int | None, typer.Option(min=1, help="Skip sentences with more words.")] = None,
    memory: Annotated[int | None, typer.Option(min=1, metavar="MB", help="Memory limit per chart.")] = None,
    jobs: Annotated[int, typer.Option(min=0, metavar="N", help="Threads or processes; 0 for all cores.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Output file; it is written completely or not at all."),
        WRITTEN,
    ] = None,
    constraints: Annotated[
        Path | None,
        typer.Option(help="File of sentences with known brackets, such as: (NP the old man) the boats."),
        READ,
    ] = None,
    keep_tag_suffix: Annotated[
        bool | None,
        typer.Option(
            "--keep-tag-suffix/--no-keep-tag-suffix",
            help="Refuse a grammar that was trained otherwise. Default: as it was trained.",
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(help="For trees: leave out the words below nodes with this label. May be repeated."),
    ] = None,
    ask: Annotated[
        bool,
        typer.Option("--ask", help="Correct trees interactively; accepted ones are added to --out."),
    ] = False,
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
    from eigenparse.batch.requests import AUTO, RAW, RAW_LINES, TOKENS, ParseRequest
    from eigenparse.errors import OptionError
    from eigenparse.models.registry import named

    model, source, text = arguments(model, source)
    if constraints is not None and (text is not None or str(source) != "-" or tagged or drop):
        raise OptionError(
            "--constraints FILE holds the sentences too; leave out --tagged, --drop and other input"
        )
    if text is not None and tagged:
        raise OptionError("--tagged needs a file with one sentence per line; put the tagged text into one")
    given = [name for name, wanted in ((TOKENS, tokens), (RAW, raw), (RAW_LINES, raw_lines)) if wanted]
    if len(given) > 1:
        raise OptionError(f"--{given[0]} and --{given[1]} exclude each other; leave one out")
    if tagged and given:
        raise OptionError(f"--tagged and --{given[0]} exclude each other; word_TAG tokens are split already")
    asked = ParseRequest(
        source=source,
        text=text,
        tagged=tagged,
        reading=given[0] if given else AUTO,
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
        return
    run("parse", model, asked, out, jobs, cluster, wait)
