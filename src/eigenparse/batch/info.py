"""The contents of a model, as JSON values and as readable lines."""

from pathlib import Path
from typing import Any

from eigenparse.batch.facts import fact_lines
from eigenparse.batch.requests import InfoRequest, refuse_given
from eigenparse.errors import OptionError
from eigenparse.models.registry import kind_of, named, read_parts

Facts = dict[str, Any]


def info(path: Path, asked: InfoRequest) -> tuple[Facts, list[str]]:
    """Facts about a model of any kind; a kind with a verb "info" has its own."""
    kind = kind_of(path)
    if "info" in kind.verbs:
        found: tuple[Facts, list[str]] = named(kind.verbs["info"])(path, asked)
        return found
    if asked.labels:
        raise OptionError(
            f"{path}: holds {kind.title}, and --label asks for the states of a grammar; leave it out"
        )
    refuse_given(asked, f"{kind.title}, which has no labels with states", "n_labels", "top")
    _, header, arrays = read_parts(path)
    model = named(kind.model).from_parts(header, arrays)
    facts = {
        "kind": kind.name,
        "parameters": sum(array.size for array in arrays.values()),
        **header,
        **model.summary(),
        "arrays": {name: list(array.shape) for name, array in sorted(arrays.items())},
    }
    return facts, fact_lines(facts)
