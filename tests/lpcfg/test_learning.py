"""Whole trainings: memorisation, determinism, ensembles and noise."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from eigenparse.corpus.brackets import format_trees, parse_trees
from eigenparse.corpus.columns import Treebank, Trees
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.transform import binarise, unbinarise
from eigenparse.decode.grammar.parser import as_trees, decode, make_parser
from eigenparse.errors import DataError, OptionError
from eigenparse.inference.grammar.tree import score_trees
from eigenparse.learn.grammar.learner import MEMBER_STREAM, fit_trees
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.models.grammar.pcfg import LatentGrammar, Weights
from lpcfg.finite import finite
from lpcfg.worlds import checked
from tolerances import SINGLE

TEN = """
(TOP (S (NP (DT the) (NN cook)) (VP (VBD ate) (NP (NN soup)) (PP (IN with) (NP (DT a) (NN spoon))))))
(TOP (S (NP (DT the) (NN cook)) (VP (VBD ate) (NP (NP (NN soup)) (PP (IN with) (NP (NNS beans)))))))
(TOP (S (NP (PRP she)) (VP (VBD saw) (SBAR (IN that) (S (NP (DT the) (NN dog)) (VP (VBD slept)))))))
(TOP (S (NP (PRP she)) (VP (VBD saw) (NP (DT that) (NN dog)))))
(TOP (SQ (VBD did) (NP (PRP she)) (VP (VB sleep)) (. ?)))
(TOP (S (VP (VB sleep)) (. !)))
(TOP (S (NP (NP (NNS cats)) (CC and) (NP (NNS dogs))) (VP (VBP fight) (ADVP (RB often)))))
(TOP (S (NP (NNS cats)) (VP (VP (VBP purr)) (CC and) (VP (VBP fight)))))
(TOP (NP (DT the) (JJ old) (JJ grey) (NN mare)))
(TOP (INTJ (UH yes)))
"""
METHODS = ("cluster", "tensor", "em")


def ten() -> Treebank:
    return normalise(parse_trees(TEN))


def memory(method: str) -> GrammarOptions:
    """A state for every node if need be, and next to no smoothing."""
    return GrammarOptions(
        method=method, states=32, nodes_per_state=1, rule_smoothing=0.0, state_mixing=0.0, rare=0
    )


def parsed(grammar: LatentGrammar, sentences: list[list[str]]) -> list[str]:
    parser = make_parser(grammar)
    best = [decode(parser, words).derivations[0] for words in sentences]
    return format_trees(unbinarise(as_trees(parser, sentences, best))).decode().splitlines()


def sentences_of(treebank: Treebank) -> list[list[str]]:
    cuts = zip(treebank.offsets, treebank.offsets[1:])
    return [[treebank.words[w] for w in treebank.word[i:j] if w >= 0] for i, j in cuts]


@pytest.mark.parametrize("method", METHODS)
def test_ten_trees_are_remembered(method: str) -> None:
    treebank = ten()
    grammar = fit_trees(binarise(treebank), memory(method))
    assert parsed(grammar, sentences_of(treebank)) == format_trees(treebank).decode().splitlines()


@pytest.mark.parametrize("method", METHODS)
def test_ten_trees_are_remembered_by_an_ensemble(method: str) -> None:
    treebank = ten()
    options = replace(memory(method), ensemble=2, coarse_states=0)
    grammar = fit_trees(binarise(treebank), options)
    assert parsed(grammar, sentences_of(treebank)) == format_trees(treebank).decode().splitlines()


def test_a_plain_pcfg_does_not_remember_them() -> None:
    """Negative control: the ten trees need latent states."""
    treebank = ten()
    grammar = fit_trees(binarise(treebank), memory("pcfg"))
    found = parsed(grammar, sentences_of(treebank))
    assert found != format_trees(treebank).decode().splitlines()


@pytest.mark.parametrize("method", [*METHODS, "pcfg"])
def test_one_tree_is_enough_to_learn_from(method: str) -> None:
    treebank = normalise(parse_trees("(TOP (S (NP (PRP she)) (VP (VBD slept))))"))
    grammar = fit_trees(binarise(treebank), GrammarOptions(method=method))
    assert parsed(grammar, [["she", "slept"]]) == ["(TOP (S (NP (PRP she)) (VP (VBD slept))))"]
    assert make_parser(grammar).words.classes
    assert decode(make_parser(grammar), ["Unseen", "words", "only"]).derivations[0].position.max() == 2


def corpus(n: int = 500) -> Trees:
    known = finite(np.random.default_rng(51))
    copies = np.random.default_rng(52).multinomial(n, known.probability / known.probability.sum())
    return known.corpus(copies)


def small(method: str, **changes: object) -> GrammarOptions:
    options = GrammarOptions(
        method=method, states=6, nodes_per_state=20, em_rounds=3, rare=0, coarse_states=2
    )
    return replace(options, **changes)


def arrays(weights: Weights) -> dict[str, np.ndarray]:
    return {name: getattr(weights, name) for name in weights.__slots__}


def same(a: Weights, b: Weights) -> bool:
    left, right = arrays(a), arrays(b)
    return all(
        left[name].dtype == right[name].dtype and left[name].tobytes() == right[name].tobytes()
        for name in left
    )


@pytest.mark.parametrize("method", [*METHODS, "pcfg"])
def test_two_trainings_give_the_same_bytes(method: str) -> None:
    options = small(method, ensemble=2)
    one, two = (fit_trees(corpus(), options) for _ in range(2))
    assert all(same(a, b) for a, b in zip(one.members, two.members))
    assert (one.coarse is None) == (two.coarse is None)
    assert one.coarse is None or same(one.coarse, two.coarse)
    assert one.report == two.report
    for name in ("rules", "entry_label", "entry_symbol", "entry_probability", "rule_probability"):
        assert getattr(one.skeleton, name).tobytes() == getattr(two.skeleton, name).tobytes()
    for weights in one.members:
        checked(one.skeleton, weights)


@pytest.mark.parametrize("method", METHODS)
def test_members_are_what_their_seeds_give_alone(method: str) -> None:
    pair = fit_trees(corpus(), small(method, ensemble=2, seed=3))
    alone = [fit_trees(corpus(), small(method, seed=seed)) for seed in (3, 3 + MEMBER_STREAM)]
    assert all(same(member, single.members[0]) for member, single in zip(pair.members, alone))
    if method != "tensor":  # its only chance is the start of the decomposition
        assert not same(pair.members[0], pair.members[1])


@pytest.mark.parametrize("method", ["cluster", "tensor"])
@pytest.mark.parametrize("noise", ["dropout", "additive", "multiplicative"])
def test_noise_changes_the_model_and_repeats(method: str, noise: str) -> None:
    quiet = small(method)
    loud = replace(quiet, noise=noise, noise_level=0.2)
    plain, one, two = (fit_trees(corpus(), o).members[0] for o in (quiet, loud, loud))
    assert same(one, two)
    assert not same(plain, one)


def test_noise_of_no_size_changes_nothing() -> None:
    quiet = small("tensor")
    plain = fit_trees(corpus(), quiet)
    for noise in ("dropout", "additive", "multiplicative"):
        silent = replace(quiet, noise=noise, noise_level=0.0)
        found = fit_trees(corpus(), silent)
        assert np.array_equal(found.members[0].states, plain.members[0].states)
        a, b = (score_trees(g, corpus(50)).log_probability for g in (plain, found))
        assert_allclose(a, b, rtol=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_learnt_grammars_are_better_than_the_plain_one(method: str) -> None:
    """On trees of the same distribution, by held-out log-likelihood."""
    known = finite(np.random.default_rng(51))
    draw = known.probability / known.probability.sum()
    train, test = (
        known.corpus(np.random.default_rng(s).multinomial(n, draw)) for s, n in ((1, 3000), (2, 500))
    )
    options = small(method, rule_smoothing=1.0, em_rounds=None)
    score = {}
    for name in (method, "pcfg"):
        found = score_trees(fit_trees(train, replace(options, method=name)), test)
        kept = found.sign > 0
        assert kept.mean() > 0.95
        score[name] = found.log_probability[kept].mean()
    assert score[method] > score["pcfg"] + 0.02


def test_em_rounds_report_rising_likelihoods() -> None:
    """Training runs in single precision; the law itself is tested in double precision."""
    options = small("em", em_rounds=6, rule_smoothing=0.0, state_mixing=0.0)
    log = fit_trees(corpus(), options).report["members"][0]["log_likelihood"]
    assert len(log) >= 6
    assert np.diff(log).min() > -SINGLE * abs(log[0])
    assert log[-1] > log[0] + 1.0


def test_states_by_name_are_obeyed() -> None:
    options = small("em", states=4, nodes_per_state=1, states_by_label=(("C", 2), ("B", 1)))
    grammar = fit_trees(corpus(), options)
    found = dict(zip(map(str, grammar.skeleton.labels), grammar.members[0].states.tolist()))
    assert found == {"A": 4, "B": 1, "C": 2, "S": 4}


def test_bad_options_and_empty_corpora_are_refused() -> None:
    with pytest.raises(OptionError, match="method"):
        GrammarOptions(method="magic")
    with pytest.raises(OptionError, match="ensemble"):
        GrammarOptions(ensemble=0)
    with pytest.raises(OptionError, match="noise"):
        GrammarOptions(noise="loud")
    empty = corpus().take(0, 0)
    with pytest.raises(DataError, match="no trees"):
        fit_trees(empty, GrammarOptions())
