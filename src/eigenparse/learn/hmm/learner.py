"""Train an HMM over unlabelled symbols by any method: sequences and choices in, model and EM's trace out."""

from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from eigenparse.corpus.sequences import Sequences, map_symbols
from eigenparse.errors import DataError, OptionError
from eigenparse.learn.checkpoint import NOTHING_KEPT, Checkpoint
from eigenparse.learn.hmm.em import EmChoices, fit_em_hmm
from eigenparse.learn.hmm.spectral import ChainChoices, Symbols, fit_spectral_hmm
from eigenparse.learn.rounds import Tell, silent
from eigenparse.models.hmm.chain import UNKNOWN, ChainModel

METHODS = ("spectral", "cluster", "em")


@dataclass(frozen=True, slots=True)
class HmmChoices:
    """method: spectral, cluster (clusters, then EM) or em (random start); rounds None means what suits it."""

    method: str = "spectral"
    states: int = 20
    window: int = 2
    form: str = "hsu"
    rounds: int | None = None
    seed: int = 0


def symbol_table(corpus: Sequences, min_count: int = 1) -> Symbols:
    """Training symbols with 0 for unknown; symbols seen less often than ``min_count`` are unknown."""
    column = corpus.columns[0]
    if not column.ids.size:
        raise DataError("the text has no symbol; give at least one sequence")
    count = np.bincount(column.ids, minlength=len(column.symbols))
    kept = [
        symbol
        for k, symbol in enumerate(column.symbols)
        if count[k] >= max(1, min_count) and symbol != UNKNOWN
    ]
    names = (UNKNOWN, *kept)
    ids = np.maximum(map_symbols(column, {name: k for k, name in enumerate(names)}), 0).astype(np.int32)
    return Symbols.of(ids, corpus.offsets, names)


def fit_hmm(
    data: Symbols,
    unit: str,
    choices: HmmChoices,
    *,
    checkpoint: Checkpoint = NOTHING_KEPT,
    tell: Tell = silent,
) -> tuple[ChainModel, list[float]]:
    """Learn the HMM that the choices describe.

    checkpoint: where rounds of EM are kept and looked for.  tell: is told the stage under way.
    """
    with threadpool_limits(limits=1):  # thread sums would arrive in any order
        return _fit(data, unit, choices, checkpoint, tell)


def _fit(
    data: Symbols, unit: str, choices: HmmChoices, checkpoint: Checkpoint, tell: Tell
) -> tuple[ChainModel, list[float]]:
    if choices.method not in METHODS:
        raise OptionError(f"method must be one of {', '.join(METHODS)}, got {choices.method!r} instead")
    for name, value, least in (
        ("states", choices.states, 1), ("window", choices.window, 1), ("rounds", choices.rounds or 0, 0),
    ):  # fmt: skip
        if value < least:
            raise OptionError(f"{name} must be {least} or more, got {value} instead")
    if choices.method == "spectral":
        spectral = ChainChoices(
            states=choices.states, window=choices.window, form=choices.form, seed=choices.seed
        )
        tell("moments")
        return fit_spectral_hmm(data, unit, spectral), []
    start = "clusters" if choices.method == "cluster" else "random"
    usual = 30 if start == "clusters" else 100
    rounds = usual if choices.rounds is None else choices.rounds
    em = EmChoices(states=choices.states, rounds=rounds, window=choices.window, seed=choices.seed)
    return fit_em_hmm(data, unit, start, em, checkpoint=checkpoint, tell=tell)
