"""Probabilities and marginals against enumeration of all trees and all states."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.lpcfg.forests import assert_same, edge_values, full_forest, item_values, limited

import oracles
from eigenparse.inference.grammar.chart import Marginals, marginals, sparse_arrays
from eigenparse.inference.grammar.forest import (
    NO_PRUNING,
    Forest,
    build_forest,
    choices,
    prune,
    rule_index,
    unconstrained,
)
from eigenparse.inference.grammar.tree import score_trees
from eigenparse.models.grammar.pcfg import LatentGrammar, Weights
from eigenparse.models.words import symbols_of, word_table
from lpcfg.worlds import (
    WORDS,
    World,
    as_trees,
    as_world,
    random_bases,
    random_sentence,
    random_world,
    rotated,
)
from oracles import Grammar
from tolerances import CANCELLED, ROUNDING, WRONG

SEEDS = range(12)
LENGTHS = range(1, 6)


def cases(signed: bool) -> list[tuple[World, list[str], oracles.Distribution]]:
    found = []
    for seed in SEEDS:
        world = random_world(seed, signed=signed)
        for length in LENGTHS:
            rng = np.random.default_rng([seed, length])
            try:
                words = random_sentence(world, length, rng)
            except AssertionError:
                continue
            truth = oracles.distribution(world.oracle, words)
            if abs(truth.total) > WRONG * np.abs(truth.weights).sum():  # else the digits have cancelled
                found.append((world, words, truth))
    return found


@pytest.fixture(scope="module", params=[False, True], ids=["positive", "signed"])
def enumerated(request: pytest.FixtureRequest) -> list[tuple[World, list[str], oracles.Distribution]]:
    found = cases(request.param)
    assert {len(words) for _, words, _ in found} == set(LENGTHS)
    assert any(len(truth.trees) > 20 for _, _, truth in found)
    return found


def test_worlds_have_labels_over_words_and_phrases() -> None:
    for seed in SEEDS:
        world = random_world(seed)
        assert set(world.skeleton.entry_label) & set(world.skeleton.rules[:, 0])
        assert len(set(world.weights.states.tolist())) > 1


def test_tree_probability_equals_enumeration_of_states(enumerated) -> None:
    for world, _, truth in enumerated:
        scores = score_trees(world.grammar, as_trees(truth.trees, names=world.names))
        found = scores.sign * np.exp(scores.log_probability)
        assert_allclose(found, truth.weights, rtol=CANCELLED, atol=ROUNDING * np.abs(truth.weights).max())


def test_positive_tree_probability_to_rounding() -> None:
    for world, _, truth in cases(False):
        scores = score_trees(world.grammar, as_trees(truth.trees, names=world.names))
        assert np.all(scores.sign == 1)
        assert_allclose(np.exp(scores.log_probability), truth.weights, rtol=ROUNDING)


def test_sentence_probability_equals_enumeration_of_trees(enumerated) -> None:
    for world, words, truth in enumerated:
        found = marginals(full_forest(world, words), world.weights)
        assert_allclose(found.sign * math.exp(found.log_total), truth.total, rtol=ROUNDING)


def test_marginals_equal_enumeration_of_trees(enumerated) -> None:
    for world, words, truth in enumerated:
        forest = full_forest(world, words)
        found = marginals(forest, world.weights)
        assert_same(item_values(world, forest, found.item), truth.marginal(oracles.items), ROUNDING)
        assert_same(edge_values(world, forest, found.edge), truth.marginal(oracles.edges), ROUNDING)


def test_inside_times_outside_is_the_item_marginal(enumerated) -> None:
    for world, words, _ in enumerated:
        found = marginals(full_forest(world, words), world.weights)
        product = np.add.reduceat(found.inside * found.outside, found.at[:-1])
        assert_allclose(product, found.item, rtol=ROUNDING, atol=ROUNDING)


def test_single_precision_weights_are_near(enumerated) -> None:
    for world, words, truth in enumerated:
        w = world.weights
        single = Weights(
            w.states, w.rule_at, w.entry_at, w.state_at, w.rule_weight.astype(np.float32),
            w.entry_weight.astype(np.float32), w.root_weight.astype(np.float32),
        )  # fmt: skip
        found = marginals(full_forest(world, words), single)
        spread = np.abs(truth.weights).sum() / abs(truth.total)
        assert_allclose(found.sign * math.exp(found.log_total), truth.total, rtol=1e-5 * spread)


def turned_pairs() -> list[tuple[World, Weights, list[str]]]:
    found = []
    for seed in SEEDS:
        world, rng = random_world(seed), np.random.default_rng([seed, 7])
        turned = rotated(world.skeleton, world.weights, random_bases(world, rng))
        found.append((world, turned, random_sentence(world, 5 if seed % 2 else 4, rng)))
    return found


def test_totals_and_marginals_ignore_the_basis() -> None:
    for world, turned, words in turned_pairs():
        forest = full_forest(world, words)
        a, b = marginals(forest, world.weights), marginals(forest, turned)
        assert_allclose(b.log_total, a.log_total, rtol=CANCELLED)
        assert b.sign == a.sign == 1
        assert_allclose(b.item, a.item, rtol=CANCELLED, atol=CANCELLED)
        assert_allclose(b.edge, a.edge, rtol=CANCELLED, atol=CANCELLED)
        trees = as_trees(oracles.all_trees(world.oracle, words), names=world.names)
        scores = [score_trees(LatentGrammar(world.skeleton, (w,)), trees) for w in (world.weights, turned)]
        assert_allclose(scores[1].log_probability, scores[0].log_probability, rtol=CANCELLED, atol=CANCELLED)
        assert np.all(scores[1].sign == 1)


def test_clipping_negative_parameters_breaks_basis_invariance() -> None:
    """Negative control: what the test above is there to catch."""
    gaps = []
    for world, turned, words in turned_pairs():
        assert min(turned.rule_weight.min(), turned.entry_weight.min(), turned.root_weight.min()) < 0
        clipped = Weights(
            turned.states, turned.rule_at, turned.entry_at, turned.state_at,
            *(np.maximum(w, 0.0) for w in (turned.rule_weight, turned.entry_weight, turned.root_weight)),
        )  # fmt: skip
        forest = full_forest(world, words)
        gap = marginals(forest, clipped).log_total - marginals(forest, world.weights).log_total
        gaps.append(abs(gap))
    assert np.median(gaps) > WRONG
    assert min(gaps) > 100 * CANCELLED


def test_proper_grammar_gives_all_strings_mass_one() -> None:
    """A finite grammar: the totals of all sentences add to one."""
    rng = np.random.default_rng(5)
    words = {("T", x): p for x, p in zip(WORDS, rng.dirichlet(np.ones(4), size=2).T)}
    pairs = rng.dirichlet(np.ones(4), size=2).reshape(2, 2, 2)
    triples = rng.dirichlet(np.ones(4), size=1).reshape(1, 2, 2)
    world = as_world(Grammar({"S": np.ones(1)}, {("S", "N", "T"): triples, ("N", "T", "T"): pairs}, words))
    total = 0.0
    for a in WORDS:
        for b in WORDS:
            for c in WORDS:
                total += math.exp(marginals(full_forest(world, [a, b, c]), world.weights).log_total)
    assert_allclose(total, 1.0, rtol=ROUNDING)


def branching_world(rule: float, word: float, *, turned: bool) -> World:
    """S -> S S and S -> u with two states that behave alike; the total has a closed form."""
    grammar = Grammar(
        {"S": np.array([0.25, 0.75])},
        {("S", "S", "S"): np.full((2, 2, 2), rule / 4)},
        {("S", "u"): np.full(2, word)},
    )
    world = as_world(grammar)
    if not turned:
        return world
    weights = rotated(world.skeleton, world.weights, [np.array([[0.9, -0.5], [0.4, 0.8]])])
    return World(grammar, world.skeleton, weights)


@pytest.mark.parametrize(("rule", "word"), [(1e-6, 1e-9), (0.4, 0.6), (1e5, 1e7)])
@pytest.mark.parametrize("turned", [False, True])
def test_long_sentences_neither_underflow_nor_overflow(rule: float, word: float, turned: bool) -> None:
    n = 220
    world = branching_world(rule, word, turned=turned)
    catalan = math.lgamma(2 * n - 1) - math.lgamma(n + 1) - math.lgamma(n)
    wanted = catalan + (n - 1) * math.log(rule) + n * math.log(word)
    forest = full_forest(world, ["u"] * n)
    found = marginals(forest, world.weights)
    assert_allclose(found.log_total, wanted, rtol=ROUNDING)
    assert np.isfinite(found.item).all()
    assert np.isfinite(found.edge).all()
    assert_allclose(found.item[forest.entry >= 0], 1.0, rtol=CANCELLED)
    assert_allclose(found.item.sum(), 2 * n - 1, rtol=CANCELLED)


@pytest.mark.parametrize(("rule", "word"), [(1e-6, 1e-9), (1e5, 1e7)])
def test_tall_trees_neither_underflow_nor_overflow(rule: float, word: float) -> None:
    n = 900
    world = branching_world(rule, word, turned=True)
    rows = [(0, -1, -1, 0)] * n + [(0, n - 2 - i, n - 1 + i if i else n - 1, -1) for i in range(n - 1)]
    label, left, right, token = np.array(rows, dtype=np.int32).T
    base = as_trees([("S", "u")])
    trees = type(base)(label, left, right, token, np.array([0, 2 * n - 1]), base.labels, base.words)
    scores = score_trees(world.grammar, trees)
    assert_allclose(scores.log_probability[0], (n - 1) * math.log(rule) + n * math.log(word), rtol=ROUNDING)


def test_unknown_labels_rules_and_words_have_no_probability() -> None:
    world = as_world(
        Grammar({"S": np.ones(1)}, {("S", "T", "T"): np.ones((1, 1, 1))}, {("T", "u"): np.full(1, 0.5)})
    )
    trees = as_trees(
        [("S", ("T", "u"), ("T", "u")), ("S", ("S", ("T", "u"), ("T", "u")), ("T", "u")), ("Q", "u")]
    )
    scores = score_trees(world.grammar, trees)
    assert_allclose(scores.log_probability[0], math.log(0.25), rtol=ROUNDING)
    assert scores.sign.tolist() == [1.0, 0.0, 0.0]
    assert np.all(np.isneginf(scores.log_probability[1:]))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("span", [(0, 1), (2, 3), (0, 2), (1, 3), (1, 4), (0, 4)])
def test_constraints_leave_exactly_the_trees_that_obey(seed: int, span: tuple[int, int]) -> None:
    world, rng = random_world(seed), np.random.default_rng([seed, 11])
    words = random_sentence(world, 4, rng)
    allowed = {name for name in world.names if rng.random() < 0.5}
    truth = oracles.distribution(world.oracle, words)
    obeys = [all((i, j) != span or a in allowed for a, i, j in oracles.items(tree)) for tree in truth.trees]
    kept = oracles.Distribution([t for t, ok in zip(truth.trees, obeys) if ok], truth.weights[obeys])
    forest = full_forest(world, words, limited(world, 4, {span: allowed}))
    if not kept.trees:
        assert forest is None
        return
    found = marginals(forest, world.weights)
    assert_allclose(math.exp(found.log_total), kept.total, rtol=ROUNDING)
    assert_same(item_values(world, forest, found.item), kept.marginal(oracles.items), ROUNDING)


@pytest.mark.parametrize("seed", SEEDS)
def test_soft_tags_multiply_the_weights_of_words(seed: int) -> None:
    world, rng = random_world(seed), np.random.default_rng([seed, 12])
    words = random_sentence(world, 4, rng)
    skeleton = world.skeleton
    plain = choices(skeleton, symbols_of(word_table(skeleton), words))
    emission = 0.1 + rng.random(plain.entry.size)
    given = plain._replace(emission=emission)
    factor = {
        (world.names[plain.label[c]], i, i + 1): emission[c]
        for i in range(4)
        for c in range(plain.at[i], plain.at[i + 1])
    }
    trees = oracles.all_trees(world.oracle, words)
    weights = [
        oracles.tree_weight(world.oracle, t) * math.prod(factor.get(item, 1.0) for item in oracles.items(t))
        for t in trees
    ]
    truth = oracles.Distribution(trees, np.array(weights))
    forest = build_forest(world.grammar, rule_index(skeleton), given, unconstrained(skeleton), NO_PRUNING)
    found = marginals(forest, world.weights)
    assert_allclose(math.exp(found.log_total), truth.total, rtol=ROUNDING)
    assert_same(item_values(world, forest, found.item), truth.marginal(oracles.items), ROUNDING)


def test_plain_posteriors_of_the_forest_equal_enumeration() -> None:
    """The pruning pass is a PCFG of its own: its posteriors are marginals under one state a label."""
    for seed in SEEDS:
        world = random_world(seed)
        s = world.skeleton
        names = world.names
        plain = Grammar(
            {a: np.array([p]) for a, p in zip(names, s.root_probability) if p > 0},
            {
                tuple(names[a] for a in rule): np.full((1, 1, 1), p)
                for rule, p in zip(s.rules, s.rule_probability)
            },
            {
                (names[a], s.symbols[x]): np.array([p])
                for a, x, p in zip(s.entry_label, s.entry_symbol, s.entry_probability)
            },
        )
        words = random_sentence(world, 5, np.random.default_rng([seed, 13]))
        forest = full_forest(world, words)
        wanted = oracles.distribution(plain, words).marginal(oracles.items)
        assert_same(item_values(world, forest, forest.posterior), wanted, ROUNDING)


@pytest.mark.parametrize("seed", SEEDS)
def test_pruning_keeps_what_reaches_the_threshold_and_can_be_used(seed: int) -> None:
    world = random_world(seed)
    words = random_sentence(world, 5, np.random.default_rng([seed, 14]))
    forest = full_forest(world, words)
    found = marginals(forest, world.weights)
    steps = np.unique(np.append(found.item.round(6), 0.0))
    least = float(steps[steps.size // 2 - 1 : steps.size // 2 + 1].mean())  # on no item's own value
    smaller = prune(forest, found.item, found.edge, least, 0.0)
    truth = oracles.distribution(world.oracle, words)
    share = truth.marginal(oracles.items)
    left = [all(share[item] >= least - ROUNDING for item in oracles.items(tree)) for tree in truth.trees]
    kept = oracles.Distribution([t for t, ok in zip(truth.trees, left) if ok], truth.weights[left])
    if not kept.trees:
        assert smaller is None
        return
    again: Marginals = marginals(smaller, world.weights)
    assert_same(item_values(world, smaller, again.item), kept.marginal(oracles.items), ROUNDING)
    assert_same(edge_values(world, smaller, again.edge), kept.marginal(oracles.edges), ROUNDING)


def kept_from_above(world: World, whole: Forest, least: float) -> set[int]:
    """Items that reach a threshold when posteriors are passed down from such items alone, and are part of a tree."""
    n, rules = whole.label.size, world.skeleton.rule_probability
    edges = [
        [
            (int(whole.left[e]), int(whole.right[e]), rules[whole.rule[e]])
            for e in range(whole.edge_at[p], whole.edge_at[p + 1])
        ]
        for p in range(n)
    ]
    value = world.skeleton.entry_probability[np.maximum(whole.entry, 0)] * (whole.entry >= 0)
    for p in range(n):
        value[p] += sum(r * value[x] * value[y] for x, y, r in edges[p])
    top = {p: value[p] * world.skeleton.root_probability[whole.label[p]] for p in whole.root.tolist()}
    posterior = np.zeros(n)
    for p, weight in top.items():
        posterior[p] = weight / sum(top.values())
    for p in range(n - 1, -1, -1):
        for x, y, r in edges[p] if posterior[p] >= least else ():
            posterior[[x, y]] += posterior[p] * r * value[x] * value[y] / value[p]
    built = np.zeros(n, dtype=bool)
    for p in range(n):
        edges[p] = [(x, y, r) for x, y, r in edges[p] if built[x] and built[y]]
        built[p] = posterior[p] >= least and (whole.entry[p] >= 0 or bool(edges[p]))
    kept = {p for p in top if built[p]}
    for p in range(n - 1, -1, -1):
        kept |= {child for x, y, _ in edges[p] for child in (x, y)} if p in kept else set()
    return kept


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("least", [0.003, 0.02, 0.1])
def test_items_alone_are_pruned_from_above(seed: int, least: float) -> None:
    world = random_world(seed)
    words = random_sentence(world, 6, np.random.default_rng([seed, 17]))
    whole = full_forest(world, words)
    symbols, free = symbols_of(word_table(world.skeleton), words), unconstrained(world.skeleton)
    given, only = choices(world.skeleton, symbols), replace(NO_PRUNING, item=least)
    found = build_forest(world.grammar, rule_index(world.skeleton), given, free, only)
    columns = ("label", "start", "end")
    rows = [tuple(int(getattr(whole, c)[p]) for c in columns) for p in kept_from_above(world, whole, least)]
    assert sorted(rows) == sorted(zip(*(getattr(found, c).tolist() for c in columns)) if found else [])


@pytest.mark.parametrize("seed", range(4))
def test_the_larger_weights_alone_say_nearly_the_same(seed: int) -> None:
    world, rng = random_world(seed), np.random.default_rng([seed, 21])
    forest = full_forest(world, random_sentence(world, 4, rng))
    whole = marginals(forest, world.weights)
    every = sparse_arrays(world.skeleton, world.weights, 1e-300)
    assert np.count_nonzero(every.sparse.value) == world.weights.rule_weight.size
    same = marginals(forest, every)
    assert_allclose(same.item, whole.item, rtol=1e-9, atol=1e-12)
    assert_allclose(same.edge, whole.edge, rtol=1e-9, atol=1e-12)
    least = float(np.quantile(world.weights.rule_weight, 0.3))
    few = sparse_arrays(world.skeleton, world.weights, least)
    cut = replace(
        world.weights,
        rule_weight=np.where(world.weights.rule_weight >= least, world.weights.rule_weight, 0.0),
    )
    assert np.count_nonzero(few.sparse.value) < world.weights.rule_weight.size
    assert_allclose(marginals(forest, few).item, marginals(forest, cut).item, rtol=1e-9, atol=1e-12)


def test_signed_weights_are_read_whole() -> None:
    world = random_world(0)
    signed = replace(world.weights, rule_weight=-world.weights.rule_weight)
    assert sparse_arrays(world.skeleton, signed, 1e-6).sparse.value.size == 0
