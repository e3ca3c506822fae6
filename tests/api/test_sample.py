"""Sampling: frequencies against probabilities, determinism, refusals."""

import math
from collections import Counter

import numpy as np
import pytest
from tests.api.small import english, tiny

from eigenparse.api.grammar import Grammar
from eigenparse.api.learner import LatentPCFG
from eigenparse.arrays import as_ids, as_offsets
from eigenparse.corpus.brackets import format_trees
from eigenparse.corpus.columns import Label
from eigenparse.corpus.transform import unbinarise
from eigenparse.errors import DataError
from eigenparse.inference.grammar.sample import sample_trees
from eigenparse.models.grammar.pcfg import LatentGrammar, Skeleton, Weights, layout
from eigenparse.synthetic import english_grammar, expected_words, latent_grammar, sample_treebank
from eigenparse.synthetic import sample_trees as other_sampler

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


def test_trees_of_a_known_grammar_are_as_likely_as_its_own() -> None:
    """The mean log p of our trees is that of another sampler's: states agree where they must."""
    latent = latent_grammar(english_grammar())
    ours = Grammar.of(latent).score(sample_trees(latent, N, seed=3)).log_probability
    theirs = (
        Grammar.of(latent).score(unbinarise(other_sampler(english_grammar(), N, 3).trees)).log_probability
    )
    error = math.sqrt((ours.var() + theirs.var()) / N)
    assert abs(ours.mean() - theirs.mean()) < SIGMAS * error


def test_states_of_children_come_together_as_the_tensor_says() -> None:
    """By hand: S -> A B with two states a child, each with a word of its own."""
    tensor = np.array([[0.1, 0.2], [0.3, 0.4]])
    skeleton = Skeleton(
        labels=(Label(("S",)), Label(("A",)), Label(("B",))),
        rules=as_ids([[0, 1, 2]]),
        symbols=("a0", "a1", "b0", "b1"),
        entry_label=as_ids([1, 1, 2, 2]),
        entry_symbol=as_ids([0, 1, 2, 3]),
        entry_start=as_offsets([0, 1, 2, 3, 4]),
        rule_probability=np.ones(1),
        entry_probability=np.full(4, 0.5),
        root_probability=np.array([1.0, 0.0, 0.0]),
        n_words=4,
    )
    states = as_ids([1, 2, 2])
    entries = np.array([1.0, 0.0, 0.0, 1.0] * 2)
    root = np.array([1.0, 0.0, 0.0, 0.0, 0.0])
    weights = Weights(states, *layout(skeleton, states), tensor.ravel(), entries, root)
    trees = sample_trees(LatentGrammar(skeleton, (weights,)), N, seed=0)
    lines = Counter(format_trees(trees).decode().lower().split("\n"))
    count = np.array([[lines[f"(top (s (a a{i}) (b b{j})))"] for j in (0, 1)] for i in (0, 1)])
    assert np.all(np.abs(count - N * tensor) < SIGMAS * np.sqrt(N * tensor * (1 - tensor)))


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
