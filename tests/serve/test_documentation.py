"""The page about the service is true: its requests are answered, its options exist."""

import json
import pathlib
import re

import pytest
from starlette.testclient import TestClient
from tests.api.small import english
from tests.cli.calls import call

PAGE = (pathlib.Path(__file__).parent.parent.parent / "docs" / "serve.md").read_text("utf-8")
REQUESTS = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("number", range(len(REQUESTS)))
def test_requests_are_answered(client: TestClient, number: int) -> None:
    answer = client.post("/parse", json=json.loads(REQUESTS[number]))
    assert answer.status_code == 200, answer.text
    assert len(answer.json()["results"]) == {2: 3, 3: 2, 4: 2}.get(number, 1)


def test_options_are_those_of_the_verb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    shown = set(re.findall(r"--[a-z][a-z-]+", call("serve", "--help").out)) - {"--help"}
    assert set(re.findall(r"`(--[a-z][a-z-]+)", PAGE)) == shown


def test_routes_are_those_of_the_description(client: TestClient) -> None:
    named = set(re.findall(r"`(?:POST|GET) (/\w+)`", PAGE))
    assert named == set(client.get("/openapi.json").json()["paths"])


def test_the_code_runs(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    english().save(tmp_path / "english.model")
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code, "serve.md", "exec"), names)
    assert callable(names["app"])
