"""eigenparse parse: sentences in, trees out, with any model that parses."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from eigenparse.batch.requests import ParseRequest
from eigenparse.cli.app import READ, app, verb
from eigenparse.cli.checks import WAIT
from eigenparse.cli.fields import with_fields
from eigenparse.cli.options import Cluster, Out, Wait, run
from eigenparse.cli.texts import OneText, arguments, correct, default_form, reading_of

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


@verb(app, epilog=EXAMPLES, kind=OneText)
@with_fields(ParseRequest)
def parse(
    model: Annotated[
        Path,
        typer.Argument(metavar="[MODEL|TEXT]", help="Model file; bundled: en, and en-ud for dependencies."),
        READ,
    ],
    asked: ParseRequest,
    tokens: Annotated[bool, typer.Option("--tokens", help="Input is tokenised, with spaces.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="Plain text: split into sentences and tokens.")] = False,
    raw_lines: Annotated[
        bool, typer.Option("--raw-lines", help="Plain text, one sentence per line: tokenise only.")
    ] = False,
    form: Annotated[
        Form | None, typer.Option("--format", help="Output format; a sentence given at a terminal is drawn.")
    ] = None,
    memory: Annotated[int | None, typer.Option(min=1, metavar="MB", help="Memory limit per chart.")] = None,
    jobs: Annotated[int, typer.Option(min=0, metavar="N", help="Threads or processes; 0 for all cores.")] = 1,
    out: Out = None,
    ask: Annotated[
        bool, typer.Option("--ask", help="Correct trees interactively; accepted ones are added to --out.")
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
    model, source, text = arguments(model, asked.source)
    chosen = {
        "tagged": asked.tagged,
        "drop": bool(asked.drop),
        "tokens": tokens,
        "raw": raw,
        "raw-lines": raw_lines,
    }
    asked = replace(
        asked,
        source=source,
        text=text,
        reading=reading_of(chosen, asked.constraints is not None, source, text),
        form=form.value if form else default_form(text, out),
        memory=None if memory is None else memory * 1_000_000,
        output=out,
    )
    if ask:
        correct(model, asked, jobs, cluster)
    else:
        run("parse", model, asked, out, jobs, cluster, wait)
