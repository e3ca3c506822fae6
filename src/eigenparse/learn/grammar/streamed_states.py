"""A sample of nodes in, projections and cluster centres out; then feature keys of any node in, its state out."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eigenparse.arrays import FloatArray, IntVector, LongVector, generator
from eigenparse.features.keys import positions
from eigenparse.kernels.intern import intern_keys
from eigenparse.kernels.rows import gather, nearest
from eigenparse.spectral.cluster import centres_of
from eigenparse.spectral.svd import FeatureRows, cross_svd

Keys = npt.NDArray[np.uint64]
Context = tuple[FloatArray, FloatArray, FloatArray]


@dataclass(frozen=True, slots=True)
class NodeSample:
    """Sampled nodes: label, inside keys, outside keys, as lists of parts; and counts of neighbours."""

    label: tuple[IntVector, ...]
    inside: tuple[Keys, ...]
    outside: tuple[Keys, ...]
    context: Context


def join_samples(parts: Iterable[NodeSample]) -> NodeSample:
    """One sample of many, in their order."""
    label: list[IntVector] = []
    inside: list[Keys] = []
    outside: list[Keys] = []
    context: Context | None = None
    for part in parts:
        label.extend(part.label)
        inside.extend(part.inside)
        outside.extend(part.outside)
        if context is None:
            context = part.context
        else:
            a, b, c = context
            x, y, z = part.context
            context = (a + x, b + y, c + z)
    none = np.zeros((0, 0))
    columns = (np.concatenate(label), np.concatenate(inside), np.concatenate(outside))
    return NodeSample((columns[0],), (columns[1],), (columns[2],), context or (none, none, none))


@dataclass(frozen=True, slots=True)
class LabelTable:
    """One label's features and centres.

    inside_keys (d,), left (d + 1, m): scaled U, the last row zero for features that the sample lacks;
    outside_keys (e,), right (e + 1, m) likewise; centres: (k, 2 m).
    """

    inside_keys: Keys
    left: FloatArray
    outside_keys: Keys
    right: FloatArray
    centres: FloatArray


@dataclass(frozen=True, slots=True)
class StateTable:
    """states: (A,) number of states; labels with more than one have a table; singular values."""

    states: IntVector
    labels: dict[int, LabelTable]
    singular: dict[int, FloatArray]


def state_table(
    sample: NodeSample, count: LongVector, wanted: IntVector, *, kappa: float | None, seed: int
) -> StateTable:
    """Projections and centres of every label that is to have more than one state."""
    label, total = sample.label[0], int(count.sum())
    order = np.argsort(label, kind="stable")
    first = np.searchsorted(label[order], np.arange(wanted.size + 1))
    states = np.ones(wanted.size, dtype=np.int32)
    tables: dict[int, LabelTable] = {}
    singular: dict[int, FloatArray] = {}
    for a in np.flatnonzero(wanted > 1).tolist():
        rows = order[first[a] : first[a + 1]]
        if rows.size < 2:
            continue
        share = count[a] / rows.size
        inside_keys, phi = _features(sample.inside[0][rows], share, total, kappa)
        outside_keys, psi = _features(sample.outside[0][rows], share, total, kappa)
        projection = cross_svd(phi, psi, int(wanted[a]), rng=generator(seed, a, 0))
        points = np.concatenate([phi.times(projection.left), psi.times(projection.right)], axis=1)
        centres = centres_of(points, int(wanted[a]), rng=generator(seed, a, 1))
        if centres is None:
            continue
        left, right = (_padded(one, two) for one, two in ((phi, projection.left), (psi, projection.right)))
        tables[a] = LabelTable(inside_keys, left, outside_keys, right, centres)
        states[a], singular[a] = centres.shape[0], projection.singular
    return StateTable(states, tables, singular)


def _features(keys: Keys, share: float, total: int, kappa: float | None) -> tuple[Keys, FeatureRows]:
    """Distinct keys and the rows over them, scaled as if all nodes had been seen [cohen-etal-2013]."""
    flat = np.ascontiguousarray(keys.ravel())
    ids, first = np.empty(flat.size, dtype=np.int32), np.empty(flat.size, dtype=np.int64)
    d = intern_keys(flat, ids, first)
    count = np.bincount(ids, minlength=d) * share
    scale = np.ones(d) if kappa is None else np.sqrt(total / (count + kappa))
    return flat[first[:d]], FeatureRows(ids.reshape(keys.shape), scale.astype(np.float32))


def _padded(rows: FeatureRows, basis: FloatArray) -> FloatArray:
    scaled = basis * rows.scale[:, None]
    return np.concatenate([scaled, np.zeros((1, basis.shape[1]), dtype=basis.dtype)])


def assign_states(table: StateTable, label: IntVector, inside: Keys, outside: Keys) -> IntVector:
    """The nearest centre of every node; keys: (n, T)."""
    state = np.zeros(label.size, dtype=np.int32)
    order = np.argsort(label, kind="stable")
    first = np.searchsorted(label[order], np.arange(table.states.size + 1))
    for a, one in table.labels.items():
        rows = order[first[a] : first[a + 1]]
        if not rows.size:
            continue
        inner = _projected(inside[rows], one.inside_keys, one.left)
        outer = _projected(outside[rows], one.outside_keys, one.right)
        points = np.concatenate([inner, outer], axis=1)
        found = np.empty(rows.size, dtype=np.int32)
        nearest(np.ascontiguousarray(points), one.centres, found)
        state[rows] = found
    return state


def _projected(keys: Keys, known: Keys, basis: FloatArray) -> FloatArray:
    """Sums of the rows of a basis that stand for each node's features."""
    ids = positions(keys, known)
    ids[ids < 0] = known.size
    out = np.empty((keys.shape[0], basis.shape[1]), dtype=basis.dtype)
    gather(ids, np.ones(known.size + 1, dtype=basis.dtype), basis, out)
    return out
