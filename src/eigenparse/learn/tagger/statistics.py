"""Taggers with the sums they came from: model files that can be added, exactly."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eigenparse.arrays import AnyArray
from eigenparse.features.tagger.sequence import ROLES, chain_features
from eigenparse.learn.sums import added, kept_sums
from eigenparse.learn.tagger.base import Labelled
from eigenparse.learn.tagger.emission import BackoffEmission
from eigenparse.learn.tagger.plan import TaggerPlan
from eigenparse.learn.tagger.spectral import SpectralChoices
from eigenparse.learn.tagger.stream import (
    KeySums,
    LabelViews,
    TaggerDictionary,
    TaggerMoments,
    same_dictionary,
    streamed_tagger,
    tagger_dictionary,
    tagger_moments,
)
from eigenparse.models.registry import Parts, load_model
from eigenparse.models.tagger.rhmm import Tagger, parts_below
from eigenparse.spectral.chain_moments import PROJECTION, CentredProjection
from eigenparse.work.work import Work

TABLES = ("starts", "stops", "along", "across")
KEYED = ("seen", "emitted")
COLUMNS = ("keys", "labels", "sums")
Arrays = dict[str, AnyArray]


@dataclass(frozen=True, slots=True)
class TaggerStatistics:
    """A dictionary and the sums of all batches under it."""

    dictionary: TaggerDictionary
    moments: TaggerMoments

    def model(self) -> Tagger:
        """The tagger of the sums, with the sums."""
        return Tagger((streamed_tagger(self.dictionary, self.moments),), statistics=self.to_parts())

    def fits(self, other: "TaggerStatistics") -> bool:
        """Whether both have the same dictionary."""
        return same_dictionary(self.dictionary, other.dictionary)

    def __add__(self, other: "TaggerStatistics") -> "TaggerStatistics":
        return TaggerStatistics(self.dictionary, self.moments + other.moments)

    def to_parts(self) -> Parts:
        """Header and arrays."""
        d, arrays = self.dictionary, _dictionary_arrays(self.dictionary) | _moment_arrays(self.moments)
        header = {
            "features": {role: [t.text for t in getattr(d.features, role)] for role in ROLES},
            "emission": asdict(d.emission),
            "symbols": list(d.symbols),
            "choices": asdict(d.choices),
            "viewed": [view is not None for view in d.views],
            "words": sorted(self.moments.words),
        }
        return header, arrays


def statistics_of(model: Tagger, name: str) -> TaggerStatistics:
    """The sums behind a tagger; ModelFileError if it kept none.  name: what the user calls the model."""
    header, arrays = kept_sums(model, name, "train rhmm --emission class")
    views = tuple(_view(arrays, a) if seen else None for a, seen in enumerate(header["viewed"]))
    said, one = header["emission"], model.first
    dictionary = TaggerDictionary(
        one.columns,
        one.label,
        one.labels,
        chain_features(header["features"], label=one.label),
        views,
        BackoffEmission(tuple(said["templates"]), said["rare"], float(said["strength"])),
        tuple(header["symbols"]),
        SpectralChoices(**{key: type(usual)(header["choices"][key]) for key, usual in _USUAL.items()}),
    )
    return TaggerStatistics(dictionary, _moments(header["words"], arrays))


_USUAL: dict[str, Any] = asdict(SpectralChoices())


def first_dictionary(data: Labelled, plan: TaggerPlan) -> TaggerDictionary:
    """Labels, features and projections of a first batch."""
    emission = BackoffEmission(plan.emission.templates)
    symbols = tuple(template.text for template in plan.symbols)
    return tagger_dictionary(data, plan.features, emission, symbols, plan.spectral, plan.seed)


def fit_statistics(data: Labelled, plan: TaggerPlan, dictionary: Path | None, work: Work) -> Tagger:
    """The tagger of a corpus with its sums, under the dictionary of another model or under its own."""
    if dictionary is not None:
        known = statistics_of(load_model(dictionary, "rhmm"), str(dictionary)).dictionary
    else:
        work.stage("projections")
        known = first_dictionary(data, plan)
    work.stage("sums")
    return TaggerStatistics(known, tagger_moments(known, data.numbered(known.names))).model()


def merge_taggers(models: Sequence[Tagger], names: Sequence[str]) -> Tagger:
    """The tagger of all corpora together.  names: what the user calls the models."""
    parts = [statistics_of(model, name) for model, name in zip(models, names, strict=True)]
    total: TaggerStatistics = added(parts, names, "train rhmm")
    return total.model()


def _dictionary_arrays(dictionary: TaggerDictionary) -> Arrays:
    arrays: Arrays = {}
    for a, view in enumerate(dictionary.views):
        if view is None:
            continue
        for i, (keys, scale) in enumerate(zip(view.keys, view.scales, strict=True)):
            arrays |= {f"view{a}.keys{i}": keys, f"view{a}.scales{i}": scale}
        for pair in ("along", "across"):
            arrays |= {f"view{a}.{pair}.{name}": getattr(getattr(view, pair), name) for name in PROJECTION}
    return arrays


def _view(arrays: Arrays, a: int) -> LabelViews:
    """The projections of one label."""
    own = parts_below(arrays, f"view{a}.")
    keys, scales = (tuple(own[f"{name}{i}"] for i in range(4)) for name in ("keys", "scales"))
    along, across = (
        CentredProjection(**{name: own[f"{pair}.{name}"] for name in PROJECTION})
        for pair in ("along", "across")
    )
    return LabelViews(keys, scales, along, across)


def _moment_arrays(moments: TaggerMoments) -> Arrays:
    arrays: Arrays = {name: getattr(moments, name) for name in TABLES}
    arrays |= {f"{name}.{part}": getattr(getattr(moments, name), part) for name in KEYED for part in COLUMNS}
    return arrays | {f"pair{code}": tensor for code, tensor in moments.pairs.items()}


def _moments(words: list[str], arrays: Arrays) -> TaggerMoments:
    """The inverse."""
    pairs = {int(code): array for code, array in parts_below(arrays, "pair").items()}
    sums: dict[str, Any] = {name: arrays[name] for name in TABLES}
    sums |= {name: KeySums(**parts_below(arrays, f"{name}.")) for name in KEYED}
    return TaggerMoments(pairs, words=frozenset(words), **sums)
