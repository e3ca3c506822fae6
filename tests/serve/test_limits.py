"""Whatever is sent, the answer is clean and the service stays alive."""

import json
import logging
import os
import signal
import threading
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.run.processes import has_ended
from tests.serve.clients import SENTENCE, children, frozen, nursery, refused, service, until, workers

from eigenparse.errors import OptionError
from eigenparse.serve.gate import Job
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


def in_thread(client: TestClient, statuses: list[int]) -> threading.Thread:
    thread = threading.Thread(
        target=lambda: statuses.append(post(client, {"sentence": SENTENCE}).status_code)
    )
    thread.start()
    return thread


def wait_for(client: TestClient, n: int) -> None:
    until(lambda: client.get("/health").json()["under_way"] == n)


def test_a_full_queue_is_told_503_and_empties() -> None:
    with service(workers=1, queue=1) as client:
        statuses: list[int] = []
        with frozen(client, 2):
            threads = [in_thread(client, statuses) for _ in range(2)]
            wait_for(client, 2)
            answer = post(client, {"sentence": SENTENCE})
            assert "try again" in refused(answer, 503, "busy")
            assert answer.headers["retry-after"] == "1"
            assert client.get("/ready").headers["retry-after"] == "1"
            refused(client.get("/ready"), 503, "not_ready")
        for thread in threads:
            thread.join()
        assert statuses == [200, 200]
        wait_for(client, 0)
        assert client.get("/ready").json() == {"status": "ready"}
        assert post(client, {"sentence": SENTENCE}).status_code == 200


def test_a_greedy_client_is_told_429() -> None:
    with service(per_client=1) as client:
        statuses: list[int] = []
        with frozen(client, 3):
            thread = in_thread(client, statuses)
            wait_for(client, 1)
            refused(post(client, {"sentence": SENTENCE}), 429, "too_many_requests")
        thread.join()
        assert statuses == [200]
        assert post(client, {"sentence": SENTENCE}).status_code == 200


def test_slow_work_is_stopped_and_its_worker_replaced() -> None:
    with service(workers=1, queue=0, seconds=2) as client, frozen(client, 2) as pids:
        assert "2 seconds" in refused(post(client, {"sentence": SENTENCE}), 503, "too_slow")
        wait_for(client, 0)
        until(lambda: len(set(children(nursery(client))) - set(pids)) == 1)
        assert post(client, {"sentence": " ".join([SENTENCE] * 6)}).status_code in (200, 503)
        until(lambda: post(client, {"sentence": SENTENCE}).status_code == 200)
        assert 'workers_ended_total{reason="no_longer_wanted"} 1' in client.get("/metrics").text


def test_a_batch_stops_at_its_deadline() -> None:
    with service(workers=1, seconds=0.001) as client:
        refused(post(client, {"sentences": [SENTENCE] * 100}), 503, "too_slow")
        wait_for(client, 0)


def test_answers_are_bounded() -> None:
    with service(max_answer=1000) as client:
        refused(post(client, {"sentences": [SENTENCE] * 5, "k": 3}), 413, "too_large")
        assert client.get("/health").json()["under_way"] == 0


def test_a_worker_that_dies_costs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with service(workers=1) as client, caplog.at_level(logging.ERROR, "eigenparse.serve"):
        statuses: list[int] = []
        with frozen(client, 2) as pids:
            thread = in_thread(client, statuses)
            wait_for(client, 1)
            for pid in pids:
                os.kill(pid, signal.SIGSEGV)
        thread.join()
        assert statuses == [200]
        assert post(client, {"sentence": SENTENCE}).status_code == 200
    assert "died" in caplog.text


def test_the_process_that_forks_may_die(caplog: pytest.LogCaptureFixture) -> None:
    with service(workers=1) as client, caplog.at_level(logging.ERROR, "eigenparse.serve"):
        pids = workers(nursery(client), 2)
        os.kill(nursery(client), signal.SIGKILL)
        until(lambda: all(map(has_ended, pids)))
        until(lambda: post(client, {"sentence": SENTENCE}).status_code == 200)
        assert client.get("/ready").status_code == 200
    assert "started again" in caplog.text


def test_the_unexpected_is_logged_and_not_told(caplog: pytest.LogCaptureFixture) -> None:
    from eigenparse.serve import app

    with service() as client, caplog.at_level(logging.INFO, "eigenparse.serve"):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(app, "parse_jobs", lambda *_: [Job({"task": "a secret"}, 1)])
            answer = post(client, {"sentence": SENTENCE})
        refused(answer, 500, "internal")
        assert "secret" not in answer.text
        assert client.get("/health").status_code == 200
    assert "a secret" in caplog.text
    assert "Traceback" in caplog.text


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"json": {"sentence": ""}}, "sentence is empty"),
        ({"json": {"sentence": " "}}, "sentence is empty"),
        ({"json": {"sentence": []}}, "sentence is empty"),
        ({"json": {"sentence": ["a", ""]}}, "sentence.1 is empty or holds a blank"),
        ({"json": {"sentences": ["a", {"sentence": ""}]}}, "sentences.1.sentence is empty"),
        ({"json": {"sentence": 5}}, "should be a text or a list of tokens"),
        ({"json": {"sentence": "a", "kk": 1}}, "kk is not known here"),
        ({"json": {"k": 2}}, "sentence is missing"),
        ({"content": b'{"sentence": "a"}'}, "the header Content-Type is missing"),
        (
            {"content": b'{"sentence": "a"}', "headers": {"content-type": "text/plain"}},
            "the header Content-Type is 'text/plain'; send JSON with 'Content-Type: application/json'",
        ),
        ({"content": b"", "headers": {"content-type": "application/json"}}, "the body is empty"),
    ],
)
def test_mistakes_are_told_in_words(client: TestClient, sent: dict[str, Any], said: str) -> None:
    message = refused(client.post("/parse", **sent), 422, "misshapen")
    assert message.startswith(said) or said in message
    assert not set("\\^[]") & set(message)


def test_the_metrics_count(client: TestClient) -> None:
    def value(name: str) -> float:
        lines = dict(
            line.rsplit(" ", 1) for line in client.get("/metrics").text.splitlines() if line[0] != "#"
        )
        return float(lines.get(name, 0))

    name = 'eigenparse_requests_total{method="POST",path="/parse",status="200"}'
    before, jobs, took = value(name), value("eigenparse_jobs_total"), "eigenparse_request_seconds_count"
    n = value(took)
    post(client, {"sentences": [SENTENCE] * 3})
    client.request('BREW"', "/pot")
    assert (value(name), value("eigenparse_jobs_total"), value(took)) == (before + 1, jobs + 3, n + 1)
    assert value('eigenparse_request_seconds_bucket{le="+Inf"}') == n + 1
    assert "BREW" not in client.get("/metrics").text


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


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/score", {"trees": "(TOP (S (NN dog)))"}, "trees should be a list"),
        ("/score", {"trees": [3]}, "trees.0 should be a text"),
        ("/score", {"trees": []}, "trees is empty"),
        ("/score", {}, "trees is missing"),
        ("/score", {"tree": "(TOP (NN dog))"}, "trees is missing"),
        ("/score", [], "the body is empty or not an object"),
        ("/parse", {"sentence": "a b", "text": "c d"}, "sentence and text exclude each other"),
        ("/parse", {"sentence": "a b", "sentences": ["c d"]}, "sentence and sentences exclude each other"),
        ("/tag", {"sentence": "a b", "text": "c d"}, "sentence and text exclude each other"),
        ("/parse", {"text": "a b", "tags": ["DT", None]}, "tags does not go with text"),
        ("/split", {"text": ["a"]}, "text should be a text"),
        ("/split", {}, "text is missing"),
        ("/compare", {"gold": "(TOP (NN dog))"}, "guess is missing"),
        ("/compare", {"gold": ["(TOP (NN dog))"], "guess": "x"}, "gold should be a text"),
    ],
)
def test_the_field_at_fault_is_named(client: TestClient, path: str, body: Any, said: str) -> None:
    message = refused(client.post(path, json=body), 422, "misshapen")
    assert message.startswith(said), message
