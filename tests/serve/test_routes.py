"""What the routes answer is what the grammar says."""

import math

import pytest
from starlette.testclient import TestClient
from tests.api.small import english
from tests.serve.clients import SENTENCE, asked

import eigenparse
from eigenparse.api.raw import conventions, sentences_of
from eigenparse.corpus.brackets import parse_trees
from eigenparse.corpus.heads import to_dependencies
from eigenparse.serve.limits import Limits
from eigenparse.serve.sentences import request_of

DIGITS = 1e-8  # answers carry nine digits


def test_a_sentence_gets_the_trees_that_python_gets(client: TestClient) -> None:
    result = asked(client, "/parse", sentence=SENTENCE.split(), k=4, probabilities=True)["results"][0]
    expected = english().kbest(SENTENCE, 4)
    assert [one["tree"] for one in result["parses"]] == [one.tree for one in expected]
    assert result["tokens"] == SENTENCE.split()
    for got, want in zip(result["parses"], expected):
        assert got["probability"] == pytest.approx(want.probability, rel=DIGITS)
        assert got["brackets"] == want.as_dict()["brackets"]
        assert got["tags"] == want.as_dict()["tags"]


def test_probabilities_are_told_where_they_are_asked_for(client: TestClient) -> None:
    full, plain = (
        asked(client, "/parse", sentence=SENTENCE, k=2, probabilities=wanted)["results"][0]
        for wanted in (True, False)
    )
    assert math.isfinite(full["log_total"])
    assert plain["log_total"] is None
    for told, tree in zip(full["parses"], plain["parses"], strict=True):
        assert tree == told | {"log_probability": None, "probability": None}


def test_text_is_tokenised_and_cut_into_sentences(client: TestClient) -> None:
    one = asked(client, "/parse", sentence="The woman didn't sleep.")["results"]
    assert one[0]["tokens"] == ["The", "woman", "did", "n't", "sleep", "."]
    many = asked(client, "/parse", text="The woman slept. The men saw a dog!")["results"]
    assert [len(result["tokens"]) for result in many] == [4, 6]


def test_text_is_written_as_in_the_treebank_of_the_bundled_grammar() -> None:
    grammar, text = eigenparse.load("en"), 'He said: "a well-known dog."'
    request = request_of(grammar, text, conventions(grammar), Limits())
    assert [list(request.tokens)] == list(sentences_of(grammar, text))
    assert '"' in request.tokens
    assert "-" in request.tokens


def test_a_batch_keeps_order_and_own_constraints(client: TestClient) -> None:
    words = SENTENCE.split()
    body = [words, {"sentence": words, "forbid": [{"start": 5, "end": 8}]}, "the men slept ."]
    results = asked(client, "/parse", sentences=body)["results"]
    spans = [{(b["start"], b["end"]) for b in r["parses"][0]["brackets"]} for r in results]
    assert (5, 8) in spans[0]
    assert (5, 8) not in spans[1]
    assert results[2]["tokens"] == ["the", "men", "slept", "."]


@pytest.mark.parametrize("span", [(3, 8), (2, 5)])
def test_required_spans_are_there(client: TestClient, span: tuple[int, int]) -> None:
    body = {"sentence": SENTENCE.split(), "require": [{"start": span[0], "end": span[1]}]}
    tree = asked(client, "/parse", **body)["results"][0]["parses"][0]
    assert span in {(b["start"], b["end"]) for b in tree["brackets"]}
    expected = english().parse(SENTENCE, required=[span])
    assert tree["tree"] == expected.tree


def test_given_tags_are_kept(client: TestClient) -> None:
    tags = [None, "VB", *[None] * 7]
    tree = asked(client, "/parse", sentence=SENTENCE.split(), tags=tags)["results"][0]["parses"][0]
    assert tree["tags"][1]["tag"] == "VB"


def test_details_come_only_when_asked_for(client: TestClient) -> None:
    plain = asked(client, "/parse", sentence=SENTENCE)["results"][0]
    assert "chart" not in plain
    assert not {"dependencies"} & set(plain["parses"][0])
    assert "latent" not in plain["parses"][0]["brackets"][0]
    full = asked(client, "/parse", sentence=SENTENCE, k=2, chart=True, states=True, dependencies=True)
    for tree in full["results"][0]["parses"]:
        for node in (*tree["brackets"], *tree["tags"]):
            shares = [share for _, share in node["latent"]["states"]]
            assert shares == sorted(shares, reverse=True)
            assert 0 < sum(shares) <= 1 + 1e-3
            assert len(shares) <= node["latent"]["n_states"]


def test_the_chart_holds_the_posteriors_of_python(client: TestClient) -> None:
    chart = asked(client, "/parse", sentence=SENTENCE.split(), chart=True)["results"][0]["chart"]
    expected = english().posteriors(SENTENCE)
    assert [(b["label"], b["start"], b["end"]) for b in chart] == [
        (b.label, b.start, b.end) for b in expected
    ]
    assert [b["posterior"] for b in chart] == pytest.approx([b.posterior for b in expected], abs=1e-6)


def test_arcs_follow_the_head_rules(client: TestClient) -> None:
    result = asked(client, "/parse", sentence=SENTENCE.split(), k=3, dependencies=True)["results"][0]
    for tree in result["parses"]:
        want = to_dependencies(parse_trees(tree["tree"]))
        assert [arc["head"] for arc in tree["dependencies"]] == want.head.tolist()
        assert [arc["relation"] for arc in tree["dependencies"]] == want.strings("relation")
    best = result["parses"][0]["dependencies"]
    assert best[2] == {"head": 0, "relation": "root", "upos": "VERB"}
    assert [best[i]["head"] for i in (0, 1, 4)] == [2, 3, 3]


def test_brackets_as_words_survive(client: TestClient) -> None:
    result = asked(client, "/parse", sentence="the woman ( a key ) slept .", dependencies=True)["results"][0]
    assert result["tokens"][2] == "("
    assert len(result["parses"][0]["dependencies"]) == 8


def test_tags_are_those_of_highest_posterior(client: TestClient) -> None:
    tokens = asked(client, "/tag", sentence=SENTENCE)["results"][0]["tokens"]
    expected = english().parse(SENTENCE)
    assert [one["token"] for one in tokens] == SENTENCE.split()
    for one, want in zip(tokens, expected.tags):
        everything = [one, *one["others"]]
        posteriors = [choice["posterior"] for choice in everything]
        assert posteriors == sorted(posteriors, reverse=True)
        found = {choice["tag"]: choice["posterior"] for choice in everything}
        assert found[want.tag] == pytest.approx(want.posterior, abs=1e-6)


def test_scores_are_those_of_python_and_broken_trees_say_why(client: TestClient) -> None:
    tree = english().parse(SENTENCE).tree
    results = asked(client, "/score", trees=[tree, "(S (NP", "(TOP (ODD strange))", f"{tree} {tree}"])[
        "results"
    ]
    assert results[0]["log_probability"] == pytest.approx(
        english().score([tree]).log_probability[0], rel=DIGITS
    )
    assert (results[0]["sign"], results[0]["words"]) == (1, 9)
    assert "closed" in results[1]["error"]
    assert results[2]["log_probability"] < -20.0  # a label and a word that training never saw
    assert results[2]["sign"] == 1
    assert "string of its own" in results[3]["error"]


def test_info_names_labels_whose_states_can_be_asked_for(client: TestClient) -> None:
    info = client.get("/info").json()
    assert info["model"] == "small"
    assert info["facts"]["n_labels"] == len(info["labels"])
    nouns = next(one for one in info["labels"] if one["label"] == "NN")
    assert nouns["kind"] == "tag"
    states = client.get("/states", params={"label": "NN"}).json()
    assert len(states["states"]) == nouns["states"]
    words = [word["word"] for state in states["states"] for word in state["words"]]
    assert "woman" in words
    assert all(math.isfinite(word["weight"]) for state in states["states"] for word in state["words"])


def test_the_pages_load_nothing_from_elsewhere(client: TestClient) -> None:
    for path in ("/", "/docs", "/static/main.js", "/static/docs.js", "/static/style.css"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "//" not in answer.text.replace("http://www.w3.org/2000/svg", "").replace("// ", "")
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert client.get("/openapi.json").json()["info"]["title"] == "eigenparse"


def test_health(client: TestClient) -> None:
    assert client.get("/health").json() | {"version": ""} == {
        "status": "ok", "model": "small", "version": "", "under_way": 0, "room": 130,
    }  # fmt: skip
