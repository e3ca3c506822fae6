"""A field of a record in, the option of the command line that it is out.

Besides what is checked of its value, a field may say: flags, other than its own name; argument, the metavar of an
argument in the place of an option; use, what happens to the file that it names (READ unless it is said).
"""

import inspect
import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from eigenparse.cli.app import READ


def shown_fields(record: Any) -> list["Field[Any]"]:
    """The fields that the command line has."""
    return [one for one in fields(record) if one.metadata.get("shown")]


def option_of(record: Any, one: "Field[Any]", *, checks: bool = False) -> tuple[Any, Any]:
    """Type and default of one field as Typer wants them.  checks: whether Typer checks bounds, not the record."""
    hint: Any = typing.get_type_hints(record)[one.name]
    default: Any = one.default
    parts = [part for part in typing.get_args(hint) if part is not type(None)]
    optional, argument = isinstance(hint, types.UnionType), one.metadata.get("argument")
    inner: Any = parts[0] if optional else hint
    flag, about = f"--{one.name.replace('_', '-')}", one.metadata["help"] if checks else _help(one)
    if inner is bool and (optional or default):
        flag += f"/--no-{flag[2:]}"
    if typing.get_origin(inner) is tuple:
        inner = types.GenericAlias(list, typing.get_args(inner)[:1])
        default, optional = (MISSING, False) if argument else (list(default) or None, True)
        about += "" if argument else " May be repeated."
    if one.metadata["choices"]:
        inner = _choices(one.name, one.metadata["choices"])
        default = None if default is None else inner(default)
    use = one.metadata.get("use", READ if argument or Path in (inner, *typing.get_args(inner)) else None)
    wanted = inner | None if optional else inner
    bounds = {"min": one.metadata["low"], "max": one.metadata["high"]} if checks else {}
    shown = typer.Option(*one.metadata.get("flags", (flag,)), help=about, **bounds)
    if argument:
        shown = typer.Argument(metavar=argument, help=about)
    marks = () if use is None else (use,)
    return Annotated[(wanted, shown, *marks)], inspect.Parameter.empty if default is MISSING else default


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


def with_fields(record: Any, *left_out: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A verb from a function with a parameter ``asked``, a record: its fields are options in the place of ``asked``."""
    kept = [one for one in shown_fields(record) if one.name not in left_out]
    options = {one.name: option_of(record, one, checks=True) for one in kept}

    def made(function: Callable[..., Any]) -> Callable[..., Any]:
        def done(**values: Any) -> Any:
            given = {name: plain_value(values.pop(name)) for name in options}
            asked = record(**{name: value for name, value in given.items() if value is not None})
            return function(asked=asked, **values)

        parameters: list[inspect.Parameter] = []
        for name, own in inspect.signature(function, eval_str=True).parameters.items():
            each = options if name == "asked" else {name: (own.annotation, own.default)}
            parameters += [parameter(name, *one) for name, one in each.items()]
        done.__name__, done.__doc__ = function.__name__, function.__doc__
        done.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return done

    return made


def parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    """What Typer reads of an option: its type with its marks, and its default."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
