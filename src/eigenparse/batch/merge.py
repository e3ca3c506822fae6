"""Models of parts of a corpus in, the model of all of it out."""

from collections.abc import Sequence
from pathlib import Path

from eigenparse.errors import OptionError
from eigenparse.models.registry import kind_of, load_model, save_model, verb_of
from eigenparse.work.progress import tell


def merge(models: Sequence[Path], out: Path) -> None:
    """Add models of one kind that kept their statistics.

    The verb "merge" of a kind gets the models and the names of their files, and gives one model.
    """
    kind = kind_of(models[0])
    add = verb_of(models[0], "merge")
    for path in models:
        if kind_of(path).name != kind.name:
            raise OptionError(
                f"{path}: holds {kind_of(path).title}, not {kind.title}; merge files of one kind"
            )
    total = add([load_model(path) for path in models], [str(path) for path in models])
    save_model(total, out, kind.name)
    tokens = total.summary().get("tokens")
    counted = "" if tokens is None else f", {tokens} tokens"
    tell(f"{len(models)} models{counted}; wrote {out}")
