"""Arguments and options that several verbs share, how a verb is run, and how a report is written."""

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eigenparse.cli.app import FOLDER, READ, WRITTEN
from eigenparse.cli.checks import WAIT
from eigenparse.cli.fields import parameter, with_fields
from eigenparse.cli.texts import no_model
from eigenparse.errors import ModelFileError, OptionError

if TYPE_CHECKING:
    from eigenparse.experiments.treebanks import Corpus
    from eigenparse.report import Report as Pages

Jobs = Annotated[int, typer.Option(min=0, metavar="N", help="Number of processes; 0 for all cores.")]
Cluster = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Run on a Dask cluster, such as tcp://host:8786.")
]
Wait = Annotated[
    float, typer.Option(min=0.1, metavar="SECONDS", help="Time to wait for workers of the cluster.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Continue an interrupted run of this command.")]
Seed = Annotated[int, typer.Option(min=0, help="Random seed; the same seed gives the same result.")]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="Output file. Default: standard output."), WRITTEN
]
Treebanks = Annotated[
    list[Path] | None,
    typer.Option(
        "--data",
        help="Folder with train.* and dev.*, Penn Treebank sections 00-24, or a file of trees; may be given several "
        "times. Without it: the bundled synthetic treebank.",
    ),
    READ,
]
Report = Annotated[
    Path,
    typer.Option("--out", "-o", help="Folder, or .html file, for the report; its JSON is written beside it."),
    FOLDER,
]
# Options of every verb that a kind of model has.
RUNNING: dict[str, tuple[Any, Any]] = {
    "jobs": (Jobs, 1),
    "cluster": (Cluster, None),
    "wait": (Wait, WAIT),
    "out": (Out, None),
}


def asks(
    record: Any, leave_out: Sequence[str] = (), running: Sequence[str] = tuple(RUNNING)
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A verb that the kind of a model does, from a function of the model's path: its name, its help and its model.

    The fields of the record, but for those left out, become options, and where the work runs becomes more of them.
    """

    def made(function: Callable[..., None]) -> Callable[..., None]:
        def done(model: Path, asked: Any, **where: Any) -> None:
            if getattr(asked, "folder", None) is not None and where["out"] is not None:
                raise OptionError(
                    "--folder gets a file for each input, --out one for all; leave one of them out"
                )
            run(function.__name__, model, asked, **where)

        done.__name__, done.__doc__ = function.__name__, function.__doc__
        model = inspect.signature(function, eval_str=True).parameters["model"]
        more = [parameter(name, *RUNNING[name]) for name in running]
        asked = model.replace(name="asked", annotation=Any)
        done.__signature__ = inspect.Signature([model, asked, *more])  # type: ignore[attr-defined]
        return with_fields(record, *leave_out)(done)

    return made


def run(
    verb: str, model: Path, asked: Any, out: Path | None, jobs: int = 1, cluster: str | None = None, wait: float = WAIT
) -> None:  # fmt: skip
    """Do a verb with the model in a file and write what it gives, in order."""
    from eigenparse.batch.files import write_chunks
    from eigenparse.batch.first_use import announce_first_use
    from eigenparse.models.registry import kind_of, verb_of
    from eigenparse.work.work import Where

    try:
        function = verb_of(model, verb)
    except ModelFileError as problem:
        raise no_model(problem, verb, model, asked) from None
    announce_first_use(kind_of(model))
    write_chunks(function(model, asked, Where(jobs, cluster, wait=wait)), out)


def numbers(text: str, option: str) -> tuple[int, ...]:
    """Distinct numbers in ascending order from a list with commas."""
    try:
        return tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError:
        raise OptionError(f"{option} must be numbers separated by commas, got {text!r} instead") from None


def corpora_of(data: list[Path] | None, seed: int) -> "list[Corpus]":
    """The treebanks to run an experiment on; without any, the synthetic one."""
    from eigenparse.experiments.treebanks import load_corpus, synthetic_corpus

    return [load_corpus(path) for path in data] if data else [synthetic_corpus(seed)]


def publish(report: "Pages", out: Path, *, curves: bool = True) -> None:
    """Print a report, and write its page and its JSON.  curves: print the numbers of plots too."""
    from eigenparse.report import print_report, write_report
    from eigenparse.work.progress import tell

    print_report(report, curves=curves)
    page, json_file = write_report(report, out)
    tell(f"wrote {page} and {json_file}")
