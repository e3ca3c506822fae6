"""eigenparse convert: bracketed trees in; dependency trees in CoNLL-U, words, or words and tags out."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eigenparse.cli.main import app

if TYPE_CHECKING:
    from eigenparse.corpus.columns import Treebank


class Target(StrEnum):
    """Formats to convert to."""

    conllu = "conllu"
    words = "words"
    columns = "columns"


EXAMPLES = """
Examples:

  eigenparse convert trees.ptb --to conllu > trees.conllu

  eigenparse convert gold.ptb --to words | eigenparse parse my.model > guess.ptb
"""


@app.command(epilog=EXAMPLES)
def convert(
    trees: Annotated[
        list[str],
        typer.Argument(metavar="TREES...", help="Files, directories or globs; - is standard input."),
    ],
    to: Annotated[
        Target,
        typer.Option("--to", help="CoNLL-U by head rules; a sentence a line; or a word and its tag a line."),
    ] = Target.conllu,
    rules: Annotated[Path | None, typer.Option(help="Head rules; a table for English is built in.")] = None,
    skip_broken: Annotated[
        bool, typer.Option("--skip-broken", help="Skip broken trees and count them.")
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write this file instead.")] = None,
) -> None:
    """Convert bracketed trees to dependency trees by head rules, to plain sentences or to tagged words."""
    from eigenparse.cli.output import result_stream
    from eigenparse.corpus import brackets, normalise
    from eigenparse.corpus.heads import conllu_lines, load_rules, to_dependencies

    reading = brackets.read_trees_report(trees, skip_broken=skip_broken)
    for note in brackets.notes(reading):
        sys.stderr.write(f"eigenparse: {note}\n")
    cleaned = normalise.normalise_report(reading.treebank, options=normalise.Normalisation())
    if cleaned.n_removed:
        sys.stderr.write(f"eigenparse: left out {cleaned.n_removed} trees without words\n")
    if to is Target.conllu:
        lines = conllu_lines(to_dependencies(cleaned.treebank, None if rules is None else load_rules(rules)))
    else:
        lines = leaf_lines(cleaned.treebank, tags=to is Target.columns)
    content = ("\n".join(lines) + "\n").encode()
    with result_stream(out) as stream:
        stream.write(content)


def leaf_lines(treebank: "Treebank", *, tags: bool) -> list[str]:
    """A sentence a line, or with ``tags`` a word and its tag a line and an empty line after each sentence."""
    lines = []
    for first, last in zip(treebank.offsets[:-1].tolist(), treebank.offsets[1:].tolist()):
        rows = [row for row in range(first, last) if treebank.word[row] >= 0]
        words = [treebank.words[treebank.word[row]] for row in rows]
        if tags:
            lines += [f"{word}\t{treebank.labels[treebank.label[row]]}" for word, row in zip(words, rows)] + [
                ""
            ]
        else:
            lines.append(" ".join(words))
    return lines
