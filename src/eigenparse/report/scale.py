"""Axes of plots: values in; a range, its ticks and the positions of values out."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

TICKS = 6
SAME, TINY = 1e-9, 1e-290  # relative distance and size below which values count as equal
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Axis:
    """A range of values, the ticks within it and whether it is logarithmic."""

    low: float
    high: float
    ticks: tuple[float, ...]
    log: bool

    def share(self, value: float) -> float:
        """Where a value lies between the axis' ends, from 0 to 1."""
        if self.log:
            return (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return (value - self.low) / (self.high - self.low)


def drawable(value: float, log: bool) -> bool:
    """Whether a value can be drawn on an axis."""
    return math.isfinite(value) and (value > 0 or not log)


def axis_of(values: Iterable[float], *, log: bool = False, tight: bool = False) -> Axis:
    """An axis for all drawable values; ``tight``: it ends at the smallest and largest value."""
    placed = [float(value) for value in values if drawable(value, log)]
    low, high = (min(placed), max(placed)) if placed else (1.0, 10.0)
    if log:
        return _log_axis(low, high, tight)
    size = max(abs(low), abs(high))
    if high - low <= SAME * size or size < TINY:
        room = 0.1 * size if size >= TINY else 1.0
        low, high = low - room, high + room
    step = _step((high - low) / TICKS)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    if tight:
        ticks = [k * step for k in range(first, last + 1) if low <= k * step <= high]
        return Axis(low, high, tuple(ticks), False)
    return Axis(first * step, last * step, tuple(k * step for k in range(first, last + 1)), False)


def _step(rough: float) -> float:
    """The round number nearest above a rough distance between ticks."""
    power = 10.0 ** math.floor(math.log10(rough))
    return power * next((step for step in STEPS if step * power >= rough * (1 - 1e-9)), STEPS[-1])


def _log_axis(low: float, high: float, tight: bool) -> Axis:
    """Powers of ten when there are enough of them, else powers of two."""
    if high <= low * (1 + SAME):
        low, high = low / 2, high * 2
    base = 10.0 if high / low > 100 else 2.0
    inner = 1e-9 if tight else -1e-9
    first = math.ceil(math.log(low, base) - 1e-9) if tight else math.floor(math.log(low, base) + 1e-9)
    last = math.floor(math.log(high, base) + inner) if tight else math.ceil(math.log(high, base) + inner)
    ticks = tuple(base**k for k in range(first, last + 1))
    if tight:
        return Axis(low, high, ticks, True)
    return Axis(ticks[0], ticks[-1], ticks, True)
