"""The application that verbs register with; the files of every verb are checked before it begins."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, Literal, get_args

import typer

app = typer.Typer(
    name="eigenparse",
    help="Train latent-variable parsers and taggers from your own data, in seconds, on a CPU.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
train = typer.Typer(name="train", help="Learn a model from a corpus.", no_args_is_help=True)
app.add_typer(train)
reproduce = typer.Typer(
    name="reproduce", help="Repeat a paper's experiments; print and write its tables.", no_args_is_help=True
)
app.add_typer(reproduce)

# Marks of parameters that name files: Annotated[Path, typer.Option(...), WRITTEN].
FileUse = Literal["read", "written"]
READ: FileUse = "read"
WRITTEN: FileUse = "written"


def verb(group: typer.Typer, name: str | None = None, *, epilog: str) -> Callable[[Any], Any]:
    """Register a function as a command that never writes over what it reads.

    epilog: examples.  Parameters that name files are marked READ or WRITTEN in their annotation.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def checked(**values: Any) -> Any:
            from eigenparse.batch.files import check_files

            uses = file_uses(function)
            check_files(_named(values, uses, READ), _named(values, uses, WRITTEN))
            return function(**values)

        group.command(name, epilog=epilog)(checked)
        return function

    return register


def file_uses(function: Callable[..., Any]) -> dict[str, FileUse]:
    """Which parameters of a verb name files, and what happens to them."""
    found: dict[str, FileUse] = {}
    for name, one in inspect.signature(function, eval_str=True).parameters.items():
        for mark in get_args(one.annotation)[1:]:
            if mark in (READ, WRITTEN):
                found[name] = mark
    return found


def _named(values: dict[str, Any], uses: dict[str, FileUse], use: FileUse) -> list[Any]:
    """The paths among a verb's arguments that are used so."""
    found: list[Any] = []
    for name in (name for name, one in uses.items() if one == use):
        value = values.get(name)
        found += value if isinstance(value, list | tuple) else [value]
    return found
