"""NLTK's parser interface over the bundled model."""

import pytest
from nltk.parse.api import ParserI
from nltk.tree import Tree

import eigenparse
from eigenparse.integrations.nltk import EigenParser

SENTENCE = ["I", "saw", "a", "man", "with", "a", "telescope", "."]


@pytest.fixture(scope="module")
def parser() -> EigenParser:
    return EigenParser(k=3)


def test_it_is_a_parser(parser: EigenParser) -> None:
    assert isinstance(parser, ParserI)
    assert isinstance(parser.grammar(), eigenparse.Grammar)
    trees = list(parser.parse(SENTENCE))
    assert len(trees) == 3
    assert all(isinstance(tree, Tree) for tree in trees)
    assert all(tree.leaves() == SENTENCE for tree in trees)
    assert sum(tree.prob() for tree in trees) <= 1 + 1e-9
    assert len({str(Tree.convert(tree)) for tree in trees}) == 3


def test_what_the_interface_adds(parser: EigenParser) -> None:
    best = parser.parse_one(SENTENCE)
    assert str(best).startswith("(TOP")
    assert parser.parse_all(SENTENCE)[0] == best
    again = [next(trees) for trees in parser.parse_sents([SENTENCE, SENTENCE])]
    assert [Tree.convert(tree) for tree in again] == [Tree.convert(best)] * 2
    assert again[1].prob() == pytest.approx(best.prob(), rel=1e-6)


def test_the_tree_is_that_of_the_grammar(parser: EigenParser) -> None:
    own = parser.grammar().kbest(SENTENCE, parser._k)[0]  # p(sentence) sums over the trees listed, too
    assert Tree.convert(next(parser.parse(SENTENCE))) == Tree.fromstring(own.tree)
    assert next(parser.parse(SENTENCE)).prob() == pytest.approx(own.probability, rel=1e-6)


def test_plain_text(parser: EigenParser) -> None:
    trees = list(parser.raw_parse("Hi there. I'm here."))
    assert [tree.leaves() for tree in trees] == [["Hi", "there", "."], ["I", "'m", "here", "."]]
