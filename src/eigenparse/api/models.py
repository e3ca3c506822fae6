"""Load a model of any kind from a path."""

from pathlib import Path
from typing import Any

from eigenparse.models.registry import kind_of, load_model, named


def load(path: str | Path) -> Any:
    """Read a model of any kind, as ``eigenparse train`` or a model's ``save`` wrote it; "en" is the bundled grammar.

    Grammars come as ``Grammar``, other kinds as the class that their record names; all of them have ``to_parts``,
    ``from_parts`` and ``summary``.  Raises ModelFileError if there is no such file, or if it was cut, altered or
    made by something else.
    """
    kind = kind_of(path)
    model = load_model(path)
    return model if kind.face is None else named(kind.face)(model)
