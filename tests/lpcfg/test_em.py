"""Counts, smoothing and expectation maximisation against enumeration, and their laws."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import oracles
from eigenparse.corpus.columns import Trees
from eigenparse.kernels.grammar.counts import Layout, smooth_rule_counts
from eigenparse.learn.grammar import subtrees
from eigenparse.learn.grammar.counts import LatentCounts, estimate, hard_counts
from eigenparse.learn.grammar.em import expected_counts
from eigenparse.learn.grammar.encode import Encoded
from eigenparse.learn.grammar.lexicon import token_sums
from eigenparse.learn.grammar.split_merge import (
    Refined,
    merge_counts,
    split_counts,
    split_gains,
    split_merge,
    split_states,
)
from eigenparse.learn.grammar.states import StateOptions, cluster_states, random_states
from eigenparse.learn.grammar.subtrees import distinct_subtrees
from eigenparse.models.grammar.pcfg import Weights, layout
from lpcfg.finite import encoded_corpus, featured, finite, wanted, well_conditioned, whole_trees
from lpcfg.worlds import as_trees, random_sentence, random_world, width
from oracles import Grammar, Tree
from tolerances import CANCELLED, ROUNDING, WRONG

SEEDS = range(6)


def weights_over(grammar: Grammar, encoded: Encoded) -> Weights:
    """An oracle's parameters laid out over the skeleton of a corpus."""
    skeleton, names = encoded.skeleton, [str(label) for label in encoded.skeleton.labels]
    states = np.array([width(grammar, a) for a in names], dtype=np.int32)
    rules = [grammar.rules[tuple(names[a] for a in rule)].ravel() for rule in skeleton.rules]
    entries = [
        grammar.words[names[a], skeleton.symbols[x]]
        for a, x in zip(skeleton.entry_label, skeleton.entry_symbol)
    ]
    roots = [grammar.root.get(a, np.zeros(m)) for a, m in zip(names, states)]
    flat = [np.concatenate([[], *part]) for part in (rules, entries, roots)]
    return Weights(states, *layout(skeleton, states), *flat)


def forest_of(seed: int) -> tuple[Grammar, list[Tree]]:
    """Trees of several sentences under one random grammar."""
    world, rng = random_world(seed), np.random.default_rng([seed, 31])
    trees = []
    for length in (1, 2, 3, 4, 5):
        found = oracles.all_trees(world.oracle, random_sentence(world, length if length > 1 else 2, rng))
        trees += [found[i] for i in rng.integers(len(found), size=4)]
    return world.oracle, trees


def part_of(encoded: Encoded, weights: Weights, flat: np.ndarray, what: object) -> np.ndarray:
    """The slice of a flat array that belongs to a rule, a word or a root label."""
    names = [str(label) for label in encoded.skeleton.labels]
    if isinstance(what, str):
        a = names.index(what)
        return flat[weights.state_at[a] : weights.state_at[a + 1]]
    if len(what) == 2:
        symbol = encoded.skeleton.symbols.index(what[1])
        entries = zip(encoded.skeleton.entry_label, encoded.skeleton.entry_symbol)
        e = [(names[a], x) for a, x in entries].index((what[0], symbol))
        return flat[weights.entry_at[e] : weights.entry_at[e + 1]]
    r = [tuple(names[a] for a in rule) for rule in encoded.skeleton.rules].index(what)
    return flat[weights.rule_at[r] : weights.rule_at[r + 1]]


@pytest.mark.parametrize("seed", SEEDS)
def test_expected_counts_equal_enumeration_of_states(seed: int) -> None:
    grammar, trees = forest_of(seed)
    encoded = encoded_corpus(as_trees(trees))
    weights = weights_over(grammar, encoded)
    found = expected_counts(encoded, weights)
    wanted: dict = {}
    for tree in trees:
        for what, counts in oracles.expected_counts(grammar, tree).items():
            wanted[what] = wanted.get(what, 0) + counts
    for what, counts in wanted.items():
        flat = (
            found.counts.root
            if isinstance(what, str)
            else found.counts.entry
            if len(what) == 2
            else found.counts.rule
        )
        assert_allclose(part_of(encoded, weights, flat, what), counts.ravel(), rtol=ROUNDING, atol=ROUNDING)
    log = sum(np.log(oracles.tree_weight(grammar, tree)) for tree in trees)
    assert_allclose(found.log_likelihood, log, rtol=ROUNDING)
    assert found.n_without_mass == 0
    assert_allclose(np.add.reduceat(found.posterior, found.at[:-1]), 1.0, rtol=ROUNDING)


def test_copies_of_trees_multiply_expected_counts() -> None:
    """Rows of one rule are multiplied together once there are enough of them: same sums, other path."""
    grammar, trees = forest_of(4)
    few = encoded_corpus(as_trees(trees))
    many = encoded_corpus(as_trees(trees, [140] * len(trees)))
    weights = weights_over(grammar, few)
    once, often = expected_counts(few, weights), expected_counts(many, weights)
    assert_allclose(often.counts.rule, 140 * once.counts.rule, rtol=ROUNDING, atol=ROUNDING)
    assert_allclose(often.counts.entry, 140 * once.counts.entry, rtol=ROUNDING, atol=ROUNDING)
    assert_allclose(often.counts.root, 140 * once.counts.root, rtol=ROUNDING, atol=ROUNDING)
    assert_allclose(often.log_likelihood, 140 * once.log_likelihood, rtol=ROUNDING)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("enough", [2, 1000])
def test_equal_subtrees_are_visited_once_with_the_sums_of_all(
    seed: int, enough: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subtrees, "ENOUGH", enough)  # nodes that share a child and are done together
    grammar, trees = forest_of(seed)
    encoded = encoded_corpus(as_trees(trees, [2, 1, 3] * len(trees)))
    weights, nodes = weights_over(grammar, encoded), encoded.distinct
    assert nodes.row.size < encoded.trees.label.size / 2
    for sharing in (nodes.sharing, nodes.rule_sharing):
        assert set(sharing.tolist()) == ({0, 1, 2} if enough == 2 else {0})
    assert len({*bracketings(encoded.trees)}) == nodes.row.size
    one, all_rows = (expected_counts(encoded, weights, which) for which in (nodes, None))
    for name in ("rule", "entry", "root"):
        left, right = (getattr(found.counts, name) for found in (one, all_rows))
        assert_allclose(left, right, rtol=ROUNDING, atol=ROUNDING)
    assert_allclose(one.log_likelihood, all_rows.log_likelihood, rtol=ROUNDING)
    for name in ("posterior", "outside"):
        of_rows = getattr(all_rows, name)
        width = np.diff(all_rows.at)
        place = (
            np.repeat(one.at[nodes.node], width)
            + np.arange(of_rows.size)
            - np.repeat(all_rows.at[:-1], width)
        )
        added = np.bincount(place, weights=of_rows, minlength=one.at[-1])
        assert_allclose(getattr(one, name), added, rtol=ROUNDING, atol=ROUNDING)
    total = np.ones(weights.state_at[-1])
    sums = [
        token_sums(encoded.trees, found.posterior, found.at, total, weights.state_at, which)
        for found, which in ((one, nodes), (all_rows, None))
    ]
    for name in ("inner", "initial"):
        left, right = (getattr(tokens, name).toarray() for tokens in sums)
        assert_allclose(left, right, rtol=ROUNDING, atol=ROUNDING)
    assert np.array_equal(sums[0].number, sums[1].number)


def bracketings(trees: Trees) -> list[str]:
    """Every row's subtree as text; words that begin a sentence are marked."""
    found: list[str] = []
    first = set(trees.offsets[:-1].tolist())
    for i, (a, x, y, w) in enumerate(zip(trees.label, trees.left, trees.right, trees.word)):
        below = f"{w}{'^' if i in first else ''}" if x < 0 else f"{found[x]}{found[y]}"
        found.append(f"({a} {below})")
    return found


def test_trees_without_mass_are_counted_and_left_out() -> None:
    grammar, trees = forest_of(0)
    encoded = encoded_corpus(as_trees(trees))
    weights = weights_over(grammar, encoded)
    empty = replace(weights, root_weight=np.zeros_like(weights.root_weight))
    found = expected_counts(encoded, empty)
    assert found.n_without_mass == len(trees)
    assert not found.counts.rule.any()
    assert not found.counts.entry.any()
    assert found.log_likelihood == 0.0


@pytest.mark.parametrize("seed", range(3))
def test_log_likelihood_never_goes_down(seed: int) -> None:
    known = finite(np.random.default_rng([seed, 32]))
    copies = np.random.default_rng(seed).multinomial(600, known.probability / known.probability.sum())
    encoded = encoded_corpus(known.corpus(copies))
    start = random_states(encoded, wanted(encoded, StateOptions(states=3, nodes_per_state=1)), seed)
    weights = estimate(encoded.skeleton, hard_counts(encoded, start.state, start.states), rule_smoothing=0.0)
    log = []
    for _ in range(30):
        found = expected_counts(encoded, weights)
        log.append(found.log_likelihood)
        weights = estimate(encoded.skeleton, found.counts, rule_smoothing=0.0)
    assert np.diff(log).min() > -ROUNDING * abs(log[0])
    assert log[-1] - log[0] > WRONG * abs(log[0]) / 10  # and it does learn something


def test_the_truth_is_a_fixed_point_in_the_population() -> None:
    known = well_conditioned(5, whole_trees())
    encoded = encoded_corpus(known.exact_corpus())
    truth = weights_over(known.grammar, encoded)
    found = expected_counts(encoded, truth)
    n = len(encoded.trees)
    assert_allclose(found.log_likelihood, n * known.probability @ np.log(known.probability), rtol=ROUNDING)
    again = estimate(encoded.skeleton, found.counts, rule_smoothing=0.0)
    assert_allclose(again.rule_weight, truth.rule_weight, rtol=CANCELLED, atol=ROUNDING)
    assert_allclose(again.entry_weight, truth.entry_weight, rtol=CANCELLED, atol=ROUNDING)
    assert_allclose(again.root_weight, truth.root_weight, rtol=CANCELLED, atol=ROUNDING)


def shard(encoded: Encoded, start: int, stop: int) -> Encoded:
    """Some of the trees, rows in post-order."""
    part = slice(encoded.trees.offsets[start], encoded.trees.offsets[stop])
    trees = encoded.trees.take(start, stop)
    rule, entry = encoded.rule[part], encoded.entry[part]
    distinct = distinct_subtrees(trees, rule, entry, len(encoded.skeleton.rules))
    return Encoded(trees, encoded.skeleton, rule, entry, encoded.symbol[part], distinct)


def test_counts_of_shards_add_to_the_whole() -> None:
    grammar, trees = forest_of(1)
    encoded = encoded_corpus(as_trees(trees))
    weights = weights_over(grammar, encoded)
    cuts = [(0, 7), (7, 8), (8, len(trees))]
    state = (
        np.random.default_rng(2).random(encoded.trees.label.size) * weights.states[encoded.trees.label]
    ).astype(np.int32)
    offsets = encoded.trees.offsets

    def added(parts: list[LatentCounts]) -> LatentCounts:
        return parts[0] + parts[1] + parts[2]

    hard = added(
        [hard_counts(shard(encoded, i, j), state[offsets[i] : offsets[j]], weights.states) for i, j in cuts]
    )
    soft = added([expected_counts(shard(encoded, i, j), weights).counts for i, j in cuts])
    for parts, whole in (
        (hard, hard_counts(encoded, state, weights.states)),
        (soft, expected_counts(encoded, weights).counts),
    ):
        assert_allclose(parts.rule, whole.rule, rtol=ROUNDING, atol=ROUNDING)
        assert_allclose(parts.entry, whole.entry, rtol=ROUNDING, atol=ROUNDING)
        assert_allclose(parts.root, whole.root, rtol=ROUNDING, atol=ROUNDING)


def test_hard_counts_equal_a_dictionary() -> None:
    _, trees = forest_of(2)
    encoded = encoded_corpus(as_trees(trees))
    columns = encoded.trees
    states = np.array([2, 3, 1, 2, 3, 1, 2][: len(columns.labels)], dtype=np.int32)
    state = (np.random.default_rng(3).random(columns.label.size) * states[columns.label]).astype(np.int32)
    counts = hard_counts(encoded, state, states)
    wanted: Counter = Counter()
    for i in range(columns.label.size):
        if columns.left[i] >= 0:
            family = (i, columns.left[i], columns.right[i])
            wanted["rule", tuple(columns.label[list(family)]), tuple(state[list(family)])] += 1
        else:
            wanted["word", (columns.label[i], encoded.symbol[i]), state[i]] += 1
    rule_at, entry_at, state_at = layout(encoded.skeleton, states)
    for r, rule in enumerate(encoded.skeleton.rules):
        tensor = counts.rule[rule_at[r] : rule_at[r + 1]].reshape(states[rule])
        for place in np.ndindex(*tensor.shape):
            assert tensor[place] == wanted["rule", tuple(rule), place]
    for e, pair in enumerate(zip(encoded.skeleton.entry_label, encoded.skeleton.entry_symbol)):
        for h in range(states[pair[0]]):
            assert counts.entry[entry_at[e] + h] == wanted["word", pair, h]
    assert counts.rule.sum() + counts.entry.sum() == columns.label.size
    assert counts.root.sum() == len(columns)
    assert counts.root.size == state_at[-1]


def sums_given_state(encoded: Encoded, weights: Weights) -> np.ndarray:
    """Rules and words of every (label, state) added up."""
    total = np.zeros(weights.state_at[-1])
    for r, (a, _, _) in enumerate(encoded.skeleton.rules):
        tensor = weights.rule_weight[weights.rule_at[r] : weights.rule_at[r + 1]].reshape(
            weights.states[a], -1
        )
        total[weights.state_at[a] : weights.state_at[a + 1]] += tensor.sum(axis=1)
    for e, a in enumerate(encoded.skeleton.entry_label):
        part = slice(weights.state_at[a], weights.state_at[a + 1])
        total[part] += weights.entry_weight[weights.entry_at[e] : weights.entry_at[e + 1]]
    return total


def sampled(seed: int, n: int) -> Encoded:
    known = finite(np.random.default_rng([seed, 33]))
    copies = np.random.default_rng(seed).multinomial(n, known.probability / known.probability.sum())
    trees = known.corpus(copies)
    return encoded_corpus(trees)


@pytest.mark.parametrize("smoothing", [0.0, 2.0, 50.0])
@pytest.mark.parametrize("seed", range(3))
def test_cluster_grammars_are_proper(smoothing: float, seed: int) -> None:
    encoded = sampled(seed, 400)
    options = StateOptions(nodes_per_state=30)
    found = cluster_states(encoded, featured(encoded, options), wanted(encoded, options), options, seed)
    assert found.states.max() > 2
    weights = estimate(
        encoded.skeleton, hard_counts(encoded, found.state, found.states), rule_smoothing=smoothing
    )
    assert_allclose(sums_given_state(encoded, weights), 1.0, rtol=ROUNDING)
    assert_allclose(weights.root_weight.sum(), 1.0, rtol=ROUNDING)
    assert min(weights.rule_weight.min(), weights.entry_weight.min()) >= 0
    soft = estimate(encoded.skeleton, expected_counts(encoded, weights).counts, rule_smoothing=smoothing)
    assert_allclose(sums_given_state(encoded, soft), 1.0, rtol=CANCELLED)


def test_mixing_states_keeps_tags_proper_and_moves_them_together() -> None:
    encoded = sampled(1, 400)
    found = random_states(encoded, wanted(encoded, StateOptions(states=3, nodes_per_state=1)), 0)
    counts = hard_counts(encoded, found.state, found.states)
    apart = estimate(encoded.skeleton, counts, rule_smoothing=0.0)
    half = estimate(encoded.skeleton, counts, rule_smoothing=0.0, state_mixing=0.5)
    same = estimate(encoded.skeleton, counts, rule_smoothing=0.0, state_mixing=1.0)
    names = [str(label) for label in encoded.skeleton.labels]
    for label in ("B", "C"):
        a = names.index(label)
        part = slice(half.state_at[a], half.state_at[a + 1])
        assert_allclose(sums_given_state(encoded, half)[part], 1.0, rtol=ROUNDING)
    assert_allclose(half.entry_weight, (apart.entry_weight + same.entry_weight) / 2, rtol=ROUNDING)
    for e in range(encoded.skeleton.entry_label.size):
        assert np.ptp(same.entry_weight[same.entry_at[e] : same.entry_at[e + 1]]) < ROUNDING
    assert np.array_equal(half.rule_weight, apart.rule_weight)


def smoothing_case(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    count = rng.integers(0, 5, size=(2, 3, 2)).astype(float)
    shares = [rng.dirichlet(np.ones(m)) for m in (2, 3, 2)]
    return count, np.concatenate(shares), rng.random(1)


def smoothed(count: np.ndarray, share: np.ndarray, C: float) -> np.ndarray:
    out = count.ravel().copy()
    rules, states = np.array([[0, 1, 2]], dtype=np.int32), np.array([2, 3, 2], dtype=np.int32)
    none = np.zeros(0, dtype=np.int32)
    layout = Layout(
        rules, none, states, np.array([0, 12]), np.zeros(1, dtype=np.int64), np.array([0, 2, 5, 7])
    )
    total = np.zeros(7)
    smooth_rule_counts(layout, out, share, C, total)
    assert_allclose(total[:2], out.reshape(2, -1).sum(axis=1), rtol=ROUNDING)
    return out.reshape(count.shape)


@pytest.mark.parametrize("seed", range(5))
def test_smoothed_counts_equal_the_formula_and_keep_the_total(seed: int) -> None:
    count, share, _ = smoothing_case(seed)
    n = count.sum()
    joint = count / n
    pa, pb, pc = joint.sum((1, 2)), joint.sum((0, 2)), joint.sum((0, 1))
    e2 = (
        np.einsum("ab,c->abc", joint.sum(2), pc)
        + np.einsum("ac,b->abc", joint.sum(1), pb)
        + np.einsum("bc,a->abc", joint.sum(0), pa)
    ) / 3
    e3 = np.einsum("a,b,c->abc", pa, pb, pc)
    e4 = np.einsum("a,b,c->abc", share[:2], share[2:5], share[5:])
    for C in (0.3, 2.0, 40.0):
        q = np.sqrt(n) / (C + np.sqrt(n))
        wanted = n * (q * joint + (1 - q) * (q * e2 + (1 - q) * (q * e3 + (1 - q) * e4)))
        assert_allclose(smoothed(count, share, C), wanted, rtol=ROUNDING)
        assert_allclose(smoothed(count, share, C).sum(), n, rtol=ROUNDING)
    assert_allclose(smoothed(count, share, 1e-13), count, rtol=ROUNDING, atol=ROUNDING)
    assert_allclose(smoothed(count, share, 1e13), n * e4, rtol=CANCELLED)


def test_rules_without_counts_stay_without() -> None:
    _, share, _ = smoothing_case(0)
    assert not smoothed(np.zeros((2, 3, 2)), share, 5.0).any()


def test_encoding_reads_the_plain_grammar_off_the_trees() -> None:
    _, trees = forest_of(3)
    encoded = encoded_corpus(as_trees(trees))
    skeleton, names = encoded.skeleton, [str(label) for label in encoded.skeleton.labels]
    rules = Counter(edge[:3] for tree in trees for edge in oracles.edges(tree))
    labels = Counter(a for tree in trees for a, _, _ in oracles.items(tree))
    words = Counter(n for tree in trees for n, _, _ in oracles.nodes(tree) if oracles.is_leaf(n))
    roots = Counter(tree[0] for tree in trees)
    count = np.bincount(encoded.rule[encoded.rule >= 0], minlength=len(skeleton.rules))
    for rule, p, n in zip(skeleton.rules, skeleton.rule_probability, count):
        key = tuple(names[a] for a in rule)
        assert n == rules[key]
        assert_allclose(p, rules[key] / labels[key[0]], rtol=ROUNDING)
    assert len(rules) == skeleton.rules.shape[0]
    for a, x, p in zip(skeleton.entry_label, skeleton.entry_symbol, skeleton.entry_probability):
        assert_allclose(p, words[names[a], skeleton.symbols[x]] / labels[names[a]], rtol=ROUNDING)
    assert len(words) == skeleton.entry_label.size
    assert_allclose(skeleton.root_probability, [roots[a] / len(trees) for a in names], rtol=ROUNDING)


@pytest.mark.parametrize("seed", [0, 1])
def test_states_that_are_split_and_merged_again_have_the_same_counts(seed: int) -> None:
    oracle, trees = forest_of(seed)
    encoded = encoded_corpus(as_trees(trees))
    counts = expected_counts(encoded, weights_over(oracle, encoded)).counts
    wanted_now = (counts.states + np.arange(counts.states.size) % 3).astype(np.int32)
    refined = split_states(counts, wanted_now, encoded.skeleton)
    assert np.array_equal(refined.states, np.minimum(wanted_now, 2 * counts.states))
    split = split_counts(counts, refined, encoded.skeleton, np.random.default_rng(0))
    again = merge_counts(split, refined, encoded.skeleton)
    assert np.array_equal(again.states, counts.states)
    for one, two in ((again.rule, counts.rule), (again.entry, counts.entry), (again.root, counts.root)):
        assert_allclose(one, two, rtol=0.011, atol=1e-12)


def test_the_cost_of_a_merge_is_the_likelihood_that_it_loses() -> None:
    """Of states at one node of each tree, where the formula is exact."""
    trees = [("S", ("A", x), ("B", y)) for x in "pq" for y in "pq"]
    encoded = encoded_corpus(as_trees(trees, [3, 1, 1, 4]))
    rng = np.random.default_rng(2)
    rules = {("S", "A", "B"): rng.random((2, 2, 1))}
    words = {(a, x): rng.random(2 if a == "A" else 1) for a in "AB" for x in "pq"}
    weights = weights_over(Grammar({"S": rng.random(2)}, rules, words), encoded)
    found = expected_counts(encoded, weights)
    gain = split_gains(encoded, found, weights.state_at)
    names = [str(label) for label in encoded.skeleton.labels]
    for label in ("S", "A"):
        a = names.index(label)
        mass = np.bincount(
            np.concatenate([np.arange(2)] * int(np.sum(encoded.trees.label == a))),
            np.concatenate([found.posterior[i : i + 2] for i in found.at[:-1][encoded.trees.label == a]]),
        )
        p = mass / mass.sum()
        lost = 0.0
        for tree, copies in zip(trees, [3, 1, 1, 4]):
            x, y = tree[1][1], tree[2][1]
            root, tensor = part_of(encoded, weights, weights.root_weight, "S"), rules["S", "A", "B"][:, :, 0]
            below = tensor @ words["A", x] * words["B", y][0]
            inner, outer = (
                (below, root) if label == "S" else (words["A", x], root @ tensor * words["B", y][0])
            )
            lost -= copies * np.log((p @ inner) * outer.sum() / (inner @ outer))
        assert_allclose(gain[weights.state_at[a] + 1], lost, rtol=1e-9)


def test_split_merge_keeps_half_of_the_splits_and_gains_likelihood() -> None:
    sample = well_conditioned(0, whole_trees())
    encoded = encoded_corpus(sample.exact_corpus())
    most = np.full(len(encoded.skeleton.labels), 4, dtype=np.int32)

    def weights_of(counts: LatentCounts) -> Weights:
        return estimate(encoded.skeleton, counts, rule_smoothing=0.0)

    counts = split_merge(encoded, most, weights_of, 0)
    assert np.all(counts.states <= 4)
    assert len(most) < counts.states.sum() < 4 * len(most)
    plain = hard_counts(encoded, np.zeros(encoded.trees.label.size, dtype=np.int32), np.ones_like(most))
    one, many = (expected_counts(encoded, weights_of(c)).log_likelihood for c in (plain, counts))
    assert many > one + 1
    again = split_merge(encoded, most, weights_of, 0)
    assert np.array_equal(counts.rule, again.rule)
    assert isinstance(split_states(counts, most, encoded.skeleton), Refined)
