"""Sentences of a text, unknown words, universal arcs and compared trees, as the service tells them."""

import pathlib
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.api.small import english
from tests.dependency.toys import small, toy
from tests.serve.clients import SENTENCE, asked

from eigenparse import data
from eigenparse.corpus.conllu import from_sentences
from eigenparse.inference.dependency.arcs import parse
from eigenparse.models.registry import save_model
from eigenparse.serve import app

TEXT = "The woman slept. The men saw\na dog."


def test_a_line_is_a_sentence_if_wanted(client: TestClient) -> None:
    assert asked(client, "/split", text=TEXT)["sentences"] == ["The woman slept.", "The men saw a dog."]
    assert asked(client, "/split", text=TEXT, lines=True)["sentences"] == TEXT.split("\n")
    for path in ("/parse", "/tag"):
        found = asked(client, path, text=TEXT, lines=True)["results"]
        assert [len(one["tokens"]) for one in found] == [7, 3]


@pytest.mark.parametrize(
    ("sentence", "words", "letters"),
    [
        (SENTENCE, 0.0, 0.0),
        ("The WOMAN opend 17 %", 1 / 3, 0.0),  # "opend"; numbers and marks are no words
        ("the ящик", 0.5, 4 / 7),
        ("17 . 3", 0.0, 0.0),
    ],
)
def test_what_the_model_has_never_seen(
    client: TestClient, sentence: str, words: float, letters: float
) -> None:
    found = asked(client, "/parse", sentence=sentence.split())["results"][0]["unknown"]
    assert found == {"words": pytest.approx(words, abs=1e-4), "letters": pytest.approx(letters, abs=1e-4)}


def test_universal_arcs_are_those_of_the_dependency_model(tmp_path: pathlib.Path) -> None:
    model = small(passes=3).fit(toy(20)[0])
    save_model(model, tmp_path / "arcs.eig", "dependency")
    service = app.create_app(english(), universal=str(tmp_path / "arcs.eig"))
    with TestClient(service, base_url="http://localhost") as client:
        assert "universal" not in asked(client, "/parse", sentence=SENTENCE, dependencies=True)["results"][0]
        every = asked(client, "/parse", sentences=[SENTENCE.split()] * 8, universal=True)["results"]
        found = every[0]
        assert all(one["universal"] == found["universal"] for one in every)
    expected = parse(model, from_sentences([SENTENCE.split()]).trees)
    assert [arc["head"] for arc in found["universal"]] == expected.head.tolist()
    assert [arc["relation"] for arc in found["universal"]] == expected.strings("relation")


def test_the_bundled_grammar_takes_the_bundled_dependency_model(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "MODELS", {"en": "en.eig"})
    assert app.universal_for("en") is None
    monkeypatch.setitem(data.MODELS, "en-ud", "en-ud.eig")
    monkeypatch.setattr(app, "MODELS", data.MODELS)
    monkeypatch.setattr(app, "located", lambda name: tmp_path / f"{name}.eig")
    assert app.universal_for("en") is None
    (tmp_path / "en-ud.eig").touch()
    assert app.universal_for("en") == "en-ud"
    assert app.universal_for(tmp_path / "own.model") is None
    assert app.universal_for(english()) is None


def compare(client: TestClient, **body: Any) -> Any:
    return client.post("/compare", json=body)


def test_trees_are_compared_as_by_the_verb(client: TestClient) -> None:
    gold, guess = "(TOP (S (NP (PRP She)) (VP (VBD slept))))", "(TOP (S (NP (PRP She) (VBD slept))))"
    page = asked(client, "/compare", gold=gold, guess=guess)["page"]
    assert "gold and guess" in page
    assert "1 of 3 gold brackets found, 2 guessed" in page
    refused = compare(client, gold=gold, guess=f"{guess}\n{guess}")
    assert refused.status_code == 409
    assert refused.json()["error"]["message"].startswith("gold has 1 trees and guess 2;")
    assert compare(client, gold="no tree", guess=guess).status_code == 409


def test_words_that_the_grammar_does_not_know_are_counted_apart_on_demand(client: TestClient) -> None:
    gold = "(TOP (S (NP (NN woman)) (VP (VBD slept) (NP (NN zyxxy)))))"
    guess = gold.replace("(NN ", "(JJ ")
    told = "1 of 1 unknown words have a wrong tag"
    assert told in asked(client, "/compare", gold=gold, guess=guess, unknown=True)["page"]
    assert told not in asked(client, "/compare", gold=gold, guess=guess)["page"]


THREE = {"sentence": "the man slept"}
WRONG: list[tuple[str, dict[str, Any], int, str]] = [
    *(
        (path, {"text": text}, 422, f"this is {name}, where text should be;")
        for path in ("/parse", "/tag", "/split")
        for text, name in (
            ("1\tdogs\t_\tNOUN\tN\t_\t0\troot\t_\t_\n", "CoNLL-U"),
            ('{"a": 1}', "JSON"),
            ("<!doctype html><p>hi", "HTML or XML"),
            ("the DT\ndog NN\n\na DT\ncat NN\n\n", "columns, one token per line"),
        )
    ),
    (
        "/parse",
        THREE | {"require": [{"start": 0, "end": 2, "label": "N P"}]},
        409,
        "has a blank or a bracket;",
    ),
    (
        "/parse",
        THREE | {"require": [{"start": 0, "end": 2, "label": "(NP"}]},
        409,
        "has a blank or a bracket;",
    ),
    ("/parse", THREE | {"tags": ["D T", None, None]}, 409, "has a blank or a bracket;"),
    ("/parse", THREE | {"require": [[0, 2]]}, 422, "require.0 should be an object in braces;"),
    ("/compare", {"gold": "(TOP (NN a))", "guess": "(TOP (NN b))"}, 409, "the same words in both files;"),
]


@pytest.mark.parametrize(("path", "body", "status", "said"), WRONG)
def test_a_wrong_request_is_told_in_words(
    client: TestClient, path: str, body: dict[str, Any], status: int, said: str
) -> None:
    answer = client.post(path, json=body)
    assert answer.status_code == status, answer.text
    assert said in answer.json()["error"]["message"]


def test_a_wrong_method_is_named(client: TestClient) -> None:
    answer = client.get("/parse")
    assert answer.status_code == 405
    assert answer.json()["error"]["message"] == "the method GET is not for this path; see /docs"
