"""Loops over blocks against the same sums over whole arrays."""

import numpy as np
import pytest

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.lanes import LANES, add_blocks, dot_blocks, shortened


@kernel
def dot(value, block, low, high, other):
    """The sum over some blocks."""
    return dot_blocks(value, block, low, high, other)


@kernel
def add(value, block, low, high, factor, other):
    """Add some blocks."""
    add_blocks(value, block, low, high, factor, other)


@pytest.mark.parametrize(
    "kinds", [(np.float32, np.float32), (np.float32, np.float64), (np.float64, np.float64)]
)
@pytest.mark.parametrize(("low", "high"), [(0, 0), (2, 3), (1, 5), (0, 7)])
def test_blocks_stand_for_the_whole_array(kinds: tuple[type, type], low: int, high: int) -> None:
    rng, (kind, other_kind) = np.random.default_rng(low + high), kinds
    block = np.sort(rng.choice(20, size=7, replace=False)).astype(np.uint16)
    value = rng.random((7, LANES)).astype(kind)
    whole = np.zeros((20, LANES))
    whole[block[low:high]] = value[low:high]
    other = rng.random(20 * LANES).astype(other_kind)
    assert dot(value.ravel(), block, low, high, other) == pytest.approx(np.vdot(whole, other), rel=1e-5)
    expected = other + 0.3 * whole.ravel()
    add(value.ravel(), block, low, high, other_kind(0.3), other)
    np.testing.assert_allclose(other, expected, rtol=1e-6)


def long(short: np.ndarray) -> np.ndarray:
    """Short values in single precision."""
    return (short.astype(np.uint32) << 16).view(np.float32)


def test_short_values_are_the_nearest_ones() -> None:
    rng = np.random.default_rng(0)
    value = np.exp(rng.uniform(-20, 2, 1000)).astype(np.float32)
    value[:3] = 0, 1, 2**-20
    short = shortened(value)
    assert np.all(np.abs(long(short) - value) <= 2**-8 * value)
    assert np.all(long(short)[:3] == value[:3])
    for step in (-1, 1):
        beside = long((short[3:].astype(np.int64) + step).astype(np.uint16))
        assert np.all(np.abs(long(short)[3:] - value[3:]) <= np.abs(beside - value[3:]))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_loops_over_short_values_are_those_over_long_ones(kind: type) -> None:
    rng = np.random.default_rng(1)
    block = np.sort(rng.choice(20, size=7, replace=False)).astype(np.uint16)
    short, other = shortened(rng.random(7 * LANES).astype(np.float32)), rng.random(20 * LANES).astype(kind)
    again = other.copy()
    assert dot(short, block, 1, 6, other) == pytest.approx(dot(long(short), block, 1, 6, other), rel=1e-6)
    add(short, block, 1, 6, kind(0.3), other)
    add(long(short), block, 1, 6, kind(0.3), again)
    np.testing.assert_array_equal(other, again)
