"""Long arrays that are mostly zero: the codes of the values that are not, expanded only on demand."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, frozen
from eigenparse.errors import DataError
from eigenparse.kernels.grammar.unpack import place_after_gaps


@dataclass(frozen=True, slots=True)
class FewValues:
    """A flat array whose k-th value that is not zero is table[256 high[k] + low[k]], gaps[k] after the one before.

    It has the attributes of an array that a schema checks.  table: ascending, its first value is zero.  kept: what was
    made of the values from a code upwards, by that code and the way of keeping them.
    """

    size: int
    gaps: AnyArray
    low: AnyArray
    high: AnyArray
    table: FloatArray
    kept: dict[tuple[int, bool], Any] = field(default_factory=dict, repr=False, compare=False)

    ndim: ClassVar[int] = 1

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.table.dtype

    @property
    def shape(self) -> tuple[int]:
        return (self.size,)

    def min(self) -> Any:
        """Lower bound of the values."""
        return self.table[0]

    def max(self) -> Any:
        """Upper bound of the values."""
        return self.table[-1]

    def whole(self) -> FloatArray:
        """All values."""
        values = np.zeros(self.size, dtype=self.table.dtype)
        place_after_gaps(self.gaps, self.low, self.high, self.table, values)
        return values


def few_values(size: int, gaps: AnyArray, low: AnyArray, high: AnyArray, table: FloatArray) -> FewValues:
    """Values at places that exist, by codes that exist; DataError otherwise."""
    short = gaps.dtype.kind == "u" and gaps.dtype.itemsize <= 2
    gaps = frozen(gaps.astype(np.uint16 if short else np.int64, copy=False))
    low, high = (frozen(part.astype(np.uint8, copy=False)) for part in (low, high))
    inside = gaps.min(initial=1) >= 1 and gaps.max(initial=1) <= size and gaps.sum(dtype=np.float64) <= size
    if not (inside and gaps.size == low.size == high.size and high.max(initial=0) < table.size >> 8):
        raise DataError("values are not where the file says")
    return FewValues(size, gaps, low, high, table)
