"""The application that verbs register with; the files of every verb are checked before it begins."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, ClassVar, Literal, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from eigenparse.cli.checks import check_values

# How ``eigenparse --help`` groups the verbs, and in which order.
PANELS = {
    "Use a model": "parse tag transcribe serve info score perplexity sample rerank",
    "Train a model": "train embed merge guide demo",
    "Work with data and results": "evaluate compare draw plot convert normalise",
    "Other": "reproduce warm-up",
}
PANEL = {name: panel for panel, names in PANELS.items() for name in names.split()}


class Learners(TyperGroup):
    """A group with commands that are made from records when they are asked for; a list needs their titles only.

    titles: what the commands of a group learn, by name.  make: the command of a group and a name, or None.
    """

    titles: ClassVar[Callable[[str], dict[str, str]]] = lambda group: {}
    make: ClassVar[Callable[[str, str], Any]] = lambda group, name: None
    is_listed = False

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of all commands, in the order of their panels."""
        found = list(dict.fromkeys([*super().list_commands(ctx), *Learners.titles(str(self.name))]))
        order = [name for name in PANEL if name in found]
        return [*order, *(name for name in found if name not in order)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command; for a list, one that has a title and nothing else."""
        known = super().get_command(ctx, cmd_name)
        if known is not None or not self.is_listed:
            return known or Learners.make(str(self.name), cmd_name)
        title = Learners.titles(str(self.name))[cmd_name]
        return TyperCommand(cmd_name, help=title, rich_help_panel=PANEL.get(cmd_name))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The list of commands."""
        self.is_listed = True
        super().format_help(ctx, formatter)


ALIASES = {"output": "out"}  # other names of options, which no help shows

app = typer.Typer(
    name="eigenparse",
    help="Train latent-variable parsers and taggers from your own data, in seconds, on a CPU.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "token_normalize_func": lambda name: ALIASES.get(name, name),
    },
    cls=Learners,
)
train = typer.Typer(name="train", help="Train a model on a corpus.", no_args_is_help=True, cls=Learners)
app.add_typer(train, rich_help_panel=PANEL["train"])
reproduce = typer.Typer(
    name="reproduce", help="Repeat the experiments of a paper and write its tables.", no_args_is_help=True
)
app.add_typer(reproduce, rich_help_panel=PANEL["reproduce"])

# Marks of parameters that name files: Annotated[Path, typer.Option(...), WRITTEN].
FileUse = Literal["read", "written", "folder"]
READ: FileUse = "read"
WRITTEN: FileUse = "written"
FOLDER: FileUse = "folder"  # that files are written into


def verb(
    group: typer.Typer, name: str | None = None, *, epilog: str, kind: type[TyperCommand] = TyperCommand
) -> Callable[[Any], Any]:
    """Register a function as a command that never writes over what it reads.

    epilog: examples.  kind: how its arguments are read.
    Parameters that name files are marked READ, WRITTEN or FOLDER in their annotation.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def checked(**values: Any) -> Any:
            from eigenparse.batch.files import check_files

            uses = file_uses(function)
            check_values(values, _named(values, uses, READ))
            check_files(*(_named(values, uses, use) for use in (READ, WRITTEN, FOLDER)))
            return function(**values)

        checked.checks_files = True  # type: ignore[attr-defined]
        panel = PANEL.get(name or function.__name__) if group is app else None
        group.command(name, cls=kind, epilog=epilog, rich_help_panel=panel)(checked)
        return function

    return register


def file_uses(function: Callable[..., Any]) -> dict[str, FileUse]:
    """Which parameters of a verb name files, and what happens to them."""
    found: dict[str, FileUse] = {}
    for name, one in inspect.signature(function, eval_str=True).parameters.items():
        for mark in get_args(one.annotation)[1:]:
            if mark in (READ, WRITTEN, FOLDER):
                found[name] = mark
    return found


def _named(values: dict[str, Any], uses: dict[str, FileUse], use: FileUse) -> list[Any]:
    """The paths among a verb's arguments that are used so."""
    found: list[Any] = []
    for name in (name for name, one in uses.items() if one == use):
        value = values.get(name)
        found += value if isinstance(value, list | tuple) else [value]
    return found
