"""Schemas of model files, one per kind, checked before any kernel reads an array.

A ``Schema`` names the entries of the JSON header and the arrays.  Each array states its types, its shape in
named sizes, and what its values are: ids below a size, offsets that end at a size, numbers within a range.  A
size is bound by the header (the length of a list, or an integer) or by the first array whose shape names it;
every later use must agree.  Derived sizes are computed from arrays that were checked already.  All arithmetic on
sizes is done with Python integers or checked against overflow, so nothing can wrap around.  Unknown array names
are ignored.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.errors import DataError

Header = dict[str, Any]
Sizes = dict[str, int]
MOST_ITEMS = 2**40  # more entries than any file we write; larger products are refused before they are used
NAMES = [str]


@dataclass(frozen=True, slots=True)
class Array:
    """One named array.

    types: allowed NumPy types such as "f4".  shape: sizes, as names, numbers or sums and products of them.
    below: values are ids v with lowest <= v < that size.  offsets: values start at 0, never fall, and end at that
    size.  rising: each value is larger than the one before.  low, high: bounds of every value (floats are always
    finite).  optional: the array may be missing.  each: the size that says how many such arrays there are; ``{}`` in
    names of the array and of its sizes stands for the number.
    """

    name: str
    types: tuple[str, ...]
    shape: tuple[str | int, ...]
    below: str | None = None
    lowest: int = 0
    offsets: str | None = None
    low: float | None = None
    high: float | None = None
    optional: bool = False
    rising: bool = False
    each: str | None = None


@dataclass(frozen=True, slots=True)
class Derived:
    """A size computed from arrays that were checked before it; ``compute`` gets the arrays and the sizes."""

    name: str
    compute: Callable[[Mapping[str, AnyArray], Sizes], int]


@dataclass(frozen=True, slots=True)
class Law:
    """A rule that shapes and ranges cannot express; ``holds`` gets header, arrays and sizes."""

    says: str
    holds: Callable[[Header, Mapping[str, AnyArray], Sizes], bool]


@dataclass(frozen=True, slots=True)
class Part:
    """A schema inside another, under a prefix of array names such as "member{}.".

    Derived sizes and laws of a part see its arrays by their names without the prefix, and those around it.
    entry: the header entry that lists the parts (a list or object of headers), counts them (an integer), or is the
    header of the one part where the prefix has no "{}"; None for a part that occurs once, under the outer header.
    optional: the entry, or a part without entry, may be missing altogether.
    """

    prefix: str
    schema: "Schema"
    entry: str | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Schema:
    """Everything that is checked of one kind of model file.

    header: JSON shape: a type; [x] for a list of x; (x, y) for a list of exactly these; {name: x} for an object that
    has at least these names.  sizes: names of sizes and the header entry that gives each; "symbols.0" is
    the first entry of "symbols".  rows: arrays, derived sizes and laws, in the order in which they are checked.
    parts: schemas of parts.  choose: returns the schema for a header, in place of this one.
    """

    header: Any = field(default_factory=dict)
    sizes: Mapping[str, str] = field(default_factory=dict)
    rows: tuple[Array | Derived | Law, ...] = ()
    parts: tuple[Part, ...] = ()
    choose: Callable[[Header], "Schema"] | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a schema is checked: the prefix of its arrays, and the sizes and arrays around it."""

    prefix: str = ""
    sizes: Sizes = field(default_factory=dict)
    around: Mapping[str, AnyArray] = field(default_factory=dict)


def check_model(schema: Schema, header: Any, arrays: Mapping[str, AnyArray]) -> None:
    """Raise DataError with the first thing that is wrong."""
    _check(schema, header, arrays, _Place())


def _check(schema: Schema, header: Any, arrays: Mapping[str, AnyArray], place: _Place) -> None:
    """Check a header and the arrays of a model, or of a part of one."""
    check_value(header, {}, place.prefix or "the header")
    schema = schema.choose(header) if schema.choose else schema
    check_value(header, schema.header, place.prefix or "the header")
    sizes = dict(place.sizes)
    for name, entry in schema.sizes.items():
        value = _entry(header, entry)
        sizes[name] = _bounded(len(value) if isinstance(value, list) else value, entry)
    own = {name.removeprefix(place.prefix): a for name, a in arrays.items() if name.startswith(place.prefix)}
    seen = {**place.around, **own}
    for row in schema.rows:
        if isinstance(row, Derived):
            sizes[row.name] = _bounded(row.compute(seen, sizes), row.name)
        elif isinstance(row, Law):
            if not row.holds(header, seen, sizes):
                raise DataError(row.says)
        else:
            for one in _numbered(row, own, sizes):
                if one.name in own:
                    _check_array(one, own[one.name], sizes, place.prefix)
                elif not one.optional:
                    raise DataError(f"array {place.prefix + one.name!r} is missing")
    for part in schema.parts:
        for at, below in _occurrences(part, header, own):
            _check(part.schema, below, arrays, _Place(place.prefix + at, sizes, seen))


def _entry(header: Any, path: str) -> Any:
    """An entry of the header; "symbols.0" is the first of the list "symbols"."""
    for step in path.split("."):
        header = header[int(step) if isinstance(header, list) else step]
    return header


def _numbered(row: Array, arrays: Mapping[str, AnyArray], sizes: Sizes) -> list[Array]:
    """The row itself, or one for each number; more of them than there are arrays are refused."""
    if row.each is None:
        return [row]
    if (count := size_of(row.each, sizes)) > len(arrays):
        raise DataError(f"{row.each} is {count}, which does not fit the arrays")
    return [
        replace(row, name=row.name.format(k), shape=tuple(str(size).format(k) for size in row.shape))
        for k in range(count)
    ]


def _occurrences(part: Part, header: Header, arrays: Mapping[str, AnyArray]) -> list[tuple[str, Header]]:
    """Prefix and header of every part that the outer header announces."""
    if part.entry is None:
        present = any(name.startswith(part.prefix) for name in arrays)
        return [(part.prefix, header)] if present or not part.optional else []
    if part.optional and part.entry not in header:
        return []
    listed = header[part.entry]
    if "{}" not in part.prefix:
        return [(part.prefix, listed)]
    if type(listed) is int:
        if not 1 <= listed <= len(arrays):
            raise DataError(f"{part.entry} is {listed}, which does not fit the arrays")
        return [(part.prefix.format(k), header) for k in range(listed)]
    if isinstance(listed, dict):
        return [(part.prefix.format(name), below) for name, below in listed.items()]
    if not isinstance(listed, list):
        raise DataError(f"{part.entry} is neither a number nor a list")
    return [(part.prefix.format(k), below) for k, below in enumerate(listed)]


def _check_array(row: Array, array: AnyArray, sizes: Sizes, prefix: str) -> None:
    name = prefix + row.name
    if array.dtype.str[1:] not in row.types or array.ndim != len(row.shape):
        raise DataError(f"array {name!r} is {array.dtype} of {array.ndim} dimensions")
    for length, wanted in zip(array.shape, row.shape):
        if isinstance(wanted, str) and wanted.isidentifier() and wanted not in sizes:
            sizes[wanted] = length
        elif length != (size := size_of(wanted, sizes)):
            raise DataError(f"array {name!r} has shape {array.shape}, where {size} ({wanted}) is expected")
    if row.offsets is not None:
        _check_offsets(name, array, size_of(row.offsets, sizes))
    if row.rising and bool((array[1:] <= array[:-1]).any()):
        raise DataError(f"the values of array {name!r} are not in rising order")
    low = row.lowest if row.below is not None else row.low
    high = size_of(row.below, sizes) - 1 if row.below is not None else row.high
    if not array.size or (array.dtype.kind != "f" and low is None and high is None):
        return
    least, most = array.min().item(), array.max().item()
    if not (np.isfinite(least) and np.isfinite(most)):
        raise DataError(f"array {name!r} holds values that are not numbers")
    if (low is not None and least < low) or (high is not None and most > high):
        raise DataError(f"array {name!r} holds values outside {low} to {high}")


def _check_offsets(name: str, array: AnyArray, end: int) -> None:
    """Offsets start at 0, never fall and end at ``end``; compared without subtracting, which could wrap."""
    if not array.size or array[0] != 0 or int(array[-1]) != end or bool((array[1:] < array[:-1]).any()):
        raise DataError(f"array {name!r} does not hold offsets from 0 to {end}")


def size_of(text: str | int, sizes: Mapping[str, int]) -> int:
    """A size written as a number, a name, or sums and products of them, in exact integers.

    >>> size_of("labels * labels + 1", {"labels": 3})
    10
    """
    return text if isinstance(text, int) else _bounded(_evaluate(_parsed(text), sizes), text)


@cache
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


_OPERATIONS: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.LShift: operator.lshift,
    ast.FloorDiv: operator.floordiv,
}  # fmt: skip


def _evaluate(node: ast.expr, sizes: Mapping[str, int]) -> int:
    if isinstance(node, ast.Name):
        if node.id not in sizes:
            raise DataError(f"the size {node.id!r} is not known")
        return sizes[node.id]
    if isinstance(node, ast.Constant):
        return int(str(node.value))
    if isinstance(node, ast.BinOp):
        left, right = _evaluate(node.left, sizes), _evaluate(node.right, sizes)
        if isinstance(node.op, ast.LShift) and not 0 <= right <= 40:
            raise DataError(f"{right} bits are out of range")
        return _OPERATIONS[type(node.op)](left, right)
    raise TypeError(f"a size cannot be written as {ast.dump(node)}")


def _bounded(value: Any, name: str) -> int:
    """A size that is an integer from 0 to the largest that any file may announce."""
    if type(value) is not int or not 0 <= value <= MOST_ITEMS:
        raise DataError(f"the size {name} is {str(value)[:40]}, which is out of range")
    return value


def exact_sum(*factors: AnyArray) -> int:
    """The sum of products of non-negative integer arrays, refused where it could wrap around."""
    product = np.ones_like(factors[0], dtype=np.float64)
    for factor in factors:
        product *= factor
    if product.sum() > MOST_ITEMS:
        raise DataError("the announced sizes are too large")
    exact = np.ones_like(factors[0], dtype=np.int64)
    for factor in factors:
        exact *= factor
    return int(exact.sum())


def check_value(value: Any, shape: Any, where: str) -> None:
    """Check a JSON value against its shape; DataError if it does not fit."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            raise DataError(f"{where} is not an object")
        for name, below in shape.items():
            if name not in value:
                raise DataError(f"{where} lacks {name!r}")
            check_value(value[name], below, name)
    elif isinstance(shape, tuple):
        if not isinstance(value, list) or len(value) != len(shape):
            raise DataError(f"a part of {where} is not a list of {len(shape)}")
        if tuple(map(type, value)) == shape:  # plain values of exactly the expected types
            return
        for one, below in zip(value, shape):
            check_value(one, below, where)
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise DataError(f"{where} is not a list")
        if isinstance(shape[0], type) and set(map(type, value)) <= {shape[0]}:
            return
        for one in value:
            check_value(one, shape[0], where)
    elif not isinstance(value, int | float if shape is float else shape) or (
        isinstance(value, bool) and shape is not bool
    ):
        raise DataError(f"{where} is not of type {shape.__name__}")
