"""Progress on a terminal, silence in pipes."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def stages(title: str) -> Iterator[Callable[[str], None] | None]:
    """A function that is told the stage under way, shown with a spinner; None where nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda stage: bar.update(task, description=f"{title}: {stage}")


def counted(items: Iterable[T], title: str, *, total: int | None = None, show: bool = True) -> Iterator[T]:
    """The same items, counted on a bar while they pass if standard error is a terminal."""
    if not (show and sys.stderr.isatty()):
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        for item in items:
            yield item
            bar.advance(task)


def tell(sentence: str) -> None:
    """A sentence on standard error."""
    sys.stderr.write(f"eigenparse: {sentence}\n")


# A module of kernels that each verb cannot do without.
KERNELS = {
    "parse": "grammar/chart",
    "serve": "grammar/chart",
    "tag": "tagger/chain",
    "train_lpcfg": "grammar/tree",
    "train_rhmm": "tagger/chain",
    "train_hmm": "hmm/chain",
    "train_phones": "tagger/chain",
    "train_dependency": "dependency/arc_training",
    "train_deptree": "dependency/deptree",
}


def announce_first_use(verb: str) -> None:
    """Say on a terminal that kernels are about to be compiled, where this machine keeps none of the verb's yet."""
    if verb not in KERNELS or not sys.stderr.isatty() or "NUMBA_CACHE_DIR" in os.environ:
        return
    family, _, module = KERNELS[verb].partition("/")
    folder = Path(__file__).parent.parent / "kernels" / family
    if os.access(folder, os.W_OK) and not any((folder / "__pycache__").glob(f"{module}.*.nbi")):
        tell("compiling for this machine, the first time only; about half a minute")
