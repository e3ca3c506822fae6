"""Finished parts of a tagger under way: found where a stopped run kept them, kept when they are done."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from eigenparse.arrays import AnyArray
from eigenparse.learn.checkpoint import Checkpoint, Part
from eigenparse.learn.rounds import slow_part
from eigenparse.learn.tagger.spectral import SpectralChoices
from eigenparse.learn.tagger.trust import Trial
from eigenparse.models.tagger.rhmm import Emission, RefinementHMM


@dataclass(frozen=True, slots=True)
class TaggerReport:
    """What the learning did: seconds by stage, states and leading singular values by label, EM's trace.

    trials: the smoothings that were compared on held-out text.
    """

    seconds: dict[str, float] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)
    singular: dict[str, list[float]] = field(default_factory=dict)
    log_likelihood: list[float] = field(default_factory=list)
    trials: list[Trial] = field(default_factory=list)


def kept_tagger(
    checkpoint: Checkpoint, learn: Callable[[], tuple[RefinementHMM, TaggerReport]]
) -> tuple[RefinementHMM, TaggerReport]:
    """A tagger that was kept, or learnt and kept now."""

    def compute() -> Part:
        model, report = learn()
        header, arrays = model.to_arrays()
        return {"model": header, "report": asdict(report)}, arrays

    header, arrays = checkpoint.part("done", compute)
    report: dict[str, Any] = header["report"]
    trials = [Trial(**one) for one in report["trials"]]
    return RefinementHMM.from_arrays(header["model"], arrays), TaggerReport(**report | {"trials": trials})


def kept_emission(checkpoint: Checkpoint, learn: Callable[[], Emission]) -> Emission:
    """An emission that was kept, or learnt now, and kept if that took long."""

    def compute() -> Part:
        made = learn()
        header = {"templates": list(made.templates), "combine": made.combine}
        return header, {"keys": made.keys, "rows": made.rows, "offset": made.offset}

    header, arrays = slow_part(checkpoint, "emission", compute)
    return Emission(tuple(header["templates"]), combine=str(header["combine"]), **arrays)


def kept_smoothing(
    checkpoint: Checkpoint,
    usual: SpectralChoices,
    choose: Callable[[], tuple[SpectralChoices | None, list[Trial]]],
) -> tuple[SpectralChoices | None, list[Trial]]:
    """The smoothing that held-out text preferred, kept if the trials took long."""

    def compute() -> Part:
        best, trials = choose()
        chosen = None if best is None else {"strength": best.strength, "weight": best.weight}
        return {"best": chosen, "trials": [asdict(trial) for trial in trials]}, dict[str, AnyArray]()

    header, _ = slow_part(checkpoint, "smoothing", compute)
    best = None if header["best"] is None else replace(usual, **header["best"])
    return best, [Trial(**one) for one in header["trials"]]
