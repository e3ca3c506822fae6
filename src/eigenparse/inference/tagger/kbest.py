"""Refinement HMM and tokens in, joint probabilities of labelled sequences and k-best label sequences out.

The best label sequence has no exact recursion once states are summed out.  Candidates are the best
paths under the chain of edge posteriors; their scores and their order are exact.
"""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, IntMatrix, IntVector
from eigenparse.corpus.sequences import Sequences
from eigenparse.errors import DataError, OptionError
from eigenparse.inference.tagger.chain import (
    PRUNING,
    Lattice,
    Posteriors,
    Pruning,
    chain_of,
    emission_scores,
    lattice_of,
    run_lattice,
    vector_rows,
)
from eigenparse.kernels.tagger.kbest import best_paths, edge_posteriors
from eigenparse.models.tagger.rhmm import RefinementHMM

EXTRA = 8  # more paths are scored exactly than are asked for


@dataclass(frozen=True, slots=True)
class LabelPaths:
    """Label sequences of one token sequence, best first.  labels: (k, n) ids; log_joint, share: (k,)."""

    labels: IntMatrix
    log_joint: AnyArray
    share: AnyArray


def joint_log(model: RefinementHMM, sequences: Sequences, labels: IntVector) -> tuple[AnyArray, AnyArray]:
    """log|p(x, a)| and its sign for each sequence under given labels (T,).

    With a log-linear emission the words' own probability, the same for all labels, is left out.
    """
    if labels.size != sequences.n_tokens:
        raise DataError(f"{labels.size} labels for {sequences.n_tokens} tokens; give one per token")
    scores, n = emission_scores(model.emission, sequences), sequences.n_tokens
    cand = np.arange(n + 1, dtype=np.int64)
    vector = vector_rows(model.observations, sequences, cand, labels)
    lattice = Lattice(cand, labels, np.ones(n), vector, scores[np.arange(n), labels])
    found = run_lattice(model, sequences.offsets, lattice)
    return found.log_abs, found.sign


def kbest(
    model: RefinementHMM,
    sequences: Sequences,
    k: int,
    *,
    pruning: Pruning = PRUNING,
) -> list[LabelPaths]:
    """At most k label sequences for each token sequence, with exact log p(x, a) and p(a | x)."""
    if k < 1:
        raise OptionError(f"k must be 1 or more, got {k} instead")
    found = run_lattice(model, sequences.offsets, lattice_of(model, sequences, pruning))
    return [_paths(model, sequences.take(s, s + 1), k, found, s) for s in range(len(sequences))]


def _paths(model: RefinementHMM, one: Sequences, k: int, found: Posteriors, s: int) -> LabelPaths:
    """Paths of sequence s of those that were run through."""
    first, n = int(found.first[s]), one.n_tokens
    lattice = found.lattice
    if n == 0:
        return LabelPaths(np.zeros((1, 0), dtype=np.int32), np.zeros(1), np.ones(1))
    candidates = lattice.candidates(first, first + n)
    cand = candidates.cand
    wide = np.diff(cand)
    edge_at = np.zeros(n + 1, dtype=np.int64)
    edge_at[2:] = np.cumsum(wide[:-1] * wide[1:])
    edges = np.ones(int(edge_at[n]) if n > 1 else 0)
    edge_posteriors(candidates, chain_of(model.operators, model.observations), edge_at, edges)
    log_first, log_edges = _conditional_logs(
        found.marginal[cand[0] : cand[-1]], cand - cand[0], edge_at, edges
    )
    paths, scores = np.zeros((k + EXTRA, n), dtype=np.int64), np.zeros(k + EXTRA)
    count = best_paths(cand, log_first, edge_at, log_edges, k + EXTRA, paths, scores)
    labels = lattice.label[cand[:-1][None] + paths[:count]]
    return _rescored(model, one, labels, k, found.log_abs[s])


def _conditional_logs(
    marginal: AnyArray, cand: AnyArray, edge_at: AnyArray, edges: AnyArray
) -> tuple[AnyArray, AnyArray]:
    """log mu(a, 1) and log of mu(a, b) / mu(a), small values floored."""
    floor = 1e-12
    node = np.maximum(marginal, floor)
    source = np.concatenate(
        [np.repeat(node[cand[t - 1] : cand[t]], cand[t + 1] - cand[t]) for t in range(1, cand.size - 1)]
        or [np.ones(0)]
    )
    return np.log(node), np.log(np.maximum(edges, floor)) - np.log(source)


def _rescored(
    model: RefinementHMM, one: Sequences, labels: IntMatrix, k: int, log_total: float
) -> LabelPaths:
    """Exact joint probabilities of the candidates, the best k of them in order."""
    count, n = labels.shape
    columns = tuple(type(c)(c.name, np.tile(c.ids, count), c.symbols) for c in one.columns)
    many = Sequences(columns, np.arange(count + 1) * n, np.repeat(one.line, count))
    log_abs, sign = joint_log(model, many, np.ascontiguousarray(labels.reshape(-1), dtype=np.int32))
    value = np.where(sign > 0, log_abs, -np.inf)
    order = np.argsort(-value, kind="stable")[:k]
    best = value[order]
    share = np.exp(np.minimum(np.where(best > -np.inf, best - max(log_total, -1e300), -np.inf), 0.0))
    return LabelPaths(labels[order], best, share)
