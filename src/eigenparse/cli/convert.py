"""eigenparse convert: bracketed trees in, dependency trees in CoNLL-U out."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.main import app


class Target(StrEnum):
    """Formats to convert to."""

    conllu = "conllu"


@app.command()
def convert(
    trees: Annotated[
        list[str],
        typer.Argument(metavar="TREES...", help="Files, directories or globs; - is standard input."),
    ],
    to: Annotated[Target, typer.Option("--to", help="Format to write.")] = Target.conllu,
    rules: Annotated[Path | None, typer.Option(help="Head rules; a table for English is built in.")] = None,
    skip_broken: Annotated[
        bool, typer.Option("--skip-broken", help="Skip broken trees and count them.")
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write this file instead.")] = None,
) -> None:
    """Convert bracketed trees to dependency trees by head rules."""
    from eigenparse.corpus import brackets, normalise
    from eigenparse.corpus.files import write_whole
    from eigenparse.corpus.heads import conllu_lines, load_rules, to_dependencies

    reading = brackets.read_trees_report(trees, skip_broken=skip_broken)
    for note in brackets.notes(reading):
        sys.stderr.write(f"eigenparse: {note}\n")
    cleaned = normalise.normalise_report(reading.treebank, options=normalise.Normalisation())
    if cleaned.n_removed:
        sys.stderr.write(f"eigenparse: left out {cleaned.n_removed} trees without words\n")
    converted = to_dependencies(cleaned.treebank, None if rules is None else load_rules(rules))
    content = ("\n".join(conllu_lines(converted)) + "\n").encode()
    if out is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    else:
        write_whole(out, content)
