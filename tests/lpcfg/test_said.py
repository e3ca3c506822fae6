"""What later members of an ensemble look at: only what the first grammar leaves over, unless nothing is."""

import functools

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from eigenparse.corpus.columns import Label
from eigenparse.corpus.normalise import normalise
from eigenparse.decode.grammar import parser as parsing
from eigenparse.decode.grammar.objective import Brackets, bracket_table, brackets, likely
from eigenparse.decode.grammar.parser import Parser, explore, free_space, make_parser
from eigenparse.inference.grammar.chart import marginals, narrowed
from eigenparse.kernels.grammar.forest import Constraints
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.synthetic import sample_treebank
from lpcfg.forests import full_forest
from lpcfg.worlds import random_sentence, random_world

LEAST = 0.2
WORDS = ["the", "old", "dog", "saw", "a", "cat"]
LABELS = (Label(("X", "Y")), Label(("Y",)), Label(("Y",), partial=True), Label(("X", "T")), Label(("Y",)))


@functools.cache
def ensemble() -> Parser:
    return make_parser(GrammarOptions(seed=3, ensemble=2).fit(normalise(sample_treebank(200, 0))))


def test_a_label_is_likely_if_all_brackets_of_its_chain_are() -> None:
    table = bracket_table(LABELS, (False, False, False, True, True), {})
    rng, n, n_symbols = np.random.default_rng(5), 4, len(table.ids)
    keys = np.sort(rng.choice((n + 1) ** 2 * n_symbols, size=60, replace=False))
    masses = rng.random(keys.size)
    found = likely(Brackets(keys, masses, masses[None], n + 1), table, len(LABELS), LEAST)
    said = dict(zip(keys.tolist(), masses.tolist()))
    for i in range(n):
        for j in range(i + 1, n + 1):
            base, symbols = (i * (n + 1) + j) * n_symbols, table.chain if j - i == 1 else table.wide
            for a in range(len(LABELS)):
                chain = symbols[table.chain_at[a] : table.chain_at[a + 1]].tolist()
                wanted = all(said.get(base + symbol, 0.0) >= LEAST for symbol in chain)
                assert found.masks[found.cell_mask[i * (n + 1) + j], a] == wanted


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_what_is_left_of_a_forest_keeps_its_marginals_and_vectors(seed: int) -> None:
    world = random_world(seed)
    forest = full_forest(world, random_sentence(world, 5, np.random.default_rng(seed)))
    assert forest is not None
    found = marginals(forest, world.weights)
    left = narrowed(forest, found, LEAST / 4, LEAST / 8)
    assert left is not None
    smaller, part = left
    place = {row: q for q, row in enumerate(zip(forest.label, forest.start, forest.end))}
    number = np.array([place[row] for row in zip(smaller.label, smaller.start, smaller.end)])
    assert 0 < number.size < forest.label.size
    assert_array_equal(part.item, found.item[number])
    assert np.all(part.item >= LEAST / 4)
    assert np.all(part.edge >= LEAST / 8)
    for p, q in enumerate(number):
        own, whole = slice(part.at[p], part.at[p + 1]), slice(found.at[q], found.at[q + 1])
        assert_array_equal(part.inside[own], found.inside[whole])
        assert_array_equal(part.outside[own], found.outside[whole])
    assert narrowed(forest, found, 2.0, 2.0) is None


def test_other_grammars_look_only_at_brackets_that_the_first_one_believes_possible() -> None:
    parser = ensemble()
    words, limits = free_space(parser, WORDS)
    chart = explore(parser, words, limits, [free_space(other, WORDS) for other in parser.others])
    alone = explore(parser, words, limits)
    assert chart is not None
    assert alone is not None
    least = parsing.LATER * parser.options.pruning.coarse_item
    said = dict(zip(alone.posteriors.keys.tolist(), alone.posteriors.masses.tolist()))
    (other,), (voice,) = parser.others, chart.heard
    assert voice is not None
    forest = voice.forest
    ones = np.ones(forest.label.size)
    own = brackets(forest, parsing.Belief(ones, np.ones(forest.rule.size)), other.table)
    assert all(said.get(key, 0.0) >= least for key in own.keys.tolist())


def test_a_grammar_whose_trees_are_all_unlikely_is_heard_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = ensemble()
    words, limits = free_space(parser, WORDS)
    others = [free_space(other, WORDS) for other in parser.others]
    n, n_labels = len(WORDS), others[0][1].masks.shape[1]
    nothing = Constraints(np.zeros(n * (n + 1), np.int32), np.zeros((1, n_labels), bool))
    monkeypatch.setattr(parsing, "likely", lambda *_: nothing)
    chart = explore(parser, words, limits, others)
    assert chart is not None
    assert chart.heard[0] is not None
