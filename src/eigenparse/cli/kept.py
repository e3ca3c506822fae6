"""Where the finished parts of long work are kept: a folder beside the model, gone after success."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from eigenparse.cli.progress import tell

if TYPE_CHECKING:
    from eigenparse.learn.checkpoint import Checkpoint


@contextmanager
def kept_work(out: Path, mark: str, *, resume: bool) -> Iterator["Checkpoint"]:
    """The checkpoint of a model that is to be written to ``out``; mark: of its data and settings."""
    from eigenparse.corpus.files import sweep
    from eigenparse.learn.checkpoint import close_checkpoint, open_checkpoint

    out = out.resolve()  # workers may stand elsewhere
    folder = out.with_name(out.name + ".checkpoint")
    sweep(out.parent, out.name)
    if resume and not folder.exists():
        tell(f"there is no checkpoint {folder}, so learning begins anew")
    checkpoint = open_checkpoint(folder, mark, resume=resume)
    try:
        yield checkpoint
    except BaseException:
        sweep(folder)
        if len(list(folder.glob("*"))) > 1:  # more than the note on whose they are
            tell(f"finished parts are kept in {folder}; the same command with --resume goes on from there")
        else:
            close_checkpoint(checkpoint)
        raise
    close_checkpoint(checkpoint)


def refuse_resume(resume: bool) -> None:
    """OptionError where sums are made in one pass and nothing of them is kept."""
    from eigenparse.errors import OptionError

    if resume:
        raise OptionError("models with statistics are learnt in one pass; leave out --resume")
