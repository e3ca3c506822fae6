"""``eigenparse train KIND``, made from the records of the kind: options, how to read, and their help.

A record's docstring is the help of the command.  An options record may have ``examples``, complete commands; a
reading record may have ``sources``: the name of its sources on the command line and a sentence about them.
"""

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from eigenparse.cli.app import READ, WRITTEN, Learners, verb
from eigenparse.cli.checks import WAIT
from eigenparse.cli.fields import option_of, parameter, picked, plain_value, shown_fields
from eigenparse.cli.options import Cluster, Jobs, Resume, Wait
from eigenparse.learn.options import refuse_idle
from eigenparse.models.registry import Kind, kind_named, kinds, named
from eigenparse.work.work import Where

EMBED = "embed"
SOURCES = ("TRAIN...", "Training files; - is standard input.")
OUT = typer.Option("--out", "-o", metavar="MODEL", help="Model file to write.")
DEV = typer.Option(metavar="FILE", help="Development data to score the model on.")
REPORT = typer.Option(metavar="FILE.json", help="Write a training report to this file.")
RUNNING: dict[str, tuple[Any, Any]] = {
    "out": (Annotated[Path, OUT, WRITTEN], inspect.Parameter.empty),
    "dev": (Annotated[str | None, DEV, READ], None),
    "report": (Annotated[Path | None, REPORT, WRITTEN], None),
    "jobs": (Jobs, 1),
    "cluster": (Cluster, None),
    "wait": (Wait, WAIT),
    "resume": (Resume, False),
}


def command(kind: Kind) -> Any:
    """The command that trains a kind."""
    options, reading = named(kind.options or ""), named(kind.reading or "")

    def run(**values: Any) -> None:
        learn(kind, values)

    run.__name__ = kind.trainer.rpartition(" ")[2]
    run.__doc__ = (inspect.getdoc(options) or f"Train {kind.title}.").split("\n\n")[0]
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

    given = {name: plain_value(value) for name, value in values.items()}
    where = Where(given["jobs"], given["cluster"], given["resume"], given["wait"])
    records = (named(kind.options or ""), named(kind.reading or ""))
    chosen, read = (record(**picked(record, given)) for record in records)
    refuse_idle(chosen, read)
    return train(kind, chosen, read, given["sources"], given["out"], where, given["dev"], given["report"])


def titles(group: str) -> dict[str, str]:
    """What the commands of a group learn, by name, without importing a learner."""
    if group != "train":
        return {EMBED: "Learn word vectors from text, or show the nearest neighbours of a word."}
    return {
        kind.trainer.removeprefix("train "): f"Train {kind.title}."
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
    found: dict[str, tuple[Any, Any]] = {
        "sources": (sources, inspect.Parameter.empty),
        "out": RUNNING["out"],
        **more,
    }
    for record in (options, reading):
        for one in shown_fields(record):
            if one.name in found or one.name in RUNNING:
                raise TypeError(f"{record.__name__}.{one.name} has the name of another option; rename it")
            found[one.name] = option_of(record, one)
    every = {**found, **{name: one for name, one in RUNNING.items() if name not in found}}
    return [parameter(name, *one) for name, one in every.items()]


Learners.titles, Learners.make = titles, made
