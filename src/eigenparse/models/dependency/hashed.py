"""Tables of hashed weights, most of them zero: a table in, one bit per weight and short weights out, and back.

Weights are in half precision, or, ``coded``, in one byte: with t the largest absolute weight, code c stands for
sign(c) (c / 127)^2 t, so that small weights have small errors; weights below SMALL times t are left out.  Learners
round their weights with ``rounded``, so that a model in memory and one that was read from its file are the same.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.features.dependency.templates import CODES
from eigenparse.models.schema import Array, Header, Law, Sizes

SMALL = 6e-3  # share of the largest weight: smaller ones are left out of coded tables
MOST_BYTES = 2**31  # of one table; a header that asks for more is refused before anything is allocated


def rounded(table: AnyArray, *, coded: bool = False) -> AnyArray:
    """The weights as they are stored, in single precision."""
    if not coded:
        return table.astype(np.float16).astype(np.float32)
    top = np.float32(np.abs(table).max(initial=0.0))
    return _decoded(_codes(np.where(np.abs(table) < SMALL * top, 0, table), top), top)


def _codes(table: AnyArray, top: np.float32) -> AnyArray:
    share = np.sqrt(np.abs(table) / max(top, np.float32(1e-30)))
    return (np.sign(table) * np.rint(127 * share)).astype(np.int8)


def _decoded(codes: AnyArray, top: np.float32) -> AnyArray:
    share = codes.astype(np.float32) / np.float32(127)
    return np.sign(share) * share * share * top


def table_parts(table: AnyArray, prefix: str = "", *, coded: bool = False) -> dict[str, AnyArray]:
    """Arrays of a file: which weights are not zero, as bits, and these weights."""
    flat = table.reshape(-1)
    if coded:
        top = np.float32(np.abs(flat).max(initial=0.0))
        values, more = _codes(flat, top), {f"{prefix}top": np.array([top], dtype=np.float32)}
    else:
        values, more = flat.astype(np.float16), {}
    used = values != 0
    return {f"{prefix}used": np.packbits(used), f"{prefix}values": values[used], **more}


def table_of(
    arrays: Mapping[str, AnyArray], bits: int, prefix: str = "", width: tuple[int, ...] = ()
) -> AnyArray:
    """The inverse: a table of 2^bits rows.  width: (L,) where a row has L weights."""
    table = np.zeros((1 << bits, *width), dtype=np.float32)
    values = arrays[f"{prefix}values"]
    if values.dtype == np.int8:
        values = _decoded(values, arrays[f"{prefix}top"][0])
    table.reshape(-1)[np.unpackbits(arrays[f"{prefix}used"]).view(np.bool_)] = values
    return table


class Hashed:
    """Base of records with a table of hashed weights, (2^bits,) or (2^bits, L)."""

    __slots__ = ()
    weights: Any

    @property
    def bits(self) -> int:
        """Logarithm of the number of rows of the table."""
        return int(self.weights.shape[0]).bit_length() - 1


def known_codes(templates: list[str], codes: str = CODES) -> bool:
    """Whether all codes of templates are known."""
    return not any(set(text.partition(":")[0]) - set(codes) for text in templates)


def hashed_rows(
    prefix: str, bits: str, fewest: int, most: int, width: str | None = None
) -> tuple[Array | Law, ...]:
    """The schema of the arrays of a table.

    bits: the size that is its logarithm, from ``fewest`` to ``most``.  width: the size of a row, None for one number.
    """
    used, values = f"{prefix}used", f"{prefix}values"

    def fits(header: Header, arrays: Mapping[str, AnyArray], sizes: Sizes) -> bool:
        return (
            fewest <= sizes[bits] <= most and 4 * (sizes[width] if width else 1) << sizes[bits] <= MOST_BYTES
        )

    def counted(header: Header, arrays: Mapping[str, AnyArray], sizes: Sizes) -> bool:
        return int(np.bitwise_count(arrays[used]).sum(dtype=np.int64)) == arrays[values].size

    def scaled(header: Header, arrays: Mapping[str, AnyArray], sizes: Sizes) -> bool:
        return arrays[values].dtype != np.int8 or f"{prefix}top" in arrays

    return (
        Law(
            f"{bits} is not between {fewest} and {most}, or the table needs more than {MOST_BYTES >> 20} MB",
            fits,
        ),
        Array(used, ("u1",), (f"{width or 1} * (1 << {bits} - 3)",)),
        Array(values, ("f2", "i1"), (f"{prefix}{bits}_values",)),  # a size of this table alone
        Array(f"{prefix}top", ("f4",), (1,), low=0.0, high=1e30, optional=True),
        Law("the scale of a table's codes is missing", scaled),
        Law("the number of weights of a table differs from the number of set bits", counted),
    )
