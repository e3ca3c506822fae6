"""eigenparse info: what is in a model."""

import json
from pathlib import Path
from typing import Annotated

import typer

from eigenparse.batch.requests import InfoRequest
from eigenparse.cli.app import READ, app, verb
from eigenparse.cli.fields import with_fields
from eigenparse.errors import printable


@verb(app, epilog="Example:\n\n  eigenparse info english.model --label NP --label VP --top 6")
@with_fields(InfoRequest)
def info(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Any model file."), READ],
    asked: InfoRequest,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Show what a model contains: labels, states with typical words and phrases, singular values."""
    from eigenparse.batch.info import info as info_of

    facts, lines = info_of(model, asked)
    if as_json:
        typer.echo(json.dumps(facts, ensure_ascii=False, indent=1))
    else:
        typer.echo("\n".join(map(printable, lines)))
