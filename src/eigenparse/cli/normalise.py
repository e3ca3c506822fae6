"""eigenparse normalise: the cleaned trees, as trained on and scored."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.main import app


class Factor(StrEnum):
    """Sides of binarisation."""

    right = "right"
    left = "left"


@app.command()
def normalise(
    trees: Annotated[
        list[str],
        typer.Argument(metavar="TREES...", help="Files, directories or globs; - is standard input."),
    ],
    skip_broken: Annotated[bool, typer.Option(help="Skip broken trees and count them.")] = False,
    keep_tag_suffix: Annotated[bool, typer.Option(help="Leave tags such as N-D as they are.")] = False,
    binarise: Annotated[
        Factor | None, typer.Option(help="Print binary trees, factored to this side.")
    ] = None,
    horizontal: Annotated[int, typer.Option(min=0, help="Siblings that intermediate nodes remember.")] = 0,
    vertical: Annotated[int, typer.Option(min=1, help="1: no ancestor is remembered, 2: the parent.")] = 1,
    pretty: Annotated[bool, typer.Option(help="Spread every tree over several lines.")] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write this file instead.")] = None,
) -> None:
    """Print the cleaned trees: no traces, no function tags, no X over X, one root TOP."""
    from eigenparse.cli.output import result_stream
    from eigenparse.corpus import brackets, normalise, transform

    reading = brackets.read_trees_report(trees, skip_broken=skip_broken)
    options = normalise.Normalisation(keep_tag_suffix=keep_tag_suffix)
    cleaned = normalise.normalise_report(reading.treebank, options=options)
    for note in brackets.notes(reading):
        sys.stderr.write(f"eigenparse: {note}\n")
    if cleaned.n_removed:
        sys.stderr.write(f"eigenparse: left out {cleaned.n_removed} trees without words\n")
    result = cleaned.treebank
    if binarise is not None:
        settings = transform.Binarisation(binarise.value, horizontal, vertical)
        result = transform.as_treebank(transform.binarise(result, settings))
    with result_stream(out) as stream:
        stream.write(brackets.encode_trees(result, pretty=pretty))
