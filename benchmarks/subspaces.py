"""Projections of a treebank's labels: how far from a dense decomposition, and what they cost.

    python benchmarks/subspaces.py DATA --treebank wsj-sample

Beside `cross_svd` stands a randomised decomposition with three power passes (oversampling 8), which it took the place
of.  The angle is that of the leading c directions to the exact ones, the largest over all c behind which the singular
values fall by 1 % or more, of labels whose whole moment fits into memory (--dense cells); seconds are of all labels,
the least of five runs.
"""

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from eigenparse.corpus.brackets import read_trees
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.transform import binarise
from eigenparse.learn.grammar.encode import encoded_whole
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.learn.grammar.states import node_features, sample_nodes, wanted_states
from eigenparse.spectral.svd import GAP, FeatureRows, cross_svd, orthonormal

OVERSAMPLE, POWER_PASSES, REPEATS = 8, 3, 5
Directions = tuple[np.ndarray, np.ndarray]
Decomposition = Callable[[FeatureRows, FeatureRows, int, np.random.Generator], Directions]


def randomised(inside: FeatureRows, outside: FeatureRows, m: int, rng: np.random.Generator) -> Directions:
    """U (d, m), V (e, m) by power passes over random directions."""
    k = min(m + OVERSAMPLE, inside.scale.size, outside.scale.size)
    right = rng.standard_normal((outside.scale.size, k)).astype(inside.scale.dtype)
    for _ in range(POWER_PASSES):
        left = orthonormal(inside.transposed_times(outside.times(right)))
        right = orthonormal(outside.transposed_times(inside.times(left)))
    both = inside.transposed_times(outside.times(right)).astype(np.float64)
    left, _, mixing = np.linalg.svd(both, full_matrices=False)
    return left[:, :m], right @ mixing[:m].T


def iterated(inside: FeatureRows, outside: FeatureRows, m: int, rng: np.random.Generator) -> Directions:
    """The same by the toolkit."""
    found = cross_svd(inside, outside, m, rng=rng)
    return found.left, found.right


def dense(inside: FeatureRows, outside: FeatureRows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """U, sigma, V of the whole moment."""
    whole = FeatureRows(outside.ids, outside.scale.astype(np.float64))
    rows = whole.times(np.eye(outside.scale.size))
    moment = FeatureRows(inside.ids, inside.scale.astype(np.float64)).transposed_times(rows)
    left, sigma, right = np.linalg.svd(moment, full_matrices=False)
    return left, sigma, right.T


def widest(found: Directions, exact: tuple[np.ndarray, np.ndarray, np.ndarray]) -> float:
    """The largest angle in degrees of leading directions with a gap behind them."""
    left, sigma, right = exact
    angle = 0.0
    for ours, own in zip(found, (left, right)):
        ours = ours.astype(np.float64)
        for c in range(1, min(ours.shape[1], sigma.size - 1) + 1):
            if sigma[c - 1] >= (1 + GAP) * sigma[c]:
                rest = ours[:, :c] - own[:, :c] @ (own[:, :c].T @ ours[:, :c])
                sine = float(np.linalg.norm(rest, 2))
                angle = max(angle, float(np.degrees(np.arcsin(min(sine, 1.0)))))
    return angle


def main() -> None:
    """Print angles and CPU seconds of both decompositions."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--treebank", default="wsj-sample")
    parser.add_argument("--dense", type=int, default=3_000_000, help="cells of the largest moment made whole")
    args = parser.parse_args()
    options = GrammarOptions().filled()
    trees = binarise(normalise(read_trees(args.data / args.treebank / "train.ptb")), options.binarisation)
    encoded, of = encoded_whole(trees, options.rare or 0), options.of_states
    count = np.bincount(encoded.trees.label, minlength=len(encoded.trees.labels))
    wanted = wanted_states(count, encoded.trees.labels, of)
    features = node_features([sample_nodes(encoded, of)], count, of)
    labels = [a for a in np.flatnonzero(wanted > 1).tolist() if a in features]
    small = [
        a for a in labels if features[a].inside.scale.size * features[a].outside.scale.size <= args.dense
    ]
    exact = {a: dense(features[a].inside, features[a].outside) for a in small}
    print(f"{len(labels)} labels with states, {len(small)} compared with a dense decomposition")
    print("| | angle, worst | angle, median of labels | CPU s, all labels |\n|---|---|---|---|")
    for name, decompose in (("cross_svd", iterated), ("randomised, three passes", randomised)):
        decompose(features[labels[0]].inside, features[labels[0]].outside, 2, np.random.default_rng(0))
        took = []
        for _ in range(REPEATS):
            start = time.process_time()
            found = {
                a: decompose(
                    features[a].inside, features[a].outside, int(wanted[a]), np.random.default_rng(a)
                )
                for a in labels
            }
            took.append(time.process_time() - start)
        angles = [widest(found[a], exact[a]) for a in small]
        print(f"| {name} | {max(angles):.4f} | {np.median(angles):.4f} | {min(took):.2f} |", flush=True)


if __name__ == "__main__":
    main()
