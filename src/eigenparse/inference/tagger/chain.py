"""Refinement HMM and token columns in, posteriors of labels out."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, IntVector, LongVector
from eigenparse.corpus.sequences import Sequences
from eigenparse.features.tagger.templates import parse_template, positions, template_keys
from eigenparse.kernels.tagger.bigram import bigram_posteriors, choose_vectors, keep_likely, shortlist
from eigenparse.kernels.tagger.chain import Candidates, Chain, marginals
from eigenparse.kernels.tagger.loglinear import add_scores, last_scores
from eigenparse.models.tagger.rhmm import Emission, Observations, Operators, RefinementHMM, Tagger


@dataclass(frozen=True, slots=True)
class Pruning:
    """Which labels of a token are considered.

    beam: largest difference of log emission from the best label.  most: maximum number of labels.  threshold: smallest
    posterior under the bigram HMM (0 keeps all).
    """

    beam: float = 12.0
    most: int = 24
    threshold: float = 1e-4


PRUNING = Pruning()
NO_PRUNING = Pruning(beam=np.inf, most=1 << 30, threshold=0.0)


@dataclass(frozen=True, slots=True)
class Lattice:
    """Candidate labels of every token.  cand: (T + 1,); label, weight, vector: (C,); shift: (T,) log."""

    cand: LongVector
    label: IntVector
    weight: AnyArray
    vector: LongVector
    shift: AnyArray

    def candidates(self, first: int = 0, last: int | None = None) -> Candidates:
        """The candidates of tokens ``first`` up to ``last`` as kernels take them."""
        stop = self.cand.size if last is None else last + 1
        return Candidates(self.cand[first:stop], self.label, self.weight, self.vector)


@dataclass(frozen=True, slots=True)
class Posteriors:
    """marginal: (C,) of the lattice's candidates; log_abs, sign: (S,) of p(x).

    first: (S,) where each sequence begins.
    """

    lattice: Lattice
    first: LongVector
    marginal: AnyArray
    log_abs: AnyArray
    sign: AnyArray


def emission_scores(emission: Emission, sequences: Sequences) -> AnyArray:
    """Log emission of every token and label up to a constant per token, (T, A)."""
    templates = [parse_template(text) for text in emission.templates]
    wanted = template_keys(templates, sequences)
    if emission.bits < 64:
        wanted &= np.uint64((1 << emission.bits) - 1)
    ids = positions(wanted, emission.keys)
    scores = np.empty((ids.shape[0], emission.offset.size), dtype=np.float64)
    scores[:] = emission.offset
    (add_scores if emission.combine == "sum" else last_scores)(ids, emission.rows, scores)
    return scores


def lattice_of(model: RefinementHMM, sequences: Sequences, pruning: Pruning) -> Lattice:
    """Candidates after the emission beam and the bigram pass, with their observation vectors."""
    o = model.operators
    scores = emission_scores(model.emission, sequences)
    n, A = scores.shape
    cand = np.zeros(n + 1, dtype=np.int64)
    label = np.empty(n * min(A, pruning.most + A), dtype=np.int32)
    weight = np.empty(label.size)
    shift = np.zeros(n)
    count = shortlist(scores, pruning.beam, pruning.most, cand, label, weight, shift)
    if pruning.threshold > 0.0:
        posterior = np.empty(count)
        bigram_posteriors(sequences.offsets, cand, label, weight, o.first, o.base, o.last, posterior)
        fewer = np.zeros(n + 1, dtype=np.int64)
        count = keep_likely(posterior, pruning.threshold, cand, label, weight, fewer)
        cand = fewer
    label = label[:count].copy()
    vector = vector_rows(model.observations, sequences, cand, label)
    return Lattice(cand, label, weight[:count].copy(), vector, shift)


def vector_rows(
    observations: Observations, sequences: Sequences, cand: LongVector, label: IntVector
) -> LongVector:
    """Row of the observation vector of every candidate; 0 where its token is not known."""
    vector = np.zeros(label.size, dtype=np.int64)
    if observations.keys.size:
        levels = observations.levels(sequences)
        choose_vectors(cand, label, levels, observations.row_at, observations.row_label, vector)
    return vector


def chain_of(o: Operators, observations: Observations) -> Chain:
    """The arrays of the latent chain as kernels take them."""
    places = o.states, o.diagonal, o.state_at, o.pair_at
    return Chain(*places, o.start, o.stop, o.base, o.block, o.values, observations.vectors)


def run_lattice(model: RefinementHMM, offsets: LongVector, lattice: Lattice) -> Posteriors:
    """Forward-backward over a lattice."""
    n = offsets.size - 1
    marginal = np.zeros(lattice.label.size)
    log_abs, sign = np.zeros(n), np.ones(n)
    chain = chain_of(model.operators, model.observations)
    marginals(offsets, lattice.candidates(), chain, marginal, log_abs, sign)
    sums = np.concatenate([[0.0], np.cumsum(lattice.shift)])
    log_abs = log_abs + sums[offsets[1:]] - sums[offsets[:-1]]
    return Posteriors(lattice, offsets[:-1], marginal, log_abs, sign)


def posteriors(model: RefinementHMM, sequences: Sequences, *, pruning: Pruning = PRUNING) -> Posteriors:
    """Marginals of every candidate label of every token [stratos-2013, figure 2, corrected]."""
    return run_lattice(model, sequences.offsets, lattice_of(model, sequences, pruning))


def dense_marginals(found: Posteriors, n_labels: int) -> AnyArray:
    """Marginals as (T, A); zero for labels that were pruned."""
    n = found.lattice.cand.size - 1
    token = np.repeat(np.arange(n), np.diff(found.lattice.cand))
    out = np.zeros((n, n_labels))
    out[token, found.lattice.label] = found.marginal
    return out


def label_marginals(
    model: RefinementHMM | Tagger, sequences: Sequences, *, pruning: Pruning = PRUNING
) -> AnyArray:
    """Posterior of every token and label, (T, A), rows summing to one."""
    members = model.members if isinstance(model, Tagger) else (model,)
    A = len(model.labels)
    if len(members) == 1:
        return dense_marginals(posteriors(members[0], sequences, pruning=pruning), A)
    total = np.zeros((sequences.n_tokens, A))
    for member in members:
        mu = dense_marginals(posteriors(member, sequences, pruning=pruning), A)
        total += np.log(np.maximum(mu, 1e-6))
    total /= len(members)
    share: AnyArray = np.exp(total - total.max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    return share


def tag_ids(model: RefinementHMM | Tagger, sequences: Sequences) -> IntVector:
    """The label with the largest marginal at every position, (T,)."""
    return label_marginals(model, sequences).argmax(axis=1).astype(np.int32)
