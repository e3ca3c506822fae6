"""The bundled dependency parser: text in, words of the treebank's conventions out, by function and by command."""

import pytest
from tests.cli.calls import call

import eigenparse
from eigenparse.api.dependency_parser import DependencyParser

TEXT = "Dogs bark.\n\na well-known song. we like it"
WORDS = ["Dogs bark .", "a well - known song .", "we like it"]


@pytest.fixture(scope="module")
def parser() -> DependencyParser:
    found = eigenparse.load("en-ud")
    assert isinstance(found, DependencyParser)
    return found


def test_words_are_those_of_the_treebank(parser: DependencyParser) -> None:
    assert parser.model.style == {"quotes": "keep", "hyphens": "split"}
    assert [" ".join(word.form for word in sentence) for sentence in parser.parse(TEXT)] == WORDS


def test_the_command_finds_the_same_words(parser: DependencyParser) -> None:
    rows = [line.split("\t") for line in call("parse", "en-ud", TEXT).out.split("\n")]
    forms = [row[1] for row in rows if row[0].isdecimal()]
    assert forms == " ".join(WORDS).split()


def test_a_plain_sentence(parser: DependencyParser) -> None:
    (sentence,) = parser.parse("She reads old books.")
    assert [word.upos for word in sentence] == ["PRON", "VERB", "ADJ", "NOUN", "PUNCT"]
    assert [(word.head, word.deprel) for word in sentence] == [
        (2, "nsubj"),
        (0, "root"),
        (4, "amod"),
        (2, "obj"),
        (2, "punct"),
    ]
