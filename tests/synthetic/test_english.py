"""The bundled English: a proper distribution, drawn from faithfully."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from eigenparse.arrays import FloatArray, LongVector
from eigenparse.corpus.columns import Trees, check_trees
from eigenparse.corpus.transform import Binarisation, binarise
from eigenparse.errors import OptionError
from eigenparse.synthetic import (
    Sample,
    SyntheticGrammar,
    english_grammar,
    expected_words,
    latent_grammar,
    sample_blocks,
    sample_treebank,
    sample_trees,
)
from eigenparse.synthetic.grammar import expected_counts, symbol_totals
from eigenparse.synthetic.lexicon import english_lexicon

SIGMAS = 6.0  # of a normal deviate: one in 10^9, and seeds are fixed


@pytest.fixture(scope="module")
def grammar() -> SyntheticGrammar:
    return english_grammar()


@pytest.fixture(scope="module")
def sample(grammar: SyntheticGrammar) -> Sample:
    return sample_trees(grammar, 30_000, seed=3)


def symbols(grammar: SyntheticGrammar, sample: Sample) -> LongVector:
    return grammar.offsets[sample.trees.label] + sample.state


def lengths(trees: Trees) -> LongVector:
    return np.add.reduceat((trees.word >= 0).astype(np.int64), trees.offsets[:-1])


def test_every_symbol_is_a_distribution(grammar: SyntheticGrammar) -> None:
    assert_allclose(symbol_totals(grammar), np.ones(grammar.n_symbols), rtol=1e-12)
    assert_allclose(grammar.root_probability.sum(), 1.0, rtol=1e-12)
    assert grammar.rule_probability.min() > 0
    assert grammar.lexeme_probability.min() > 0


def test_some_dozen_categories_with_hidden_subclasses(grammar: SyntheticGrammar) -> None:
    phrases = {label.chain[0] for label in grammar.labels if not label.partial}
    assert {"S", "NP", "VP", "PP", "SBAR", "ADJP", "ADVP", "NN", "NNS", "VBZ", "VBP", "IN", "DT"} <= phrases
    assert 300 <= len(grammar.words) <= 1000
    assert 8 <= grammar.n_states.max() <= 20


def test_articles_fit_the_words_after_them() -> None:
    lexicon = english_lexicon()
    after_a = [w for (tag, _), words in lexicon.items() if tag in ("NN", "JJ") for w in words]
    predicative = set(lexicon["JJ", "p"]) | set(lexicon["JJ", "a"])
    assert [word for word in after_a if word[0] in "aeiou" and word not in predicative] == []


def test_trees_are_sound(sample: Sample, grammar: SyntheticGrammar) -> None:
    trees = check_trees(sample.trees)
    assert len(trees) == 30_000
    assert np.all(sample.state >= 0)
    assert np.all(sample.state < grammar.n_states[trees.label])
    inner = trees.left >= 0
    # In post-order the right child stands just before its parent.
    assert_array_equal(trees.right[inner], np.flatnonzero(inner) - 1)


def test_lengths_follow_the_exact_expectation(sample: Sample, grammar: SyntheticGrammar) -> None:
    n = lengths(sample.trees)
    assert abs(n.mean() - expected_words(grammar)) < SIGMAS * n.std() / np.sqrt(n.size)
    assert 10 <= n.mean() <= 16
    assert n.min() >= 2
    assert n.max() < 250


def chi_square(observed: FloatArray, expected: FloatArray) -> float:
    """How many standard deviations the chi-square statistic lies above its mean; rare cells pooled."""
    common = expected >= 10
    o = np.append(observed[common], observed[~common].sum())
    e = np.append(expected[common], expected[~common].sum())
    o, e = o[e > 0], e[e > 0]
    freedom = e.size - 1
    return float((((o - e) ** 2 / e).sum() - freedom) / np.sqrt(2 * freedom)) if freedom > 0 else 0.0


def test_rule_frequencies_match_mother_by_mother(sample: Sample, grammar: SyntheticGrammar) -> None:
    trees, symbol = sample.trees, symbols(grammar, sample)
    row = np.flatnonzero(trees.left >= 0)
    n = grammar.n_symbols
    seen = (symbol[row] * n + symbol[trees.left[row]]) * n + symbol[trees.right[row]]
    a, b, c = grammar.rule.astype(np.int64).T
    known, count = (a * n + b) * n + c, np.bincount(symbol[row], minlength=n)
    assert np.isin(seen, known).all()
    order = np.argsort(known)
    observed = np.zeros(known.size)
    observed[order] = np.bincount(np.searchsorted(known[order], seen), minlength=known.size)
    for mother in range(n):
        of = a == mother
        assert chi_square(observed[of], count[mother] * grammar.rule_probability[of]) < SIGMAS + 2


def test_word_frequencies_match_tag_by_tag(sample: Sample, grammar: SyntheticGrammar) -> None:
    trees, symbol = sample.trees, symbols(grammar, sample)
    row = np.flatnonzero(trees.word >= 0)
    observed = np.zeros((grammar.n_symbols, len(grammar.words)))
    np.add.at(observed, (symbol[row], trees.word[row]), 1.0)
    expected = np.zeros_like(observed)
    expected[grammar.lexeme[:, 0], grammar.lexeme[:, 1]] = grammar.lexeme_probability
    expected *= observed.sum(axis=1, keepdims=True)
    assert np.all(observed[expected == 0] == 0)
    assert max(chi_square(o, e) for o, e in zip(observed, expected)) < SIGMAS + 2


def test_symbol_counts_match_the_linear_system(sample: Sample, grammar: SyntheticGrammar) -> None:
    seen = np.bincount(symbols(grammar, sample), minlength=grammar.n_symbols) / 30_000
    common = expected_counts(grammar) > 0.05
    assert_allclose(seen[common], expected_counts(grammar)[common], rtol=0.15)


def test_same_seed_same_trees_and_fewer_are_a_prefix(grammar: SyntheticGrammar, sample: Sample) -> None:
    few = sample_trees(grammar, 5_000, seed=3)
    stop = few.trees.label.size
    for name in ("label", "left", "right", "word"):
        assert_array_equal(getattr(few.trees, name), getattr(sample.trees, name)[:stop])
    assert_array_equal(few.state, sample.state[:stop])
    other = sample_trees(grammar, 5_000, seed=4)
    assert not np.array_equal(other.trees.word[:100], few.trees.word[:100])


def test_blocks_hold_the_same_trees(grammar: SyntheticGrammar, sample: Sample) -> None:
    start = 0
    for block in itertools.islice(sample_blocks(grammar, 30_000, seed=3), 3):
        stop = start + block.trees.label.size
        assert_array_equal(block.trees.label, sample.trees.label[start:stop])
        assert_array_equal(block.state, sample.state[start:stop])
        start = stop


def test_no_trees_cannot_be_drawn(grammar: SyntheticGrammar) -> None:
    with pytest.raises(OptionError, match="1 or more"):
        sample_trees(grammar, 0, seed=0)


def test_binarising_the_treebank_gives_the_binary_trees_back(grammar: SyntheticGrammar) -> None:
    drawn = sample_trees(grammar, 2_000, seed=5).trees
    again = binarise(sample_treebank(2_000, seed=5), Binarisation("right", horizontal=0, vertical=1))
    assert_array_equal(again.left, drawn.left)
    assert_array_equal(again.right, drawn.right)
    assert [again.labels[a] for a in again.label] == [drawn.labels[a] for a in drawn.label]
    assert [again.words[x] for x in again.word if x >= 0] == [drawn.words[x] for x in drawn.word if x >= 0]


def test_every_word_of_a_treebank_occurs() -> None:
    treebank = sample_treebank(50, seed=5)
    assert_array_equal(np.unique(treebank.word[treebank.word >= 0]), np.arange(len(treebank.words)))


def test_as_the_toolkit_s_grammar_it_stays_proper(grammar: SyntheticGrammar) -> None:
    known = latent_grammar(grammar)
    skeleton, weights = known.skeleton, known.members[0]
    total = np.zeros(grammar.n_symbols)
    for r, (a, b, c) in enumerate(skeleton.rules):
        C = weights.rule_weight[weights.rule_at[r] : weights.rule_at[r + 1]]
        m = weights.states[[a, b, c]]
        total[weights.state_at[a] : weights.state_at[a + 1]] += C.reshape(m).sum(axis=(1, 2))
    for e, a in enumerate(skeleton.entry_label):
        total[weights.state_at[a] : weights.state_at[a + 1]] += weights.entry_weight[
            weights.entry_at[e] : weights.entry_at[e + 1]
        ]
    assert_allclose(total, np.ones(total.size), rtol=1e-12)
    plain = np.bincount(skeleton.rules[:, 0], skeleton.rule_probability, minlength=skeleton.n_labels)
    plain += np.bincount(skeleton.entry_label, skeleton.entry_probability, minlength=skeleton.n_labels)
    assert_allclose(plain, np.ones(skeleton.n_labels), rtol=1e-12)


def test_its_plain_part_is_what_counting_would_find(grammar: SyntheticGrammar, sample: Sample) -> None:
    skeleton, trees = latent_grammar(grammar).skeleton, sample.trees
    row = np.flatnonzero(trees.left >= 0)
    label = np.column_stack([trees.label[row], trees.label[trees.left[row]], trees.label[trees.right[row]]])
    A = skeleton.n_labels
    power = np.array([A * A, A, 1])
    seen = np.bincount(np.searchsorted(skeleton.rules @ power, label @ power), minlength=len(skeleton.rules))
    count = np.bincount(trees.label, minlength=A)[skeleton.rules[:, 0]]
    slack = SIGMAS * np.sqrt(skeleton.rule_probability / np.maximum(count, 1)) + 0.002
    assert np.all(np.abs(seen / np.maximum(count, 1) - skeleton.rule_probability) < 2 * slack)
