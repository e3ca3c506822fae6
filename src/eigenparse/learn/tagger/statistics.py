"""Taggers with the sums they came from: files that can be added, exactly."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.corpus.sequences import Column, Sequences, map_symbols
from eigenparse.errors import DataError, ModelFileError, OptionError
from eigenparse.features.tagger.sequence import ROLES, chain_features, default_features
from eigenparse.learn.tagger.base import labelled
from eigenparse.learn.tagger.emission import BackoffEmission, default_templates
from eigenparse.learn.tagger.learner import TaggerChoices
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
from eigenparse.models.store import load_with_statistics, save_model
from eigenparse.models.tagger.rhmm import KIND, RefinementHMM
from eigenparse.spectral.chain_moments import CentredProjection

PLACE = "statistics."
PROJECTION = ("left", "right", "left_mean", "right_mean", "singular")
MOST_COUNT = 1 << 31  # tokens of one kind that can be meant
TABLES = ("starts", "stops", "along", "across")
Arrays = dict[str, AnyArray]


@dataclass(frozen=True, slots=True)
class TaggerStatistics:
    """A dictionary and the sums of all batches under it."""

    dictionary: TaggerDictionary
    moments: TaggerMoments

    def model(self) -> RefinementHMM:
        """The tagger of the sums."""
        return streamed_tagger(self.dictionary, self.moments)


def tagger_statistics(
    corpus: Sequences, label: str, choices: TaggerChoices, *, known: TaggerStatistics | None = None
) -> TaggerStatistics:
    """The sums of a corpus under the dictionary of other statistics, or under its own."""
    if choices.method != "spectral" or choices.emission not in ("class", "backoff"):
        raise OptionError(
            "only the method spectral with the emission class or backoff adds up; "
            "say --emission class, or leave out --keep-statistics"
        )
    if known is not None:
        data = labelled(_renamed(corpus, label, known.dictionary.names), label)
        return TaggerStatistics(known.dictionary, tagger_moments(known.dictionary, data))
    data = labelled(corpus, label)
    columns, spectral = data.sequences.names, SpectralChoices(states=choices.states)
    if choices.strength is not None:
        spectral = replace(spectral, strength=choices.strength)
    dictionary = tagger_dictionary(
        data,
        label,
        choices.features or default_features(columns, label),
        BackoffEmission(default_templates(columns, choices.emission)),
        default_templates(columns, "class"),
        spectral,
        choices.seed,
    )
    return TaggerStatistics(dictionary, tagger_moments(dictionary, data))


def _renamed(corpus: Sequences, label: str, names: tuple[str, ...]) -> Sequences:
    """A corpus whose labels have the numbers of a dictionary."""
    column = corpus.column(label)
    ids = map_symbols(column, {name: k for k, name in enumerate(names)})
    if np.any(ids < 0):
        strange = column.symbols[int(column.ids[int(np.argmax(ids < 0))])]
        raise DataError(
            f"label {strange!r} is not in the dictionary; begin with a corpus that has all labels"
        )
    changed = Column(label, ids.astype(np.int32), names)
    columns = tuple(changed if one.name == label else one for one in corpus.columns)
    return Sequences(columns, corpus.offsets, corpus.line)


def save_tagger_statistics(path: str | Path, kept: TaggerStatistics) -> None:
    """Write the tagger and the sums behind it."""
    header, arrays = kept.model().to_arrays("m0.")
    own = _dictionary_arrays(kept.dictionary) | _moment_arrays(kept.moments)
    arrays |= {PLACE + name: array for name, array in own.items()}
    d = kept.dictionary
    said = {
        "features": {role: [t.text for t in getattr(d.features, role)] for role in ROLES},
        "emission": asdict(d.emission),
        "symbols": list(d.symbols),
        "choices": asdict(d.choices),
        "viewed": [view is not None for view in d.views],
        "words": sorted(kept.moments.words),
    }
    save_model(path, kind=KIND, header={"members": [header], "statistics": said}, arrays=arrays)


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


def _moment_arrays(moments: TaggerMoments) -> Arrays:
    arrays: Arrays = {name: getattr(moments, name) for name in TABLES}
    for name in ("seen", "emitted"):
        table = getattr(moments, name)
        arrays |= {f"{name}.{part}": getattr(table, part) for part in ("keys", "labels", "sums")}
    return arrays | {f"pair{code}": tensor for code, tensor in moments.pairs.items()}


def load_tagger_statistics(path: str | Path) -> TaggerStatistics:
    """The sums in a file of ``train rhmm --keep-statistics``; ModelFileError if it holds none."""
    header, arrays = load_with_statistics(
        path, KIND, "learn a tagger with `train rhmm --emission class --keep-statistics`"
    )
    own = {name.removeprefix(PLACE): array for name, array in arrays.items() if name.startswith(PLACE)}
    try:
        dictionary = _dictionary(header["members"][0], header["statistics"], own)
        return TaggerStatistics(dictionary, _moments(dictionary, header["statistics"]["words"], own))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OptionError) as problem:
        raise ModelFileError(f"{path}: the statistics are incomplete ({problem}); learn them again") from None


def _dictionary(model: dict[str, Any], said: dict[str, Any], own: Arrays) -> TaggerDictionary:
    """The dictionary in a header and arrays; ValueError or KeyError if they do not fit each other."""
    if len(said["viewed"]) != len(model["labels"]):
        raise ValueError("labels and views differ in number")
    views = tuple(_view(own, a) if seen is True else None for a, seen in enumerate(said["viewed"]))
    emission = BackoffEmission(
        tuple(map(str, said["emission"]["templates"])),
        int(said["emission"]["rare"]),
        float(said["emission"]["strength"]),
    )
    return TaggerDictionary(
        tuple(model["columns"]),
        str(model["label"]),
        tuple(model["labels"]),
        chain_features(said["features"], label=str(model["label"])),
        views,
        emission,
        tuple(map(str, said["symbols"])),
        _spectral(said["choices"]),
    )


def _spectral(said: dict[str, Any]) -> SpectralChoices:
    """Settings of the right types."""
    usual = asdict(SpectralChoices())
    return SpectralChoices(**{name: type(value)(said[name]) for name, value in usual.items()})


def _view(own: Arrays, a: int) -> LabelViews:
    """The projections of one label, whose shapes are checked."""
    keys, scales = ([own[f"view{a}.{name}{i}"] for i in range(4)] for name in ("keys", "scales"))
    pairs = [
        CentredProjection(*(own[f"view{a}.{pair}.{name}"] for name in PROJECTION))
        for pair in ("along", "across")
    ]
    for k, scale in zip(keys, scales, strict=True):
        if k.ndim != 1 or k.dtype != np.uint64 or scale.shape != k.shape or scale.dtype != np.float64:
            raise ValueError("keys and scales do not fit")
    for pair, left, right in ((pairs[0], keys[0], keys[1]), (pairs[1], keys[2], keys[3])):
        m = pair.singular.size
        shapes = (pair.left.shape, pair.right.shape, pair.left_mean.shape, pair.right_mean.shape)
        if shapes != ((left.size, m), (right.size, m), (m,), (m,)) or pair.singular.ndim != 1:
            raise ValueError("projections do not fit")
    return LabelViews(tuple(keys), tuple(scales), pairs[0], pairs[1])


def _moments(dictionary: TaggerDictionary, words: list[str], own: Arrays) -> TaggerMoments:
    """The sums in the arrays, whose shapes are checked."""
    states, A = dictionary.states, len(dictionary.names)
    m = int(states.max())
    shapes = {"starts": (A, m), "stops": (A, m, m), "along": (A, m, m), "across": (A, m, m)}
    if any(own[name].shape != shape for name, shape in shapes.items()):
        raise ValueError("the sums do not fit the dictionary")
    pairs = {}
    for name, array in own.items():
        if name.startswith("pair"):
            code = int(name.removeprefix("pair"))
            b, a = states[code // A], states[code % A]
            if not 0 <= code < A * A or array.shape != (b, a, a):
                raise ValueError("a pair of labels does not fit")
            pairs[code] = array
    seen = _table(own, "seen", len(dictionary.symbols), A, m)
    emitted = _table(own, "emitted", len(dictionary.emission.templates), A, 1)
    tables = {name: own[name] for name in TABLES}
    return TaggerMoments(pairs, seen=seen, emitted=emitted, words=frozenset(map(str, words)), **tables)


def _table(own: Arrays, name: str, n_keys: int, n_labels: int, width: int) -> KeySums:
    """Sums by keys and label."""
    keys, labels, sums = (own[f"{name}.{part}"] for part in ("keys", "labels", "sums"))
    n = labels.size
    if keys.shape != (n, n_keys) or sums.shape != (n, width) or labels.shape != (n,) or n == 0:
        raise ValueError(f"the table {name!r} does not fit")
    if (
        keys.dtype != np.uint64
        or labels.dtype != np.int32
        or not 0 <= labels.min() <= labels.max() < n_labels
    ):
        raise ValueError(f"the table {name!r} has other types")
    if name == "emitted" and not 0 <= sums.min() <= sums.max() < MOST_COUNT:
        raise ValueError("a count is out of range")
    return KeySums(keys, labels, sums)


def merge_tagger_statistics(parts: Sequence[TaggerStatistics], names: Sequence[str]) -> TaggerStatistics:
    """The sums of all corpora; DataError where dictionaries differ, because sums would then mean nothing."""
    total = parts[0]
    for part, name in zip(parts[1:], names[1:], strict=True):
        if not same_dictionary(part.dictionary, total.dictionary):
            raise DataError(
                f"{name}: has not the dictionary of {names[0]}; learn it with `train rhmm --dictionary {names[0]}`"
            )
        total = TaggerStatistics(total.dictionary, total.moments + part.moments)
    return total
