"""Tables of hashed weights: a table with many empty rows in, the rows that hold something out, and back."""

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.features.dependency.templates import CODES
from eigenparse.models.schema import Array, Law

MOST_BYTES = 2**31  # of one table; a header that asks for more is refused before anything is allocated


def used_rows(table: AnyArray) -> tuple[AnyArray, AnyArray]:
    """The numbers of the rows that are not zero, and these rows."""
    filled = table.any(axis=1) if table.ndim > 1 else table
    rows = np.flatnonzero(filled).astype(np.uint32)
    return rows, table[rows]


def whole_table(rows: AnyArray, values: AnyArray, bits: int) -> AnyArray:
    """The inverse: a table of 2^bits rows."""
    table = np.zeros((1 << bits, *values.shape[1:]), dtype=np.float32)
    table[rows] = values
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
    """What is checked of a table with arrays ``prefix`` + "rows" and "weights".

    bits: the size that is its logarithm, from ``fewest`` to ``most``.  width: the size of a row, None for one number.
    """
    n_used = f"{prefix}used"
    return (
        Law(
            f"{bits} is not between {fewest} and {most}, or the table needs more than {MOST_BYTES >> 20} MB",
            lambda header, arrays, sizes: (
                fewest <= sizes[bits] <= most
                and 4 * (sizes[width] if width else 1) << sizes[bits] <= MOST_BYTES
            ),
        ),
        Array(f"{prefix}rows", ("u4",), (n_used,), below=f"1 << {bits}", rising=True),
        Array(f"{prefix}weights", ("f4",), (n_used, width) if width else (n_used,)),
    )
