"""Loops over blocks against the same sums over whole arrays."""

import numpy as np
import pytest

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.lanes import LANES, add_blocks, dot_blocks


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
