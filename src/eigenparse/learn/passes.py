"""Weights under way through passes over a corpus: found where a stopped run kept them, kept after each pass."""

import time
from dataclasses import dataclass, field, replace

from eigenparse.arrays import AnyArray
from eigenparse.learn.checkpoint import Checkpoint

NAME = "passes"


@dataclass(frozen=True, slots=True)
class Passes:
    """done: passes so far.  clock: steps so far.  arrays: changed in place.  figures: one a pass.

    began, kept: monotonic times of the start and of the last checkpoint.
    """

    done: int
    clock: float
    arrays: dict[str, AnyArray]
    figures: tuple[float, ...] = ()
    began: float = field(default_factory=time.monotonic)
    kept: float = field(default_factory=time.monotonic)


def first_or_kept(checkpoint: Checkpoint, arrays: dict[str, AnyArray]) -> Passes:
    """The passes that were kept, if their arrays are like these, or the beginning with these."""
    found = checkpoint.found(NAME)
    if found is None:
        return Passes(0, 0.0, arrays)
    header, known = found
    same = known.keys() == arrays.keys() and all(
        known[name].dtype == array.dtype and known[name].shape == array.shape
        for name, array in arrays.items()
    )
    if not same:
        return Passes(0, 0.0, arrays)
    return Passes(int(header["done"]), float(header["clock"]), known, tuple(header["figures"]))


def after_pass(
    checkpoint: Checkpoint, passes: Passes, clock: float, figure: float, *, last: bool = False
) -> Passes:
    """One pass more, kept if the last checkpoint (of the last pass: the beginning) is long enough ago."""
    more = replace(passes, done=passes.done + 1, clock=clock, figures=(*passes.figures, figure))
    if time.monotonic() - (passes.began if last else passes.kept) < checkpoint.seconds:
        return more
    header = {"done": more.done, "clock": float(clock), "figures": list(more.figures)}
    checkpoint.keep(NAME, (header, more.arrays))
    return replace(more, kept=time.monotonic())
