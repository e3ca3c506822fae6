"""eigenparse normalise: the cleaned trees, as trained on and scored."""

from enum import StrEnum
from typing import Annotated

import typer

from eigenparse.cli.app import app, verb
from eigenparse.cli.options import Drop, KeepTagSuffix, Out, SkipBroken, Trees


class Factor(StrEnum):
    """Sides of binarisation."""

    right = "right"
    left = "left"


@verb(app, epilog="Example:\n\n  eigenparse normalise wsj.mrg --out clean.ptb")
def normalise(
    trees: Trees,
    skip_broken: SkipBroken = False,
    keep_tag_suffix: KeepTagSuffix = False,
    drop: Drop = None,
    binarise: Annotated[
        Factor | None, typer.Option(help="Print binary trees, factored to this side.")
    ] = None,
    horizontal: Annotated[int, typer.Option(min=0, help="Siblings that intermediate nodes remember.")] = 0,
    vertical: Annotated[int, typer.Option(min=1, help="1: no ancestor is remembered, 2: the parent.")] = 1,
    pretty: Annotated[bool, typer.Option(help="Spread every tree over several lines.")] = False,
    out: Out = None,
) -> None:
    """Print the cleaned trees: no traces, no function tags, no X over X, one root TOP."""
    from eigenparse.batch.convert import cleaned
    from eigenparse.batch.files import write_chunks
    from eigenparse.corpus import brackets, cleaning, transform

    options = cleaning.normalisation_by(keep_tag_suffix, drop or ())
    result = cleaned(trees, skip_broken=skip_broken, options=options)
    if binarise is not None:
        settings = transform.Binarisation(binarise.value, horizontal, vertical)
        result = transform.as_treebank(transform.binarise(result, settings))
    write_chunks([brackets.encode_trees(result, pretty=pretty)], out)
