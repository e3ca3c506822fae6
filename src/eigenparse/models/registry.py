"""The registry of model kinds: one record per kind says what a file of it holds and what can be done with it.

Verbs, loaders and trainers ask the record; nothing else in the package lists kinds.  Code is named by
``"module:attribute"`` and imported when it is first used, so that a lower layer can name a higher one.  Other
packages add a kind through the entry point group ``eigenparse.kinds``: the name of the entry point is the name of
the kind, its value a ``Kind``.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol, Self, runtime_checkable

from eigenparse.arrays import AnyArray
from eigenparse.corpus.files import path_given
from eigenparse.data import located
from eigenparse.errors import DataError, EigenparseError, ModelFileError, OptionError
from eigenparse.models.container import Header, model_kind, read_container, write_container
from eigenparse.models.schema import Schema, check_model

GROUP = "eigenparse.kinds"
Parts = tuple[Header, dict[str, AnyArray]]


@runtime_checkable
class Model(Protocol):
    """What every learner returns: frozen parameters that turn into a header and arrays, and back."""

    def to_parts(self) -> Parts:
        """JSON header and named arrays, as they are written to the file."""
        ...

    @classmethod
    def from_parts(cls, header: Header, arrays: dict[str, AnyArray]) -> Self:
        """The inverse of ``to_parts``; the parts were checked against the schema of the kind."""
        ...

    def summary(self) -> dict[str, Any]:
        """What is in the model, as JSON values: shown by ``info`` and after training."""
        ...


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of model.

    title: its name in messages, such as "a grammar".  trainer: the command that writes such files.  schema: what is
    checked of a file.  model: "module:Class" of the ``Model``.  options: "module:Class" of the learner's
    ``Options``, None for kinds that no command learns.  reading: "module:Class" of the record whose fields say how
    training data is read and whose method ``read(sources)`` reads it.  verbs: "module:function" by verb
    ("parse", "tag", "score", "sample", "perplexity", "transcribe", "info", "merge", "evaluate").
    face: "module:function" from the model to what ``eigenparse.load`` returns, None for the model itself.
    packer: "module:function" from the model to a smaller model and the kind of its file, or to None where it cannot
    be packed; None for kinds that are always written in full.
    kernels: a module of kernels; if it has compiled files, the kind was used before on this machine.  learning: the
    same for its learner, where that has kernels of its own.
    """

    name: str
    title: str
    trainer: str
    schema: Schema
    model: str
    options: str | None = None
    reading: str | None = None
    verbs: Mapping[str, str] = field(default_factory=dict)
    face: str | None = None
    packer: str | None = None
    kernels: str | None = None
    learning: str | None = None


# The record of each built-in kind.
BUILT_IN = {
    "lpcfg": "eigenparse.models.grammar.kind:GRAMMAR",
    "lpcfg-packed": "eigenparse.models.grammar.kind:PACKED",
    "rhmm": "eigenparse.models.tagger.kind:TAGGER",
    "hmm": "eigenparse.models.hmm.kind:CHAIN",
    "dependency": "eigenparse.models.dependency.kind:ARCS",
    "deptree": "eigenparse.models.dependency.kind:TREES",
    "reranker": "eigenparse.models.dependency.kind:RERANKER",
    "vectors": "eigenparse.models.vectors.kind:VECTORS",
    "phones": "eigenparse.models.speech.kind:PHONES",
}
# How a sentence names what a model cannot do, where the verb alone would not be English.
DOING = {
    "perplexity": "give a perplexity",
    "merge": "be merged",
    "plot": "be plotted",
    "sample": "be sampled from",
    "guide": "guide trees by arcs",
}
_REGISTERED: dict[str, Kind] = {}


def named(place: str) -> Any:
    """The object at ``"module:attribute"``."""
    module, _, attribute = place.partition(":")
    found: Any = importlib.import_module(module)
    for name in attribute.split("."):
        found = getattr(found, name)
    return found


def register(kind: Kind) -> None:
    """Add a kind to this process; an entry point adds it to every process."""
    _REGISTERED[kind.name] = kind


@cache
def _entry_points() -> dict[str, Any]:
    return {point.name: point for point in entry_points(group=GROUP)}


def kind_named(name: str) -> Kind | None:
    """The record of a kind; None if it is not registered."""
    if name in _REGISTERED:
        return _REGISTERED[name]
    if name in BUILT_IN:
        record: Kind = named(BUILT_IN[name])
        return record
    if name in _entry_points():
        loaded: Kind = _entry_points()[name].load()
        return loaded
    return None


def kinds() -> list[Kind]:
    """All kinds, built-in ones first."""
    every = dict.fromkeys((*BUILT_IN, *_entry_points(), *_REGISTERED))
    return [kind for name in every if (kind := kind_named(name)) is not None]


def kind_of(path: str | Path) -> Kind:
    """The kind of a model file, from its header alone."""
    path = located(path_given(path))
    if not path.is_file():
        there = "is no regular file" if path.exists() else "no such file"
        reason = "is a directory" if path.is_dir() else there
        raise ModelFileError(f"{path}: {reason}; name a file that `eigenparse train` wrote, or en")
    return _known(path, model_kind(path))


def _known(path: str | Path, name: str) -> Kind:
    kind = kind_named(name)
    if kind is None:
        raise ModelFileError(
            f"{path}: holds a model of kind {name!r}, which is not known here; "
            "update eigenparse, or install the package that adds this kind"
        )
    return kind


def verb_of(path: str | Path, verb: str) -> Any:
    """The function that does a verb for the kind of model in a file; OptionError if the kind cannot."""
    kind = kind_of(path)
    if verb not in kind.verbs:
        *able, last = dict.fromkeys(f"`eigenparse {one.trainer}`" for one in kinds() if verb in one.verbs)
        raise OptionError(
            f"{path}: holds {kind.title} (kind {kind.name!r}), which cannot {DOING.get(verb, verb)}; "
            f"use a model that {', '.join(able)}{' or ' if able else ''}{last} wrote"
        )
    return named(kind.verbs[verb])


def save_model(model: Model, path: str | Path, kind: str, *, packed: bool = False) -> None:
    """Write a model file; the same model always gives the same bytes.  packed: smaller, if the kind has a packer."""
    path = path_given(path)
    if path.is_dir() or not path.absolute().parent.is_dir():
        reason = "is a directory" if path.is_dir() else "its directory does not exist"
        raise DataError(f"{path}: cannot be written, {reason}; name another file")
    record = kind_named(kind) if packed else None
    smaller = named(record.packer)(model) if record is not None and record.packer else None
    if smaller is not None:
        model, kind = smaller
    header, arrays = model.to_parts()
    write_container(path, kind=kind, header=header, arrays=arrays)


def read_parts(path: str | Path, *wanted: str) -> tuple[Kind, Header, dict[str, AnyArray]]:
    """The record, header and arrays of a model file, all of them checked.  wanted: the kinds that will do."""
    path = located(path)
    name, header, arrays = read_container(path)
    kind = _known(path, name)
    if wanted and name not in wanted:
        trainers = " or ".join(f"`eigenparse {_known(path, one).trainer}`" for one in wanted[:1])
        raise ModelFileError(f"{path}: holds {kind.title} (kind {name!r}); give a file that {trainers} wrote")
    try:
        check_model(kind.schema, header, arrays)
    except DataError as problem:
        raise ModelFileError(
            f"{path}: not a valid model of kind {name!r} ({problem}); train or copy it again"
        ) from None
    return kind, header, arrays


def load_model(path: str | Path, *wanted: str) -> Any:
    """The model in a file.  wanted: the kinds that will do; any kind if none is named."""
    kind, header, arrays = read_parts(path, *wanted)
    try:
        return named(kind.model).from_parts(header, arrays)
    except ModelFileError:
        raise
    except (
        EigenparseError,
        KeyError,
        TypeError,
        ValueError,
        IndexError,
        OverflowError,
        AttributeError,
    ) as problem:
        raise ModelFileError(
            f"{path}: not a readable model of kind {kind.name!r} ({problem}); train or copy it again"
        ) from None
