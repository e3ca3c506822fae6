"""Trees of an ensemble: those of each of its grammars, scored by the posteriors of all."""

import functools
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.api.small import TREES, english, small_options
from tests.tolerances import ROUNDING

from eigenparse.api.grammar import Grammar
from eigenparse.corpus.brackets import parse_trees
from eigenparse.decode.grammar.node_states import row_states
from eigenparse.decode.grammar.parser import ParserOptions, as_trees, best_trees
from eigenparse.decode.grammar.request import answer_and_chart
from eigenparse.decode.grammar.results import Parse, log_probabilities
from eigenparse.inference.grammar.forest import NO_PRUNING
from eigenparse.inference.grammar.tree import score_trees

ALL = 4000
SENTENCE = "men saw dogs with men"
PARTS = (("head", 2, (0, 3, 5, 6, 7)), ("left", 1, (0, 1, 2, 3)), ("right", 1, (0, 1, 5, 6)))


@functools.cache
def members() -> tuple[Grammar, ...]:
    """Grammars of some of the trees each, the first with labels that no other has."""
    lines = TREES.strip().split("\n")
    grammars = [
        small_options(factor, "cluster", vertical).fit(parse_trees("\n".join(lines[k] for k in chosen)))
        for factor, vertical, chosen in PARTS
    ]
    return tuple(Grammar.of(one, options=ParserOptions(pruning=NO_PRUNING)) for one in grammars)


@functools.cache
def ensemble() -> Grammar:
    first, *others = (one.latent for one in members())
    whole = replace(first, others=tuple(others))
    return Grammar.of(whole, options=ParserOptions(pruning=NO_PRUNING))


@functools.cache
def every_tree() -> tuple[Parse, ...]:
    return ensemble().kbest(SENTENCE, ALL)


def test_the_trees_are_those_of_all_grammars() -> None:
    own = [{one.tree for one in grammar.kbest(SENTENCE, ALL)} for grammar in members()]
    assert own[0] - own[1]
    assert own[1] - own[0]
    found = [one.tree for one in every_tree()]
    assert len(found) == len(set(found))
    assert set(found) == set.union(*own)


def test_the_best_ones_come_first_however_many_are_asked_for() -> None:
    scores = [one.score for one in every_tree()]
    assert scores == sorted(scores, reverse=True)
    for k in (1, 2, 3, 7):
        assert [one.tree for one in ensemble().kbest(SENTENCE, k)] == [one.tree for one in every_tree()[:k]]


def test_every_tree_has_the_probability_that_its_text_has() -> None:
    scored = ensemble().score([one.tree for one in every_tree()]).log_probability
    assert_allclose([one.log_probability for one in every_tree()], scored, rtol=1e-9)


def test_rules_and_words_are_those_of_the_grammar_that_has_the_tree() -> None:
    """Also where weights are signed, whose trees have the probability of their own derivation."""
    parser = ensemble().tables.parser
    found, _ = answer_and_chart(parser, ensemble().tables.symbols, ensemble().request(SENTENCE), k=ALL)
    derivations = found.decoded.derivations
    assert len({one.grammar for one in derivations}) > 1
    logs = log_probabilities(parser, SENTENCE.split(), found.decoded)
    for one, log in zip(derivations, logs.tolist()):
        latent = members()[one.grammar].latent
        trees = as_trees(parser, [SENTENCE.split()], [one])
        assert_allclose(log, score_trees(latent, trees).log_probability[0], atol=ROUNDING)


def test_a_chart_of_one_grammar_gives_its_trees_alone() -> None:
    grammar = ensemble()
    _, chart = answer_and_chart(grammar.tables.parser, grammar.tables.symbols, grammar.request(SENTENCE))
    assert chart is not None
    alone = best_trees(grammar.tables.parser, replace(chart, heard=(None, None)), ALL).derivations
    every = best_trees(grammar.tables.parser, chart, 3 * ALL).derivations
    assert len(every) > len(alone)
    own = [one.score for one in every if one.grammar == 0]
    assert_allclose([one.score for one in alone], own, rtol=0.0)


def test_states_are_those_of_the_first_grammar_where_it_has_the_constituent() -> None:
    grammar = ensemble()
    parser = grammar.tables.parser
    found, chart = answer_and_chart(parser, grammar.tables.symbols, grammar.request(SENTENCE), k=ALL)
    assert chart is not None
    weights, n_labels = parser.grammar.members[0], parser.grammar.skeleton.n_labels
    for tree in found.decoded.derivations:
        for a, states in zip(tree.label.tolist(), row_states(parser, chart, tree)):
            if a >= n_labels:
                assert states is None
            elif states is not None:
                assert states.shares.size == weights.states[a]


@pytest.mark.parametrize("limit", [(2, 5, "NP"), (1, 3), (3, 5)])
def test_trees_of_every_grammar_keep_what_is_required(limit: tuple[int, int, str] | tuple[int, int]) -> None:
    found = ensemble().kbest(SENTENCE, ALL, required=[limit])
    for one in found:
        spans = {(b.start, b.end, b.label) for b in one.brackets}
        assert any(span[: len(limit)] == limit for span in spans)


def test_trees_with_given_tags_have_these_tags() -> None:
    tags = [tag.tag for tag in every_tree()[0].tags]
    for one in ensemble().kbest(SENTENCE, ALL, tags=tags):
        assert [tag.tag for tag in one.tags] == tags


def test_a_learnt_ensemble_finds_trees_of_other_grammars() -> None:
    grammar = english(200, ensemble=3, judge=True)
    parser, chosen = grammar.tables.parser, set()
    for words in (
        ("the", "old", "man", "saw", "a", "dog", "in", "the", "park"),
        ("she", "said", "he", "left"),
    ):
        request = grammar.request(words)
        found, chart = answer_and_chart(parser, grammar.tables.symbols, request, k=20)
        assert chart is not None
        chosen |= {one.grammar for one in found.decoded.derivations}
        alone = best_trees(parser, replace(chart, heard=()), 1).derivations[0]
        assert found.decoded.derivations[0].score >= alone.score
        assert np.isfinite([one.log_probability for one in grammar.kbest(words, 20)]).all()
    assert len(chosen) > 1
