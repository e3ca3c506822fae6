"""Latent states of nodes against enumeration of all trees and all states."""

import itertools
from collections import defaultdict

import numpy as np
from tests.api.small import english, tiny
from tests.tolerances import ROUNDING

from eigenparse.decode.grammar.derivations import Derivation
from eigenparse.decode.grammar.node_states import row_states, shown_rows
from eigenparse.decode.grammar.parser import best_trees
from eigenparse.decode.grammar.request import answer, answer_and_chart, row_spans
from eigenparse.models.grammar.pcfg import Weights

SENTENCE = "men saw dogs with men"


def state_weights(weights: Weights, rules: np.ndarray, tree: Derivation) -> dict[tuple[int, ...], float]:
    """The weight of a derivation under every choice of states of its rows."""
    m = [int(weights.states[a]) for a in tree.label]
    found = {}
    for states in itertools.product(*map(range, m)):
        root = tree.label[-1]
        p = float(weights.root_weight[weights.state_at[root] + states[-1]])
        for row, h in enumerate(states):
            if tree.left[row] < 0:
                p *= float(weights.entry_weight[weights.entry_at[tree.entry[row]] + h])
            else:
                i, j = int(tree.left[row]), int(tree.right[row])
                at = weights.rule_at[tree.rule[row]] + (h * m[i] + states[i]) * m[j] + states[j]
                p *= float(weights.rule_weight[at])
        found[states] = p
    return found


def test_shares_equal_enumeration() -> None:
    grammar = tiny(method="cluster")
    parser = grammar.tables.parser
    weights = parser.grammar.members[0]
    assert weights.states.max() > 1
    found, chart = answer_and_chart(parser, grammar.tables.symbols, grammar.request(SENTENCE), k=3)
    assert chart is not None
    mass: dict[tuple[int, int, int], dict[int, float]] = defaultdict(lambda: defaultdict(float))
    derivations = best_trees(parser, chart, 10_000).derivations
    assert len(derivations) > 2
    for tree in derivations:
        spans = list(zip(tree.label.tolist(), *(column.tolist() for column in row_spans(tree))))
        for states, p in state_weights(weights, parser.grammar.skeleton.rules, tree).items():
            for key, h in zip(spans, states):
                mass[key][h] += p
    for tree in found.decoded.derivations:
        start, end = row_spans(tree)
        for row, states in enumerate(row_states(parser, chart, tree)):
            assert states is not None
            expected = mass[int(tree.label[row]), int(start[row]), int(end[row])]
            total = sum(expected.values())
            shares = [expected[h] / total for h in range(states.shares.size)]
            np.testing.assert_allclose(states.shares, shares, rtol=1e-5, atol=ROUNDING)
            assert states.label == str(parser.labels[tree.label[row]])


def test_the_answer_is_the_one_without_chart() -> None:
    grammar = english()
    parser, symbols = grammar.tables.parser, grammar.tables.symbols
    for request in (
        grammar.request("the woman opened the box with a key ."),
        grammar.request("the woman opened the box .", forbidden=[(3, 5)]),
        grammar.request("the zzz opened .", tags=["DT", "NOSUCH", None, None]),
    ):
        got, _ = answer_and_chart(parser, symbols, request, k=5)
        want = answer(parser, symbols, request, k=5)
        assert got.decoded.status == want.decoded.status
        assert got.unknown_tags == want.unknown_tags
        for one, other in zip(got.decoded.derivations, want.decoded.derivations, strict=True):
            assert np.array_equal(one.label, other.label)
            assert one.score == other.score


def test_rows_stand_beside_their_brackets() -> None:
    grammar = english()
    request = grammar.request("the woman opened the box with a key .")
    found, chart = answer_and_chart(grammar.tables.parser, grammar.tables.symbols, request)
    assert chart is not None
    tree = found.decoded.derivations[0]
    parse = grammar.parse(request.tokens)
    phrases, words = shown_rows(grammar.tables.symbols, tree)
    start, end = row_spans(tree)
    labels = grammar.tables.parser.labels
    for row, bracket in zip(phrases, parse.brackets, strict=True):
        assert (start[row], end[row]) == (bracket.start, bracket.end)
        assert bracket.label in labels[tree.label[row]].chain
    for row, tag in zip(words, parse.tags, strict=True):
        assert labels[tree.label[row]].chain[-1] == tag.tag
