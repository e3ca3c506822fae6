"""eigenparse convert: bracketed trees in; dependency trees in CoNLL-U, words, or words and tags out."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import READ, app, verb
from eigenparse.cli.options import Out, SkipBroken, Trees
from eigenparse.errors import OptionError


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


@verb(app, epilog=EXAMPLES)
def convert(
    trees: Trees,
    to: Annotated[
        Target,
        typer.Option(
            "--to",
            help="conllu: dependency trees; words: one sentence per line; columns: word and tag per line.",
        ),
    ] = Target.conllu,
    rules: Annotated[
        Path | None, typer.Option(help="File of head rules. Default: built-in rules for English."), READ
    ] = None,
    skip_broken: SkipBroken = False,
    out: Out = None,
) -> None:
    """Convert bracketed trees to dependency trees, plain sentences or tagged words."""
    from eigenparse.batch.convert import cleaned, conllu, leaf_lines
    from eigenparse.batch.files import write_chunks

    if rules is not None and to is not Target.conllu:
        raise OptionError(f"--rules changes nothing for --to {to.value}; leave it out")
    treebank = cleaned(trees, skip_broken=skip_broken)
    lines = (
        conllu(treebank, rules) if to is Target.conllu else leaf_lines(treebank, tags=to is Target.columns)
    )
    write_chunks([("\n".join(lines) + "\n").encode()], out)
