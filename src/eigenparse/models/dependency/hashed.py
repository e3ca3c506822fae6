"""Tables of hashed weights, most of them zero: a table in, one bit per weight and half-precision weights out, and back.

Learners round their weights with ``rounded``, so that a model in memory and one that was read from its file are the
same.  Older files hold the numbers of the rows that are not empty, and these rows in single precision.
"""

from collections.abc import Mapping

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.features.dependency.templates import CODES
from eigenparse.models.schema import Array, Header, Law, Sizes

MOST_BYTES = 2**31  # of one table; a header that asks for more is refused before anything is allocated


def rounded(table: AnyArray) -> AnyArray:
    """The weights as they are stored, in single precision."""
    return table.astype(np.float16).astype(np.float32)


def table_parts(table: AnyArray, prefix: str = "") -> dict[str, AnyArray]:
    """Arrays of a file: which weights are not zero, as bits, and these weights."""
    values = table.reshape(-1).astype(np.float16)
    used = values != 0
    return {f"{prefix}used": np.packbits(used), f"{prefix}values": values[used]}


def table_of(
    arrays: Mapping[str, AnyArray], bits: int, prefix: str = "", width: tuple[int, ...] = ()
) -> AnyArray:
    """The inverse: a table of 2^bits rows.  width: (L,) where a row has L weights."""
    table = np.zeros((1 << bits, *width), dtype=np.float32)
    if f"{prefix}used" in arrays:
        table.reshape(-1)[np.unpackbits(arrays[f"{prefix}used"]).view(np.bool_)] = arrays[f"{prefix}values"]
    else:
        table[arrays[f"{prefix}rows"]] = arrays[f"{prefix}weights"]
    return table


def bits_of(table: AnyArray) -> int:
    """Logarithm of the number of rows."""
    return int(table.shape[0]).bit_length() - 1


def known_codes(templates: list[str]) -> bool:
    """Whether templates are conjoined with what exists."""
    return not any(set(text.partition(":")[0]) - set(CODES) for text in templates)


def hashed_rows(
    prefix: str, bits: str, fewest: int, most: int, width: str | None = None
) -> tuple[Array | Law, ...]:
    """What is checked of the arrays of a table.

    bits: the size that is its logarithm, from ``fewest`` to ``most``.  width: the size of a row, None for one number.
    """
    rows, weights, used, values = (prefix + name for name in ("rows", "weights", "used", "values"))

    def fits(header: Header, arrays: Mapping[str, AnyArray], sizes: Sizes) -> bool:
        return (
            fewest <= sizes[bits] <= most
            and 4 * (sizes[width] if width else 1) << sizes[bits] <= MOST_BYTES
            and ({used, values} <= arrays.keys() or {rows, weights} <= arrays.keys())
        )

    def counted(header: Header, arrays: Mapping[str, AnyArray], sizes: Sizes) -> bool:
        return (
            used not in arrays
            or int(np.bitwise_count(arrays[used]).sum(dtype=np.int64)) == arrays[values].size
        )

    n_rows, n_values = f"{prefix}n_rows", f"{prefix}n_values"
    return (
        Law(
            f"{bits} is not between {fewest} and {most}, the table needs more than {MOST_BYTES >> 20} MB, "
            "or it is missing",
            fits,
        ),
        Array(used, ("u1",), (f"{width or 1} * (1 << {bits} - 3)",), optional=True),
        Array(values, ("f2",), (n_values,), optional=True),
        Law("the weights of a table are not as many as its bits say", counted),
        Array(rows, ("u4",), (n_rows,), below=f"1 << {bits}", rising=True, optional=True),
        Array(weights, ("f4",), (n_rows, width) if width else (n_rows,), optional=True),
    )
