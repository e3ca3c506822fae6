"""Spectral HMMs with the sums they came from: files that can be added, exactly."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.corpus.sequences import Sequences
from eigenparse.errors import DataError, ModelFileError, OptionError
from eigenparse.learn.hmm.learner import symbol_table
from eigenparse.learn.hmm.spectral import ChainChoices, check_chain_choices
from eigenparse.learn.hmm.stream import (
    ChainDictionary,
    ChainMoments,
    chain_dictionary,
    chain_moments,
    encoded,
    same_dictionary,
    streamed_hmm,
)
from eigenparse.models.hmm.chain import KIND, ChainModel, chain_parts
from eigenparse.models.store import load_with_statistics, save_model
from eigenparse.spectral.chain_moments import CentredProjection

PLACE = "statistics."
MOST_WINDOW = 100
PROJECTION = ("left", "right", "left_mean", "right_mean", "singular")
SUMS = ("cross", "moved", "after", "pairs", "counts", "uses", "start")


@dataclass(frozen=True, slots=True)
class ChainStatistics:
    """A dictionary, the sums of all batches under it, and what a symbol is."""

    dictionary: ChainDictionary
    moments: ChainMoments
    unit: str

    def model(self) -> ChainModel:
        """The model of the sums."""
        return streamed_hmm(self.dictionary, self.moments, self.unit)


def chain_statistics(
    corpus: Sequences,
    unit: str,
    choices: ChainChoices,
    *,
    min_count: int = 1,
    known: ChainStatistics | None = None,
) -> ChainStatistics:
    """The sums of a text under the dictionary of other statistics, or under its own."""
    if choices.form != "hsu":
        raise OptionError(f"statistics of the form {choices.form!r} do not add up; use --form hsu")
    if known is not None and known.unit != unit:
        raise DataError(f"the dictionary is of units {known.unit!r}, not {unit!r}; use --unit {known.unit}")
    dictionary = (
        chain_dictionary(symbol_table(corpus, min_count), choices) if known is None else known.dictionary
    )
    data = encoded(dictionary, corpus.columns[0], corpus.offsets)
    return ChainStatistics(dictionary, chain_moments(dictionary, data), unit)


def save_chain_statistics(path: str | Path, kept: ChainStatistics) -> None:
    """Write the model and the sums behind it."""
    header, arrays = chain_parts(kept.model())
    dictionary, moments = kept.dictionary, kept.moments
    for i in (0, 1):
        arrays |= {f"{PLACE}keys{i}": dictionary.keys[i], f"{PLACE}scales{i}": dictionary.scales[i]}
    arrays |= {f"{PLACE}{name}": getattr(dictionary.projection, name) for name in PROJECTION}
    arrays |= {f"{PLACE}{name}": getattr(moments, name) for name in SUMS}
    header["statistics"] = {
        "choices": asdict(dictionary.choices),
        "pair_share": float(dictionary.pair_share),
        "n_starts": moments.n_starts,
    }
    save_model(path, kind=KIND, header=header, arrays=arrays)


def load_chain_statistics(path: str | Path) -> ChainStatistics:
    """The sums in a file of ``train hmm --keep-statistics``; ModelFileError if it holds none."""
    header, arrays = load_with_statistics(path, KIND, "learn an HMM with `train hmm --keep-statistics`")
    own = {name.removeprefix(PLACE): array for name, array in arrays.items() if name.startswith(PLACE)}
    try:
        return _statistics(header, own)
    except (KeyError, TypeError, ValueError, IndexError, OptionError) as problem:
        raise ModelFileError(f"{path}: the statistics are incomplete ({problem}); learn them again") from None


def _statistics(header: dict[str, Any], own: dict[str, AnyArray]) -> ChainStatistics:
    """The record of a header and arrays; ValueError or KeyError if they do not fit each other."""
    said = header["statistics"]
    usual, share = asdict(ChainChoices()), said["choices"]["pair_share"]
    typed = {
        name: type(value)(said["choices"][name]) for name, value in usual.items() if name != "pair_share"
    }
    choices = ChainChoices(**typed, pair_share=None if share is None else float(share))
    check_chain_choices(choices)
    if choices.window > MOST_WINDOW:
        raise ValueError("the window is out of range")
    projection = CentredProjection(**{name: own[name] for name in PROJECTION})
    keys, scales = (own["keys0"], own["keys1"]), (own["scales0"], own["scales1"])
    dictionary = ChainDictionary(
        tuple(header["symbols"]), keys, scales, projection, choices, float(said["pair_share"])
    )
    moments = ChainMoments(**{name: own[name] for name in SUMS}, n_starts=float(said["n_starts"]))
    n, k, m = len(dictionary.names), dictionary.n_states, dictionary.n_states - 1
    shapes = {
        "left": (keys[0].size, m), "right": (keys[1].size, m), "left_mean": (m,), "right_mean": (m,), "singular": (m,),
        "scales0": (keys[0].size,), "scales1": (keys[1].size,), "cross": (k, k), "moved": (n, k, k),
        "after": (n, k), "counts": (n,), "uses": (n,), "start": (k,),
    }  # fmt: skip
    for name, shape in shapes.items():
        if own[name].shape != shape or own[name].dtype != np.float64:
            raise ValueError(f"{name} does not fit")
    if (moments.pairs.size and moments.pairs.shape != (n, n, k)) or any(k.dtype != np.uint64 for k in keys):
        raise ValueError("pairs or keys do not fit")
    if min(moments.uses.min(), moments.counts.min(), moments.n_starts) < 0.0 or not moments.uses.sum() > 0.0:
        raise ValueError("a count is out of range")
    return ChainStatistics(dictionary, moments, str(header["unit"]))


def merge_chain_statistics(parts: Sequence[ChainStatistics], names: Sequence[str]) -> ChainStatistics:
    """The sums of all texts; DataError where dictionaries differ, because sums would then mean nothing."""
    total = parts[0]
    for part, name in zip(parts[1:], names[1:], strict=True):
        if part.unit != total.unit or not same_dictionary(part.dictionary, total.dictionary):
            raise DataError(
                f"{name}: has not the dictionary of {names[0]}; learn it with `train hmm --dictionary {names[0]}`"
            )
        total = ChainStatistics(total.dictionary, total.moments + part.moments, total.unit)
    return total
