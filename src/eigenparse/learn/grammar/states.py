"""Latent states of every node: features in, projections and clusters out, label by label."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import FloatArray, IntVector, LongVector, generator
from eigenparse.corpus.columns import Label
from eigenparse.errors import OptionError
from eigenparse.features.grammar.tree import (
    INSIDE,
    OUTSIDE,
    THESIS_INSIDE,
    THESIS_OUTSIDE,
    Feature,
    FeatureTable,
    NodeView,
    feature_table,
)
from eigenparse.learn.grammar.encode import Encoded
from eigenparse.spectral.cluster import clusters
from eigenparse.spectral.svd import FeatureRows, Projection, cross_svd

FEATURE_SETS: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "full": (tuple(INSIDE), tuple(OUTSIDE)),
    "thesis": (THESIS_INSIDE, THESIS_OUTSIDE),
}
NODES_PER_STATE = 100
NOISES = ("none", "dropout", "additive", "multiplicative")
PRECISIONS = {"single": np.float32, "double": np.float64}


@dataclass(frozen=True, slots=True)
class StateOptions:
    """How nodes get their latent states.

    states: most states a label may have.  nodes_per_state: a label of n nodes gets at most
    n / nodes_per_state states (None: as suits the method).  by_label: states of single labels by name, over the rule.
    inside, outside: feature names or functions.  kappa: feature scaling, None for none.
    noise, noise_level: how members of an ensemble differ [narayan-cohen-2015].  precision: of
    features and projections, "single" or (slower) "double".
    """

    states: int = 32
    nodes_per_state: int | None = None
    by_label: tuple[tuple[str, int], ...] = ()
    inside: Sequence[str | Feature] = tuple(INSIDE)
    outside: Sequence[str | Feature] = tuple(OUTSIDE)
    kappa: float | None = 5.0
    noise: str = "none"
    noise_level: float = 0.1
    precision: str = "single"

    def __post_init__(self) -> None:
        if not 1 <= self.states <= 256:
            raise OptionError(f"states must be between 1 and 256, got {self.states} instead")
        if self.noise not in NOISES:
            raise OptionError(f"noise must be one of {', '.join(NOISES)}, got {self.noise!r} instead")
        if self.precision not in PRECISIONS:
            raise OptionError(
                f"precision must be one of {', '.join(PRECISIONS)}, got {self.precision!r} instead"
            )


@dataclass(frozen=True, slots=True)
class LabelBlock:
    """One label's nodes: their rows, wanted states, projection and feature rows."""

    label: int
    rows: LongVector
    n_states: int
    projection: Projection
    inside: FeatureRows
    outside: FeatureRows


def wanted_states(encoded: Encoded, options: StateOptions) -> IntVector:
    """Number of states of each label by the rule, and by name where given: (A,)."""
    labels = encoded.trees.labels
    return states_by_rule(np.bincount(encoded.trees.label, minlength=len(labels)), labels, options)


def states_by_rule(count: LongVector, labels: tuple[Label, ...], options: StateOptions) -> IntVector:
    """The same from the number of nodes of each label."""
    wanted = np.clip(count // (options.nodes_per_state or NODES_PER_STATE), 1, options.states)
    named = dict(options.by_label)
    for a, label in enumerate(labels):
        if str(label) in named:
            wanted[a] = min(named[str(label)], max(count[a], 1))
    return wanted.astype(np.int32)


@dataclass(frozen=True, slots=True)
class NodeFeatures:
    """Features of all nodes in the order of their labels: label a's are [first[a], first[a + 1]) of ``order``."""

    order: LongVector
    first: LongVector
    inside: FeatureTable
    outside: FeatureTable


def node_features(encoded: Encoded, view: NodeView, options: StateOptions) -> NodeFeatures:
    """The features that ``options`` names; they do not depend on seeds or numbers of states."""
    label = encoded.trees.label
    order = np.argsort(label, kind="stable")
    first = np.searchsorted(label[order], np.arange(len(encoded.trees.labels) + 1))
    dtype = PRECISIONS[options.precision]
    inside = feature_table(view, options.inside, order, kappa=options.kappa, dtype=dtype)
    outside = feature_table(view, options.outside, order, kappa=options.kappa, dtype=dtype)
    return NodeFeatures(order, first, inside, outside)


def label_blocks(
    features: NodeFeatures, options: StateOptions, wanted: IntVector, seed: int
) -> Iterator[LabelBlock]:
    """The projection of every label that is to have more than one state."""
    order, first, inside, outside = features.order, features.first, features.inside, features.outside
    for a in np.flatnonzero(wanted > 1).tolist():
        part = slice(first[a], first[a + 1])
        rng = generator(seed, a, 0)
        phi, psi = _rows(inside.ids[part], inside.scale), _rows(outside.ids[part], outside.scale)
        if options.noise == "dropout":
            phi, psi = _dropped(phi, options.noise_level, rng), _dropped(psi, options.noise_level, rng)
        projection = cross_svd(phi, psi, int(wanted[a]), rng=rng)
        yield LabelBlock(a, order[part], int(wanted[a]), projection, phi, psi)


def _rows(ids: IntVector, scale: FloatArray) -> FeatureRows:
    """Rows whose ids count from 0."""
    low, high = int(ids.min()), int(ids.max()) + 1
    return FeatureRows(ids - np.int32(low), scale[low:high])


def _dropped(rows: FeatureRows, rate: float, rng: np.random.Generator) -> FeatureRows:
    """Features switched off at random; the others are scaled up so that means stay."""
    keep = rng.random(rows.scale.size) >= rate
    return FeatureRows(rows.ids, (rows.scale * keep / (1 - rate)).astype(rows.scale.dtype))


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


def cluster_states(encoded: Encoded, features: NodeFeatures, options: StateOptions, seed: int) -> Annotation:
    """k-means of each label's projected inside and outside features [narayan-cohen-2015]."""
    wanted = wanted_states(encoded, options)
    state, states = np.zeros(encoded.trees.label.size, dtype=np.int32), np.ones(wanted.size, dtype=np.int32)
    singular = {}
    for block in label_blocks(features, options, wanted, seed):
        rng = generator(seed, block.label, 1)
        rows = np.concatenate(
            [block.inside.times(block.projection.left), block.outside.times(block.projection.right)], axis=1
        )
        found = clusters(noisy(rows, options, rng), block.n_states, rng=rng)
        state[block.rows], states[block.label] = found, found.max() + 1
        singular[block.label] = block.projection.singular
    return Annotation(state, states, singular)


def random_states(encoded: Encoded, options: StateOptions, seed: int) -> Annotation:
    """A random state for every node: where plain EM starts [matsuzaki-etal-2005]."""
    wanted = wanted_states(encoded, options)
    label = encoded.trees.label
    draw = generator(seed, 2).random(label.size)
    return Annotation((draw * wanted[label]).astype(np.int32), wanted, {})
