"""Sums over blocks of trees are those of all trees at once; blocks lose nothing on their way to a worker."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

from eigenparse.corpus.dependencies import Dependencies, columns_of
from eigenparse.features.dependency.channels import encode, vocabulary
from eigenparse.inference.dependency.deptree import score_trees
from eigenparse.learn.dependency import blocks as tree_blocks_module
from eigenparse.learn.dependency.blocks import tree_blocks
from eigenparse.learn.dependency.trees import DepTreeOptions


def some_trees(n: int) -> Dependencies:
    """Random trees whose tags follow the side and the tag of their heads."""
    rng = np.random.default_rng(7)
    heads, tags, sizes = [], [], []
    for _ in range(n):
        size = int(rng.integers(3, 9))
        own = [0] * size
        placed = [root := int(rng.integers(1, size + 1))]
        tag = {root: 0}
        for m in rng.permutation(np.setdiff1d(np.arange(1, size + 1), [root])).tolist():
            own[m - 1] = placed[int(rng.integers(len(placed)))]
            step = 1 if m < own[m - 1] else 2
            tag[m] = (tag[own[m - 1]] + step + int(rng.random() < 0.2)) % 5
            placed.append(m)
        heads += own
        tags += [f"t{tag[m]}" for m in range(1, size + 1)]
        sizes.append(size)
    blank = ["_"] * len(tags)
    columns = dict.fromkeys(("lemma", "feats", "relation"), blank) | {
        "form": tags,
        "upos": tags,
        "xpos": tags,
    }
    return columns_of(columns, heads, sizes, [0] * len(tags))


def test_blocks_hold_every_tree_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_blocks_module, "SENTENCES", 7)
    trees = some_trees(30)
    channels = ("tag", "left")
    symbols = encode(trees, channels, vocabulary(trees, channels, 0))
    blocks = [pickle.loads(pickle.dumps(block)) for block in tree_blocks(trees, symbols)]
    assert [block.offsets.size - 1 for block in blocks] == [7, 7, 7, 7, 2]
    assert np.array_equal(np.concatenate([block.head for block in blocks]), trees.head)
    assert np.array_equal(np.concatenate([block.symbols for block in blocks]), symbols)
    assert np.array_equal(np.concatenate([np.diff(block.offsets) for block in blocks]), trees.lengths())
    for block in blocks:
        assert (block.head.flags.writeable, block.symbols.flags.writeable) == (False, True)


@pytest.mark.parametrize("estimator", ["consistent", "printed", "instruments", "recovered", "em"])
def test_any_size_of_blocks_gives_the_same_model(estimator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    trees = some_trees(120)
    options = DepTreeOptions(estimator=estimator, states=2, rounds=3)
    whole = options.fit(trees)
    monkeypatch.setattr(tree_blocks_module, "SENTENCES", 13)
    parts = options.fit(trees)
    one, other = score_trees(whole, trees), score_trees(parts, trees)
    assert np.array_equal(one.sign, other.sign)
    assert_allclose(one.log_abs, other.log_abs, rtol=1e-6)
    for name in ("families", "not_positive"):
        assert whole.about[name] == parts.about[name]
    assert_allclose(whole.about["log_likelihood"], parts.about["log_likelihood"], rtol=1e-9)
