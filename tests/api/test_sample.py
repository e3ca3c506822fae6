"""Sampling: frequencies against probabilities, determinism, refusals."""

import math
from collections import Counter

import numpy as np
import pytest
from tests.api.small import english, tiny

from eigenparse.api.grammar import Grammar
from eigenparse.api.learner import LatentPCFG
from eigenparse.corpus.brackets import format_trees
from eigenparse.errors import DataError
from eigenparse.synthetic import english_grammar, expected_words, latent_grammar, sample_treebank

N = 3000
SIGMAS = 5.0


@pytest.mark.parametrize("method", ["pcfg", "em"])
def test_trees_come_up_as_often_as_they_should(method: str) -> None:
    lines = format_trees(tiny(method=method).sample(N, seed=4)).decode().strip().split("\n")
    assert len(lines) == N
    for tree, count in Counter(lines).most_common(8):
        p = math.exp(float(tiny(method=method).score(tree).log_probability[0]))
        assert abs(count - N * p) < SIGMAS * math.sqrt(N * p * (1 - p)) + 1e-3 * N


def test_sentences_of_a_known_grammar_have_its_length() -> None:
    known = english_grammar()
    trees = Grammar.of(latent_grammar(known)).sample(N, seed=1)
    length = np.add.reduceat(trees.word >= 0, trees.offsets[:-1])
    assert abs(length.mean() - expected_words(known)) < SIGMAS * length.std() / math.sqrt(N)


def test_the_same_seed_gives_the_same_trees_and_a_prefix() -> None:
    few, many = english().sample(5, seed=2), english().sample(9, seed=2)
    assert format_trees(many).startswith(format_trees(few))
    assert format_trees(english().sample(5, seed=3)) != format_trees(few)
    assert len(english().sample(0)) == 0


def test_sampled_trees_have_positive_probability() -> None:
    trees = english(factor="right").sample(50, seed=0)
    assert np.all(english(factor="right").score(trees).sign == 1.0)


def test_long_trees_are_drawn_again() -> None:
    trees = english().sample(40, seed=0, max_words=6)
    assert np.add.reduceat(trees.word >= 0, trees.offsets[:-1]).max() <= 6


def test_signed_tensors_are_refused() -> None:
    grammar = LatentPCFG(method="tensor", states=3).fit(sample_treebank(150, 0))
    with pytest.raises(DataError, match="signed tensors"):
        grammar.sample(1)
