"""An R-HMM is a right-branching L-PCFG [stratos-2013, section 5]: both inferences give the same numbers.

A sequence of labels a_1 .. a_N becomes (R:a_1 (T:a_1 x_1) (R:a_2 (T:a_2 x_2) .. (T:$ $))): the spine carries label and
state, the tag under it emits with the same state, and a last tag says stop.
"""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.sequence.exact import SEEDS
from tests.sequence.oracles import draw_model, joint, marginals, symbols_as_sequences, tagger

from eigenparse.decode.grammar.parser import ParserOptions, make_parser, word_choices
from eigenparse.inference.grammar.chart import marginals as chart_marginals
from eigenparse.inference.grammar.forest import NO_PRUNING as ALL
from eigenparse.inference.grammar.forest import build_forest, unconstrained
from eigenparse.inference.grammar.tree import score_trees
from eigenparse.inference.tagger.chain import NO_PRUNING, dense_marginals, posteriors
from lpcfg.worlds import as_trees, as_world
from oracles import Grammar, Tree

STOP = "$"
EQUAL = 1e-10


def as_grammar(model) -> Grammar:
    """R:a(h) -> T:a(h) R:b(g) with t(b, g | a, h) or -> T:a(h) T:$ with f(a, h); T:a(h) -> x with o(x | a, h)."""
    n_labels, m, n_symbols = model.shape
    rules, words = {}, {(f"T{STOP}", STOP): np.ones(1)}
    same = np.eye(m)
    for a in range(n_labels):
        rules[f"R{a}", f"T{a}", f"T{STOP}"] = (same * model.f[a])[:, :, None]
        for b in range(n_labels):
            rules[f"R{a}", f"T{a}", f"R{b}"] = np.einsum("hk,gh->hkg", same, model.t[b, :, a, :])
        words |= {(f"T{a}", str(x)): model.o[x, a].copy() for x in range(n_symbols)}
    return Grammar({f"R{a}": model.pi[a].copy() for a in range(n_labels)}, rules, words)


def as_tree(labels, symbols) -> Tree:
    tree: Tree = (f"T{STOP}", STOP)
    for a, x in zip(reversed(labels), reversed(symbols)):
        tree = (f"R{a}", (f"T{a}", str(x)), tree)
    return tree


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_inference_of_both_gives_the_same_numbers(seed: int) -> None:
    model = draw_model(seed)
    world, symbols = as_world(as_grammar(model)), [1, 0, 2]
    labellings = list(itertools.product(range(model.shape[0]), repeat=len(symbols)))
    scores = score_trees(
        world.grammar, as_trees([as_tree(a, symbols) for a in labellings], names=world.names)
    )
    expected = [joint(model, labels, symbols) for labels in labellings]
    assert_allclose(scores.sign * np.exp(scores.log_probability), expected, rtol=EQUAL)
    parser = make_parser(world.grammar, ParserOptions(pruning=ALL))
    words = word_choices(parser, [*map(str, symbols), STOP])
    forest = build_forest(world.grammar, parser.index, words, unconstrained(world.skeleton), ALL)
    assert forest is not None
    found = chart_marginals(forest, world.weights)
    given = symbols_as_sequences([symbols], 3)
    chain = dense_marginals(posteriors(tagger(model), given, pruning=NO_PRUNING), 2)
    mu = marginals(model, symbols)
    for i, a in itertools.product(range(len(symbols)), range(2)):
        tag = world.names.index(f"T{a}")
        item = np.flatnonzero((forest.label == tag) & (forest.start == i) & (forest.end == i + 1))
        assert found.item[item].sum() == pytest.approx(mu[i, a] / mu[i].sum(), abs=EQUAL)
        assert chain[i, a] == pytest.approx(mu[i, a] / mu[i].sum(), abs=EQUAL)
