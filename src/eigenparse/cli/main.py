"""The command line: one Typer application, one module per verb; arguments in, exit code out."""

import gc
import os
import signal
import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from types import FrameType

import typer

from eigenparse import __version__
from eigenparse.cli.app import app
from eigenparse.cli.streams import mend_streams
from eigenparse.errors import EigenparseError
from eigenparse.work.progress import tell


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


def _end(number: int, frame: FrameType | None) -> None:
    """Answer SIGTERM as a program that cleans up after itself."""
    raise SystemExit(128 + number)


def register(words: list[str]) -> None:
    """Import the verb asked for, which registers itself, or all of them where that is not clear."""
    name = "_".join(words[: 2 if words[:1] == ["reproduce"] else 1]).replace("-", "_")
    if name == "train":
        name = "learners"
    known = name.isidentifier() and find_spec(f"eigenparse.cli.{name}") is not None
    import_module(f"eigenparse.cli.{name if known else 'verbs'}")


def main() -> None:
    """Run the application; every expected failure is one sentence and a non-zero exit code."""
    mend_streams()
    try:
        with suppress(ValueError):  # not the main thread
            signal.signal(signal.SIGTERM, _end)
        gc.disable()  # nothing that an import makes is garbage
        register(sys.argv[1:])
        gc.enable()
        app()
    except EigenparseError as problem:
        code = complain(str(problem), 1)
    except SystemExit as ended:
        if ended.code == 130:  # the application has turned Ctrl-C into this
            complain("interrupted; nothing half-written was left behind", 130)
        if ended.code == 128 + signal.SIGTERM:
            complain("told to end; nothing half-written was left behind", 143)
        raise
    except KeyboardInterrupt:
        code = complain("interrupted; nothing half-written was left behind", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except MemoryError:
        code = complain("out of memory; use fewer states, fewer jobs or shorter sentences", 1)
    except FileExistsError as problem:
        code = complain(f"{problem.filename}: is a file; name a folder", 1)
    except OSError as problem:
        code = complain(
            f"{problem.filename or 'input or output'}: {problem.strerror or problem}; check path and space", 1
        )
    else:
        code = 0
    sys.exit(code)
