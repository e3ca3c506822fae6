"""Spectral HMMs from a stream: a first batch fixes symbols and projections, then moments of batches are added.

With X, W the views that the dictionary gives any batch:  B_x = E[1[x] X_{t+1} W_t'] E[X_t W_t']^-1.  All the
expectations are sums over tokens, so batches may be counted anywhere, in any order, and added.
"""

from dataclasses import dataclass, replace

import numpy as np

from eigenparse.arrays import AnyArray, LongVector
from eigenparse.corpus.sequences import Column, map_symbols
from eigenparse.errors import DataError
from eigenparse.features.tagger.templates import KeyVector, positions
from eigenparse.learn.hmm.spectral import (
    MOST_PAIR_VALUES,
    ChainChoices,
    Operators,
    Symbols,
    WindowViews,
    fit_spectral_hmm,
    observable_chain,
    usable_rows,
    window_keys,
    window_projection,
)
from eigenparse.models.hmm.chain import NO_PAIRS, ChainModel, with_mean_length
from eigenparse.spectral.chain_moments import CentredProjection, known_rows, sums_by, trust


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
    n_starts: sequences as long as the window; n_sequences: all.
    """

    cross: AnyArray
    moved: AnyArray
    after: AnyArray
    pairs: AnyArray
    counts: AnyArray
    uses: AnyArray
    start: AnyArray
    n_starts: float
    n_sequences: float

    def __add__(self, other: "ChainMoments") -> "ChainMoments":
        if self.moved.shape != other.moved.shape or self.pairs.shape != other.pairs.shape:
            raise DataError("these moments have different dictionaries; learn both from the same first batch")
        return ChainMoments(
            *(getattr(self, name) + getattr(other, name) for name in ChainMoments.__dataclass_fields__)
        )


def chain_dictionary(data: Symbols, choices: ChainChoices) -> ChainDictionary:
    """Symbols, features and projection of a first batch."""
    share = fit_spectral_hmm(data, "word", choices).pair_share
    made = window_projection(data, choices)
    one, other = made.scaled
    return ChainDictionary(data.names, made.keys, (one.scale, other.scale), made.projection, choices, share)


def encoded(dictionary: ChainDictionary, column: Column, offsets: LongVector) -> Symbols:
    """A batch in the symbols of a dictionary; symbols that it does not know are 0."""
    ids = map_symbols(column, {name: k for k, name in enumerate(dictionary.names)})
    return Symbols.of(np.maximum(ids, 0).astype(np.int32), offsets, dictionary.names)


def batch_views(dictionary: ChainDictionary, data: Symbols) -> WindowViews:
    """Views of a batch; features that are not in the dictionary are ignored."""
    window, padded = dictionary.choices.window, dictionary.projection.padded()
    future, past = (
        known_rows(positions(keys, known), scale)
        for keys, known, scale in zip(
            window_keys(data, window), dictionary.keys, dictionary.scales, strict=True
        )
    )
    return WindowViews(padded.one(future), padded.other(past), usable_rows(data, window), padded.singular)


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
        pairs = sums_by(code, W, n * n).reshape(n, n, k)
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
        n_sequences=float(data.offsets.size - 1),
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
    initial = moments.start / max(moments.n_starts, 1.0)
    made = Operators(initial, operators, mean, moments.counts + 0.5)
    model = observable_chain(made, dictionary.names, unit, choices, dictionary.projection.singular)
    model = with_mean_length(model, moments.counts.sum(), moments.n_sequences)
    share = dictionary.pair_share if moments.pairs.size else 0.0
    if not share:
        return model
    pairs = np.ascontiguousarray(moments.pairs / total @ inverse)
    return replace(model, pairs=pairs, pair_share=share)
