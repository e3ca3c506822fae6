"""The command line: one Typer application, one module per verb; arguments in, exit code out."""

import gc
import os
import signal
import sys
from importlib import import_module
from importlib.util import find_spec

import typer

from eigenparse import __version__
from eigenparse.cli.app import app
from eigenparse.cli.signals import answer_signals
from eigenparse.cli.streams import replace_closed_streams
from eigenparse.errors import EigenparseError, OptionError
from eigenparse.work.progress import tell

ENDINGS = {128 + signal.SIGINT: "interrupted", 128 + signal.SIGTERM: "terminated"}  # by exit code
FEW_CYCLES = 200_000  # objects between two searches for cycles, which imports and arrays hardly make


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"eigenparse {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Train latent-variable parsers and taggers from your own data, in seconds, on a CPU."""


def complain(sentence: str, code: int) -> int:
    """One sentence on standard error; the exit code to end with."""
    tell(sentence)
    return code


def refuse_empty(words: list[str]) -> None:
    """OptionError for an empty argument, which a path would take for this folder."""
    for number, word in enumerate(words, start=1):
        if not word.strip():
            raise OptionError(
                f"argument {number} is empty; give a file or a text there (a variable of the shell may be unset)"
            )


def register(words: list[str]) -> None:
    """Import the verb asked for, which registers itself, or all of them where that is not clear."""
    name = "_".join(words[: 2 if words[:1] == ["reproduce"] else 1]).replace("-", "_")
    if name == "train":
        name = "learners"
    known = name.isidentifier() and find_spec(f"eigenparse.cli.{name}") is not None
    import_module(f"eigenparse.cli.{name if known else 'verbs'}")


def last_words(number: int) -> None:
    """Leave nothing half-written behind when the process must end in the middle of a kernel."""
    import multiprocessing

    from eigenparse.corpus.files import discard_unfinished
    from eigenparse.work.kept import leave_open

    for worker in multiprocessing.active_children():
        worker.terminate()
    leave_open()
    discard_unfinished()
    complain(f"{ENDINGS[128 + number]}; no incomplete file was left behind", 0)
    sys.stderr.flush()


def main() -> None:
    """Run the application; every expected failure is one sentence and a non-zero exit code."""
    replace_closed_streams()
    try:
        answer_signals(last_words)
        gc.set_threshold(FEW_CYCLES)
        refuse_empty(sys.argv[1:])
        register(sys.argv[1:])
        app()
    except EigenparseError as problem:
        code = complain(str(problem), 1)
    except SystemExit as ended:
        if (
            isinstance(ended.code, int) and ended.code in ENDINGS
        ):  # the application has turned Ctrl-C into this
            complain(f"{ENDINGS[ended.code]}; no incomplete file was left behind", ended.code)
        raise
    except KeyboardInterrupt:
        code = complain(f"{ENDINGS[130]}; no incomplete file was left behind", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except MemoryError:
        code = complain("out of memory; use fewer states, fewer jobs or shorter sentences", 1)
    except FileExistsError as problem:
        code = complain(f"{problem.filename}: is a file; name a folder", 1)
    except OSError as problem:
        where, why = problem.filename or "input or output", problem.strerror or problem
        code = complain(f"{where}: {why}; check the path and free disk space", 1)
    else:
        code = 0
    sys.exit(code)
