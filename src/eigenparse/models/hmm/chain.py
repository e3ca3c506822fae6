"""HMM over discrete symbols as frozen arrays: observable operators, and probabilities if it has them.

Notation [hsu-etal-2012]: initial = b_1, operators = B_x, final = b_inf; the rows of predict are b_inf' B_x.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, IntVector
from eigenparse.corpus.sequences import Column, map_symbols
from eigenparse.models.registry import Parts
from eigenparse.models.tagger.rhmm import STATISTICS, parts_below

UNKNOWN = "\ufffd"
PROPER = ("start", "transition", "emission")
OBSERVABLE = ("initial", "operators", "final", "predict", "reset", "unigram")
NO_PAIRS = np.zeros((0, 0, 0))


@dataclass(frozen=True, slots=True)
class ChainModel:
    """An HMM.  n symbols (0 is unknown), k states.

    initial: (k,); operators: (n, k, k); final: (k,); predict, reset: (n, k); unigram: (n,).
    floor: share of the unigram below which no prediction falls.  pairs: (n, n, k), b_inf' B_y B_x as
    pairs[x, y], estimated directly, or nothing; pair_share: their weight in predictions.
    start (k,), transition (k, k) as [to, from] and emission (n, k) are empty unless the model is proper.
    statistics: the sums behind the model, if they were kept, as a header and arrays (see ``learn.hmm.statistics``).
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
    start: AnyArray = field(default_factory=lambda: np.zeros(0))
    transition: AnyArray = field(default_factory=lambda: np.zeros(0))
    emission: AnyArray = field(default_factory=lambda: np.zeros(0))
    about: dict[str, Any] = field(default_factory=dict)
    pairs: AnyArray = field(default_factory=lambda: NO_PAIRS)
    pair_share: float = 0.0
    statistics: Parts | None = None

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

    def to_parts(self) -> Parts:
        """JSON header and named arrays; the operators of a proper model follow from its probabilities."""
        header: dict[str, Any] = {
            "symbols": list(self.symbols),
            "unit": self.unit,
            "floor": self.floor,
            "about": self.about,
            "proper": self.is_proper,
            "pair_share": self.pair_share,
        }
        arrays = {name: getattr(self, name) for name in (PROPER if self.is_proper else OBSERVABLE)}
        if self.pair_share > 0.0:
            arrays["pairs"] = self.pairs
        if self.statistics is not None:
            header[STATISTICS] = self.statistics[0]
            arrays |= {f"{STATISTICS}.{name}": array for name, array in self.statistics[1].items()}
        return header, arrays

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: dict[str, AnyArray]) -> "ChainModel":
        """The inverse of ``to_parts``."""
        given = tuple(header["symbols"]), header["unit"]
        if header["proper"]:
            start, transition, emission = (arrays[name] for name in PROPER)
            return proper_chain(*given, start, transition, emission, dict(header["about"]))
        sums = (header[STATISTICS], parts_below(arrays, f"{STATISTICS}.")) if STATISTICS in header else None
        observable: dict[str, Any] = {name: arrays[name] for name in OBSERVABLE}
        return cls(
            *given,
            **observable,
            floor=float(header["floor"]),
            about=dict(header["about"]),
            pairs=arrays.get("pairs", NO_PAIRS),
            pair_share=float(header.get("pair_share", 0.0)),
            statistics=sums,
        )

    def summary(self) -> dict[str, Any]:
        """What is in the model."""
        return {
            "unit": self.unit,
            "symbols": len(self.symbols),
            "n_states": self.n_states,
            "proper": self.is_proper,
            "parameters": sum(array.size for array in self.to_parts()[1].values()),
            "statistics": self.statistics is not None,
            **self.about,
        }


def with_mean_length(model: ChainModel, n_tokens: float, n_sequences: float) -> ChainModel:
    """The model with the mean length of its sequences, from which lengths are drawn."""
    mean = round(float(n_tokens) / max(float(n_sequences), 1.0), 6)
    return replace(model, about=model.about | {"mean_length": mean})


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
