"""Spectral estimation of a refinement HMM from all positions: labelled sequences in, operators out.

[stratos-2013, figure 4], with every position counted once, views around a constant coordinate
(``spectral.chain_moments``) and smoothing whose limit is the bigram HMM.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, IntVector, LongVector, as_offsets, generator
from eigenparse.corpus.sequences import Column, Sequences
from eigenparse.features.tagger.sequence import ChainFeatures
from eigenparse.features.tagger.templates import KeyMatrix, Template, dense_ids, template_keys
from eigenparse.learn.tagger.base import Bigram, Labelled
from eigenparse.models.tagger.rhmm import Observations, Operators
from eigenparse.spectral.chain_moments import (
    Views,
    centred_views,
    scaled_rows,
    smoothed_first,
    smoothed_second,
    smoothed_third,
)


@dataclass(frozen=True, slots=True)
class SpectralChoices:
    """states: at most so many a label;  strength, weight: smoothing of tensors and of observation vectors.

    tokens_per_state: a label of n tokens gets at most n / tokens_per_state states.  fewest: pairs of
    labels seen less often keep their bigram limit.  runs: smooth as ``rhmm_runs`` does.
    """

    states: int = 8
    strength: float = 30.0
    weight: float = 5.0
    kappa: float = 5.0
    cutoff: float = 1e-2
    tokens_per_state: int = 20
    fewest: int = 5
    runs: bool = False


@dataclass(frozen=True, slots=True)
class ChainViews:
    """Views of every token, rows in token order: future = F, past = P, present = R, destiny = D, (T, m).

    states: (A,) m_a, columns beyond it are 0.  along, across: the singular values behind future and past,
    and behind present and destiny, one array a label.
    """

    future: AnyArray
    past: AnyArray
    present: AnyArray
    destiny: AnyArray
    states: IntVector
    along: tuple[AnyArray, ...]
    across: tuple[AnyArray, ...]

    def joined(self, a: int, rows: LongVector) -> AnyArray:
        """All four views of a label's rows without the constants, singular values left in, for clustering."""
        i, j = 1 + self.along[a].size, 1 + self.across[a].size
        parts = [self.future[rows, 1:i], self.past[rows, 1:i] * self.along[a]]
        parts += [self.present[rows, 1:j], self.destiny[rows, 1:j] * self.across[a]]
        return np.ascontiguousarray(np.hstack(parts))


def with_labels(data: Labelled, label: str) -> Sequences:
    """The training sequences with their labels back as a column, for templates over labels."""
    return data.sequences.with_column(Column(label, data.labels, data.names))


def chain_views(
    data: Labelled, label: str, features: ChainFeatures, choices: SpectralChoices, seed: int
) -> ChainViews:
    """Project the four feature functions label by label."""
    full = with_labels(data, label)
    ids = [dense_ids(template_keys(part, full))[0] for part in _roles(features)]
    n, A, m = data.labels.size, len(data.names), choices.states
    F, P, R, D = (np.zeros((n, m)) for _ in range(4))
    states = np.ones(A, dtype=np.int32)
    values: list[tuple[AnyArray, AnyArray]] = [(np.zeros(0), np.zeros(0))] * A
    for a, rows in enumerate(rows_by_label(data.labels, A)):
        if not rows.size:
            continue
        weights = data.weights[rows]
        most = states_for(weights.sum(), m, choices.tokens_per_state)
        rng = generator(seed, 7, a)
        phi, psi, xi, upsilon = (scaled_rows(part[rows], weights, kappa=choices.kappa) for part in ids)
        along = centred_views(phi, psi, weights, most, rng=rng, cutoff=choices.cutoff)
        across = centred_views(xi, upsilon, weights, most, rng=rng, cutoff=choices.cutoff)
        width = max(along.one.shape[1], across.one.shape[1])
        states[a], values[a] = width, (along.singular, across.singular)
        _place(F, P, rows, along)
        _place(R, D, rows, across)
    return ChainViews(F, P, R, D, states, tuple(v for v, _ in values), tuple(v for _, v in values))


def _roles(features: ChainFeatures) -> tuple[tuple[Template, ...], ...]:
    return features.phi, features.psi, features.xi, features.upsilon


def _place(one: AnyArray, other: AnyArray, rows: LongVector, views: Views) -> None:
    width = views.one.shape[1]
    one[rows, :width] = views.one
    other[rows, :width] = views.other


def states_for(weight: float, most: int, tokens_per_state: int) -> int:
    """States of a label that weighs so many tokens."""
    return max(1, min(most, int(weight) // tokens_per_state)) if tokens_per_state else most


def rows_by_label(labels: IntVector, n_labels: int) -> list[LongVector]:
    """Token rows of every label."""
    order = np.argsort(labels, kind="stable")
    cuts = np.searchsorted(labels[order], np.arange(n_labels + 1))
    return [order[cuts[a] : cuts[a + 1]] for a in range(n_labels)]


PairMoment = Callable[[int, int, AnyArray, AnyArray, AnyArray, AnyArray], AnyArray]


def estimate_operators(
    data: Labelled, views: ChainViews, bigram: Bigram, choices: SpectralChoices
) -> Operators:
    """C^{b|a} = p(b|a) E[F2 ⊗ P ⊗ R | a, b], C^{*|a} = p(*|a) E[P ⊗ R | a, *], c_1 = p_1(a) E[F | a].

    All are smoothed towards the bigram model.
    """

    def moment(b: int, a: int, F: AnyArray, P: AnyArray, R: AnyArray, weights: AnyArray) -> AnyArray:
        return smoothed_third(F, P, R, weights, choices.strength)

    block, values = pair_tensors(data, views, bigram, choices.fewest, moment)
    start, stop = _ends(data, views, bigram, choices)
    return Operators(views.states, False, start, stop, block, values, bigram.first, bigram.base, bigram.last)


def pair_tensors(
    data: Labelled, views: ChainViews, bigram: Bigram, fewest: float, moment: PairMoment
) -> tuple[LongVector, AnyArray]:
    """Where the operator of every label pair begins, (A²,), -1 for the bigram's own, and all of them, flat.

    moment(b, a, futures after, pasts, presents, weights): E[F2 ⊗ P ⊗ R | a, b], smoothed.
    """
    A, m = len(data.names), views.states
    block = np.full(A * A, -1, dtype=np.int64)
    parts: list[AnyArray] = []
    at = 0
    for code, rows in pair_rows(data, A):
        b, a = divmod(code, A)
        weights = data.weights[rows]
        if weights.sum() < fewest or (m[a] == 1 and m[b] == 1):
            continue
        seen = views.future[rows + 1, : m[b]], views.past[rows, : m[a]], views.present[rows, : m[a]]
        block[code] = at
        parts.append(bigram.base[b, a] * moment(b, a, *seen, weights).reshape(-1))
        at += parts[-1].size
    return block, np.concatenate(parts) if parts else np.zeros(0)


def pair_rows(data: Labelled, n_labels: int) -> list[tuple[int, LongVector]]:
    """(b * A + a, rows of a) for every label pair a b that occurs, rows in token order."""
    rows = data.inner
    code = data.labels[rows + 1].astype(np.int64) * n_labels + data.labels[rows]
    order = np.argsort(code, kind="stable")
    distinct, begin = np.unique(code[order], return_index=True)
    cuts = np.append(begin, code.size)
    return [(int(c), rows[order[cuts[k] : cuts[k + 1]]]) for k, c in enumerate(distinct)]


def _ends(
    data: Labelled, views: ChainViews, bigram: Bigram, choices: SpectralChoices
) -> tuple[AnyArray, AnyArray]:
    """c_1 and C^{*|a}, flat over labels."""
    A, m = len(data.names), views.states
    starts, stops = [], []
    first, last = data.first, data.last
    for a in range(A):
        begin, end = first[data.labels[first] == a], last[data.labels[last] == a]
        weights = data.weights[begin]
        starts.append(
            bigram.first[a] * smoothed_first(views.future[begin, : m[a]], weights, choices.strength)
        )
        f = np.zeros((m[a], m[a]))
        f[0, 0] = 1.0
        weights = data.weights[end]
        if weights.sum() > 0.0:
            f = smoothed_second(
                views.past[end, : m[a]], views.present[end, : m[a]], weights, choices.strength
            )
        stops.append(bigram.last[a] * f.reshape(-1))
    return np.concatenate(starts), np.concatenate(stops)


def neutral_vector(n_states: int) -> AnyArray:
    """The observation vector that says nothing about the state: the constant coordinate alone."""
    vector = np.zeros(n_states)
    vector[0] = 1.0
    return vector


def estimate_observations(
    data: Labelled, vectors: AnyArray, templates: tuple[Template, ...], neutral: AnyArray, weight: float
) -> Observations:
    """Mean of a vector a token (T, m) by key and label, backed off from fine to coarse to ``neutral``."""
    keys = template_keys(templates, data.sequences)
    sums = data.weights[:, None] * vectors
    texts = tuple(template.text for template in templates)
    return observations_of(texts, keys, data.labels, data.weights, sums, len(data.names), neutral, weight)


def observations_of(
    texts: tuple[str, ...],
    keys: KeyMatrix,
    labels: IntVector,
    weights: AnyArray,
    sums: AnyArray,
    n_labels: int,
    neutral: AnyArray,
    weight: float,
) -> Observations:
    """The same from rows that stand for several tokens: keys (n, K), weights (n,), sums of vectors (n, m)."""
    A, width = n_labels, sums.shape[1]
    above = np.broadcast_to(neutral, sums.shape) if neutral.ndim == 1 else neutral
    all_keys, codes, rows = [], [], [neutral[None] if neutral.ndim == 1 else np.ones((1, width))]
    n_keys = 0
    for k in range(keys.shape[1]):
        ids, distinct = dense_ids(keys[:, k : k + 1])
        code = (ids[:, 0].astype(np.int64) + n_keys) * A + labels
        pairs, first, inverse = np.unique(code, return_index=True, return_inverse=True)
        count = np.bincount(inverse, weights=weights, minlength=pairs.size)
        total = np.zeros((pairs.size, width))
        for j in range(width):
            total[:, j] = np.bincount(inverse, weights=sums[:, j], minlength=pairs.size)
        bottom = np.where(count + weight > 0.0, count + weight, 1.0)
        mean = (total + weight * above[first]) / bottom[:, None]
        above = mean[inverse]
        all_keys.append(distinct)
        codes.append(pairs)
        rows.append(mean)
        n_keys += distinct.size
    pairs = np.concatenate(codes)
    row_at = 1 + np.searchsorted(pairs, np.arange(n_keys + 1) * A)
    label = np.concatenate([[0], pairs % A]).astype(np.int32)
    return Observations(texts, np.concatenate(all_keys), as_offsets(row_at), label, np.concatenate(rows))
