"""Spectral estimation of a refinement HMM from all positions: labelled sequences in, operators out.

[stratos-2013, figure 4], with every position counted once, views around a constant coordinate
(``spectral.chain_moments``) and smoothing whose limit is the bigram HMM.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, IntMatrix, IntVector, LongVector, as_offsets, generator
from eigenparse.features.tagger.sequence import ChainFeatures
from eigenparse.features.tagger.templates import KeyMatrix, KeyVector, Template, dense_ids, template_keys
from eigenparse.learn.tagger.base import Bigram, Labelled
from eigenparse.models.tagger.rhmm import Observations, Operators
from eigenparse.spectral.chain_moments import (
    CentredProjection,
    centred_projection,
    scaled_rows,
    smoothed_first,
    smoothed_second,
    smoothed_third,
    sums_by,
)
from eigenparse.spectral.svd import FeatureRows


@dataclass(frozen=True, slots=True)
class SpectralChoices:
    """states: maximum number per label;  strength, weight: smoothing of tensors and of observation vectors.

    tokens_per_state: a label of n tokens gets at most n / tokens_per_state states.  fewest: pairs of
    labels seen less often keep their bigram limit.  runs: smooth as the module ``runs`` does.
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
    and behind present and destiny, one array per label.
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


def chain_views(data: Labelled, features: ChainFeatures, choices: SpectralChoices, seed: int) -> ChainViews:
    """Project the four feature functions label by label."""
    n, A, m = data.labels.size, len(data.names), choices.states
    F, P, R, D = (np.zeros((n, m)) for _ in range(4))
    states = np.ones(A, dtype=np.int32)
    singular: list[tuple[AnyArray, AnyArray]] = [(np.zeros(0), np.zeros(0))] * A
    found = role_ids(data, features)
    for a, rows in enumerate(rows_by_label(data.labels, A)):
        if not rows.size:
            continue
        scaled, along, across = label_projections(
            found, rows, data.weights[rows], choices, generator(seed, 7, a)
        )
        states[a] = 1 + max(along.singular.size, across.singular.size)
        singular[a] = along.singular, across.singular
        made = along.one(scaled[0]), along.other(scaled[1]), across.one(scaled[2]), across.other(scaled[3])
        for view, mine in zip((F, P, R, D), made):
            view[rows, : mine.shape[1]] = mine
    return ChainViews(F, P, R, D, states, *zip(*singular))


def roles(features: ChainFeatures) -> tuple[tuple[Template, ...], ...]:
    """The templates of phi, psi, xi and upsilon."""
    return features.phi, features.psi, features.xi, features.upsilon


def role_ids(data: Labelled, features: ChainFeatures) -> list[tuple[IntMatrix, KeyVector]]:
    """Dense feature ids (T, K) of every role, and the key of each id."""
    return [dense_ids(template_keys(part, data.corpus)) for part in roles(features)]


def label_projections(
    found: list[tuple[IntMatrix, KeyVector]],
    rows: LongVector,
    weights: AnyArray,
    choices: SpectralChoices,
    rng: np.random.Generator,
) -> tuple[list[FeatureRows], CentredProjection, CentredProjection]:
    """Scaled features of one label's rows by role, and the projections of future with past, present with destiny."""
    scaled = [scaled_rows(ids[rows], weights, kappa=choices.kappa) for ids, _ in found]
    most = states_for(weights.sum(), choices.states, choices.tokens_per_state)
    along, across = (
        centred_projection(scaled[i], scaled[i + 1], weights, most, rng=rng, cutoff=choices.cutoff)
        for i in (0, 2)
    )
    return scaled, along, across


def states_for(weight: float, most: int, tokens_per_state: int) -> int:
    """Number of states of a label with this many tokens."""
    return max(1, min(most, int(weight) // tokens_per_state)) if tokens_per_state else most


def rows_by_label(labels: IntVector, n_labels: int) -> list[LongVector]:
    """Token rows of every label."""
    order = np.argsort(labels, kind="stable")
    cuts = np.searchsorted(labels[order], np.arange(n_labels + 1))
    return [order[cuts[a] : cuts[a + 1]] for a in range(n_labels)]


def estimate_operators(
    data: Labelled, views: ChainViews, bigram: Bigram, choices: SpectralChoices
) -> Operators:
    """C^{b|a} = p(b|a) E[F2 ⊗ P ⊗ R | a, b], C^{*|a} = p(*|a) E[P ⊗ R | a, *], c_1 = p_1(a) E[F | a].

    All are smoothed towards the bigram model.
    """

    def moment(b: int, a: int, F: AnyArray, P: AnyArray, R: AnyArray, weights: AnyArray) -> AnyArray:
        return smoothed_third(F, P, R, weights, choices.strength)

    def end(
        a: int, future: AnyArray, first: AnyArray, past: AnyArray, present: AnyArray, last: AnyArray
    ) -> Ends:
        start, stop = smoothed_first(future, first, choices.strength), neutral_vector(past.shape[1] ** 2)
        if last.sum() > 0.0:
            stop = smoothed_second(past, present, last, choices.strength)
        return start, stop

    return views_operators(data, views, bigram, choices.fewest, moment, end)


PairMoment = Callable[[int, int, AnyArray, AnyArray, AnyArray, AnyArray], AnyArray]
Ends = tuple[AnyArray, AnyArray]
LabelEnds = Callable[[int, AnyArray, AnyArray, AnyArray, AnyArray, AnyArray], Ends]


def views_operators(
    data: Labelled, views: ChainViews, bigram: Bigram, fewest: float, moment: PairMoment, ends: LabelEnds
) -> Operators:
    """Operators from the views of all tokens.

    moment(b, a, futures after, pasts, presents, weights): E[F2 ⊗ P ⊗ R | a, b], smoothed.
    ends(a, futures at first tokens, their weights, pasts and presents at last tokens, their weights):
    E[F | a first] and E[P ⊗ R | a last], smoothed.
    """
    A, m, labels, weights = len(data.names), views.states, data.labels, data.weights

    def pairs() -> Iterator[tuple[int, AnyArray]]:
        for code, rows in pair_rows(data, A):
            b, a = divmod(code, A)
            if weights[rows].sum() >= fewest and max(m[a], m[b]) > 1:
                seen = views.future[rows + 1, : m[b]], views.past[rows, : m[a]], views.present[rows, : m[a]]
                yield code, moment(b, a, *seen, weights[rows])

    def both_ends() -> Iterator[Ends]:
        for a in range(A):
            first, last = (rows[labels[rows] == a] for rows in (data.first, data.last))
            seen = views.past[last, : m[a]], views.present[last, : m[a]], weights[last]
            yield ends(a, views.future[first, : m[a]], weights[first], *seen)

    return assembled(bigram, m, pairs(), both_ends())


def assembled(
    bigram: Bigram, states: IntVector, pairs: Iterable[tuple[int, AnyArray]], ends: Iterable[Ends]
) -> Operators:
    """Operators of means by label pair (b * A + a) and at the ends of sequences, each times its bigram probability.

    Pairs that are left out keep their bigram limit.
    """
    A = states.size
    block, values, at = np.full(A * A, -1, dtype=np.int64), [np.zeros(0)], 0
    for code, mean in pairs:
        block[code] = at
        values.append(bigram.base[code // A, code % A] * mean.reshape(-1))
        at += mean.size
    starts, stops = [], []
    for a, (start, stop) in enumerate(ends):
        starts.append(bigram.first[a] * start)
        stops.append(bigram.last[a] * stop.reshape(-1))
    flat = (np.concatenate(starts), np.concatenate(stops), block, np.concatenate(values))
    return Operators(states, False, *flat, bigram.first, bigram.base, bigram.last)


def pair_rows(data: Labelled, n_labels: int) -> list[tuple[int, LongVector]]:
    """(b * A + a, rows of a) for every label pair a b that occurs, rows in token order."""
    rows = data.inner
    code = data.labels[rows + 1].astype(np.int64) * n_labels + data.labels[rows]
    order = np.argsort(code, kind="stable")
    distinct, begin = np.unique(code[order], return_index=True)
    cuts = np.append(begin, code.size)
    return [(int(c), rows[order[cuts[k] : cuts[k + 1]]]) for k, c in enumerate(distinct)]


def neutral_vector(n_states: int) -> AnyArray:
    """The observation vector that does not depend on the state: only the constant coordinate."""
    vector = np.zeros(n_states)
    vector[0] = 1.0
    return vector


@dataclass(frozen=True, slots=True)
class Seen:
    """What observation vectors are means of: rows that stand for one token or several.

    keys: (n, K) by template, from coarse to fine.  labels, weights: (n,).  sums: (n, m) of vectors.
    """

    keys: KeyMatrix
    labels: IntVector
    weights: AnyArray
    sums: AnyArray


def estimate_observations(
    data: Labelled, vectors: AnyArray, templates: tuple[Template, ...], neutral: AnyArray, weight: float
) -> Observations:
    """Mean of the vectors (T, m) of tokens by key and label, backed off from fine to coarse to ``neutral``."""
    keys = template_keys(templates, data.sequences)
    seen = Seen(keys, data.labels, data.weights, data.weights[:, None] * vectors)
    texts = tuple(template.text for template in templates)
    return observations_of(texts, seen, len(data.names), neutral, weight)


def observations_of(
    texts: tuple[str, ...], seen: Seen, n_labels: int, neutral: AnyArray, weight: float
) -> Observations:
    """The same from rows that were added up; ``neutral`` is one vector, or one for each row."""
    width = seen.sums.shape[1]
    above = np.broadcast_to(neutral, seen.sums.shape) if neutral.ndim == 1 else neutral
    all_keys, codes, rows = [], [], [neutral[None] if neutral.ndim == 1 else np.ones((1, width))]
    n_keys = 0
    for k in range(seen.keys.shape[1]):
        ids, distinct = dense_ids(seen.keys[:, k : k + 1])
        code = (ids[:, 0].astype(np.int64) + n_keys) * n_labels + seen.labels
        pairs, first, inverse = np.unique(code, return_index=True, return_inverse=True)
        count = np.bincount(inverse, weights=seen.weights, minlength=pairs.size)
        total = sums_by(inverse, seen.sums, pairs.size)
        bottom = np.where(count + weight > 0.0, count + weight, 1.0)
        mean = (total + weight * above[first]) / bottom[:, None]
        above = mean[inverse]
        all_keys.append(distinct)
        codes.append(pairs)
        rows.append(mean)
        n_keys += distinct.size
    pairs = np.concatenate(codes)
    row_at = 1 + np.searchsorted(pairs, np.arange(n_keys + 1) * n_labels)
    label = np.concatenate([[0], pairs % n_labels]).astype(np.int32)
    return Observations(texts, np.concatenate(all_keys), as_offsets(row_at), label, np.concatenate(rows))
