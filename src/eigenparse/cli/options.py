"""Arguments and options that several verbs share, and how a verb is run."""

from pathlib import Path
from typing import Annotated, Any

import typer

from eigenparse.cli.app import FOLDER, READ, WRITTEN
from eigenparse.corpus.cleaning import HELP

Jobs = Annotated[int, typer.Option(min=0, metavar="N", help="Processes; 0 for all cores.")]
Cluster = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Work on a Dask cluster, as tcp://host:8786.")
]
WAIT = 60.0
Wait = Annotated[
    float, typer.Option(min=0.1, metavar="SECONDS", help="Time to wait for a worker of the cluster.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed; the same seed gives the same result.")]
Trees = Annotated[
    list[str],
    typer.Argument(metavar="TREES...", help="Files, directories or globs; - is standard input."),
    READ,
]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Write this file instead."), WRITTEN]
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
    Path, typer.Option("--out", "-o", help="Folder, or .html file, for the report and its JSON."), FOLDER
]
KeepTagSuffix = Annotated[bool, typer.Option("--keep-tag-suffix", help=HELP["keep_tag_suffix"])]
Drop = Annotated[
    list[str] | None,
    typer.Option(help=f"{HELP['drop']} May be repeated."),
]
SkipBroken = Annotated[bool, typer.Option("--skip-broken", help="Skip broken trees and count them.")]


def run(
    verb: str, model: Path, asked: Any, out: Path | None, jobs: int = 1, cluster: str | None = None, wait: float = WAIT
) -> None:  # fmt: skip
    """Do a verb with the model in a file and write what it gives, in order."""
    from eigenparse.batch.files import write_chunks
    from eigenparse.batch.first_use import announce_first_use
    from eigenparse.models.registry import kind_of, verb_of
    from eigenparse.work.work import Where

    function = verb_of(model, verb)
    announce_first_use(kind_of(model))
    write_chunks(function(model, asked, Where(jobs, cluster, wait=wait)), out)
