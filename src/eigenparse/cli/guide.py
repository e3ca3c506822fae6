"""eigenparse guide: a grammar and a dependency treebank in, phrase trees that keep to its tags and arcs out."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.batch.requests import GuideOptions
from eigenparse.cli.app import READ, app, verb
from eigenparse.cli.fields import with_fields
from eigenparse.cli.options import Jobs, Out

EXAMPLES = """
Examples:

  eigenparse guide en treebank.conllu --out guided.ptb

  eigenparse guide my.model treebank.conllu --learn-from both.ptb both.conllu --out guided.ptb

  eigenparse train lpcfg trees.ptb --guided guided.ptb --guided-weight 0.5 --out better.model
"""


@verb(app, epilog=EXAMPLES)
@with_fields(GuideOptions)
def guide(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A grammar that `train lpcfg` wrote, or en."), READ
    ],
    treebank: Annotated[
        Path, typer.Argument(metavar="ARCS", help="Dependency trees in CoNLL-U with fine tags."), READ
    ],
    asked: GuideOptions,
    learn_from: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            metavar="TREES ARCS",
            help="Phrase trees and dependency trees of the same text, to count which arcs form phrases. "
            "Default: counts from GUM.",
        ),
        READ,
    ] = None,
    out: Out = None,
    jobs: Jobs = 1,
) -> None:
    """Turn a dependency treebank into phrase-structure trees that agree with its tags and arcs."""
    from eigenparse.batch import guide as batch
    from eigenparse.batch.files import write_chunks
    from eigenparse.models.registry import verb_of
    from eigenparse.work.work import Where

    make = verb_of(model, "guide")
    counts = None if learn_from is None else batch.learn_from(*learn_from)
    write_chunks(make(model, treebank, Where(jobs), counts, asked), out)
