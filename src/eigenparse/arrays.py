"""Array aliases and the few checks every layer shares: arrays in, checked arrays out."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from eigenparse.errors import OptionError

IntVector = npt.NDArray[np.int32]
IntMatrix = npt.NDArray[np.int32]
LongVector = npt.NDArray[np.int64]
LongMatrix = npt.NDArray[np.int64]
BoolVector = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.floating[Any]]
AnyArray = npt.NDArray[Any]


def as_ids(values: Any) -> IntVector:
    """A contiguous int32 vector of symbol ids."""
    return np.ascontiguousarray(values, dtype=np.int32)


def as_offsets(values: Any) -> LongVector:
    """A contiguous int64 vector of offsets or sizes."""
    return np.ascontiguousarray(values, dtype=np.int64)


def frozen(array: AnyArray) -> AnyArray:
    """The same array, contiguous and read-only."""
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array


def generator(seed: int, *stream: int) -> np.random.Generator:
    """A generator for ``seed`` and a path of stream numbers, independent of every other path."""
    if not hasattr(seed, "__index__") or seed < 0:
        raise OptionError(f"seed must be 0 or more, got {seed} instead")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, *stream))))


def filled_zeros(size: int, dtype: npt.DTypeLike) -> AnyArray:
    """Zeros that are written at once: large pages, where ``np.zeros`` is given small ones one by one."""
    found = np.empty(size, dtype=dtype)
    found.fill(0)
    return found


class Sums:
    """A base of frozen dataclasses whose fields are sums: two of them add up field by field."""

    __slots__ = ()

    def __add__(self, other: Self) -> Self:
        names = self.__dataclass_fields__  # type: ignore[attr-defined]
        return type(self)(*(getattr(self, name) + getattr(other, name) for name in names))
