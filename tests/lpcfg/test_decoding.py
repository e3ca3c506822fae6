"""Decoders, k-best lists and ensembles against the best of all trees."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.lpcfg.forests import assert_same, edge_values, full_forest, item_values, limited

import oracles
from eigenparse.corpus.columns import Label
from eigenparse.decode.grammar.derivations import Derivation
from eigenparse.decode.grammar.objective import Objective, bracket_table, combine
from eigenparse.decode.grammar.parser import (
    Decoded,
    Parser,
    ParserOptions,
    as_trees,
    decode,
    make_parser,
)
from eigenparse.errors import DataError, ResourceError
from eigenparse.inference.grammar.chart import marginals
from eigenparse.inference.grammar.forest import NO_PRUNING
from eigenparse.models.grammar.pcfg import LatentGrammar, Weights
from lpcfg.worlds import World, as_world, random_bases, random_sentence, random_world, rotated, with_member
from oracles import Distribution, Grammar, Tree
from tolerances import ROUNDING

SEEDS = range(12)
ALL = 2000
Worth = Callable[[Tree], float]


def parser_of(
    grammar: LatentGrammar, decoder: str = "labelled-recall", combination: str = "product"
) -> Parser:
    return make_parser(grammar, ParserOptions(NO_PRUNING, Objective(decoder, combination)))


def as_tuple(derivation: Derivation, parser: Parser, words: list[str]) -> Tree:
    """A derivation as nested tuples."""
    made: list[Tree] = []
    for a, x, y, at in zip(derivation.label, derivation.left, derivation.right, derivation.position):
        name = str(parser.labels[a])
        made.append((name, words[at]) if x < 0 else (name, made[x], made[y]))
    return made[-1]


def recall_worth(items: dict, edges: dict) -> Worth:
    return lambda tree: sum(abs(items[item]) for item in oracles.items(tree))


def rule_worth(items: dict, edges: dict) -> Worth:
    def worth(tree: Tree) -> float:
        words = [abs(items[node[0], i, j]) for node, i, j in oracles.nodes(tree) if oracles.is_leaf(node)]
        return sum(math.log(p) for p in [*words, *(abs(edges[edge]) for edge in oracles.edges(tree))])

    return worth


def bracket_worth(items: dict, edges: dict) -> Worth:
    """One-symbol labels: a phrase is one bracket less 0.4; a tag counts half; tags are no brackets."""

    def worth(tree: Tree) -> float:
        total = 0.0
        for node, i, j in oracles.nodes(tree):
            p = abs(items[node[0], i, j])
            total += 0.5 * p if oracles.is_leaf(node) else p - 0.4
        return total

    return worth


WORTHS = {"labelled-recall": recall_worth, "max-rule": rule_worth, "brackets": bracket_worth}


def split_world(seed: int) -> World:
    """A world whose labels stand over words or over phrases, never both: what brackets assume."""
    for attempt in range(1000):
        rng = np.random.default_rng([seed, attempt, 3])
        tags, phrases = ["T0", "T1"], ["P0", "P1"]
        triples = [(a, b, c) for a in phrases for b in tags + phrases for c in tags + phrases]
        chosen = sorted(rng.choice(len(triples), 9, replace=False))
        m = {a: int(rng.integers(1, 4)) for a in tags + phrases}
        grammar = Grammar(
            {a: rng.random(m[a]) for a in phrases},
            {triples[r]: rng.random([m[a] for a in triples[r]]) for r in chosen},
            {(a, x): rng.random(m[a]) for a in tags for x in "uv"},
        )
        if 4 < len(oracles.all_trees(grammar, list("uvuvu"))) < 400:
            return as_world(grammar, rng)
    raise AssertionError("no such grammar")


def sentence(world: World, seed: int) -> list[str]:
    if world.skeleton.n_words == 2:
        return list("uvuvu")
    return random_sentence(world, 3 + seed % 3, np.random.default_rng([seed, 21]))


def assert_list(found: Decoded, parser: Parser, words: list[str], trees: list[Tree], worth: Worth) -> None:
    """Scores equal the sorted list of all trees; trees are distinct and worth what is claimed."""
    wanted = sorted((worth(tree) for tree in trees), reverse=True)
    scores = [d.score for d in found.derivations]
    assert len(scores) == min(len(trees), ALL)
    assert_allclose(scores, wanted[: len(scores)], rtol=ROUNDING, atol=ROUNDING)
    given = [as_tuple(d, parser, words) for d in found.derivations]
    assert len(set(given)) == len(given)
    assert set(given) <= set(trees)
    assert_allclose([worth(tree) for tree in given], scores, rtol=ROUNDING, atol=ROUNDING)


@pytest.mark.parametrize("decoder", ["labelled-recall", "max-rule", "brackets"])
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("turned", [False, True])
def test_kbest_lists_equal_the_sorted_list_of_all_trees(decoder: str, seed: int, turned: bool) -> None:
    world = split_world(seed) if decoder == "brackets" else random_world(seed)
    words = sentence(world, seed)
    truth = oracles.distribution(world.oracle, words)
    worth = WORTHS[decoder](truth.marginal(oracles.items), truth.marginal(oracles.edges))
    weights = world.weights
    if turned:
        weights = rotated(world.skeleton, weights, random_bases(world, np.random.default_rng([seed, 22])))
    parser = parser_of(with_member(world, weights), decoder)
    found = decode(parser, words, k=ALL)
    assert found.status == "ok"
    assert_allclose(found.log_total, math.log(truth.total), rtol=ROUNDING, atol=ROUNDING)
    assert_list(found, parser, words, truth.trees, worth)
    for k in (1, 2, 3):
        few = [d.score for d in decode(parser, words, k=k).derivations]
        assert_allclose(few, [d.score for d in found.derivations[:k]], rtol=ROUNDING)


@pytest.mark.parametrize("seed", SEEDS)
def test_signed_grammars_decode_by_magnitude(seed: int) -> None:
    world = random_world(seed, signed=True)
    words = sentence(world, seed)
    truth = oracles.distribution(world.oracle, words)
    worth = recall_worth(truth.marginal(oracles.items), {})
    parser = parser_of(world.grammar)
    found = decode(parser, words)
    wanted = max(worth(tree) for tree in truth.trees)
    assert_allclose(worth(as_tuple(found.derivations[0], parser, words)), wanted, rtol=ROUNDING * 100)
    assert found.n_non_positive == (truth.total <= 0)


def second_weights(world: World, seed: int) -> tuple[Weights, World]:
    """Other positive weights over the same skeleton, and the oracle that has them."""
    rng = np.random.default_rng([seed, 23])
    oracle = Grammar(
        {a: rng.random(v.shape) for a, v in world.oracle.root.items()},
        {r: rng.random(v.shape) for r, v in world.oracle.rules.items()},
        {e: rng.random(v.shape) for e, v in world.oracle.words.items()},
    )
    other = as_world(oracle)
    assert np.array_equal(other.skeleton.rules, world.skeleton.rules)
    return other.weights, other


def summed(truths: list[Distribution]) -> Distribution:
    weights = sum((truth.weights / truth.total for truth in truths), np.zeros(len(truths[0].trees)))
    return Distribution(truths[0].trees, weights)


def multiplied(truths: list[Distribution]) -> Distribution:
    """Each model as the product of its root's and its conditional edges' probabilities, multiplied."""
    log = np.zeros(len(truths[0].trees))
    for truth in truths:
        items, edges = truth.marginal(oracles.items), truth.marginal(oracles.edges)
        for t, tree in enumerate(truth.trees):
            log[t] += math.log(items[tree[0], 0, len(oracles.leaves(tree))])
            for edge in oracles.edges(tree):
                log[t] += math.log(edges[edge] / items[edge[0], edge[3], edge[5]])
    return Distribution(truths[0].trees, np.exp(log - log.max()))


@pytest.mark.parametrize("combination", ["sum", "product"])
@pytest.mark.parametrize("seed", SEEDS)
def test_two_members_equal_enumeration(combination: str, seed: int) -> None:
    world = random_world(seed)
    words = sentence(world, seed)
    weights, other = second_weights(world, seed)
    truths = [oracles.distribution(w.oracle, words) for w in (world, other)]
    assert truths[0].trees == truths[1].trees
    truth = summed(truths) if combination == "sum" else multiplied(truths)
    forest = full_forest(world, words)
    belief = combine(forest, [marginals(forest, w) for w in (world.weights, weights)], combination)
    items, edges = truth.marginal(oracles.items), truth.marginal(oracles.edges)
    assert_same(item_values(world, forest, belief.item), items, ROUNDING)
    assert_same(edge_values(world, forest, belief.edge), edges, ROUNDING)
    for decoder in ("labelled-recall", "max-rule"):
        parser = parser_of(with_member(world, world.weights, weights), decoder, combination)
        found = decode(parser, words, k=ALL)
        assert_list(found, parser, words, truth.trees, WORTHS[decoder](items, edges))


def test_product_of_a_model_with_itself_keeps_the_best_tree_of_rules() -> None:
    for seed in SEEDS:
        world = random_world(seed)
        words = sentence(world, seed)
        forest = full_forest(world, words)
        one = marginals(forest, world.weights)
        alone, same = combine(forest, [one], "product"), combine(forest, [one, one], "sum")
        assert_allclose(same.item, alone.item, rtol=ROUNDING)
        assert_allclose(same.edge, alone.edge, rtol=ROUNDING)


def test_bracket_symbols_are_shared_by_chains_and_apart_from_tags() -> None:
    """Chains X|Y and Y both hold the bracket Y; a tag Y is another symbol; partial labels hold none."""
    labels = (Label(("X", "Y")), Label(("Y",)), Label(("Y",), partial=True), Label(("X", "T")), Label(("Y",)))
    ids: dict[tuple[str, bool], int] = {}
    table = bracket_table(labels, (False, False, False, True, True), ids)
    parts = [table.chain[table.chain_at[a] : table.chain_at[a + 1]].tolist() for a in range(5)]
    names = {number: name for name, number in ids.items()}
    assert [[names[t] for t in part] for part in parts] == [
        [("X", False), ("Y", False)],
        [("Y", False)],
        [],
        [("X", False), ("T", True)],
        [("Y", True)],
    ]


def test_a_label_over_words_and_phrases_is_a_tag_over_words_only() -> None:
    ids: dict[tuple[str, bool], int] = {}
    table = bracket_table((Label(("X",)), Label(("Z", "X"))), (True, False), ids, both={0})
    assert table.chain.tolist() == [ids["X", True], ids["Z", False], ids["X", False]]
    assert table.wide.tolist() == [ids["X", False], ids["Z", False], ids["X", False]]


def test_chain_world_decodes_the_bracket_that_two_labels_share() -> None:
    """X|Y .35 and Y .25 against W .4: the bracket Y holds .6 and must win; recall would take W."""
    one = np.ones(1)
    oracle = Grammar(
        {"a": 0.35 * one, "b": 0.25 * one, "c": 0.4 * one},
        {(p, "t", "t"): np.ones((1, 1, 1)) for p in "abc"},
        {("t", "u"): one},
    )
    world = as_world(oracle)
    labels = {"a": Label(("X", "Y")), "b": Label(("Y",)), "c": Label(("W",)), "t": Label(("T",))}
    skeleton = world.skeleton
    renamed = LatentGrammar(
        type(skeleton)(
            labels=tuple(labels[name] for name in world.names),
            **{f: getattr(skeleton, f) for f in skeleton.__slots__ if f != "labels"},
        ),
        (world.weights,),
    )
    by_recall = parser_of(renamed, "labelled-recall")
    best = decode(by_recall, ["u", "u"]).derivations[0]
    assert str(by_recall.labels[best.label[-1]]) == "W"
    by_brackets = parser_of(renamed, "brackets")
    best = decode(by_brackets, ["u", "u"]).derivations[0]
    assert str(by_brackets.labels[best.label[-1]]) == "Y"  # X adds .35 - .4 < 0 to the chain
    assert_allclose(best.score, 0.6 - 0.4 + 2 * 0.5, rtol=ROUNDING)
    assert_allclose(best.posterior[-1], 0.6, rtol=ROUNDING)


@pytest.mark.parametrize("seed", SEEDS)
def test_one_word_sentences(seed: int) -> None:
    world = random_world(seed)
    for word in world.skeleton.symbols:
        truth = oracles.distribution(world.oracle, [word])
        parser = parser_of(world.grammar)
        found = decode(parser, [word], k=ALL)
        if not truth.trees:
            assert found.status == "fallback"
            assert as_tuple(found.derivations[0], parser, [word])[-1] == word
            continue
        assert found.status == "ok"
        assert_list(found, parser, [word], truth.trees, recall_worth(truth.marginal(oracles.items), {}))


def gap_world() -> World:
    """S over N V; a sentence of three words has no tree."""
    one = np.ones(1)
    return as_world(
        Grammar(
            {"S": one},
            {("S", "N", "V"): np.ones((1, 1, 1))},
            {("N", "u"): one, ("V", "v"): one, ("N", "w"): one},
        )
    )


@pytest.mark.parametrize("words", ["u", "uuu", "vuv", "uvuvu", "uv" * 60 + "u"])
def test_sentences_without_a_tree_are_covered_by_pieces(words: str) -> None:
    parser = make_parser(gap_world().grammar)
    found = decode(parser, list(words))
    assert found.status == "fallback"
    assert found.log_total == -np.inf
    derivation = found.derivations[0]
    assert derivation.position[derivation.position >= 0].tolist() == list(range(len(words)))
    tree = as_tuple(derivation, parser, list(words))
    assert "".join(oracles.leaves(tree)) == words
    pairs = words.count("uv")
    assert sum(a == "S" for a, _, _ in oracles.items(tree)) == pairs  # as few pieces as possible
    columns = as_trees(parser, [list(words)], [derivation])
    assert [columns.words[w] for w in columns.word[columns.word >= 0]] == list(words)


def test_constraints_no_tree_obeys_still_give_a_tree() -> None:
    world = gap_world()
    parser = make_parser(world.grammar)
    for masks in ({(0, 2): {"N"}}, {(0, 1): {"V"}}, {(0, 1): set(), (1, 2): set(), (0, 2): set()}):
        found = decode(parser, ["u", "v"], limits=limited(world, 2, masks))
        assert found.status == "fallback"
        assert oracles.leaves(as_tuple(found.derivations[0], parser, ["u", "v"])) == ["u", "v"]


def test_constraints_choose_among_trees() -> None:
    for seed in SEEDS:
        world = random_world(seed)
        words = random_sentence(world, 4, np.random.default_rng([seed, 24]))
        truth = oracles.distribution(world.oracle, words)
        parser = parser_of(world.grammar)
        for tree in truth.trees[:3]:
            masks: dict[tuple[int, int], set[str]] = {
                (i, j): set() for i in range(4) for j in range(i + 1, 5)
            }
            for a, i, j in oracles.items(tree):
                masks[i, j] = {a}
            found = decode(parser, words, k=ALL, limits=limited(world, 4, masks))
            assert [as_tuple(d, parser, words) for d in found.derivations] == [tree]


def test_zero_mass_under_the_members_falls_back_on_the_plain_grammar() -> None:
    world = split_world(0)
    w = world.weights
    empty = Weights(
        w.states,
        w.rule_at,
        w.entry_at,
        w.state_at,
        np.zeros_like(w.rule_weight),
        w.entry_weight,
        w.root_weight,
    )
    parser = parser_of(with_member(world, empty))
    found = decode(parser, list("uvuvu"))
    assert found.n_non_positive == 1
    assert as_tuple(found.derivations[0], parser, list("uvuvu")) in oracles.all_trees(
        world.oracle, list("uvuvu")
    )
    both = decode(parser_of(with_member(world, empty, w)), list("uvuvu"), k=ALL)
    alone = decode(parser_of(with_member(world, w)), list("uvuvu"), k=ALL)
    assert [d.score for d in both.derivations] == [d.score for d in alone.derivations]


def test_long_sentences_are_decoded() -> None:
    grammar = Grammar(
        {"S": np.ones(1)}, {("S", "S", "S"): np.full((1, 1, 1), 0.3)}, {("S", "u"): np.full(1, 0.7)}
    )
    parser = make_parser(as_world(grammar).grammar)
    for n in (1, 2, 150):
        found = decode(parser, ["u"] * n)
        assert found.status == "ok"
        assert found.derivations[0].label.size == 2 * n - 1
        assert np.isfinite(found.derivations[0].score)


def test_empty_and_overlong_sentences_are_refused() -> None:
    parser = make_parser(gap_world().grammar)
    with pytest.raises(DataError, match="empty sentence"):
        decode(parser, [])
    with pytest.raises(ResourceError, match="max_length"):
        decode(parser, ["u"] * 1001)


def test_too_little_memory_still_gives_a_tree() -> None:
    grammar = Grammar(
        {"S": np.ones(1)}, {("S", "S", "S"): np.full((1, 1, 1), 0.3)}, {("S", "u"): np.full(1, 0.7)}
    )
    parser = make_parser(as_world(grammar).grammar, ParserOptions(memory=100_000))
    found = decode(parser, ["u"] * 60)
    assert found.status == "fallback"
    assert found.derivations[0].position.max() == 59
