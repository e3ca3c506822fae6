"""Words, classes and tags of the learnt lexicon, worked by hand."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix

from eigenparse.corpus.columns import Label
from eigenparse.corpus.word_classes import class_levels
from eigenparse.learn.grammar.counts import estimate, hard_counts
from eigenparse.learn.grammar.em import expected_counts
from eigenparse.learn.grammar.encode import ENOUGH, encoded_whole
from eigenparse.learn.grammar.lexicon import (
    LexiconOptions,
    class_tree,
    tag_exchange,
    token_sums,
    with_lexicon,
)
from eigenparse.learn.grammar.states import StateOptions, random_states
from eigenparse.models.grammar.pcfg import Skeleton, Weights, plain_weights
from eigenparse.models.words import symbol_of, symbols_of, word_table
from lpcfg.finite import encoded_corpus, finite, wanted
from lpcfg.worlds import as_trees, checked
from oracles import Tree
from tolerances import ROUNDING


def pair(label: str, word: str) -> Tree:
    return ("S", ("X", "x"), (label, word))


# Second words: T aa 3 times, U aa once, T bb once, U Cc once; x always first.
CORPUS = [*[pair("T", "aa")] * 3, pair("U", "aa"), pair("T", "bb"), pair("U", "Cc")]
OPTIONS = LexiconOptions(rare=1, class_weight=2.0, word_weight=1.0, tag_weight=0.0, frequent=5, least=0.0)


def plain_lexicon(trees: list[Tree], options: LexiconOptions) -> tuple[Skeleton, Weights]:
    encoded = encoded_corpus(as_trees(trees))
    weights = plain_weights(encoded.skeleton)
    n = encoded.trees.label.size
    count = np.bincount(encoded.trees.label, minlength=weights.states.size).astype(float)
    tokens = token_sums(encoded.trees, np.ones(n), np.arange(n + 1), count, weights.state_at)
    return with_lexicon(encoded.skeleton, weights, encoded.trees.words, tokens, options)


def entries(skeleton: Skeleton, weights: Weights) -> dict[tuple[str, str], float]:
    names = [str(a) for a in skeleton.labels]
    pairs = [(names[a], skeleton.symbols[x]) for a, x in zip(skeleton.entry_label, skeleton.entry_symbol)]
    assert len(set(pairs)) == len(pairs)
    return dict(zip(pairs, weights.entry_weight.tolist()))


def test_smoothing_by_hand() -> None:
    skeleton, weights = plain_lexicon(CORPUS, OPTIONS)
    found = entries(skeleton, checked(skeleton, weights))
    prior = {"X": Fraction(6, 12), "T": Fraction(4, 12), "U": Fraction(2, 12)}
    rare = {"T": 1, "U": 1, "X": 0}  # bb and Cc speak for unknown words
    unknown = {a: (rare[a] + 2 * prior[a]) / Fraction(2 + 2) for a in prior}
    lower = {a: ((a == "T") + 2 * unknown[a]) / Fraction(1 + 2) for a in prior}
    initial = {a: ((a == "U") + 2 * unknown[a]) / Fraction(1 + 2) for a in prior}
    count = {"X": 6, "T": 4, "U": 2}
    own = {"aa": {"T": 3, "U": 1}, "bb": {"T": 1}, "Cc": {"U": 1}}
    base = {"aa": lower, "bb": lower, "Cc": initial}
    wanted: dict[tuple[str, str], Fraction] = {}
    for a in prior:
        for word, counts in own.items():
            n = sum(counts.values())
            wanted[a, word] = (counts.get(a, 0) + base[word][a]) / Fraction(n + 1) * n / count[a]
        for name, share in (("", unknown), ("<lower>", lower), ("<Initial>", initial)):
            wanted[a, name] = share[a] / count[a]
        wanted[a, a] = Fraction(1, count[a])  # a tag stands for any word of its own
    wanted["X", "x"] = Fraction(1)  # seen more than five times: stands alone
    for key, value in wanted.items():
        assert_allclose(found[key], float(value), rtol=ROUNDING, err_msg=str(key))
    assert ("T", "x") not in found
    assert ("T", "U") not in found


def test_base_probabilities_equal_one_state_weights() -> None:
    skeleton, weights = plain_lexicon(CORPUS, OPTIONS)
    assert_allclose(weights.entry_weight, skeleton.entry_probability, rtol=ROUNDING)


@pytest.mark.parametrize("frequent", [5, 0])  # words above it borrow labels of their own tags, too
def test_words_borrow_from_their_own_tags_by_hand(frequent: int) -> None:
    """N alone and N under M share a tag: a word seen once as N is taken for M|N as its class is."""
    encoded = encoded_corpus(as_trees(CORPUS))
    names = {"S": ("S",), "X": ("X",), "T": ("N",), "U": ("M", "N")}
    labels = tuple(Label(names[str(a)]) for a in encoded.trees.labels)
    trees, skeleton = replace(encoded.trees, labels=labels), replace(encoded.skeleton, labels=labels)
    weights, n = plain_weights(skeleton), encoded.trees.label.size
    count = np.bincount(trees.label, minlength=4).astype(float)
    options = LexiconOptions(
        rare=1, class_weight=2.0, word_weight=0.0, tag_weight=3.0, frequent=frequent, least=0.0
    )
    tokens = token_sums(trees, np.ones(n), np.arange(n + 1), count, weights.state_at)
    full, learnt = with_lexicon(skeleton, weights, trees.words, tokens, options)
    found = entries(full, learnt)
    unknown = {
        "N": Fraction(5, 12),
        "M|N": Fraction(4, 12),
    }  # as above: (1 + 2 * 4/12) / 4 and (1 + 2 * 2/12) / 4
    lower = {"N": (1 + 2 * unknown["N"]) / 3, "M|N": (2 * unknown["M|N"]) / 3}
    both = lower["N"] + lower["M|N"]
    # bb was seen once, as N: its tag's three tokens are spread over N and M|N as <lower> spreads them.
    assert_allclose(found["N", "bb"], float((1 + 3 * lower["N"] / both) / 4 / 4), rtol=ROUNDING)
    assert_allclose(found["M|N", "bb"], float((3 * lower["M|N"] / both) / 4 / 2), rtol=ROUNDING)
    assert ("X", "bb") not in found


def test_words_that_stand_alone_have_relative_frequencies() -> None:
    alone = LexiconOptions(frequent=0, tag_weight=0.0, least=0.0)
    found = entries(*plain_lexicon(CORPUS, alone))
    assert found["T", "aa"] == pytest.approx(3 / 4, rel=ROUNDING)
    assert found["U", "Cc"] == pytest.approx(1 / 2, rel=ROUNDING)
    assert found["X", "x"] == pytest.approx(1.0, rel=ROUNDING)
    assert ("U", "bb") not in found


def first(label: str, word: str) -> Tree:
    return ("S", (label, word), ("X", "x"))


def test_a_capital_at_the_start_of_a_sentence_is_no_other_word() -> None:
    """Aa began a sentence once: two thirds of its case weight go to aa, which was T three times and U once."""
    options = LexiconOptions(word_weight=0.0, tag_weight=0.0, case_weight=6.0, least=0.0)
    found = entries(*plain_lexicon([*CORPUS, first("U", "Aa")], options))
    borrowed = Fraction(6) * Fraction(1 + 1, 1 + 2)
    assert_allclose(found["T", "Aa"], float(borrowed * Fraction(3, 4) / (1 + borrowed) / 4), rtol=ROUNDING)
    assert_allclose(found["U", "Aa"], float((1 + borrowed / 4) / (1 + borrowed) / 3), rtol=ROUNDING)
    assert_allclose(found["T", "aa"], float(Fraction(3, 4)), rtol=ROUNDING)
    assert ("T", "Cc") not in found  # no word cc
    inner = entries(*plain_lexicon([*CORPUS, *[pair("U", "Aa")] * 4], options))
    assert inner["T", "Aa"] * 4 < found["T", "Aa"] * 4 * 4 * 0.5  # a name inside sentences borrows less


def test_words_of_light_trees_borrow_no_more_than_others() -> None:
    """Trees that all count half say the same about their words."""
    trees = as_trees(CORPUS)
    found = []
    for weight in (1.0, 0.5):
        encoded = encoded_corpus(replace(trees, weight=np.full(len(trees), weight)))
        weights, rows = plain_weights(encoded.skeleton), encoded.trees.row_weight()
        count = np.bincount(encoded.trees.label, weights=rows, minlength=weights.states.size)
        tokens = token_sums(encoded.trees, rows, np.arange(rows.size + 1), count, weights.state_at)
        options = replace(OPTIONS, class_weight=2.0 * weight, rare=1, tag_weight=1.0, frequent=100)
        made = entries(*with_lexicon(encoded.skeleton, weights, encoded.trees.words, tokens, options))
        found.append({key: value for key, value in made.items() if key[1] in encoded.trees.words})
    assert found[0] == pytest.approx(found[1], rel=1e-6)


def test_exchange_of_tags_is_the_chance_that_another_token_has_a_tag() -> None:
    """Two words of two tokens, NN VB and NN NN: after NN another token is NN in two of three cases."""
    counts = csr_matrix(np.array([[1.0, 1.0], [2.0, 0.0]]))
    found = tag_exchange(counts, np.array([0, 1], dtype=np.int32), LexiconOptions())
    assert_allclose(found, [[2 / 3, 1 / 3], [1.0, 0.0]], atol=1e-3)


def test_exchange_of_tags_is_a_chance_for_light_tokens_too() -> None:
    """The only tokens of a tag may count less than one, because their trees do."""
    counts = csr_matrix(np.array([[3.0, 0.4], [2.5, 0.3]]))
    found = tag_exchange(counts, np.array([0, 1], dtype=np.int32), LexiconOptions())
    assert found.min() >= 0.0
    assert_allclose(found.sum(axis=1), 1.0)


def test_unlikely_labels_are_left_out() -> None:
    tight = LexiconOptions(rare=1, class_weight=2.0, word_weight=1.0, tag_weight=0.0, frequent=5, least=0.5)
    found = entries(*plain_lexicon(CORPUS, tight))
    assert ("T", "aa") in found
    assert ("U", "aa") not in found


def latent_lexicon(seed: int, options: LexiconOptions) -> tuple[Skeleton, Weights, np.ndarray]:
    """A grammar of several states, its lexicon, and each label-state's share of words among its nodes."""
    known = finite(np.random.default_rng([seed, 41]))
    copies = np.random.default_rng(seed).multinomial(500, known.probability / known.probability.sum())
    encoded = encoded_corpus(known.corpus(copies))
    start = random_states(encoded, wanted(encoded, StateOptions(states=3, nodes_per_state=1)), seed)
    weights = estimate(encoded.skeleton, hard_counts(encoded, start.state, start.states), rule_smoothing=0.0)
    found = expected_counts(encoded, weights)
    label = encoded.trees.label
    place = np.repeat(weights.state_at[label], weights.states[label]) + np.concatenate(
        [np.arange(m) for m in weights.states[label]]
    )
    total = np.bincount(place, weights=found.posterior, minlength=weights.state_at[-1])
    leaf = np.repeat(encoded.trees.word >= 0, weights.states[label])
    words = np.bincount(place[leaf], weights=found.posterior[leaf], minlength=weights.state_at[-1])
    tokens = token_sums(encoded.trees, found.posterior, found.at, total, weights.state_at)
    skeleton, full = with_lexicon(encoded.skeleton, weights, encoded.trees.words, tokens, options)
    share = np.divide(words, total, out=np.zeros_like(words), where=total > 0)
    return skeleton, checked(skeleton, full), share


@pytest.mark.parametrize("seed", range(3))
def test_words_given_label_and_state_add_to_their_share(seed: int) -> None:
    """Without borrowing, emissions of all words given a state are the chance that the state has a word."""
    skeleton, weights, share = latent_lexicon(seed, LexiconOptions(frequent=0, tag_weight=0.0, least=0.0))
    total = np.zeros_like(share)
    for e, (a, x) in enumerate(zip(skeleton.entry_label, skeleton.entry_symbol)):
        if x < skeleton.n_words:
            part = slice(weights.state_at[a], weights.state_at[a + 1])
            total[part] += weights.entry_weight[weights.entry_at[e] : weights.entry_at[e + 1]]
    assert_allclose(total, share, rtol=ROUNDING, atol=ROUNDING)
    assert share.max() == pytest.approx(1.0)


def test_entries_are_sorted_and_found_by_symbol() -> None:
    skeleton, _, _ = latent_lexicon(0, LexiconOptions())
    order = np.lexsort((skeleton.entry_label, skeleton.entry_symbol))
    assert np.array_equal(order, np.arange(order.size))
    for x in range(len(skeleton.symbols)):
        part = skeleton.entry_symbol[skeleton.entry_start[x] : skeleton.entry_start[x + 1]]
        assert part.size > 0
        assert set(part.tolist()) == {x}


def test_class_levels_by_hand() -> None:
    assert class_levels("walking", False) == (
        "<lower>-king",
        "<lower>-ing",
        "<lower>-ng",
        "<lower>-g",
        "<lower>",
    )
    assert class_levels("Abc", True)[-1] == "<First>"
    assert class_levels("Abc", False)[-1] == "<Initial>"
    assert class_levels("42", False) == ("<integer>",)
    assert class_levels("ab", False) == ("<lower>",)


def test_class_trees_put_coarser_classes_first() -> None:
    words = ("walking", "king", "Sing", "42", "x-ray", "ab")
    tree = class_tree(words)
    assert tree.names[0] == ""
    assert tree.coarser[0] == -1
    assert np.all(tree.coarser[1:] < np.arange(1, len(tree.names)))
    for initial in (0, 1):
        for w, word in enumerate(words):
            chain, c = [], tree.finest[initial, w]
            while c >= 0:
                chain.append(tree.names[c])
                c = tree.coarser[c]
            assert tuple(chain) == (*class_levels(word, bool(initial)), "")


def test_unknown_words_take_their_finest_known_class() -> None:
    trees = [pair("T", "walking"), pair("T", "Bxx"), pair("U", "talk")]
    skeleton, _ = plain_lexicon(trees, LexiconOptions())
    table = word_table(skeleton)
    name = lambda word, first=False: skeleton.symbols[symbol_of(table, word, first)]  # noqa: E731
    assert name("walking") == "walking"
    assert name("Walking", True) == "walking"  # a capital at the start means nothing
    assert name("Walking", False) != "walking"
    assert name("barking") == "<lower>-king"
    assert name("Wing", False) == "<Initial>"
    assert name("99") == ""
    assert symbols_of(table, ["x", "99"]).tolist() == [table.words["x"], table.classes[""]]


def test_rare_words_fold_into_the_finest_class_with_enough_tokens() -> None:
    many = [pair("T", f"w{c}ing") for c in "abcdefghijklmnopqrstuvwxyz"[:ENOUGH]]
    trees = as_trees([*many, pair("U", "zonk"), *[pair("U", "keep")] * 3])
    encoded = encoded_whole(trees, 2)
    symbols = encoded.skeleton.symbols
    names = Counter(symbols[s] for s in encoded.symbol if s >= 0)
    assert names["<lower>-ing"] == ENOUGH
    assert names["<lower>"] == 1  # zonk: no finer class has enough, so the coarsest
    assert names["keep"] == 3
    assert set(symbols[:2]) == {"keep", "x"}
    assert np.array_equal(encoded.symbol >= 0, trees.word >= 0)
