"""Spectral HMMs with the sums they came from: model files that can be added, exactly."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from eigenparse.errors import DataError
from eigenparse.learn.hmm.reading import SymbolText
from eigenparse.learn.hmm.spectral import ChainChoices, symbol_table
from eigenparse.learn.hmm.stream import (
    ChainDictionary,
    ChainMoments,
    chain_dictionary,
    chain_moments,
    encoded,
    same_dictionary,
    streamed_hmm,
)
from eigenparse.learn.sums import added, kept_sums
from eigenparse.models.hmm.chain import ChainModel
from eigenparse.models.registry import Parts, load_model
from eigenparse.spectral.chain_moments import PROJECTION, CentredProjection
from eigenparse.work.work import Work

SUMS = ("cross", "moved", "after", "pairs", "counts", "uses", "start")
NUMBERS = ("n_starts", "n_sequences")


@dataclass(frozen=True, slots=True)
class ChainStatistics:
    """A dictionary, the sums of all batches under it, and what a symbol is."""

    dictionary: ChainDictionary
    moments: ChainMoments
    unit: str

    def model(self) -> ChainModel:
        """The model of the sums, with the sums."""
        made = streamed_hmm(self.dictionary, self.moments, self.unit)
        return replace(made, statistics=self.to_parts())

    def fits(self, other: "ChainStatistics") -> bool:
        """Whether both have the same dictionary and unit."""
        return self.unit == other.unit and same_dictionary(self.dictionary, other.dictionary)

    def __add__(self, other: "ChainStatistics") -> "ChainStatistics":
        return replace(self, moments=self.moments + other.moments)

    def to_parts(self) -> Parts:
        """Header and arrays."""
        d, m = self.dictionary, self.moments
        arrays = {f"keys{i}": d.keys[i] for i in (0, 1)} | {f"scales{i}": d.scales[i] for i in (0, 1)}
        arrays |= {name: getattr(d.projection, name) for name in PROJECTION}
        arrays |= {name: getattr(m, name) for name in SUMS}
        numbers = {name: getattr(m, name) for name in NUMBERS}
        return {"choices": asdict(d.choices), "pair_share": float(d.pair_share), **numbers}, arrays


def statistics_of(model: ChainModel, name: str) -> ChainStatistics:
    """The sums behind a model; ModelFileError if it kept none.  name: what the user calls the model."""
    header, arrays = kept_sums(model, name, "train hmm")
    said, share = header["choices"], header["choices"].get("pair_share")
    typed = {key: type(usual)(said[key]) for key, usual in _USUAL.items() if key != "pair_share"}
    dictionary = ChainDictionary(
        model.symbols,
        (arrays["keys0"], arrays["keys1"]),
        (arrays["scales0"], arrays["scales1"]),
        CentredProjection(**{key: arrays[key] for key in PROJECTION}),
        ChainChoices(**typed, pair_share=None if share is None else float(share)),
        float(header["pair_share"]),
    )
    sums: dict[str, Any] = {key: arrays[key] for key in SUMS}
    sums |= {name: float(header[name]) for name in NUMBERS}
    moments = ChainMoments(**sums)
    return ChainStatistics(dictionary, moments, model.unit)


_USUAL: dict[str, Any] = asdict(ChainChoices())


def fit_statistics(
    data: SymbolText, choices: ChainChoices, min_count: int, model: Path | None, work: Work
) -> ChainModel:
    """The model of a text with its sums, under the dictionary of another model or under its own."""
    if model is not None:
        known = statistics_of(load_model(model, "hmm"), str(model))
        if known.unit != data.unit:
            raise DataError(
                f"the dictionary is of units {known.unit!r}, not {data.unit!r}; use --unit {known.unit}"
            )
        dictionary = known.dictionary
    else:
        work.stage("projections")
        dictionary = chain_dictionary(symbol_table(data.sequences, min_count), choices)
    work.stage("sums")
    batch = encoded(dictionary, data.sequences.columns[0], data.sequences.offsets)
    return ChainStatistics(dictionary, chain_moments(dictionary, batch), data.unit).model()


def merge_chains(models: Sequence[ChainModel], names: Sequence[str]) -> ChainModel:
    """The model of all texts together.  names: what the user calls the models."""
    parts = [statistics_of(model, name) for model, name in zip(models, names, strict=True)]
    total: ChainStatistics = added(parts, names, "train hmm")
    return total.model()
