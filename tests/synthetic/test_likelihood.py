"""Exact likelihoods of the known grammar against sums that share no code with the toolkit."""

import math
from collections import defaultdict

import numpy as np
import pytest
from numpy.testing import assert_allclose

from eigenparse.corpus.brackets import parse_trees
from eigenparse.corpus.columns import Trees
from eigenparse.corpus.normalise import normalise
from eigenparse.synthetic import (
    Sample,
    SyntheticGrammar,
    english_grammar,
    sample_treebank,
    sample_trees,
    sentence_log_likelihood,
    tree_log_likelihood,
)

ROUNDING = 1e-10
SHORT = 8


@pytest.fixture(scope="module")
def grammar() -> SyntheticGrammar:
    return english_grammar()


@pytest.fixture(scope="module")
def sample(grammar: SyntheticGrammar) -> Sample:
    return sample_trees(grammar, 200, seed=11)


def words_of(trees: Trees, s: int) -> list[str]:
    rows = slice(int(trees.offsets[s]), int(trees.offsets[s + 1]))
    return [trees.words[x] for x in trees.word[rows] if x >= 0]


def tree_probability(grammar: SyntheticGrammar, trees: Trees, s: int) -> float:
    """Sum over hidden states, row by row, with dictionaries from symbols to numbers."""
    label_of = grammar.symbol_label()
    below: dict[int, dict[int, float]] = {}
    for row in range(int(trees.offsets[s]), int(trees.offsets[s + 1])):
        cell: dict[int, float] = defaultdict(float)
        if trees.word[row] >= 0:
            for (a, x), p in zip(grammar.lexeme, grammar.lexeme_probability):
                if x == trees.word[row] and label_of[a] == trees.label[row]:
                    cell[int(a)] += float(p)
        else:
            left, right = below[int(trees.left[row])], below[int(trees.right[row])]
            for (a, b, c), p in zip(grammar.rule, grammar.rule_probability):
                if label_of[a] == trees.label[row] and b in left and c in right:
                    cell[int(a)] += float(p) * left[b] * right[c]
        below[row] = cell
    return sum(
        p * float(grammar.root_probability[a]) for a, p in below[int(trees.offsets[s + 1]) - 1].items()
    )


def sentence_probability(grammar: SyntheticGrammar, words: list[str]) -> float:
    """Sum over all trees and states: the textbook chart over symbols."""
    n = len(words)
    chart: dict[tuple[int, int], dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for i, word in enumerate(words):
        for (a, x), p in zip(grammar.lexeme, grammar.lexeme_probability):
            if grammar.words[x] == word:
                chart[i, i + 1][int(a)] += float(p)
    rules = [
        (int(a), int(b), int(c), float(p)) for (a, b, c), p in zip(grammar.rule, grammar.rule_probability)
    ]
    for size in range(2, n + 1):
        for i in range(n - size + 1):
            for k in range(i + 1, i + size):
                left, right = chart[i, k], chart[k, i + size]
                for a, b, c, p in rules:
                    if b in left and c in right:
                        chart[i, i + size][a] += p * left[b] * right[c]
    return sum(p * float(grammar.root_probability[a]) for a, p in chart[0, n].items())


def test_trees(grammar: SyntheticGrammar, sample: Sample) -> None:
    found = tree_log_likelihood(grammar, sample_treebank(200, seed=11))
    wanted = [math.log(tree_probability(grammar, sample.trees, s)) for s in range(20)]
    assert_allclose(found[:20], wanted, rtol=ROUNDING)
    assert np.isfinite(found).all()


def test_sentences(grammar: SyntheticGrammar, sample: Sample) -> None:
    sentences = [words for words in (words_of(sample.trees, s) for s in range(200)) if len(words) <= SHORT][
        :12
    ]
    wanted = [math.log(sentence_probability(grammar, words)) for words in sentences]
    assert_allclose(sentence_log_likelihood(grammar, sentences), wanted, rtol=ROUNDING)


def test_a_sentence_is_at_least_as_likely_as_its_tree(grammar: SyntheticGrammar, sample: Sample) -> None:
    trees = tree_log_likelihood(grammar, sample_treebank(200, seed=11))[:60]
    sentences = sentence_log_likelihood(grammar, [words_of(sample.trees, s) for s in range(60)])
    assert np.all(sentences >= trees - 1e-9)
    assert np.any(sentences > trees + 0.1)


def test_what_the_grammar_cannot_say_has_no_probability(grammar: SyntheticGrammar) -> None:
    clause = "(S (NP (PRP he)) (VP (VBZ {})) (. .))"
    trees = clause.format("sleeps") + clause.format("flurbs") + "(NP (DT the) (NN man))"
    likely, foreign, rootless = tree_log_likelihood(grammar, normalise(parse_trees(trees)))
    assert np.isfinite(likely)
    assert foreign == rootless == -np.inf
    sentences = [["he", "sleeps", "."], ["he", "flurbs", "."], ["the", "the"], []]
    assert np.isfinite(sentence_log_likelihood(grammar, sentences)).tolist() == [True, False, False, False]
