"""Trees with weights: a tree of weight w counts as w copies of it."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from eigenparse.corpus.brackets import join_treebanks
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.pick import in_proportion, pick_trees
from eigenparse.corpus.transform import Binarisation, binarise
from eigenparse.features.grammar.tree import node_view
from eigenparse.learn.grammar.context import context_counts
from eigenparse.learn.grammar.counts import estimate, hard_counts
from eigenparse.learn.grammar.em import expected_counts
from eigenparse.learn.grammar.encode import Encoded, count_trees, encode, make_plan, merged
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.learn.grammar.states import StateOptions, node_features, sample_nodes
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.spectral.svd import cross_svd
from eigenparse.synthetic import sample_treebank
from tolerances import ROUNDING

WEIGHT = np.array([3, 1, 2, 5, 1, 4, 1, 2, 1, 6])


def trees() -> Treebank:
    return normalise(sample_treebank(10, 3))


def weighted() -> Treebank:
    return replace(trees(), weight=WEIGHT.astype(np.float64))


def copied() -> Treebank:
    """The same as copies, those of a tree one after the other."""
    return pick_trees(trees(), np.repeat(np.arange(len(WEIGHT)), WEIGHT))


def encoded(treebank: Treebank) -> Encoded:
    binary = binarise(treebank, Binarisation("head"))
    return encode(binary, make_plan(merged([count_trees(binary)]), 1))


def test_counts_of_weighted_trees_are_those_of_copies() -> None:
    one, two = (count_trees(binarise(treebank)) for treebank in (weighted(), copied()))
    assert one.labels == two.labels
    assert np.array_equal(one.rules, two.rules)
    assert np.array_equal(one.tokens, two.tokens)
    for name in ("rule_count", "token_count", "roots"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
    assert np.array_equal(one.label_count(), two.label_count())


def test_counts_of_parts_with_weights_add_up() -> None:
    half = binarise(weighted())
    parts = merged([count_trees(half.take(0, 4)), count_trees(half.take(4, 10))])
    whole = merged([count_trees(half)])
    assert sorted(zip(map(str, whole.labels), whole.roots)) == sorted(
        zip(map(str, parts.labels), parts.roots)
    )
    assert parts.rule_count.sum() == whole.rule_count.sum()


def test_skeletons_and_neighbours_of_weighted_trees_are_those_of_copies() -> None:
    one, two = encoded(weighted()), encoded(copied())
    assert one.skeleton.symbols == two.skeleton.symbols
    for name in ("rule_probability", "entry_probability", "root_probability"):
        assert_allclose(getattr(one.skeleton, name), getattr(two.skeleton, name), rtol=ROUNDING)
    tables = [context_counts(x.trees, node_view(x.trees, x.symbol)) for x in (one, two)]
    for left, right in zip(*tables, strict=True):
        assert np.array_equal(left, right)


def test_expected_counts_of_weighted_trees_are_those_of_copies() -> None:
    one, two = encoded(weighted()), encoded(copied())
    states = np.full(len(one.skeleton.labels), 2, dtype=np.int32)
    state = [np.arange(x.trees.label.size) % 2 for x in (one, two)]
    state[1] = np.concatenate(
        [
            np.tile(state[0][one.trees.offsets[t] : one.trees.offsets[t + 1]], WEIGHT[t])
            for t in range(len(WEIGHT))
        ]
    )
    hard = [hard_counts(x, s.astype(np.int32), states) for x, s in zip((one, two), state)]
    for name in ("rule", "entry", "root"):
        assert np.array_equal(getattr(hard[0], name), getattr(hard[1], name)), name
    weights = estimate(one.skeleton, hard[0], rule_smoothing=1.0)
    found = [expected_counts(x, weights) for x in (one, two)]
    for name in ("rule", "entry", "root"):
        left, right = (getattr(x.counts, name) for x in found)
        assert_allclose(left, right, rtol=ROUNDING, atol=ROUNDING)
    assert_allclose(found[0].log_likelihood, found[1].log_likelihood, rtol=ROUNDING)


def test_projections_of_weighted_nodes_are_those_of_copies() -> None:
    found = []
    for x in (encoded(weighted()), encoded(copied())):
        options = StateOptions(states=3, precision="double")
        count = np.bincount(x.trees.label, weights=x.trees.row_weight(), minlength=len(x.trees.labels))
        features = node_features([sample_nodes(x, options)], count, options)
        a = max(features, key=lambda label: count[label])
        rng = np.random.default_rng(0)
        found.append(cross_svd(features[a].inside, features[a].outside, 3, rng=rng))
    assert_allclose(found[0].singular, found[1].singular, rtol=1e-8)


@pytest.mark.parametrize("method", ["pcfg", "tensor"])
def test_whole_grammars_of_weighted_trees_are_those_of_copies(method: str) -> None:
    options = GrammarOptions(
        method=method, states=1, nodes_per_state=2, rare=1, coarse_states=0,
        precision="double", span_loss=0.0,
    )  # fmt: skip
    one, two = (options.fit(treebank) for treebank in (weighted(), copied()))
    assert one.skeleton.symbols == two.skeleton.symbols
    assert_allclose(lexicon(one), lexicon(two), rtol=1e-4, atol=1e-6)
    assert_allclose(
        np.abs(one.members[0].rule_weight), np.abs(two.members[0].rule_weight), rtol=1e-3, atol=1e-5
    )


def lexicon(grammar: LatentGrammar) -> np.ndarray:
    return np.concatenate([grammar.skeleton.entry_probability, grammar.skeleton.rule_probability])


def test_weights_of_one_change_nothing() -> None:
    plain, ones = trees(), replace(trees(), weight=np.ones(len(WEIGHT)))
    options = GrammarOptions(states=4, nodes_per_state=2, rare=1)
    left, right = (options.fit(treebank).members[0] for treebank in (plain, ones))
    assert np.array_equal(left.rule_weight, right.rule_weight)
    assert np.array_equal(left.entry_weight, right.entry_weight)


def test_weights_follow_their_trees() -> None:
    both = join_treebanks([trees(), weighted()])
    assert both.weight is not None
    assert both.weight.tolist() == [1.0] * 10 + WEIGHT.tolist()
    assert pick_trees(both, np.array([12, 0])).weight.tolist() == [2.0, 1.0]  # type: ignore[union-attr]


def test_trees_are_drawn_in_proportion_to_their_weights() -> None:
    drawn = in_proportion(np.repeat([1.0, 0.0, 2.0, 1.0], 100), 200)
    assert np.array_equal(np.bincount(drawn // 100, minlength=4), [50, 0, 100, 50])
