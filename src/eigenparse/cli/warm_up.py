"""eigenparse warm-up: compile everything now."""

from typing import Annotated

import typer

from eigenparse.cli.app import app, verb


@verb(app, "warm-up", epilog="Example:\n\n  eigenparse warm-up --parsing")
def warm_up(
    parsing: Annotated[
        bool, typer.Option("--parsing", help="Only the kernels for parsing with the bundled models.")
    ] = False,
) -> None:
    """Compile the kernels for this machine now instead of at first use; for images and new machines."""
    from eigenparse.batch.warm_up import warm_up

    for line in warm_up(learning=not parsing):
        typer.echo(line)
