"""Whatever is sent, the answer is clean and the service stays alive."""

import json
import logging
import threading
import time
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.serve.clients import SENTENCE, refused, service

from eigenparse.errors import OptionError
from eigenparse.serve import answers
from eigenparse.serve.settings import Settings


def post(client: TestClient, body: Any, path: str = "/parse") -> Any:
    content = body if isinstance(body, bytes) else json.dumps(body)
    return client.post(path, content=content, headers={"content-type": "application/json"})


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "not_json"),
        (b"\xff\xfe", 400, "not_json"),
        (b"[" * 100_000, 400, "not_json"),
        (b'{"k":' + b"9" * 5000 + b',"sentence":"a"}', 400, "not_json"),
        (b"", 422, "misshapen"),
        (b"null", 422, "misshapen"),
        (b"[]", 422, "misshapen"),
        (b"{}", 422, "misshapen"),
        ({"sentence": ""}, 422, "misshapen"),
        ({"sentence": " \n\t\x1c"}, 422, "misshapen"),
        ({"sentence": []}, 422, "misshapen"),
        ({"sentence": ["a b"]}, 422, "misshapen"),
        ({"sentence": [""]}, 422, "misshapen"),
        ({"sentence": "x", "sentences": ["y"]}, 422, "misshapen"),
        ({"sentence": "x", "kk": 1}, 422, "misshapen"),
        ({"sentence": "x", "k": 0}, 422, "misshapen"),
        ({"sentence": "x", "k": "2"}, 422, "misshapen"),
        ({"sentence": "x", "k": True}, 422, "misshapen"),
        (b'{"sentence":"\\ud800"}', 422, "misshapen"),
        ({"sentence": "x", "k": 21}, 413, "too_many"),
        ({"sentences": ["x"] * 101}, 413, "too_many"),
        ({"sentence": ["x"] * 201}, 413, "too_long"),
        ({"text": "x " * 2000}, 413, "too_long"),
        ({"sentence": "x" * 100_000}, 413, "long_word"),
        ({"text": "+-" * 45_000}, 413, "long_word"),
        ({"sentence": ["x" * 9_000]}, 413, "long_word"),
        ({"sentence": "x" * 200_000}, 422, "misshapen"),
        ({"sentence": "a b", "require": [{"start": 0, "end": 5}]}, 409, "conflict"),
        ({"sentence": "a b", "require": [{"start": 1, "end": 1}]}, 409, "conflict"),
        ({"sentence": "a b", "tags": ["NN"]}, 409, "conflict"),
        ({"sentence": "a b", "require": [{"start": 0, "end": 2, "label": "NOSUCH"}]}, 409, "conflict"),
        (
            {"sentence": "a b c", "require": [{"start": 0, "end": 2}, {"start": 1, "end": 3}]},
            409,
            "conflict",
        ),
    ],
)
def test_bad_requests_are_refused_with_a_sentence(
    client: TestClient, body: Any, status: int, code: str
) -> None:
    assert refused(post(client, body), status, code)
    assert client.get("/health").status_code == 200


def test_ten_megabytes_are_refused_whether_announced_or_not(client: TestClient) -> None:
    large = json.dumps({"sentence": "word " * 2_000_000}).encode()
    assert len(large) > 10_000_000
    assert "larger than" in refused(post(client, large), 413, "too_large")
    pieces = (large[i : i + 65536] for i in range(0, len(large), 65536))
    refused(client.post("/parse", content=pieces), 413, "too_large")
    assert client.get("/health").status_code == 200


@pytest.mark.parametrize(
    "sentence",
    [
        "\x00",
        "a\x00b .",
        "\u202eright to left\u202c .",
        "ﷺ",
        "🦜 sat .",
        "()" * 60,
        "-LRB- ( [ {",
        "' \" ` '' ``",
        "x" * 200,
    ],
)
def test_odd_text_gets_a_tree(client: TestClient, sentence: str) -> None:
    answer = post(client, {"sentence": sentence, "k": 3, "states": True, "chart": True, "dependencies": True})
    assert answer.status_code == 200, answer.text
    tree = answer.json()["results"][0]
    assert len(tree["parses"][0]["tags"]) == len(tree["tokens"]) == len(tree["parses"][0]["dependencies"])


def test_wrong_paths_methods_and_hosts(client: TestClient) -> None:
    refused(client.get("/nothing"), 404, "not_found")
    refused(client.get("/static/../app.py"), 404, "not_found")
    refused(client.get("/static/%2e%2e/app.py"), 404, "not_found")
    refused(client.get("/parse"), 405, "wrong_method")
    refused(client.get("/states", params={"label": "NOSUCH"}), 404, "no_label")
    refused(client.get("/states"), 422, "misshapen")
    with service(hosts=("localhost", "127.0.0.1")) as careful:
        assert careful.get("/health").status_code == 200
        assert careful.get("/health", headers={"host": "127.0.0.1:8000"}).status_code == 200
        refused(careful.get("/health", headers={"host": "evil.example"}), 421, "wrong_host")


def held_back(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Let every parse wait until the event is set."""
    go, real = threading.Event(), answers.parse

    def slow(*arguments: Any) -> Any:
        go.wait(20)
        return real(*arguments)

    monkeypatch.setattr(answers, "parse", slow)
    return go


def in_thread(client: TestClient, statuses: list[int]) -> threading.Thread:
    thread = threading.Thread(
        target=lambda: statuses.append(post(client, {"sentence": SENTENCE}).status_code)
    )
    thread.start()
    return thread


def wait_for(client: TestClient, n: int) -> None:
    end = time.monotonic() + 60
    while client.get("/health").json()["under_way"] != n:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_full_queue_is_told_503_and_empties(monkeypatch: pytest.MonkeyPatch) -> None:
    with service(workers=1, queue=1) as client:
        go, statuses = held_back(monkeypatch), []
        threads = [in_thread(client, statuses) for _ in range(2)]
        wait_for(client, 2)
        answer = post(client, {"sentence": SENTENCE})
        assert "try again" in refused(answer, 503, "busy")
        assert answer.headers["retry-after"] == "1"
        go.set()
        for thread in threads:
            thread.join()
        assert statuses == [200, 200]
        wait_for(client, 0)
        assert post(client, {"sentence": SENTENCE}).status_code == 200


def test_a_greedy_client_is_told_429(monkeypatch: pytest.MonkeyPatch) -> None:
    with service(per_client=1) as client:
        go, statuses = held_back(monkeypatch), []
        thread = in_thread(client, statuses)
        wait_for(client, 1)
        refused(post(client, {"sentence": SENTENCE}), 429, "too_many_requests")
        go.set()
        thread.join()
        assert statuses == [200]
        assert post(client, {"sentence": SENTENCE}).status_code == 200


def test_slow_work_is_given_up_and_its_place_kept_until_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    with service(workers=1, queue=0, seconds=0.2) as client:
        go = held_back(monkeypatch)
        assert "0.2 seconds" in refused(post(client, {"sentence": SENTENCE}), 503, "too_slow")
        refused(post(client, {"sentence": SENTENCE}), 503, "busy")
        go.set()
        wait_for(client, 0)


def test_a_batch_stops_at_its_deadline() -> None:
    with service(workers=1, seconds=0.001) as client:
        refused(post(client, {"sentences": [SENTENCE] * 100}), 503, "too_slow")
        wait_for(client, 0)


def test_the_unexpected_is_logged_and_not_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("a secret")

    monkeypatch.setattr(answers, "parse", broken)
    with service() as client, caplog.at_level(logging.INFO, "eigenparse.serve"):
        answer = post(client, {"sentence": SENTENCE})
        refused(answer, 500, "internal")
        assert "secret" not in answer.text
        assert client.get("/health").status_code == 200
    assert "a secret" in caplog.text


def test_the_log_says_what_happened_but_not_what_was_asked(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "eigenparse.serve"):
        post(client, {"sentence": "the private woman slept ."})
        client.get("/no%0asuch%0dpath")
    lines = [record.getMessage() for record in caplog.records if record.name == "eigenparse.serve"]
    assert len(lines) == 2
    assert "POST /parse 200 " in lines[0]
    assert "private" not in caplog.text
    assert "\n" not in lines[1]


def test_settings_are_checked() -> None:
    with pytest.raises(OptionError, match="workers must be 1 or more"):
        Settings(workers=0)
    with pytest.raises(OptionError, match="seconds must be more than 0"):
        Settings(seconds=0.0)
