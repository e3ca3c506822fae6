"""Taggers from a stream: a first batch fixes labels and projections, then moments of batches are added.

Under the fixed projections the views of later batches are neither centred nor dual to each other.  Both are linear
in the views, whose first coordinate is constant, so both are corrected in the summed moments: with M = cov(F, P)
and N = cov(R, D) of a label, P becomes M^-T (P - mean) and R becomes N^-1 (R - mean) [stratos-2013, figure 4].
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, IntVector, LongVector, generator
from eigenparse.errors import DataError
from eigenparse.features.tagger.sequence import ChainFeatures
from eigenparse.features.tagger.templates import (
    KeyMatrix,
    KeyVector,
    parse_template,
    positions,
    template_keys,
)
from eigenparse.learn.tagger.base import Labelled, bigram_of
from eigenparse.learn.tagger.emission import BackoffEmission, backoff_emission
from eigenparse.learn.tagger.spectral import (
    ChainViews,
    Ends,
    Seen,
    SpectralChoices,
    assembled,
    label_projections,
    neutral_vector,
    observations_of,
    pair_rows,
    role_ids,
    roles,
    rows_by_label,
)
from eigenparse.models.tagger.rhmm import Emission, Observations, Operators, RefinementHMM
from eigenparse.spectral.chain_moments import CentredProjection, known_rows, third_moment, trust


@dataclass(frozen=True, slots=True)
class LabelViews:
    """Of one label: keys and scales of phi, psi, xi, upsilon, and the projections of both pairs."""

    keys: tuple[KeyVector, ...]
    scales: tuple[AnyArray, ...]
    along: CentredProjection
    across: CentredProjection

    @property
    def sizes(self) -> tuple[int, int]:
        """Coordinates of both pairs of views, the constant included."""
        return 1 + self.along.singular.size, 1 + self.across.singular.size


@dataclass(frozen=True, slots=True)
class TaggerDictionary:
    """What a first batch fixes.  views: one per label, None where the batch had no token of it."""

    columns: tuple[str, ...]
    label: str
    names: tuple[str, ...]
    features: ChainFeatures
    views: tuple[LabelViews | None, ...]
    emission: BackoffEmission
    symbols: tuple[str, ...]
    choices: SpectralChoices

    @property
    def states(self) -> IntVector:
        """m_a of every label."""
        return np.array([1 if v is None else max(v.sizes) for v in self.views], dtype=np.int32)


def same_dictionary(one: TaggerDictionary, other: TaggerDictionary) -> bool:
    """Whether moments of both may be added."""
    if one is other:
        return True
    plain = ("columns", "label", "names", "features", "emission", "symbols", "choices")
    return all(getattr(one, name) == getattr(other, name) for name in plain) and all(
        len(mine) == len(yours) and all(np.array_equal(x, y) for x, y in zip(mine, yours, strict=True))
        for mine, yours in zip(map(_arrays, one.views), map(_arrays, other.views), strict=True)
    )


def _arrays(views: LabelViews | None) -> list[AnyArray]:
    if views is None:
        return []
    return [*views.keys, views.along.left, views.along.right, views.across.left, views.across.right]


@dataclass(frozen=True, slots=True)
class KeySums:
    """Sums by template keys and label, sorted.  keys: (n, K) from coarse to fine; sums: (n, d)."""

    keys: KeyMatrix
    labels: IntVector
    sums: AnyArray

    @classmethod
    def of(cls, keys: KeyMatrix, labels: IntVector, rows: AnyArray) -> "KeySums":
        """Rows with the same keys and label added up."""
        order = np.lexsort((labels, *keys.T))
        keys, labels, rows = keys[order], labels[order], rows[order]
        fresh = np.ones(labels.size, dtype=bool)
        fresh[1:] = np.any(keys[1:] != keys[:-1], axis=1) | (labels[1:] != labels[:-1])
        begin = np.flatnonzero(fresh)
        return cls(keys[begin], labels[begin], np.add.reduceat(rows, begin, axis=0))

    def __add__(self, other: "KeySums") -> "KeySums":
        both = ((getattr(self, name), getattr(other, name)) for name in ("keys", "labels", "sums"))
        keys, labels, sums = (np.concatenate(pair) for pair in both)
        return KeySums.of(keys, labels, sums)


@dataclass(frozen=True, slots=True)
class TaggerMoments:
    """Sums over tokens.  pairs: F2 ⊗ P ⊗ R by b * A + a; starts: (A, m) F; stops: (A, m, m) P ⊗ R at the ends.

    along, across: (A, m, m) F ⊗ P and R ⊗ D; seen: D by symbol; emitted: tokens by key of the emission.
    """

    pairs: dict[int, AnyArray]
    starts: AnyArray
    stops: AnyArray
    along: AnyArray
    across: AnyArray
    seen: KeySums
    emitted: KeySums
    words: frozenset[str]

    def __add__(self, other: "TaggerMoments") -> "TaggerMoments":
        pairs = dict(self.pairs)
        for code, tensor in other.pairs.items():
            pairs[code] = pairs[code] + tensor if code in pairs else tensor
        sums = {name: getattr(self, name) + getattr(other, name) for name in SUMS}
        return TaggerMoments(pairs, words=self.words | other.words, **sums)


SUMS = ("starts", "stops", "along", "across", "seen", "emitted")


def tagger_dictionary(
    data: Labelled,
    features: ChainFeatures,
    emission: BackoffEmission,
    symbols: tuple[str, ...],
    choices: SpectralChoices,
    seed: int,
) -> TaggerDictionary:
    """Labels, features and projections of a first batch."""
    found = role_ids(data, features)

    def views(a: int, rows: LongVector) -> LabelViews | None:
        if not rows.size:
            return None
        given = found, rows, data.weights[rows], choices, generator(seed, 7, a)
        scaled, along, across = label_projections(*given)
        keys = tuple(distinct[np.unique(ids[rows])] for ids, distinct in found)
        return LabelViews(keys, tuple(part.scale for part in scaled), along, across)

    every = tuple(views(a, rows) for a, rows in enumerate(rows_by_label(data.labels, len(data.names))))
    columns = data.sequences.names
    return TaggerDictionary(columns, data.label, data.names, features, every, emission, symbols, choices)


def batch_views(dictionary: TaggerDictionary, data: Labelled) -> ChainViews:
    """Views of a batch; features that are not in the dictionary are ignored."""
    keys = [template_keys(part, data.corpus) for part in roles(dictionary.features)]
    views = [np.zeros((data.labels.size, int(dictionary.states.max()))) for _ in range(4)]
    for rows, fixed in zip(rows_by_label(data.labels, len(data.names)), dictionary.views, strict=True):
        if fixed is None:
            for view in views:
                view[rows, 0] = 1.0
            continue
        parts = [
            known_rows(positions(k[rows], known), scale)
            for k, known, scale in zip(keys, fixed.keys, fixed.scales, strict=True)
        ]
        along, across = fixed.along.padded(), fixed.across.padded()
        made = along.one(parts[0]), along.other(parts[1]), across.one(parts[2]), across.other(parts[3])
        for view, mine in zip(views, made, strict=True):
            view[rows, : mine.shape[1]] = mine
    F, P, R, D = views
    return ChainViews(F, P, R, D, dictionary.states, (), ())


def tagger_moments(dictionary: TaggerDictionary, data: Labelled) -> TaggerMoments:
    """Sums of one batch, whose labels are numbered as in the dictionary."""
    if (data.sequences.names, data.names) != (dictionary.columns, dictionary.names):
        raise DataError("the batch has other columns or labels than the first one; name them alike")
    views, A, m = batch_views(dictionary, data), len(data.names), dictionary.states
    F, P, R, D = views.future, views.past, views.present, views.destiny
    weigh = data.weights[:, None]
    WP, WR = weigh * P, weigh * R
    pairs = {}
    for code, rows in pair_rows(data, A):
        b, a = m[code // A], m[code % A]
        pairs[code] = third_moment(F[rows + 1, :b], WP[rows, :a], R[rows, :a]).reshape(b, a, a)
    by_label = rows_by_label(data.labels, A)
    begins = [data.first[data.labels[data.first] == a] for a in range(A)]
    ends = [data.last[data.labels[data.last] == a] for a in range(A)]
    symbols = [parse_template(text) for text in dictionary.symbols]
    chain = [parse_template(text) for text in dictionary.emission.templates]
    return TaggerMoments(
        pairs,
        np.stack([(weigh[rows] * F[rows]).sum(axis=0) for rows in begins]),
        np.stack([WP[rows].T @ R[rows] for rows in ends]),
        np.stack([F[rows].T @ WP[rows] for rows in by_label]),
        np.stack([WR[rows].T @ D[rows] for rows in by_label]),
        KeySums.of(template_keys(symbols, data.sequences), data.labels, weigh * D),
        KeySums.of(template_keys(chain, data.sequences), data.labels, weigh),
        frozenset(data.sequences.columns[0].symbols),
    )


@dataclass(frozen=True, slots=True)
class _Repair:
    """(m_a, m_a) matrices that centre F and D, and make P and R their duals."""

    future: AnyArray
    past: AnyArray
    present: AnyArray
    destiny: AnyArray


def _repair(moments: TaggerMoments, a: int, sizes: tuple[int, int], width: int) -> _Repair:
    future, past = _centred_duals(moments.along[a], sizes[0], width)
    destiny, present = _centred_duals(moments.across[a].T, sizes[1], width)
    return _Repair(future, past, present, destiny)


def _centred_duals(cross: AnyArray, size: int, width: int) -> tuple[AnyArray, AnyArray]:
    """What centres the first view of a sum x ⊗ y, and what makes the second one its dual."""
    one, other = np.zeros((width, width)), np.zeros((width, width))
    one[0, 0] = other[0, 0] = 1.0
    n = cross[0, 0]
    if size == 1 or n <= 0.0:
        return one, other
    x, y = cross[1:size, 0] / n, cross[0, 1:size] / n
    inverse = np.linalg.pinv(cross[1:size, 1:size] / n - np.outer(x, y), rcond=1e-10).T
    one[1:size, 0], one[1:size, 1:size] = -x, np.eye(size - 1)
    other[1:size, 0], other[1:size, 1:size] = -inverse @ y, inverse
    return one, other


def _smooth_third(full: AnyArray, n: float, strength: float) -> AnyArray:
    """As ``smoothed_third``, from the mean tensor: slices at the constant coordinate are the lower moments."""
    q = trust(n, strength)
    x, y, z = full[:, 0, 0], full[0, :, 0], full[0, 0, :]
    pairs = full[:, :, :1] * z + full[:, :1, :] * y[None, :, None] + x[:, None, None] * full[:1]
    singles = x[:, None, None] * y[None, :, None] * z
    smooth: AnyArray = q * full + (1 - q) * (q * pairs / 3.0 + (1 - q) * q * singles)
    smooth[0, 0, 0] += (1 - q) ** 3
    return smooth


def _smooth_second(full: AnyArray, n: float, strength: float) -> AnyArray:
    q = trust(n, strength)
    smooth: AnyArray = q * full + (1 - q) * q * np.outer(full[:, 0], full[0])
    smooth[0, 0] += (1 - q) ** 2
    return smooth


def _operators(
    dictionary: TaggerDictionary, moments: TaggerMoments, repairs: list[_Repair], strength: float
) -> Operators:
    A, m, choices = len(dictionary.names), dictionary.states, dictionary.choices
    counts = np.zeros((A, A))
    for code, tensor in moments.pairs.items():
        counts[code // A, code % A] = tensor[0, 0, 0]
    bigram = bigram_of(moments.along[:, 0, 0], counts, moments.starts[:, 0], moments.stops[:, 0, 0], strength)

    def pairs() -> Iterator[tuple[int, AnyArray]]:
        for code in sorted(moments.pairs):
            b, a = divmod(code, A)
            n = counts[b, a]
            if n >= choices.fewest and max(m[a], m[b]) > 1:
                three = repairs[b].future, repairs[a].past, repairs[a].present
                mean = np.einsum("xi,yj,zk,ijk->xyz", *three, moments.pairs[code] / n, optimize=True)
                yield code, _smooth_third(mean, n, choices.strength)

    def ends() -> Iterator[Ends]:
        for a, repair in enumerate(repairs):
            begin, end = moments.starts[a, 0], moments.stops[a, 0, 0]
            first = repair.future @ moments.starts[a, : m[a]] / (begin or 1.0)
            q = trust(begin, choices.strength)
            last = repair.past @ moments.stops[a, : m[a], : m[a]] @ repair.present.T / (end or 1.0)
            start = q * first + (1 - q) * neutral_vector(int(m[a]))
            yield start, _smooth_second(last, end, choices.strength)

    return assembled(bigram, m, pairs(), ends())


def _observations(
    dictionary: TaggerDictionary, moments: TaggerMoments, repairs: list[_Repair]
) -> Observations:
    seen, width = moments.seen, moments.seen.sums.shape[1]
    sums = np.zeros((seen.labels.size, width))
    for a, repair in enumerate(repairs):
        rows, m = np.flatnonzero(seen.labels == a), repair.destiny.shape[0]
        sums[rows, :m] = seen.sums[rows, :m] @ repair.destiny.T
    table = Seen(seen.keys, seen.labels, seen.sums[:, 0], sums)
    neutral, weight = neutral_vector(width), dictionary.choices.weight
    return observations_of(dictionary.symbols, table, len(dictionary.names), neutral, weight)


def _emission(dictionary: TaggerDictionary, moments: TaggerMoments) -> Emission:
    """Counts are whole numbers: the tokens themselves, sorted."""
    table = moments.emitted
    rows = np.repeat(np.arange(table.labels.size), table.sums[:, 0].astype(np.int64))
    return backoff_emission(dictionary.emission, table.keys[rows], table.labels[rows], len(dictionary.names))


def streamed_parts(
    dictionary: TaggerDictionary, moments: TaggerMoments, *, strength: float = 1.0
) -> tuple[Operators, Observations]:
    """Operators and observation vectors of the moments; ``strength``: what unigrams weigh in the bigrams."""
    m = dictionary.states
    repairs = [
        _repair(moments, a, (1, 1) if fixed is None else fixed.sizes, int(m[a]))
        for a, fixed in enumerate(dictionary.views)
    ]
    operators = _operators(dictionary, moments, repairs, strength)
    return operators, _observations(dictionary, moments, repairs)


def streamed_tagger(dictionary: TaggerDictionary, moments: TaggerMoments) -> RefinementHMM:
    """The tagger of the moments added so far."""
    operators, observations = streamed_parts(dictionary, moments)
    about = {
        "method": "spectral",
        "states": dictionary.choices.states,
        "tokens": int(moments.along[:, 0, 0].sum()),
    }
    words = tuple(sorted(moments.words))
    given = (dictionary.columns, dictionary.label, dictionary.names)
    return RefinementHMM(*given, operators, _emission(dictionary, moments), observations, words, about)
