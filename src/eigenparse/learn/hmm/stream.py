"""Spectral HMMs from a stream: a first batch fixes symbols and projections, then moments of batches are added.

With X, W the views that the dictionary gives any batch:  B_x = E[1[x] X_{t+1} W_t'] E[X_t W_t']^-1.  All the
expectations are sums over tokens, so batches may be counted anywhere, in any order, and added.
"""

from dataclasses import dataclass, replace

import numpy as np

from eigenparse.arrays import AnyArray, IntVector, LongVector, generator
from eigenparse.corpus.sequences import Column, Sequences, map_symbols
from eigenparse.errors import DataError
from eigenparse.features.tagger.templates import (
    KeyVector,
    dense_ids,
    parse_template,
    positions,
    template_keys,
)
from eigenparse.learn.hmm.spectral import (
    MOST_PAIR_VALUES,
    ChainChoices,
    Symbols,
    WindowViews,
    check_chain_choices,
    fit_spectral_hmm,
    usable_rows,
    window_texts,
)
from eigenparse.models.hmm.chain import NO_PAIRS, ChainModel
from eigenparse.spectral.chain_moments import CentredProjection, centred_projection, scaled_rows, trust
from eigenparse.spectral.svd import FeatureRows


@dataclass(frozen=True, slots=True)
class ChainDictionary:
    """What a first batch fixes: symbol names, feature keys of future and past with scales, the projection."""

    names: tuple[str, ...]
    keys: tuple[KeyVector, KeyVector]
    scales: tuple[AnyArray, AnyArray]
    projection: CentredProjection
    choices: ChainChoices
    pair_share: float

    @property
    def n_states(self) -> int:
        """Dimension of the state."""
        return int(self.projection.singular.size) + 1


def same_dictionary(one: ChainDictionary, other: ChainDictionary) -> bool:
    """Whether moments of both may be added."""
    if one is other:
        return True
    arrays = ((d.keys[0], d.keys[1], d.projection.left, d.projection.right) for d in (one, other))
    return (one.names, one.choices) == (other.names, other.choices) and all(
        np.array_equal(a, b) for a, b in zip(*arrays, strict=True)
    )


@dataclass(frozen=True, slots=True)
class ChainMoments:
    """Sums over tokens; n symbols, k states.

    cross: (k, k) X_t W_t'; moved: (n, k, k) X_{t+1} W_t' by symbol; after: (n, k) X_{t+1} by symbol; pairs:
    (n, n, k) W_t by two symbols, or nothing; counts, uses: (n,) all tokens and those in moments; start: (k,).
    """

    cross: AnyArray
    moved: AnyArray
    after: AnyArray
    pairs: AnyArray
    counts: AnyArray
    uses: AnyArray
    start: AnyArray
    n_starts: float

    def __add__(self, other: "ChainMoments") -> "ChainMoments":
        if self.moved.shape != other.moved.shape or self.pairs.shape != other.pairs.shape:
            raise DataError("these moments have different dictionaries; learn both from the same first batch")
        return ChainMoments(
            *(getattr(self, name) + getattr(other, name) for name in ChainMoments.__dataclass_fields__)
        )


def chain_dictionary(data: Symbols, choices: ChainChoices) -> ChainDictionary:
    """Symbols, features and projection of a first batch."""
    check_chain_choices(choices)
    share = fit_spectral_hmm(data, "word", choices).pair_share
    rows = _rows(data.offsets, choices, data.weights)
    weights = np.zeros(data.ids.size)
    weights[rows] = data.weights[rows]
    found = [dense_ids(keys) for keys in _keys(data.ids, data.offsets, data.names, choices)]
    one = scaled_rows(found[0][0], weights, kappa=choices.kappa)
    other = scaled_rows(found[1][0], weights, kappa=choices.kappa_past)
    projection = centred_projection(
        one, other, weights, choices.states, rng=generator(choices.seed, 19), cutoff=choices.cutoff
    )
    keys = (found[0][1], found[1][1])
    return ChainDictionary(data.names, keys, (one.scale, other.scale), projection, choices, share)


def _rows(offsets: LongVector, choices: ChainChoices, weights: AnyArray) -> LongVector:
    rows = usable_rows(offsets, choices.window, weights)
    if rows.size < 2:
        raise DataError(
            f"no sequence is longer than the window of {choices.window}; give longer ones or a smaller window"
        )
    return rows


def _keys(
    ids: IntVector, offsets: LongVector, names: tuple[str, ...], choices: ChainChoices
) -> list[AnyArray]:
    """Keys of future and past features of every token."""
    sequences = Sequences((Column("x", ids, names),), offsets, offsets[:-1])
    texts = window_texts(choices.window)
    return [template_keys([parse_template(text) for text in part], sequences) for part in texts]


def encoded(dictionary: ChainDictionary, column: Column, offsets: LongVector) -> Symbols:
    """A batch in the symbols of a dictionary; symbols that it does not know are 0."""
    ids = map_symbols(column, {name: k for k, name in enumerate(dictionary.names)})
    return Symbols.of(np.maximum(ids, 0).astype(np.int32), offsets, dictionary.names)


def batch_views(dictionary: ChainDictionary, data: Symbols) -> WindowViews:
    """Views of a batch; features that the dictionary does not know count nothing."""
    parts = []
    for keys, known, scale in zip(
        _keys(data.ids, data.offsets, data.names, dictionary.choices),
        dictionary.keys,
        dictionary.scales,
        strict=True,
    ):
        ids = positions(keys, known)
        ids[ids < 0] = known.size
        parts.append(FeatureRows(np.ascontiguousarray(ids), np.append(scale, 0.0)))
    projection = dictionary.projection
    blank = np.zeros((1, projection.singular.size))
    padded = replace(
        projection,
        left=np.vstack([projection.left, blank]),
        right=np.vstack([projection.right, blank]),
    )
    rows = _rows(data.offsets, dictionary.choices, data.weights)
    return WindowViews(padded.one(parts[0]), padded.other(parts[1]), rows, projection.singular)


def chain_moments(dictionary: ChainDictionary, data: Symbols) -> ChainMoments:
    """Sums of one batch."""
    views, n = batch_views(dictionary, data), len(data.names)
    rows, k = views.rows, views.future.shape[1]
    ids, X, W = data.ids[rows], views.future[rows + 1], views.past[rows]
    moved, after = np.zeros((n, k, k)), np.zeros((n, k))
    order = np.argsort(ids, kind="stable")
    cuts = np.searchsorted(ids[order], np.arange(n + 1))
    for x in range(n):
        part = order[cuts[x] : cuts[x + 1]]
        moved[x], after[x] = X[part].T @ W[part], X[part].sum(axis=0)
    pairs: AnyArray = NO_PAIRS
    if n * n * k <= MOST_PAIR_VALUES:
        code = ids.astype(np.int64) * n + data.ids[rows + 1]
        columns = [np.bincount(code, weights=W[:, j], minlength=n * n) for j in range(k)]
        pairs = np.stack(columns, axis=1).reshape(n, n, k)
    first = data.offsets[:-1][np.diff(data.offsets) >= dictionary.choices.window]
    return ChainMoments(
        cross=views.future[rows].T @ W,
        moved=moved,
        after=after,
        pairs=pairs,
        counts=np.bincount(data.ids, minlength=n).astype(np.float64),
        uses=np.bincount(ids, minlength=n).astype(np.float64),
        start=views.future[first].sum(axis=0),
        n_starts=float(first.size),
    )


def streamed_hmm(dictionary: ChainDictionary, moments: ChainMoments, unit: str) -> ChainModel:
    """The model of the moments added so far."""
    total, choices = moments.uses.sum(), dictionary.choices
    inverse = np.linalg.pinv(moments.cross / total, rcond=1e-10)
    seen = np.where(moments.uses > 0.0, moments.uses, 1.0)
    mean = moments.after / seen[:, None]
    mean[moments.uses == 0.0, 0] = 1.0
    q = np.array([trust(count, choices.shrink) for count in moments.uses])[:, None, None]
    flat = np.einsum("xi,xj->xij", mean, moments.moved[:, 0, :])
    operators = np.ascontiguousarray((q * moments.moved + (1.0 - q) * flat) / total @ inverse)
    unigram = moments.counts + 0.5
    final = np.zeros(dictionary.n_states)
    final[0] = 1.0
    about = {
        "method": "spectral",
        "form": "hsu",
        "window": choices.window,
        "states": choices.states,
        "singular": [round(float(v), 8) for v in dictionary.projection.singular],
    }
    share = dictionary.pair_share if moments.pairs.size else 0.0
    return ChainModel(
        symbols=dictionary.names,
        unit=unit,
        initial=moments.start / max(moments.n_starts, 1.0),
        operators=operators,
        final=final,
        predict=np.ascontiguousarray(operators[:, 0, :]),
        reset=mean,
        unigram=unigram / unigram.sum(),
        floor=choices.floor,
        start=np.zeros(0),
        transition=np.zeros(0),
        emission=np.zeros(0),
        about=about,
        pairs=np.ascontiguousarray(moments.pairs / total @ inverse) if share else NO_PAIRS,
        pair_share=share,
    )
