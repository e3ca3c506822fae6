"""Parameters under way through rounds of EM: found where a stopped run kept them, kept after each round.

What takes long but has no rounds is kept when it is done, if it took long.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from eigenparse.arrays import AnyArray
from eigenparse.learn.checkpoint import Checkpoint, Part

NAME = "rounds"
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Underway:
    """arrays: the parameters.  trace: log-likelihood before each round so far.  about: what else is reported.

    kept: monotonic time of the last checkpoint, or of the start.
    """

    arrays: dict[str, AnyArray]
    trace: tuple[float, ...] = ()
    about: dict[str, Any] = field(default_factory=dict)
    kept: float = field(default_factory=time.monotonic)


def first_or_kept(checkpoint: Checkpoint, first: Callable[[], Underway]) -> Underway:
    """The rounds that were kept, or the parameters of the start, which are kept if they took long."""
    found = checkpoint.found(NAME)
    if found is not None:
        header, arrays = found
        return Underway(arrays, tuple(header["trace"]), header["about"])
    began = time.monotonic()
    return _kept(checkpoint, replace(first(), kept=began))


def after_round(
    checkpoint: Checkpoint, underway: Underway, arrays: dict[str, AnyArray], value: float
) -> Underway:
    """One round more, kept if the last checkpoint is long enough ago."""
    return _kept(checkpoint, replace(underway, arrays=arrays, trace=(*underway.trace, value)))


def _kept(checkpoint: Checkpoint, underway: Underway) -> Underway:
    if time.monotonic() - underway.kept < checkpoint.seconds:
        return underway
    checkpoint.keep(NAME, ({"trace": list(underway.trace), "about": underway.about}, underway.arrays))
    return replace(underway, kept=time.monotonic())


def slow_part(checkpoint: Checkpoint, name: str, compute: Callable[[], Part]) -> Part:
    """A header and arrays that were kept, or computed now, and kept if that took long."""
    found = checkpoint.found(name)
    if found is not None:
        return found
    began = time.monotonic()
    made = compute()
    if time.monotonic() - began >= checkpoint.seconds:
        checkpoint.keep(name, made)
    return made


def silent(stage: str) -> None:
    """Where nobody looks."""
