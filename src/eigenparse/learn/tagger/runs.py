"""Operators of a refinement HMM whose labels come in runs (frames of speech): views in, smoothed operators out.

Most pairs of different labels are rare, so their moments are backed off to how *any* run of the next
label begins and how *any* run of the present one ends, and only those to the bigram HMM.  Moments are
smoothed as cumulants: means, covariances and third cumulants are trusted in this order.
Without smoothing these are the operators of the module ``spectral``; its limit is the bigram HMM.
"""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, LongVector
from eigenparse.learn.tagger.base import Bigram, Labelled
from eigenparse.learn.tagger.spectral import ChainViews, Ends, SpectralChoices, views_operators
from eigenparse.models.tagger.rhmm import Operators
from eigenparse.spectral.chain_moments import third_moment, trust


@dataclass(frozen=True, slots=True)
class RunSmoothing:
    """Pseudo-counts of coarser estimates, and strengths in ``trust``; all are proportional to one strength.

    means, begin, edge: counts, for means, the start of a run, its end.  second, third: within a run;
    crossing_second, crossing_third: from one label to another.
    """

    means: float
    begin: float
    edge: float
    second: float
    third: float
    crossing_second: float
    crossing_third: float


PROPORTIONS = (0.15, 0.25, 0.5, 0.25, 1.0, 0.5, 1.5)  # of the fields above, chosen on development sets


def run_smoothing(strength: float) -> RunSmoothing:
    """Everything in proportion to ``strength``."""
    return RunSmoothing(*(share * strength for share in PROPORTIONS))


@dataclass(frozen=True, slots=True)
class RunEdges:
    """enter: E[F | a, a run begins], (m_a,) per label; leave: E[P ⊗ R | a, a run ends], (m_a, m_a) per label."""

    enter: tuple[AnyArray, ...]
    leave: tuple[AnyArray, ...]


def constant(*shape: int) -> AnyArray:
    """Zeros, and one at the constant coordinate of every view: the model without states."""
    made = np.zeros(shape)
    made[(0,) * len(shape)] = 1.0
    return made


def pooled(total: AnyArray, n: float, usual: AnyArray, count: float) -> AnyArray:
    """(total + count * usual) / (n + count); ``usual`` where nothing was seen."""
    bottom = n + count
    return (total + count * usual) / bottom if bottom > 0.0 else usual


def _weighted(x: AnyArray, weights: AnyArray) -> AnyArray:
    return weights[:, None] * x


def run_edges(data: Labelled, views: ChainViews, smoothing: RunSmoothing) -> RunEdges:
    """How runs of every label begin and end, ends of sequences included."""
    inner, labels, m = data.inner, data.labels, views.states
    change = inner[labels[inner + 1] != labels[inner]]
    begins = np.concatenate([change + 1, data.first])
    ends = np.concatenate([change, data.last])
    # the weight of a step is that of its first token
    begin_weight = np.concatenate([data.weights[change], data.weights[data.first]])
    end_weight = data.weights[ends]
    enter, leave = [], []
    for a in range(len(data.names)):
        mine = labels[begins] == a
        enter.append(_enter(views.future[begins[mine], : m[a]], begin_weight[mine], smoothing))
        mine = labels[ends] == a
        rows: LongVector = ends[mine]
        leave.append(
            _leave(views.past[rows, : m[a]], views.present[rows, : m[a]], end_weight[mine], smoothing)
        )
    return RunEdges(tuple(enter), tuple(leave))


def _enter(future: AnyArray, weights: AnyArray, smoothing: RunSmoothing) -> AnyArray:
    return pooled(weights @ future, float(weights.sum()), constant(future.shape[1]), smoothing.means)


def _leave(past: AnyArray, present: AnyArray, weights: AnyArray, smoothing: RunSmoothing) -> AnyArray:
    """Means shrunk to the constant, covariance to nothing."""
    n = float(weights.sum())
    b, c = past.shape[1], present.shape[1]
    if n <= 0.0:
        return constant(b, c)
    my, mz = weights @ past / n, weights @ present / n
    covariance = past.T @ _weighted(present, weights) / n - np.outer(my, mz)
    hy = pooled(n * my, n, constant(b), smoothing.means)
    hz = pooled(n * mz, n, constant(c), smoothing.means)
    return np.outer(hy, hz) + trust(n, smoothing.second) * covariance


def _central(
    x: AnyArray, y: AnyArray, z: AnyArray, weights: AnyArray
) -> tuple[tuple[AnyArray, AnyArray, AnyArray], tuple[AnyArray, AnyArray, AnyArray], AnyArray]:
    """Means, covariances (xy, xz, yz) and the third cumulant of three views."""
    share = weights / weights.sum()
    mx, my, mz = share @ x, share @ y, share @ z
    xc, yc, zc = _weighted(x - mx, share), y - my, z - mz
    third = third_moment(xc, yc, zc).reshape(x.shape[1], y.shape[1], z.shape[1])
    return (mx, my, mz), (xc.T @ yc, xc.T @ zc, yc.T @ _weighted(zc, share)), third


def within_run(x: AnyArray, y: AnyArray, z: AnyArray, weights: AnyArray, smoothing: RunSmoothing) -> AnyArray:
    """E[x ⊗ y ⊗ z] from a label to itself, (a, b, c)."""
    n = float(weights.sum())
    means, (xy, xz, yz), third = _central(x, y, z, weights)
    hx, hy, hz = (pooled(n * mean, n, constant(mean.size), smoothing.means) for mean in means)
    pairs = hx[:, None, None] * yz + xz[:, None, :] * hy[None, :, None] + xy[:, :, None] * hz
    singles = hx[:, None, None] * hy[None, :, None] * hz
    return singles + trust(n, smoothing.second) * pairs + trust(n, smoothing.third) * third


def between_runs(
    x: AnyArray,
    y: AnyArray,
    z: AnyArray,
    weights: AnyArray,
    enter: AnyArray,
    leave: AnyArray,
    smoothing: RunSmoothing,
) -> AnyArray:
    """E[x ⊗ y ⊗ z] from a label to another one, (a, b, c), backed off to ``enter`` ⊗ ``leave``."""
    n = float(weights.sum())
    (mx, _, _), (xy, xz, _), third = _central(x, y, z, weights)
    hx = pooled(n * mx, n, enter, smoothing.begin)
    yz = pooled(y.T @ _weighted(z, weights), n, leave, smoothing.edge)
    pairs = xz[:, None, :] * yz[:, 0][None, :, None] + xy[:, :, None] * yz[0]
    moment: AnyArray = hx[:, None, None] * yz + trust(n, smoothing.crossing_second) * pairs
    return moment + trust(n, smoothing.crossing_third) * third


def estimate_run_operators(
    data: Labelled, views: ChainViews, bigram: Bigram, choices: SpectralChoices
) -> Operators:
    """C^{b|a}, C^{*|a} and c_1, smoothed by how runs begin and end."""
    smoothing = run_smoothing(choices.strength)
    edges = run_edges(data, views, smoothing)

    def moment(b: int, a: int, F: AnyArray, P: AnyArray, R: AnyArray, weights: AnyArray) -> AnyArray:
        if a == b:
            return within_run(F, P, R, weights, smoothing)
        return between_runs(F, P, R, weights, edges.enter[b], edges.leave[a], smoothing)

    def ends(
        a: int, future: AnyArray, first: AnyArray, past: AnyArray, present: AnyArray, last: AnyArray
    ) -> Ends:
        start = pooled(first @ future, float(first.sum()), edges.enter[a], smoothing.begin)
        moment = past.T @ _weighted(present, last)
        return start, pooled(moment, float(last.sum()), edges.leave[a], smoothing.edge)

    return views_operators(data, views, bigram, choices.fewest, moment, ends)
