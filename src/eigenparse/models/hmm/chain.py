"""HMM over discrete symbols as frozen arrays: observable operators, and probabilities if it has them.

Notation [hsu-etal-2012]: initial = b_1, operators = B_x, final = b_inf; the rows of predict are b_inf' B_x.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, IntVector
from eigenparse.corpus.sequences import Column, map_symbols
from eigenparse.errors import DataError, ModelFileError
from eigenparse.models.store import load_model, save_model

KIND = "hmm"
UNKNOWN = "\ufffd"
ARRAYS = ("initial", "operators", "final", "predict", "reset", "unigram", "start", "transition", "emission")
NO_PAIRS = np.zeros((0, 0, 0))


@dataclass(frozen=True, slots=True)
class ChainModel:
    """An HMM.  n symbols (0 is unknown), k states.

    initial: (k,); operators: (n, k, k); final: (k,); predict, reset: (n, k); unigram: (n,).
    floor: share of the unigram below which no prediction falls.  pairs: (n, n, k), b_inf' B_y B_x as
    pairs[x, y], estimated directly, or nothing; pair_share: what they count for in predictions.
    start (k,), transition (k, k) as [to, from] and emission (n, k) are empty unless the model is proper.
    """

    symbols: tuple[str, ...]
    unit: str
    initial: AnyArray
    operators: AnyArray
    final: AnyArray
    predict: AnyArray
    reset: AnyArray
    unigram: AnyArray
    floor: float
    start: AnyArray
    transition: AnyArray
    emission: AnyArray
    about: dict[str, Any] = field(default_factory=dict)
    pairs: AnyArray = field(default_factory=lambda: NO_PAIRS)
    pair_share: float = 0.0

    @property
    def is_proper(self) -> bool:
        """Whether the states are those of a probability model."""
        return bool(self.start.size)

    @property
    def n_states(self) -> int:
        """Dimension of the state."""
        return int(self.initial.size)

    def encode(self, column: Column) -> IntVector:
        """Symbol ids of a column; unknown symbols are 0."""
        ids = map_symbols(column, {symbol: k for k, symbol in enumerate(self.symbols)})
        return np.maximum(ids, 0).astype(np.int32)


def proper_chain(
    symbols: tuple[str, ...],
    unit: str,
    start: AnyArray,
    transition: AnyArray,
    emission: AnyArray,
    about: dict[str, Any] | None = None,
) -> ChainModel:
    """A model from probabilities: B_x = T diag(o_x), with the state predicted before each symbol."""
    operators = transition[None] * emission[:, None, :]
    shares = transition @ start
    unigram = emission @ (0.5 * start + 0.5 * shares)
    mean = operators @ start
    reset = mean / np.maximum(mean.sum(axis=1, keepdims=True), 1e-300)
    return ChainModel(
        symbols,
        unit,
        start,
        operators,
        np.ones(start.size),
        emission,
        reset,
        unigram / unigram.sum(),
        0.0,
        start,
        transition,
        emission,
        about or {},
    )


def check_chain(model: ChainModel) -> ChainModel:
    """The same model, or a sentence saying what does not fit."""
    n, k = len(model.symbols), model.initial.size
    shapes = {
        "operators": (n, k, k),
        "final": (k,),
        "predict": (n, k),
        "reset": (n, k),
        "unigram": (n,),
    }
    if model.pair_share > 0.0:
        shapes["pairs"] = (n, n, k)
    if model.is_proper:
        shapes |= {"start": (k,), "transition": (k, k), "emission": (n, k)}
    for name, shape in shapes.items():
        if getattr(model, name).shape != shape:
            raise DataError(
                f"{name} has shape {getattr(model, name).shape}, not {shape}; build the model again"
            )
    return model


def chain_parts(model: ChainModel) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Header and arrays of a model file."""
    header: dict[str, Any] = {
        "symbols": list(model.symbols),
        "unit": model.unit,
        "floor": model.floor,
        "about": model.about,
        "proper": model.is_proper,
        "pair_share": model.pair_share,
    }
    names = [
        name for name in ARRAYS if getattr(model, name).size and not (model.is_proper and name in DERIVED)
    ]
    arrays = {name: getattr(model, name) for name in names}
    if model.pair_share > 0.0:
        arrays["pairs"] = model.pairs
    return header, arrays


def save_chain(path: str | Path, model: ChainModel) -> None:
    """Write an HMM to a file."""
    header, arrays = chain_parts(model)
    save_model(path, kind=KIND, header=header, arrays=arrays)


DERIVED = ("initial", "operators", "final", "predict", "reset", "unigram")


def load_chain(path: str | Path) -> ChainModel:
    """Read what ``save_chain`` wrote; ModelFileError says why it cannot."""
    kind, header, arrays = load_model(path)
    if kind != KIND:
        raise ModelFileError(
            f"{path}: holds a model of kind {kind!r}, not an HMM; give a file of `train hmm`"
        )
    try:
        symbols, unit = tuple(header["symbols"]), str(header["unit"])
        if header["proper"]:
            start, transition, emission = (arrays[name] for name in ("start", "transition", "emission"))
            about = dict(header["about"])
            return check_chain(proper_chain(symbols, unit, start, transition, emission, about))
        empty = {name: arrays.get(name, np.zeros(0)) for name in ARRAYS}
        return check_chain(
            ChainModel(
                symbols,
                unit,
                floor=float(header["floor"]),
                about=dict(header["about"]),
                pairs=arrays.get("pairs", NO_PAIRS),
                pair_share=float(header.get("pair_share", 0.0)),
                **empty,
            )
        )
    except (KeyError, TypeError, ValueError) as problem:
        raise ModelFileError(f"{path}: not a readable HMM ({problem}); train or copy it again") from None
