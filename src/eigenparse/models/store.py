"""The older way to save and load: for kinds that have no record in the registry yet."""

from collections.abc import Mapping
from pathlib import Path

from eigenparse.arrays import AnyArray
from eigenparse.errors import DataError, ModelFileError
from eigenparse.models.container import Header as Header
from eigenparse.models.container import digest as digest
from eigenparse.models.container import model_kind as model_kind
from eigenparse.models.container import read_container, write_container
from eigenparse.models.contents import check_contents


def save_model(path: str | Path, *, kind: str, header: Header, arrays: Mapping[str, AnyArray]) -> None:
    """Write a model file."""
    write_container(path, kind=kind, header=header, arrays=arrays)


def load_model(path: str | Path) -> tuple[str, Header, dict[str, AnyArray]]:
    """Kind, header and arrays of a model file."""
    kind, header, arrays = read_container(path)
    try:
        check_contents(kind, header, arrays)
    except DataError as problem:
        raise ModelFileError(
            f"{path}: not a sound model of kind {kind!r} ({problem}); train or copy it again"
        ) from None
    return kind, header, arrays


def load_with_statistics(path: str | Path, kind: str, remedy: str) -> tuple[Header, dict[str, AnyArray]]:
    """Header and arrays of a model of this kind that kept the sums behind it; ModelFileError if it did not."""
    found, header, arrays = load_model(path)
    if found != kind or not isinstance(header.get("statistics"), dict):
        raise ModelFileError(
            f"{path}: a model of kind {found!r} without statistics cannot be merged exactly; {remedy}"
        )
    return header, arrays
