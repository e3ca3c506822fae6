"""Latent states of nodes: feature keys in, projections and clusters out, label by label.

In memory every node is looked at, and ``cluster_states`` gives each its state.  Of a corpus in shards a sample is
looked at; its centres make a ``StateTable``, by which ``assign_states`` finds the state of any node.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from eigenparse.arrays import BoolVector, FloatArray, IntVector, LongVector, generator
from eigenparse.corpus.columns import Label
from eigenparse.errors import OptionError
from eigenparse.features.grammar.tree import (
    INSIDE,
    OUTSIDE,
    THESIS_INSIDE,
    THESIS_OUTSIDE,
    Feature,
    feature_keys,
    node_view,
)
from eigenparse.features.keys import positions
from eigenparse.kernels.intern import intern_keys
from eigenparse.kernels.rows import gather, nearest
from eigenparse.learn.grammar.context import Context, context_counts
from eigenparse.learn.grammar.encode import Counts, Encoded
from eigenparse.spectral.cluster import centres_of, clusters
from eigenparse.spectral.svd import FeatureRows, Projection, cross_svd

FEATURE_SETS: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "full": (tuple(INSIDE), tuple(OUTSIDE)),
    "thesis": (THESIS_INSIDE, THESIS_OUTSIDE),
}
NODES_PER_STATE = 100
KAPPA = 5.0
NOISES = ("none", "dropout", "additive", "multiplicative")
PRECISIONS = {"single": np.float32, "double": np.float64}
Keys = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class StateOptions:
    """How nodes get their latent states.

    states: maximum number of states per label.  nodes_per_state: a label of n nodes gets at most n / nodes_per_state
    states.  by_label: states of single labels by name, in place of that rule.  inside, outside: feature names or
    functions.  kappa: feature scaling, None for none.  noise, noise_level: how members of an ensemble differ
    [narayan-cohen-2015].  precision: of features and projections, "single" or (slower) "double".  level: for the
    method of moments, use bases of states in which unseen rules have the same weight in all states.
    """

    states: int = 32
    nodes_per_state: int | None = None
    by_label: tuple[tuple[str, int], ...] = ()
    inside: Sequence[str | Feature] = tuple(INSIDE)
    outside: Sequence[str | Feature] = tuple(OUTSIDE)
    kappa: float | None = KAPPA
    noise: str = "none"
    noise_level: float = 0.1
    precision: str = "single"
    level: bool = False

    def __post_init__(self) -> None:
        if self.noise not in NOISES:
            raise OptionError(f"noise must be one of {', '.join(NOISES)}, got {self.noise!r} instead")
        if self.precision not in PRECISIONS:
            raise OptionError(
                f"precision must be one of {', '.join(PRECISIONS)}, got {self.precision!r} instead"
            )


def wanted_states(count: Counts, labels: tuple[Label, ...], options: StateOptions) -> IntVector:
    """Number of states of each label by the rule, or by name where given: (A,).  count: nodes of each label."""
    wanted = np.clip(count // (options.nodes_per_state or NODES_PER_STATE), 1, options.states)
    named = dict(options.by_label)
    for a, label in enumerate(labels):
        if str(label) in named:
            wanted[a] = min(named[str(label)], max(count[a], 1))
    return wanted.astype(np.int32)


@dataclass(frozen=True, slots=True)
class NodeSample:
    """Sampled nodes: their rows, labels, weights and feature keys (n, T); counts of neighbours of all."""

    rows: LongVector
    label: IntVector
    weight: FloatArray
    inside: Keys
    outside: Keys
    context: Context


def sample_nodes(
    encoded: Encoded, options: StateOptions, *, rate: FloatArray | None = None, seed: int = 0
) -> NodeSample:
    """A seeded sample of the nodes of trees.  rate: (A,) share of each label's nodes; None for all nodes."""
    view = node_view(encoded.trees, encoded.symbol)
    label = encoded.trees.label
    rows = np.arange(label.size)
    if rate is not None:
        rows = np.flatnonzero(generator(seed, 3, encoded.number).random(label.size) < rate[label])
    return NodeSample(
        rows,
        label[rows],
        encoded.trees.row_weight()[rows],
        feature_keys(view, options.inside, rows),
        feature_keys(view, options.outside, rows),
        context_counts(encoded.trees, view),
    )


@dataclass(frozen=True, slots=True)
class LabelFeatures:
    """One label's nodes: rows of the trees, their weights, and rows over the distinct features of the label."""

    label: int
    rows: LongVector
    weight: FloatArray
    inside_keys: Keys
    inside: FeatureRows
    outside_keys: Keys
    outside: FeatureRows


NodeFeatures = dict[int, LabelFeatures]


def node_features(samples: Iterable[NodeSample], count: Counts, options: StateOptions) -> NodeFeatures:
    """Scaled features of the sampled nodes by label; they do not depend on seeds or numbers of states.

    count: nodes of each label, sampled or not.
    """
    parts = list(samples)
    rows, label, weight, inside, outside = (
        np.concatenate([getattr(one, name) for one in parts])
        for name in ("rows", "label", "weight", "inside", "outside")
    )
    del parts
    order = np.argsort(label, kind="stable")
    first = np.searchsorted(label[order], np.arange(count.size + 1))
    found: NodeFeatures = {}
    for a in np.flatnonzero(np.diff(first) > 1).tolist():
        own = order[first[a] : first[a + 1]]
        heavy = weight[own]
        share, total = float(count[a] / heavy.sum()), float(count.sum())
        found[a] = LabelFeatures(
            a,
            rows[own],
            heavy,
            *_feature_rows(inside[own], heavy, share, total, options),
            *_feature_rows(outside[own], heavy, share, total, options),
        )
    return found


def _feature_rows(
    keys: Keys, weight: FloatArray, share: float, total: float, options: StateOptions
) -> tuple[Keys, FeatureRows]:
    """Distinct keys in order of first occurrence and the rows over them, scaled [cohen-etal-2013].

    Feature i gets sqrt(total / (count_i + kappa)), its count taken as if all nodes had been looked at.
    """
    flat = keys.ravel()
    ids, first = np.empty(flat.size, dtype=np.int32), np.empty(flat.size, dtype=np.int64)
    d = intern_keys(flat, ids, first)
    count = np.bincount(ids, weights=np.repeat(weight, keys.shape[1]), minlength=d) * share
    scale = np.ones(d) if options.kappa is None else np.sqrt(total / (count + options.kappa))
    heavy = None if np.all(weight == 1) else weight
    return flat[first[:d]], FeatureRows(
        ids.reshape(keys.shape), scale.astype(PRECISIONS[options.precision]), heavy
    )


@dataclass(frozen=True, slots=True)
class LabelBlock:
    """One label's nodes with their projection.  inside, outside: features, with noise if that was asked for."""

    features: LabelFeatures
    n_states: int
    projection: Projection
    inside: FeatureRows
    outside: FeatureRows

    def points(self) -> FloatArray:
        """Projected inside and outside features side by side: (n, 2 m)."""
        inner, outer = self.inside.times(self.projection.left), self.outside.times(self.projection.right)
        return np.concatenate([inner, outer], axis=1)


def label_blocks(
    features: NodeFeatures,
    options: StateOptions,
    wanted: IntVector,
    seed: int,
    drawn: BoolVector | None = None,
) -> Iterator[LabelBlock]:
    """The projection of every label that is to have more than one state.  drawn: nodes that it is made of, or all."""
    for a in np.flatnonzero(wanted > 1).tolist():
        if a not in features:
            continue
        rng = generator(seed, a, 0)
        phi, psi = features[a].inside, features[a].outside
        if options.noise == "dropout":
            phi, psi = _dropped(phi, options.noise_level, rng), _dropped(psi, options.noise_level, rng)
        own = slice(None) if drawn is None else drawn[features[a].rows]
        projection = cross_svd(phi.some(own), psi.some(own), int(wanted[a]), rng=rng)
        yield LabelBlock(features[a], int(wanted[a]), projection, phi, psi)


def _dropped(rows: FeatureRows, rate: float, rng: np.random.Generator) -> FeatureRows:
    """Features switched off at random; the others are scaled up so that means do not change."""
    keep = rng.random(rows.scale.size) >= rate
    return replace(rows, scale=(rows.scale * keep / (1 - rate)).astype(rows.scale.dtype))


def noisy(values: FloatArray, options: StateOptions, rng: np.random.Generator) -> FloatArray:
    """Projected rows with the Gaussian noise asked for."""
    if options.noise == "additive":
        spread = np.sqrt(options.noise_level * np.abs(values.mean(axis=0)))
        values = np.asarray(values + spread * rng.standard_normal(values.shape), dtype=values.dtype)
    if options.noise == "multiplicative":
        factor = 1 + options.noise_level * rng.standard_normal(values.shape)
        values = np.asarray(values * factor, dtype=values.dtype)
    return values


@dataclass(frozen=True, slots=True)
class Annotation:
    """A state for every node, the number of states of each label, and singular values by label."""

    state: IntVector
    states: IntVector
    singular: dict[int, FloatArray]


def cluster_states(
    encoded: Encoded, features: NodeFeatures, wanted: IntVector, options: StateOptions, seed: int
) -> Annotation:
    """k-means of each label's projected inside and outside features [narayan-cohen-2015]."""
    state, states = np.zeros(encoded.trees.label.size, dtype=np.int32), np.ones(wanted.size, dtype=np.int32)
    singular = {}
    for block in label_blocks(features, options, wanted, seed):
        a = block.features.label
        rng = generator(seed, a, 1)
        points = noisy(block.points(), options, rng)
        found = clusters(points, block.n_states, rng=rng, weight=block.features.weight)
        state[block.features.rows], states[a] = found, found.max() + 1
        singular[a] = block.projection.singular
    return Annotation(state, states, singular)


def random_states(encoded: Encoded, wanted: IntVector, seed: int) -> Annotation:
    """A random state for every node, the start of plain EM [matsuzaki-etal-2005]."""
    label = encoded.trees.label
    draw = generator(seed, 2).random(label.size)
    return Annotation((draw * wanted[label]).astype(np.int32), wanted, {})


@dataclass(frozen=True, slots=True)
class LabelTable:
    """One label's features and centres.

    inside_keys (d,), left (d + 1, m): scaled U, the last row zero for features that the sample lacks; outside_keys
    (e,), right (e + 1, m) likewise; centres: (k, 2 m).
    """

    inside_keys: Keys
    left: FloatArray
    outside_keys: Keys
    right: FloatArray
    centres: FloatArray


@dataclass(frozen=True, slots=True)
class StateTable:
    """states: (A,) number of states; labels with more than one have a table; singular values by label."""

    states: IntVector
    labels: dict[int, LabelTable]
    singular: dict[int, FloatArray]


def state_table(features: NodeFeatures, wanted: IntVector, options: StateOptions, seed: int) -> StateTable:
    """Projections and centres of every label that is to have more than one state."""
    table = StateTable(np.ones(wanted.size, dtype=np.int32), {}, {})
    for block in label_blocks(features, options, wanted, seed):
        own = block.features
        rng = generator(seed, own.label, 1)
        centres = centres_of(block.points(), block.n_states, rng=rng, weight=own.weight)
        if centres is None:
            continue
        left = _padded(block.inside, block.projection.left)
        right = _padded(block.outside, block.projection.right)
        table.labels[own.label] = LabelTable(own.inside_keys, left, own.outside_keys, right, centres)
        table.states[own.label] = centres.shape[0]
        table.singular[own.label] = block.projection.singular
    return table


def _padded(rows: FeatureRows, basis: FloatArray) -> FloatArray:
    scaled = basis * rows.scale[:, None]
    return np.concatenate([scaled, np.zeros((1, basis.shape[1]), dtype=basis.dtype)])


def assign_states(table: StateTable, sample: NodeSample) -> IntVector:
    """The nearest centre of every node of a sample."""
    state = np.zeros(sample.label.size, dtype=np.int32)
    order = np.argsort(sample.label, kind="stable")
    first = np.searchsorted(sample.label[order], np.arange(table.states.size + 1))
    for a, one in table.labels.items():
        rows = order[first[a] : first[a + 1]]
        if not rows.size:
            continue
        inner = _projected(sample.inside[rows], one.inside_keys, one.left)
        outer = _projected(sample.outside[rows], one.outside_keys, one.right)
        found = np.empty(rows.size, dtype=np.int32)
        nearest(np.concatenate([inner, outer], axis=1), one.centres, found)
        state[rows] = found
    return state


def _projected(keys: Keys, known: Keys, basis: FloatArray) -> FloatArray:
    """Sums of the rows of a basis that stand for each node's features."""
    ids = positions(keys, known)
    ids[ids < 0] = known.size
    out = np.empty((keys.shape[0], basis.shape[1]), dtype=basis.dtype)
    gather(ids, np.ones(known.size + 1, dtype=basis.dtype), basis, out)
    return out
