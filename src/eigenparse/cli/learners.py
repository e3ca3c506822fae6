"""``eigenparse train KIND``, made from the records of the kind: options, how to read, and their help.

A record's docstring is the help of the command.  An options record may have ``examples``, complete commands; a
reading record may have ``sources``: the name of its sources on the command line and a sentence about them.
"""

import inspect
import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import Field, fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from eigenparse.cli.app import READ, WRITTEN, Learners, verb
from eigenparse.cli.options import WAIT, Wait
from eigenparse.models.registry import Kind, kind_named, kinds, named
from eigenparse.work.work import Where

EMBED = "embed"
SOURCES = ("TRAIN...", "Files to learn from; - is standard input.")
OUT = typer.Option("--out", "-o", metavar="MODEL", help="The model file to write.")
DEV = typer.Option(metavar="FILE", help="Development data to score the model on.")
REPORT = typer.Option(metavar="FILE.json", help="Write what was learnt, and how, here.")
JOBS = typer.Option(min=0, metavar="N", help="Processes; 0 for all cores.")
CLUSTER = typer.Option(metavar="ADDRESS", help="Learn on a Dask cluster, as tcp://host:8786.")
RESUME = typer.Option("--resume", help="Continue an interrupted run of this command.")
RUNNING: dict[str, tuple[Any, Any]] = {
    "out": (Annotated[Path, OUT, WRITTEN], ...),
    "dev": (Annotated[str | None, DEV, READ], None),
    "report": (Annotated[Path | None, REPORT, WRITTEN], None),
    "jobs": (Annotated[int, JOBS], 1),
    "cluster": (Annotated[str | None, CLUSTER], None),
    "wait": (Wait, WAIT),
    "resume": (Annotated[bool, RESUME], False),
}


def command(kind: Kind) -> Any:
    """The command that trains a kind."""
    options, reading = named(kind.options or ""), named(kind.reading or "")

    def run(**values: Any) -> None:
        learn(kind, values)

    run.__name__ = kind.trainer.rpartition(" ")[2]
    run.__doc__ = (inspect.getdoc(options) or f"Learn {kind.title}.").split("\n\n")[0]
    run.__signature__ = inspect.Signature(parameters(options, reading, {}))  # type: ignore[attr-defined]
    return alone(run, getattr(options, "examples", ()) or (f"eigenparse {kind.trainer} FILE --out my.model",))


def alone(function: Callable[..., None], examples: Sequence[str]) -> Any:
    """A command that belongs to no group yet."""
    app = typer.Typer(add_completion=False, context_settings={"help_option_names": ["-h", "--help"]})
    epilog = "\n\n".join(["Examples:", *(f"  {line}" for line in examples)])
    verb(app, function.__name__, epilog=epilog)(function)
    return typer.main.get_command(app)


def learn(kind: Kind, values: dict[str, Any]) -> Any:
    """Train as the command line says and return the model.  values: by the names of ``parameters``."""
    from eigenparse.batch.train import train

    given = {name: _value(value) for name, value in values.items()}
    where = Where(given["jobs"], given["cluster"], given["resume"], given["wait"])
    records = (named(kind.options or ""), named(kind.reading or ""))
    chosen, read = (record(**_picked(record, given)) for record in records)
    return train(kind, chosen, read, given["sources"], given["out"], where, given["dev"], given["report"])


def titles(group: str) -> dict[str, str]:
    """What the commands of a group learn, by name, without importing a learner."""
    if group != "train":
        return {EMBED: "Learn word vectors from text, or show the nearest neighbours of a word."}
    return {
        kind.trainer.removeprefix("train "): f"Learn {kind.title}."
        for kind in trained_kinds()
        if kind.trainer.startswith("train ")
    }


def made(group: str, name: str) -> Any:
    """The command of a group that learns a kind; None if there is none."""
    kind = kind_of_trainer(f"train {name}" if group == "train" else name)
    if kind is None:
        return None
    return named("eigenparse.cli.embed:command")(kind) if name == EMBED else command(kind)


def trained_kinds() -> list[Kind]:
    """The kinds that a command learns."""
    return [kind for kind in kinds() if kind.options is not None and kind.reading is not None]


def kind_of_trainer(trainer: str) -> Kind | None:
    """The kind that a command such as ``train hmm`` learns; None if there is none."""
    first = kind_named(trainer.rpartition(" ")[2])
    every = trained_kinds() if first is None or first.trainer != trainer else [first]
    return next((kind for kind in every if kind.trainer == trainer and kind.options is not None), None)


def parameters(options: Any, reading: Any, more: dict[str, tuple[Any, Any]]) -> list[inspect.Parameter]:
    """What Typer reads: sources, the fields of both records, and where the work runs.  more: types and defaults."""
    metavar, about = getattr(reading, "sources", SOURCES)
    sources = Annotated[list[str], typer.Argument(metavar=metavar, help=about), READ]
    found: dict[str, tuple[Any, Any]] = {"sources": (sources, ...), "out": RUNNING["out"], **more}
    for record in (options, reading):
        for one in _shown(record):
            if one.name in found or one.name in RUNNING:
                raise TypeError(f"{record.__name__}.{one.name} has the name of another option; rename it")
            found[one.name] = _option(record, one)
    every = {**found, **{name: one for name, one in RUNNING.items() if name not in found}}
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=annotation,
            default=inspect.Parameter.empty if default is ... else default,
        )
        for name, (annotation, default) in every.items()
    ]


def _shown(record: Any) -> list["Field[Any]"]:
    return [one for one in fields(record) if one.metadata.get("shown")]


def _option(record: Any, one: "Field[Any]") -> tuple[Any, Any]:
    """Type and default of one field as Typer wants them."""
    hint: Any = typing.get_type_hints(record)[one.name]
    default: Any = one.default
    parts = [part for part in typing.get_args(hint) if part is not type(None)]
    optional = isinstance(hint, types.UnionType)
    inner: Any = parts[0] if optional else hint
    flag, about = f"--{one.name.replace('_', '-')}", _help(one)
    if inner is bool and (optional or default):
        flag += f"/--no-{flag[2:]}"
    if typing.get_origin(inner) is tuple:
        inner = types.GenericAlias(list, typing.get_args(inner)[:1])
        default, optional = list(default) or None, True
        about += " May be repeated."
    if one.metadata["choices"]:
        inner = _choices(one.name, one.metadata["choices"])
        default = None if default is None else inner(default)
    marks = (READ,) if Path in (inner, *typing.get_args(inner)) else ()
    wanted = inner | None if optional else inner
    return Annotated[(wanted, typer.Option(flag, help=about), *marks)], default


def _choices(name: str, words: Sequence[str]) -> Any:
    """The words as an enumeration, of which Typer makes a choice."""
    make: Any = StrEnum
    return make(name, {word: word for word in words})


def _help(one: "Field[Any]") -> str:
    """The help of a field, with the bounds that its record checks."""
    low, high = one.metadata["low"], one.metadata["high"]
    bounds = {
        (False, False): "",
        (True, False): f" At least {low}.",
        (False, True): f" At most {high}.",
        (True, True): f" From {low} to {high}.",
    }[low is not None, high is not None]
    return f"{one.metadata['help']}{bounds}"


def _value(given: Any) -> Any:
    """What a record wants of what Typer gives."""
    if isinstance(given, StrEnum):
        return given.value
    return tuple(given) if isinstance(given, list) else given


def _picked(record: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The values of a record's fields; what was not given keeps its default."""
    picked = {one.name: given[one.name] for one in _shown(record)}
    return {name: value for name, value in picked.items() if value is not None}


Learners.titles, Learners.make = titles, made
