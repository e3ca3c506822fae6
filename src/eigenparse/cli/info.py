"""eigenparse info: what is in a model."""

import json
from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import READ, app, verb
from eigenparse.errors import printable


@verb(app, epilog="Example:\n\n  eigenparse info english.model --label NP --label VP --top 6")
def info(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Any model file."), READ],
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    label: Annotated[list[str] | None, typer.Option(help="Label to show states of; may be repeated.")] = None,
    labels: Annotated[int, typer.Option(min=0, help="Number of labels whose states are shown.")] = 6,
    top: Annotated[int, typer.Option(min=1, help="Number of words and phrases shown per state.")] = 5,
) -> None:
    """Show what a model contains: labels, states with typical words and phrases, singular values."""
    from eigenparse.batch.info import info as info_of
    from eigenparse.batch.requests import InfoRequest

    facts, lines = info_of(model, InfoRequest(tuple(label or ()), labels, top))
    if as_json:
        typer.echo(json.dumps(facts, ensure_ascii=False, indent=1))
    else:
        typer.echo("\n".join(map(printable, lines)))
