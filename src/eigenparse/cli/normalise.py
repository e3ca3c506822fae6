"""eigenparse normalise: the cleaned trees, as trained on and scored."""

from enum import StrEnum
from typing import Annotated

import typer

from eigenparse.cli.app import app, verb
from eigenparse.cli.options import Drop, KeepTagSuffix, Out, SkipBroken, Trees
from eigenparse.errors import OptionError


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
    binarise: Annotated[Factor | None, typer.Option(help="Print trees binarised to this side.")] = None,
    horizontal: Annotated[
        int, typer.Option(min=0, help="Siblings recorded in intermediate labels (horizontal Markov order).")
    ] = 0,
    vertical: Annotated[int, typer.Option(min=1, help="2: labels are annotated with their parent.")] = 1,
    pretty: Annotated[bool, typer.Option(help="Print each tree over several indented lines.")] = False,
    out: Out = None,
) -> None:
    """Print cleaned trees: no traces, no function tags, no unary X over X, one root TOP."""
    from eigenparse.batch.convert import cleaned
    from eigenparse.batch.files import write_chunks
    from eigenparse.corpus import brackets, cleaning, transform

    if binarise is None and (horizontal, vertical) != (0, 1):
        raise OptionError("--horizontal and --vertical are for binary trees; add --binarise right or left")
    options = cleaning.normalisation_by(keep_tag_suffix, drop or ())
    result = cleaned(trees, skip_broken=skip_broken, options=options)
    if binarise is not None:
        settings = transform.Binarisation(binarise.value, horizontal, vertical)
        result = transform.as_treebank(transform.binarise(result, settings))
    write_chunks([brackets.encode_trees(result, pretty=pretty)], out)
