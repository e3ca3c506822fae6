"""A grammar without some of its trees: nothing of them is left, and everything else is proper."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.pick import pick_trees
from eigenparse.corpus.transform import binarise
from eigenparse.learn.grammar.again import carried_over, learn_again
from eigenparse.learn.grammar.encode import count_trees, make_plan, merged
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.synthetic import sample_treebank

OPTIONS = GrammarOptions(seed=1, nodes_per_state=20, ensemble=2).filled()


def trees() -> Treebank:
    return normalise(sample_treebank(200, 2))


@pytest.fixture(scope="module")
def whole() -> LatentGrammar:
    return OPTIONS.fit(trees())


@pytest.fixture(scope="module")
def without(whole: LatentGrammar) -> LatentGrammar:
    return learn_again(whole, pick_trees(trees(), np.arange(20)), OPTIONS)


def test_only_words_and_rules_of_the_other_trees_are_left(without: LatentGrammar) -> None:
    part = pick_trees(trees(), np.arange(20))
    seen = {part.words[w] for w in part.word if w >= 0}
    assert set(without.skeleton.symbols[: without.skeleton.n_words]) == seen
    for own, factor in zip((without, *without.others), ("head", "left")):
        counted = count_trees(binarise(part, GrammarOptions(factor=factor).filled().binarisation))
        names = {tuple(counted.labels[a] for a in rule) for rule in counted.rules}
        assert {tuple(own.skeleton.labels[a] for a in rule) for rule in own.skeleton.rules} == names


def test_states_stay_and_their_rules_and_words_sum_to_one(
    whole: LatentGrammar, without: LatentGrammar
) -> None:
    for old, new in zip((whole, *whole.others), (without, *without.others), strict=True):
        states = dict(zip(old.skeleton.labels, old.members[0].states.tolist()))
        assert [states[a] for a in new.skeleton.labels] == new.members[0].states.tolist()
        assert new.coarse is not None
        for weights in (*new.members, new.coarse):
            assert_allclose(weights.root_weight.sum(), 1.0, rtol=1e-5)
            assert np.all(np.isfinite(weights.rule_weight))
            assert np.all(weights.rule_weight >= 0)


def test_weights_carried_over_to_the_same_rules_are_the_same(whole: LatentGrammar) -> None:
    counted = merged([count_trees(binarise(trees(), OPTIONS.binarisation))])
    skeleton, weights = make_plan(counted, OPTIONS.rare or 0).skeleton, whole.members[0]
    carried = carried_over(whole.skeleton, weights, skeleton)
    assert_array_equal(carried.rule_weight, weights.rule_weight)
    assert_array_equal(carried.root_weight, weights.root_weight)
    x, a = skeleton.symbols[0], int(skeleton.entry_label[0])
    own = whole.skeleton.entry_symbol == whole.skeleton.symbols.index(x)
    entry = int(np.flatnonzero(own & (whole.skeleton.entry_label == a))[0])
    assert_array_equal(
        carried.entry_weight[: carried.states[a]],
        weights.entry_weight[weights.entry_at[entry] : weights.entry_at[entry + 1]],
    )


def test_a_word_unknown_to_the_source_says_nothing_about_states(whole: LatentGrammar) -> None:
    odd = normalise(sample_treebank(200, 2))
    words = tuple(f"{word}zzz" for word in odd.words)
    renamed = Treebank(**{name: getattr(odd, name) for name in odd.__dataclass_fields__} | {"words": words})
    counted = merged([count_trees(binarise(renamed, OPTIONS.binarisation))])
    carried = carried_over(whole.skeleton, whole.members[0], make_plan(counted, 0).skeleton)
    assert_array_equal(carried.entry_weight, 1.0)
