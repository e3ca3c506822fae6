"""Parsing, k-best lists, probabilities and storage as Python users meet them."""

import dataclasses
import json
import math
import pathlib

import numpy as np
import pytest
from tests.api.listed import all_trees
from tests.api.small import SENTENCE, TREES, english, own_shares, tiny
from tests.tolerances import SINGLE

from eigenparse.api.grammar import load
from eigenparse.api.learner import LatentPCFG
from eigenparse.api.pictures import svg, text
from eigenparse.corpus.brackets import format_trees, parse_trees
from eigenparse.decode.grammar.parser import decode
from eigenparse.decode.grammar.request import shown_tree
from eigenparse.errors import DataError, ModelFileError, OptionError, ResourceError
from eigenparse.synthetic import sample_treebank

ROUNDING = 1e-6  # weights are stored in single precision


def spans_of(tree: str) -> tuple[list[tuple[str, int, int]], list[str]]:
    """Constituents and tags of a tree in brackets, by a recursive reader of its own."""
    tokens = tree.replace("(", " ( ").replace(")", " ) ").split()
    found: list[tuple[str, int, int]] = []
    tags: list[str] = []

    def read(at: int, position: int) -> tuple[int, int]:
        label, start = tokens[at + 1], position
        at += 2
        if tokens[at] != "(":
            tags.append(label)
            return at + 2, position + 1
        place = len(found)
        found.append((label, start, start))
        while tokens[at] == "(":
            at, position = read(at, position)
        found[place] = (label, start, position)
        return at + 1, position

    read(0, 0)
    return [one for one in found if one[0] != "TOP"], tags


def test_a_parse_agrees_with_its_own_tree() -> None:
    for parse in english().kbest("the woman opened the box with a key .", 5):
        brackets, tags = spans_of(parse.tree)
        assert [(b.label, b.start, b.end) for b in parse.brackets] == brackets
        assert [t.tag for t in parse.tags] == tags
        assert all(0 <= one.posterior <= 1 for one in (*parse.brackets, *parse.tags))
        assert parse_trees(parse.tree).words[0] == "the"
        assert parse.status == "ok"


def test_a_string_is_its_tokens() -> None:
    grammar = english()
    assert grammar.parse("the box fell .") == grammar.parse(["the", "box", "fell", "."])
    with pytest.raises(dataclasses.FrozenInstanceError):
        grammar.parse("the box fell .").status = "fine"  # type: ignore[misc]


@pytest.mark.parametrize("jobs", [1, 2])
def test_parse_many_is_parse_one_by_one(jobs: int) -> None:
    grammar, sentences = english(), ["the box fell .", "Anna saw the woman .", "who ?", "the key"]
    assert grammar.parse_many(sentences, jobs=jobs) == [grammar.parse(one) for one in sentences]


@pytest.mark.parametrize("method", ["pcfg", "em"])
def test_all_trees_share_the_probability_of_the_sentence(method: str) -> None:
    """Brute force: with nothing pruned, p(tree | sentence) over all trees adds up to one."""
    trees = all_trees(method)
    assert math.isclose(sum(own_shares(trees)), 1.0, rel_tol=1e-5)
    assert 0.0 < sum(one.probability for one in trees) < 1.0  # the rest is of trees that training never saw
    for k in range(0, len(trees), 7):
        score = tiny(method=method).score(trees[k].tree)
        assert math.isclose(float(score.log_probability[0]), trees[k].log_probability, rel_tol=ROUNDING)


@pytest.mark.parametrize("method", ["pcfg", "em"])
def test_posteriors_are_sums_over_trees(method: str) -> None:
    trees = all_trees(method)
    best, shares = trees[0], own_shares(trees)
    for b in best.brackets:
        share = sum(p for p, t in zip(shares, trees) if (b.label, b.start, b.end) in spans_of(t.tree)[0])
        assert math.isclose(b.posterior, share, rel_tol=1e-4)
    for i, tag in enumerate(best.tags):
        share = sum(p for p, t in zip(shares, trees) if t.tags[i].tag == tag.tag)
        assert math.isclose(tag.posterior, share, rel_tol=1e-4)
    listed = {
        (b.label, b.start, b.end): b.posterior for b in tiny(method=method).posteriors(SENTENCE, least=0.0)
    }
    every = {span for t in trees for span in spans_of(t.tree)[0]}
    assert set(listed) == every


@pytest.mark.parametrize("factor", ["right", "head"])
@pytest.mark.parametrize("vertical", [1, 2])
def test_k_best_trees_differ_and_fall(factor: str, vertical: int) -> None:
    grammar = tiny(factor, vertical=vertical)
    trees = grammar.kbest(SENTENCE, 50)
    assert len({one.tree for one in trees}) == len(trees)
    scores = [one.score for one in trees]
    assert scores == sorted(scores, reverse=True)
    assert trees[0] == grammar.parse(SENTENCE)
    assert [t.tree for t in grammar.kbest(SENTENCE, 7)] == [t.tree for t in trees[:7]]


CUT_TWO_WAYS = """
(TOP (NP (NN x) (RB y) (RB y)))
(TOP (NP (NN x) (NN x) (NN x) (RB y)))
(TOP (NP (NN x) (NN x) (RB y) (RB y)))
"""


def test_trees_that_differ_before_unbinarising_only_are_given_once() -> None:
    """Heads in the middle: four children come together in two ways, which no tree shows."""
    grammar = LatentPCFG(method="pcfg", factor="head", rare=0).fit(CUT_TWO_WAYS)
    words = ("x", "x", "y", "y")
    derivations = decode(grammar.tables.parser, words, k=50).derivations
    assert len({shown_tree(grammar.tables.symbols, one) for one in derivations}) < len(derivations)
    trees = [one.tree for one in grammar.kbest(words, 50)]
    assert len(set(trees)) == len(trees)
    tagged = grammar.kbest(words, 50, tags=("NN", "NN", "RB", "RB"))
    assert [one.tree for one in tagged] == [CUT_TWO_WAYS.strip().split("\n")[-1]]


def test_trees_score_as_the_product_of_their_rules() -> None:
    """log p by hand: relative frequencies in the trees, less what is kept for what was not seen."""
    score = tiny().score("(TOP (NP (NNS dogs)))")
    roots = 8
    p_root = 1 / roots  # one tree is NP over NNS alone
    n, n_dogs = TREES.count("(NP (NNS"), TREES.count("(NP (NNS dogs))")
    by_hand = math.log(p_root * n_dogs / n)
    assert by_hand - 1.0 < float(score.log_probability[0]) < by_hand
    assert score.sign.tolist() == [1.0]


def test_unseen_rules_are_improbable() -> None:
    subject, verb = "(NP (DT the) (NN saw))", "(VP (VP (VBD saw)) (PP (IN with) (NP (NNS men))))"
    score = tiny().score([f"(TOP (S {verb} {subject}))", f"(TOP (S {subject} {verb}))"])
    assert score.sign.tolist() == [1.0, 1.0]
    assert score.log_probability[0] < score.log_probability[1] - 1.0


def test_every_form_of_trees_scores_alike(tmp_path: pathlib.Path) -> None:
    from eigenparse.corpus.nltk_trees import to_nltk

    bank = parse_trees(TREES.strip())
    (tmp_path / "t.ptb").write_bytes(format_trees(bank))
    forms = [
        TREES,
        bank,
        to_nltk(bank),
        str(tmp_path / "t.ptb"),
        [tmp_path / "t.ptb"],
        TREES.strip().split("\n"),
    ]
    scores = [tiny().score(form).log_probability.tolist() for form in forms]
    assert all(one == scores[0] for one in scores)
    assert all(np.isfinite(scores[0]))


def test_saved_and_loaded_grammars_parse_alike(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "g.model"
    english().save(path, packed=False)
    assert load(path).parse("Anna saw the box .") == english().parse("Anna saw the box .")
    english().save(path)
    assert load(path).parse("Anna saw the box .").tree == english().parse("Anna saw the box .").tree


def test_settings_are_stored_at_first_and_checked_by_fit() -> None:
    for learner in (
        LatentPCFG(method="magic"),
        LatentPCFG(states=0),
        LatentPCFG(features="none"),
        LatentPCFG(rare_words="never"),
        LatentPCFG(factor="up"),
        LatentPCFG(seed=-1),
        LatentPCFG(jobs=-1),
    ):
        with pytest.raises(OptionError):
            learner.fit(TREES)
    with pytest.raises(DataError):
        LatentPCFG().fit([])


def test_defaults_are_those_of_the_learner() -> None:
    assert LatentPCFG().options() == LatentPCFG(method=None).options()
    from eigenparse.learn.grammar.options import GrammarOptions

    assert LatentPCFG().options() == GrammarOptions()


def test_bad_sentences_and_models_are_refused_with_a_sentence(tmp_path: pathlib.Path) -> None:
    grammar = english()
    with pytest.raises(DataError, match="empty sentence"):
        grammar.parse("  ")
    with pytest.raises(DataError, match="spaces"):
        grammar.parse(["two words", "."])
    with pytest.raises(ResourceError, match="longer than 3"):
        grammar.with_options(max_length=3).parse("the box fell .")
    assert grammar.with_options(max_length=3).parse_many(["the box fell ."])[0].status == "skipped"
    with pytest.raises(OptionError):
        grammar.with_options(decoder="best")
    with pytest.raises(ModelFileError, match="no such file"):
        load(tmp_path / "none.model")
    with pytest.raises(ModelFileError, match="is a directory"):
        load(tmp_path)


@pytest.mark.parametrize("decoder", ["brackets", "labelled-recall", "max-rule"])
def test_every_decoder_gives_a_tree(decoder: str) -> None:
    parse = english().with_options(decoder=decoder).parse("the woman opened the box with a key .")
    assert parse.tree.startswith("(TOP (S ")


def test_strange_words_have_trees_too() -> None:
    parse = english().parse(["(", "xyzzy", "42nd", "”", "ß", "."])
    assert parse.tree.count("-LRB-") >= 1
    assert parse.tokens[0] == "("
    assert parse.status in ("ok", "relaxed", "fallback")
    json.dumps(parse.as_dict(), allow_nan=False)


def test_other_spellings_of_brackets_are_looked_up() -> None:
    bank = "(TOP (S (NP (NN rain)) (PRN (-LRB- -LRB-) (NP (NN snow)) (-RRB- -RRB-)) (VP (VBZ falls))))"
    parse = LatentPCFG(method="pcfg", rare=0).fit(bank).parse("rain ( snow ) falls")
    assert parse.tree == bank


def test_conversion_to_nltk_and_pictures() -> None:
    parse = english().parse("the woman opened the box .")
    tree = parse.to_nltk()
    assert tree.leaves() == list(parse.tokens)
    assert " ".join(str(tree).split()) == parse.tree
    picture = svg(parse)
    assert picture.startswith("<svg")
    assert "posterior" in picture
    assert "woman" in text(parse)


def test_an_ensemble_parses_and_keeps_its_bytes_with_two_jobs(tmp_path: pathlib.Path) -> None:
    bank = sample_treebank(150, 1)
    for jobs in (1, 2):
        LatentPCFG(states=2, ensemble=2, jobs=jobs).fit(bank).save(tmp_path / f"{jobs}.model")
    assert (tmp_path / "1.model").read_bytes() == (tmp_path / "2.model").read_bytes()
    grammar = load(tmp_path / "2.model")
    words = "the woman opened the box with a key ."
    found = grammar.parse(words)
    assert found.status == "ok"
    assert math.isfinite(found.log_probability)
    limited = grammar.parse(words, required=[(3, 8, "NP")])
    (agreed,) = [b.posterior for b in limited.brackets if (b.start, b.end, b.label) == (3, 8, "NP")]
    assert agreed == pytest.approx(1.0, abs=SINGLE)  # of both binarisations
    assert all((b.start, b.end) != (3, 8) for b in grammar.parse(words, forbidden=[(3, 8)]).brackets)
