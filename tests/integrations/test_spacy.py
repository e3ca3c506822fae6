"""The spaCy component over the bundled model: the extensions that users of benepar know."""

from typing import Any

import pytest
import spacy
from nltk.tree import Tree
from spacy.tokens import Doc

import eigenparse.integrations.spacy as component
from eigenparse.errors import DataError

TEXT = "The time for action is now.  It's never too late to do something (well-known).\n\nYes!"


@pytest.fixture(scope="module")
def nlp() -> Any:
    language = spacy.blank("en")
    language.add_pipe("eigenparse")
    return language


def test_sentences_and_trees(nlp: Any) -> None:
    sents = list(nlp(TEXT).sents)
    assert [sent.text.strip() for sent in sents] == [
        part.strip() for part in (TEXT[:28], TEXT[28:80], TEXT[80:])
    ]
    trees = [Tree.fromstring(sent._.parse_string) for sent in sents]
    assert [tree.leaves() for tree in trees] == [
        [t.text.replace("(", "-LRB-").replace(")", "-RRB-") for t in sent if not t.is_space] for sent in sents
    ]
    assert sents[0]._.labels == ("S",)


def test_walking_the_tree(nlp: Any) -> None:
    sent = next(nlp("The old dog saw a cat.").sents)
    subject, verb, stop = sent._.children
    assert (subject.text, subject._.labels, verb._.labels) == ("The old dog", ("NP",), ("VP",))
    assert (stop.text, stop._.labels, stop._.parse_string) == (".", (), "(. .)")
    assert subject._.parent.text == sent.text
    assert sent._.parent is None
    assert 0 < subject._.posterior <= 1
    assert next(iter(sent._.constituents)).text == sent.text
    assert [c.text for c in subject._.constituents] == ["The old dog", "The", "old", "dog"]
    assert sent[0]._.parse_string == "(DT The)"
    assert sent[0]._.parent.text == "The old dog"
    assert [token.tag_ for token in sent][:3] == ["DT", "JJ", "NN"]


def test_every_child_is_inside_and_they_tile(nlp: Any) -> None:
    for sent in nlp(TEXT).sents:
        for span in sent._.constituents:
            parts = list(span._.children)
            if parts:
                words = [t.i for part in parts for t in part if not t.is_space]
                assert words == [t.i for t in span if not t.is_space]
                assert all(part._.parent == span for part in parts)


def test_what_is_no_constituent(nlp: Any) -> None:
    doc = nlp("The old dog saw a cat.")
    with pytest.raises(DataError, match="is not a constituent"):
        _ = doc[1:4]._.labels
    with pytest.raises(DataError, match="is not parsed"):
        _ = spacy.blank("en")("A dog.")[0:2]._.parse_string


def test_documents_can_be_saved(nlp: Any) -> None:
    doc = nlp("The old dog saw a cat.")
    again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert next(again.sents)._.parse_string == next(doc.sents)._.parse_string


def test_pipes_and_empty_documents(nlp: Any) -> None:
    texts = ["A dog barks.", "", "  ", "Cats sleep."]
    docs = list(nlp.pipe(texts, batch_size=2))
    assert [len(list(doc.sents)) if len(doc) else 0 for doc in docs][0::3] == [1, 1]
    assert next(docs[3].sents)._.parse_string == next(nlp(texts[3]).sents)._.parse_string


def test_sentences_of_others_are_kept() -> None:
    language = spacy.blank("en")
    language.add_pipe("sentencizer")
    language.add_pipe("eigenparse", config={"set_tags": False})
    doc = language("A dog barks. Cats sleep.")
    assert [sent.text for sent in doc.sents] == ["A dog barks.", "Cats sleep."]
    assert [token.tag_ for token in doc] == [""] * len(doc)


def test_the_factory_is_registered_for_add_pipe() -> None:
    assert spacy.Language.has_factory("eigenparse")
    assert component.STORE == "eigenparse_data"


def test_dependencies() -> None:
    language = spacy.blank("en")
    language.add_pipe("eigenparse_ud")
    doc = language("The old dogs saw a cat. \n They barked.")
    sents = [[token for token in sent if not token.is_space] for sent in doc.sents]
    assert [len(sent) for sent in sents] == [7, 3]
    found = [(token.text, token.head.text, token.dep_, token.pos_, token.tag_) for token in sents[0][:4]]
    assert found == [
        ("The", "dogs", "det", "DET", "DT"), ("old", "dogs", "amod", "ADJ", "JJ"),
        ("dogs", "saw", "nsubj", "NOUN", "NNS"), ("saw", "saw", "ROOT", "VERB", "VBD"),
    ]  # fmt: skip
    assert sents[0][2].lemma_ == "dog"
    assert sents[0][2].morph.get("Number") == ["Plur"]
    assert [token.head.sent == token.sent for token in doc] == [True] * len(doc)
    assert len(language("")) == 0
