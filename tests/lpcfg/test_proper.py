"""The proper distribution of a grammar: mass 1 over trees and strings, one p in samples, trees and sentences."""

import functools
import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from tests.api.small import tiny

from eigenparse.api.grammar import Grammar
from eigenparse.arrays import FloatArray, as_ids, as_offsets
from eigenparse.corpus.brackets import format_trees, parse_trees
from eigenparse.corpus.columns import Label
from eigenparse.corpus.normalise import normalise
from eigenparse.decode.grammar.parser import ParserOptions
from eigenparse.inference.grammar.forest import NO_PRUNING
from eigenparse.inference.grammar.probability import (
    all_items,
    other_case,
    own_chains,
    readings_of,
    sentence_log_p,
    sentence_readings,
    tree_log_p,
)
from eigenparse.inference.grammar.proper import Proper, proper_parts
from eigenparse.inference.grammar.sample import sample_trees
from eigenparse.inference.spelling import learn_spelling
from eigenparse.kernels.grammar.proper import Readings, sentence_total
from eigenparse.models.grammar.pcfg import LatentGrammar, Skeleton, plain_weights

GRAMMARS = {
    "pcfg": ("right", "pcfg", 1), "states": ("head", "em", 1), "left": ("left", "em", 1), "parents": ("head", "em", 2),
    "clusters": ("head", "cluster", 1), "split-merge": ("head", "splitmerge", 1),
}  # fmt: skip
N, SIGMAS = 1500, 5.0


def latent(name: str) -> LatentGrammar:
    if name == "ensemble":
        return ensemble()
    factor, method, vertical = GRAMMARS[name]
    return tiny(factor, method, vertical).latent


@functools.cache
def ensemble() -> LatentGrammar:
    return replace(latent("states"), others=(latent("left"), latent("pcfg")))


def log_p(grammar: LatentGrammar, trees: str) -> FloatArray:
    return tree_log_p(proper_parts(grammar), normalise(parse_trees(trees)))


def any_word(part: Proper, n: int) -> Readings:
    """Tokens that are every word at once: all known ones, and all unknown ones together."""
    lexicon, n_words, G = part.lexicon, part.skeleton.n_words, part.lexicon.spelling.n_groups
    start = part.skeleton.entry_start
    spelt = np.zeros((n_words + 1, G))
    spelt[-1] = 1.0
    one = (
        np.ones(n_words + 1), np.append(start[:n_words], 0), np.append(start[1 : n_words + 1], 0),
        np.append(lexicon.kept, 0.0), spelt, np.append(lexicon.unigram, lexicon.unseen),
    )  # fmt: skip
    many = [np.concatenate([column] * n) for column in one]
    return Readings(
        as_offsets(np.arange(n + 1) * (n_words + 1)),
        many[0],
        as_ids(many[1]),
        as_ids(many[2]),
        *many[3:],
        part.skeleton.entry_label,
        np.zeros(n),
    )


def mass_of_length(part: Proper, n: int) -> float:
    """The probability that a tree has n words, summed over all trees and all words."""
    ground, (first, label) = part.background.ground(), all_items(part.skeleton, n)
    readings, member = any_word(part, n), part.members[0]
    return float(sentence_total(first, label, np.ones(n), readings, member, ground, part.index, True))


@pytest.mark.parametrize("name", GRAMMARS)
def test_every_state_is_a_distribution(name: str) -> None:
    part = proper_parts(latent(name))[0]
    member, skeleton = part.members[0], part.skeleton
    label = np.repeat(np.arange(skeleton.n_labels), member.states)
    total = member.unknown + member.branch + member.word
    for r, a in enumerate(skeleton.rules[:, 0].tolist()):
        tensor = member.rule_weight[member.rule_at[r] : member.rule_at[r + 1]].reshape(member.states[a], -1)
        total[label == a] += tensor.sum(axis=1) * member.rule_scale[label == a]
    for e, (a, symbol) in enumerate(zip(skeleton.entry_label.tolist(), skeleton.entry_symbol.tolist())):
        if symbol < skeleton.n_words:
            own = member.entry_weight[member.entry_at[e] : member.entry_at[e + 1]]
            total[label == a] += own * member.word_scale[label == a] * part.lexicon.kept[symbol]
    np.testing.assert_allclose(total, 1.0, rtol=1e-6)
    ground = part.background
    np.testing.assert_allclose(ground.child.sum(axis=1), 1.0)
    np.testing.assert_allclose(ground.unary.sum(axis=1) + ground.branch + ground.word, 1.0)
    drawn = np.bincount(ground.top, ground.share, ground.opened.size) + ground.opened
    np.testing.assert_allclose(drawn, 1.0)
    np.testing.assert_allclose(member.groups.sum(axis=1), 1.0)
    assert math.isclose(member.root.sum() + ground.root, 1.0, rel_tol=1e-6)
    assert math.isclose(part.lexicon.unigram.sum() + part.lexicon.unseen, 1.0)


@pytest.mark.parametrize("name", GRAMMARS)
def test_trees_of_all_lengths_sum_to_one_and_samples_have_those_lengths(name: str) -> None:
    grammar = latent(name)
    mass = np.array([mass_of_length(proper_parts(grammar)[0], n) for n in range(1, 15)])
    total = mass.sum()
    assert 0.85 < total <= 1.0 + 1e-9
    trees = sample_trees(grammar, N, seed=1)
    length = np.add.reduceat(trees.word >= 0, trees.offsets[:-1])
    for n, p in enumerate(mass.tolist(), start=1):
        assert abs(np.mean(length == n) - p) < SIGMAS * math.sqrt(p * (1 - p) / N) + 1e-9


def plain(rules: float, words: tuple[str, ...] = ("a",)) -> LatentGrammar:
    """S -> S S with a probability, else a word."""
    share = (1.0 - rules) / len(words)
    skeleton = Skeleton(
        (Label(("S",)),), as_ids([[0, 0, 0]]), words, as_ids([0] * len(words)), as_ids(range(len(words))),
        as_offsets(range(len(words) + 1)), np.array([rules]), np.full(len(words), share), np.ones(1),
        n_words=len(words),
    )  # fmt: skip
    return LatentGrammar(skeleton, (plain_weights(skeleton),))


def test_a_grammar_that_may_never_end_is_divided_by_what_ends() -> None:
    """S -> S S with 0.7 ends with 3/7 [chi-1999]; what is reserved changes that a little."""
    part = proper_parts(plain(0.7))[0]
    assert math.isclose(math.exp(part.log_mass[0]), 3 / 7, rel_tol=0.02)
    assert proper_parts(plain(0.3))[0].log_mass[0] == 0.0
    mass = sum(mass_of_length(part, n) for n in range(1, 60))
    assert 0.97 < mass / math.exp(part.log_mass[0]) <= 1.0


def trees_over(words: tuple[str, ...], labels: tuple[str, ...], longest: int) -> list[str]:
    """All trees over one or two words whose unary chains have at most so many labels."""
    chains = [
        chain
        for k in range(1, longest + 1)
        for chain in itertools.product(labels, repeat=k)
        if all(a != b for a, b in itertools.pairwise(chain))
    ]

    def over(chain: tuple[str, ...], inside: str) -> str:
        return "".join(f"({name} " for name in chain) + inside + ")" * len(chain)

    if len(words) == 1:
        return [over(("TOP", *chain), words[0]) for chain in chains]
    pairs = [f"{over(b, words[0])} {over(c, words[1])}" for b in chains for c in chains]
    return [over(("TOP", *chain), pair) for chain in ((), *chains) for pair in pairs]


def test_a_sentence_is_the_sum_of_its_trees() -> None:
    """Enumeration: longer chains and labels never seen are what is missing."""
    for grammar in (plain(0.3, ("a", "b")), plain(0.45, ("a",))):
        grammar = replace(grammar, report={"n_trees": 20, "label_counts": [40]})
        parts = proper_parts(grammar)
        for words in (("a",), ("b",), ("a", "a"), ("a", "zyx")):
            exact = math.exp(sentence_log_p(parts, sentence_readings(parts, words), [None]))
            found = np.exp(log_p(grammar, "\n".join(trees_over(words, ("S", "Q"), 3)))).sum()
            assert 0.98 * exact < found <= exact * (1 + 1e-12)


@pytest.mark.parametrize("name", ["pcfg", "states", "parents", "clusters", "split-merge", "ensemble"])
def test_samples_come_up_as_often_as_they_score_and_have_the_entropy(name: str) -> None:
    """Tree by tree, and the mean of log p over fresh samples against its exact expectation."""
    grammar = latent(name)
    lines = format_trees(sample_trees(grammar, N, seed=2)).decode().split("\n")[:-1]
    counts = Counter(lines)
    known = list(counts)
    log = log_p(grammar, "\n".join(known))
    assert np.all(np.isfinite(log))
    assert np.exp(log).sum() <= 1.0
    p = dict(zip(known, np.exp(log).tolist()))
    for tree, count in counts.most_common(12):
        assert abs(count - N * p[tree]) < SIGMAS * math.sqrt(N * p[tree])
    fresh = format_trees(sample_trees(grammar, N, seed=3)).decode().split("\n")[:-1]
    value = np.array([-math.log(p[tree]) if tree in p else 0.0 for tree in fresh])
    expected = sum(-q * math.log(q) for q in p.values())
    assert abs(value.mean() - expected) < SIGMAS * value.std() / math.sqrt(N)


def test_an_ensemble_is_the_mean_of_its_members() -> None:
    whole = ensemble()
    trees = format_trees(sample_trees(whole, 30, seed=5)).decode()
    each = [log_p(replace(one, others=()), trees) for one in (whole, *whole.others)]
    np.testing.assert_allclose(np.exp(log_p(whole, trees)), np.mean(np.exp(each), axis=0), rtol=1e-9)


def test_any_tree_over_any_labels_and_words_is_possible() -> None:
    odd = """(TOP (S (NP (Q never) (VBD dogs)) (NEW (NN the) (S (. seen)) (DT men))))
(TOP (NP dogs))
(TOP (VP (NP (S (NN men)))) (VP (NNS x) (NNS y) (NNS z)))
(TOP (S (TOP (NP (NN a)) (NP (NN b))) (NN -LRB-)))
"""
    assert np.all(np.isfinite(log_p(ensemble(), odd)))


@pytest.mark.parametrize("name", ["pcfg", "states", "clusters", "split-merge", "ensemble"])
def test_sums_over_some_items_are_below_the_exact_sum(name: str) -> None:
    grammar = Grammar.of(latent(name), options=ParserOptions(pruning=NO_PRUNING))
    parts, words = proper_parts(grammar.latent), ["men", "saw", "dogs", "with", "unheard", "dogs"]
    exact = sentence_log_p(parts, sentence_readings(parts, words), [None] * len(parts))
    best = grammar.kbest(words, 400)
    log = [one.log_probability for one in best]
    assert np.logaddexp.reduce(log) < exact
    assert sum(one.probability for one in best) <= 1.0 + 1e-9
    assert np.logaddexp.reduce(log) <= best[0].log_total <= exact
    np.testing.assert_allclose(log, grammar.score([one.tree for one in best]).log_probability, rtol=1e-9)


@pytest.mark.parametrize("rules", [0.2, 0.45])
def test_strings_sum_to_at_most_the_mass_of_their_length(rules: float) -> None:
    """Sentences of one and two words over all strings of up to three letters; the first may have a capital."""
    grammar = replace(plain(rules, ("a", "b")), report={"n_trees": 20, "label_counts": [40]})
    parts = proper_parts(grammar)
    words = ["".join(x) for n in (1, 2, 3) for x in itertools.product("abc", repeat=n)]
    for n, some, least in ((1, words, 0.9), (2, words[:12], 0.7)):
        first = [*some, *(word[0].upper() + word[1:] for word in some)]
        sentences = itertools.product(first, *[some] * (n - 1))
        logs = [sentence_log_p(parts, sentence_readings(parts, one), [None]) for one in sentences]
        total, mass = np.exp(logs).sum(), mass_of_length(parts[0], n)
        assert least * mass < total <= mass * (1 + 1e-9) <= 1.0


@pytest.mark.parametrize("name", ["states", "clusters", "split-merge", "ensemble"])
def test_strings_of_latent_grammars_sum_to_at_most_the_mass_of_their_length(name: str) -> None:
    """One and two words over all known words and unknown strings of one or two letters."""
    parts = proper_parts(latent(name))
    known = parts[0].skeleton.symbols[: parts[0].skeleton.n_words]
    short = ["".join(x) for n in (1, 2) for x in itertools.product("dehnst", repeat=n)]
    for n, some in ((1, [*known, *short]), (2, [*known, *short[:4]])):
        mass = np.mean([mass_of_length(part, n) / math.exp(part.log_mass[0]) for part in parts])
        first = [*some, *(word.capitalize() for word in some)]
        logs = [
            sentence_log_p(parts, sentence_readings(parts, one), [None] * len(parts))
            for one in itertools.product(first, *[some] * (n - 1))
        ]
        assert 0.5 * mass < np.exp(logs).sum() <= mass * (1 + 1e-9)


def test_first_words_keep_their_mass_when_they_get_a_capital() -> None:
    """Over words that differ in case: what each is read as sums to what there was."""
    from eigenparse.inference.grammar.probability import _readings

    words = ["abc", "Abc", "ABC", "aBC", "ßx", "1a", "ǆx", "ǅx"]
    into: Counter[str] = Counter()
    for word in words:
        for source, weight in _readings(word, True):
            into[source] += weight
    assert all(into[word] == 1.0 for word in words)
    assert other_case("ßx") == ("ßx", "ßx")


def test_spellings_of_all_strings_sum_to_one() -> None:
    spelling = learn_spelling(["ab", "ba", "aab", "b"], np.array([0, 1, 0, 1]), 2)
    total = np.zeros(2)
    for n in range(1, 11):
        total += spelling.probabilities(["".join(x) for x in itertools.product("ab", repeat=n)]).sum(axis=0)
    others = spelling.probabilities(["c", "ac", "é"])
    assert np.all(total + others.sum(axis=0) <= 1.0)
    assert np.all(total > 0.55)
    assert np.all(others > 0.0)
    rng = np.random.default_rng(0)
    drawn = Counter(spelling.draw(1, rng) for _ in range(N))
    p = dict(zip(("ab", "ba", "b", "a"), spelling.probabilities(["ab", "ba", "b", "a"])[:, 1].tolist()))
    for word, q in p.items():
        assert abs(drawn[word] - N * q) < SIGMAS * math.sqrt(N * q * (1 - q)) + 1e-9


def test_unknown_words_without_their_spelling_are_one_event() -> None:
    parts = proper_parts(latent("states"))
    some, other = (
        sentence_log_p(parts, sentence_readings(parts, [word], spelt=False), [None])
        for word in ("zzz", "never")
    )
    assert some == other > sentence_log_p(parts, sentence_readings(parts, ["zzz"]), [None])
    assert readings_of(parts[0].skeleton, parts[0].lexicon, [("zzz", False)]).spelt.max() < 1.0


def test_trees_whose_labels_normalisation_would_cut_are_read_as_text() -> None:
    """Both ways from a derivation to its log p, and what ``score`` says."""
    grammar: Grammar = tiny("head", "em", 1)
    cut = [
        replace(label, chain=tuple(f"{name}-X" if name == "NP" else name for name in label.chain))
        for label in grammar.latent.skeleton.labels
    ]
    renamed = replace(grammar.latent, skeleton=replace(grammar.latent.skeleton, labels=tuple(cut)))
    assert own_chains(grammar.latent)
    assert not own_chains(renamed)
    for one in (grammar, Grammar.of(renamed)):
        for parse in one.kbest(["men", "saw", "dogs"], 3):
            score = one.score(parse.tree).log_probability[0]
            assert math.isclose(parse.log_probability, score, rel_tol=1e-9)


@pytest.mark.parametrize("name", ["states", "ensemble"])
def test_wide_nodes_long_chains_and_long_words_do_not_underflow(name: str) -> None:
    """Each further child, label or letter of a kind costs the same, however many there are."""

    def flat(n: int) -> str:
        return "(TOP (S " + "(NN dogs) " * n + "))"

    def chain(n: int) -> str:
        return "(TOP " + "(S (NP " * n + "(NN men)" + "))" * n + ")"

    def spelt(n: int) -> str:
        return f"(TOP (NP (NN {'q' * n})))"

    for make, sizes in (
        (flat, (60, 120, 180, 240)),
        (chain, (100, 300, 500, 700)),
        (spelt, (200, 400, 600, 800)),
    ):
        log = log_p(latent(name), "\n".join(map(make, sizes)))
        assert np.all(np.isfinite(log))
        assert log[-1] < -800
        steps = np.diff(log)
        np.testing.assert_allclose(steps, steps[-1], rtol=1e-3)
