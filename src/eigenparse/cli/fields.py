"""A field of a record in, the option of the command line that it is out."""

import types
import typing
from collections.abc import Sequence
from dataclasses import Field, fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from eigenparse.cli.app import READ


def shown_fields(record: Any) -> list["Field[Any]"]:
    """The fields that the command line has."""
    return [one for one in fields(record) if one.metadata.get("shown")]


def option_of(record: Any, one: "Field[Any]") -> tuple[Any, Any]:
    """Type and default of one field as Typer wants them."""
    hint: Any = typing.get_type_hints(record)[one.name]
    default: Any = one.default
    parts = [part for part in typing.get_args(hint) if part is not type(None)]
    optional = isinstance(hint, types.UnionType)
    inner: Any = parts[0] if optional else hint
    flag, about = f"--{one.name.replace('_', '-')}", _help(one)
    if inner is bool and (optional or default):
        flag += f"/--no-{flag[2:]}"
    if typing.get_origin(inner) is tuple:
        inner = types.GenericAlias(list, typing.get_args(inner)[:1])
        default, optional = list(default) or None, True
        about += " May be repeated."
    if one.metadata["choices"]:
        inner = _choices(one.name, one.metadata["choices"])
        default = None if default is None else inner(default)
    marks = (READ,) if Path in (inner, *typing.get_args(inner)) else ()
    wanted = inner | None if optional else inner
    return Annotated[(wanted, typer.Option(flag, help=about), *marks)], default


def _choices(name: str, words: Sequence[str]) -> Any:
    """The words as an enumeration, of which Typer makes a choice."""
    make: Any = StrEnum
    return make(name, {word: word for word in words})


def _help(one: "Field[Any]") -> str:
    """The help of a field, with the bounds that its record checks."""
    low, high = one.metadata["low"], one.metadata["high"]
    bounds = {
        (False, False): "",
        (True, False): f" At least {low}.",
        (False, True): f" At most {high}.",
        (True, True): f" From {low} to {high}.",
    }[low is not None, high is not None]
    return f"{one.metadata['help']}{bounds}"


def plain_value(given: Any) -> Any:
    """What a record wants of what Typer gives."""
    if isinstance(given, StrEnum):
        return given.value
    return tuple(given) if isinstance(given, list) else given


def picked(record: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The values of a record's fields; what was not given keeps its default."""
    picked = {one.name: given[one.name] for one in shown_fields(record)}
    return {name: value for name, value in picked.items() if value is not None}
