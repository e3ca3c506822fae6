"""Loops over blocks of LANES values, which become vector instructions on every processor that has them.

Blocks of an array that is mostly zero are kept without the empty ones: block k stands for the places from
LANES * block[k] on and has the values from LANES * k on.  numba makes vector instructions of plain loops over
neighbours only, so these two loops are written out for the compiler behind it.  The other array must have room for
whole blocks.

Values may be kept in half the bytes, as the upper 16 bits of single precision (``shortened``).
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8
_LONG = ir.IntType(64)
_FUSED = ("contract",)


def shortened(values: npt.NDArray[np.float32]) -> npt.NDArray[np.uint16]:
    """The upper 16 bits of the bits of finite numbers, rounded: to 2 or 3 decimal digits."""
    bits = values.view(np.uint32)
    rounded: npt.NDArray[np.uint16] = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return rounded


def _written_out(function: Any) -> Any:
    """numba's decorator for functions that write machine-level code, without its types."""
    return intrinsic(function)


class _Lanes:
    """What both loops need: vectors of the values of blocks, as numbers of the kind of the other array."""

    def __init__(self, context: Any, builder: Any, arrays: Any) -> None:
        (kind, value), (block_kind, block), (other_kind, other) = arrays
        self.builder = builder
        self.value = context.make_array(kind)(context, builder, value).data
        self.block = context.make_array(block_kind)(context, builder, block).data
        self.other = context.make_array(other_kind)(context, builder, other).data
        self.is_short = kind.dtype == types.uint16
        self.from_type = ir.VectorType(context.get_data_type(kind.dtype), LANES)
        self.type = ir.VectorType(context.get_data_type(other_kind.dtype), LANES)
        self.bytes = kind.dtype.bitwidth // 8, other_kind.dtype.bitwidth // 8

    def values(self, k: Any) -> Any:
        """The values of block k."""
        at = self.builder.gep(self.value, [self.builder.mul(k, _LONG(LANES))])
        found = self.builder.load(self.builder.bitcast(at, self.from_type.as_pointer()))
        found.align, size = self.bytes[0], self.bytes[0]
        if self.is_short:
            found, size = self._lengthened(found), 4
        if size == self.bytes[1]:
            return found
        change = self.builder.fpext if size < self.bytes[1] else self.builder.fptrunc
        return change(found, self.type)

    def _lengthened(self, found: Any) -> Any:
        """Short values in single precision, whose lower 16 bits are 0."""
        whole = ir.VectorType(ir.IntType(32), LANES)
        raised = self.builder.shl(self.builder.zext(found, whole), ir.Constant(whole, [16] * LANES))
        return self.builder.bitcast(raised, ir.VectorType(ir.FloatType(), LANES))

    def place(self, k: Any) -> Any:
        """Where the places of block k begin in the other array."""
        at = self.builder.zext(self.builder.load(self.builder.gep(self.block, [k])), _LONG)
        found = self.builder.gep(self.other, [self.builder.mul(at, _LONG(LANES))])
        return self.builder.bitcast(found, self.type.as_pointer())

    def product(self, place: Any, values: Any, total: Any) -> Any:
        """total + other * values."""
        other = self.builder.load(place)
        other.align = self.bytes[1]
        return self.builder.fadd(total, self.builder.fmul(values, other, flags=_FUSED), flags=_FUSED)


def _sum(builder: Any, vector: Any) -> Any:
    """The sum of a vector, halves first."""
    n = LANES
    while n > 1:
        n //= 2
        halves = [
            builder.shuffle_vector(vector, vector, ir.Constant(ir.VectorType(ir.IntType(32), n), places))
            for places in (list(range(n)), list(range(n, 2 * n)))
        ]
        vector = builder.fadd(*halves)
    return builder.extract_element(vector, ir.IntType(32)(0))


@_written_out
def dot_blocks(_: Any, value: Any, block: Any, low: Any, high: Any, other: Any) -> Any:
    """The sum of value * other over the blocks [low, high)."""

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        lanes = _Lanes(context, builder, [(signature.args[i], given[i]) for i in (0, 1, 4)])
        first, last = given[2], given[3]
        zero = ir.Constant(lanes.type, [0.0] * LANES)
        totals = [
            cgutils.alloca_once_value(builder, zero) for _ in range(2)
        ]  # so that no sum waits for the last
        middle = builder.add(first, builder.and_(builder.sub(last, first), _LONG(-2)))

        def add(k: Any, total: Any) -> None:
            builder.store(lanes.product(lanes.place(k), lanes.values(k), builder.load(total)), total)

        with cgutils.for_range_slice(builder, first, middle, _LONG(2)) as (k, _):
            add(k, totals[0])
            add(builder.add(k, _LONG(1)), totals[1])
        with cgutils.for_range_slice(builder, middle, last, _LONG(1)) as (k, _):
            add(k, totals[0])
        return _sum(builder, builder.fadd(builder.load(totals[0]), builder.load(totals[1])))

    return other.dtype(value, block, types.int64, types.int64, other), code


@_written_out
def add_blocks(_: Any, value: Any, block: Any, low: Any, high: Any, factor: Any, other: Any) -> Any:
    """other += factor * value over the blocks [low, high), whose places differ."""

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        lanes = _Lanes(context, builder, [(signature.args[i], given[i]) for i in (0, 1, 5)])
        one = builder.insert_element(ir.Constant(lanes.type, ir.Undefined), given[4], ir.IntType(32)(0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        factors = builder.shuffle_vector(one, one, everywhere)
        with cgutils.for_range_slice(builder, given[2], given[3], _LONG(1)) as (k, _):
            place = lanes.place(k)
            old = builder.load(place)
            old.align = lanes.bytes[1]
            more = builder.fmul(lanes.values(k), factors, flags=_FUSED)
            stored = builder.store(builder.fadd(old, more, flags=_FUSED), place)
            stored.align = lanes.bytes[1]
        return context.get_dummy_value()

    return types.void(value, block, types.int64, types.int64, other.dtype, other), code
