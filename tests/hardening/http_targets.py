"""What is sent to the service: good bodies, ways to spoil them, and what any answer must look like."""

import contextlib
import json
import pathlib
from collections.abc import Iterator
from functools import partial
from typing import Any

from tests.cli.calls import call
from tests.hardening.model_targets import TREES
from tests.hardening.targets import Target, spoil_json

from eigenparse.errors import DataError

DECLARED = {200, 400, 409, 413, 422}
SPAN: dict[str, Any] = {"start": 0, "end": 2, "label": "NP"}
BODIES: dict[str, tuple[Any, ...]] = {
    "/parse": (
        {"sentence": "dogs saw the men", "k": 3, "chart": True, "states": True, "dependencies": True},
        {"sentence": ["dogs", "saw", "men"], "require": [SPAN | {"label": None}], "tags": ["NNS", None, None]},
        {"sentences": ["dogs slept", ["the", "man"], {"sentence": "men saw", "forbid": [SPAN]}]},
        {"text": "Dogs saw men. The man slept!", "k": 2},
    ),
    "/tag": ({"sentence": "dogs saw"}, {"sentences": ["dogs slept", ["é", "\u202e"]]}, {"text": "The man slept."}),
    "/score": ({"trees": ["(TOP (S (NP (NNS dogs)) (VP (VBD slept))))", "(TOP (NN x))"]},),
}  # fmt: skip


def send(client: Any, route: str, path: pathlib.Path) -> None:
    """Send a file as a body; a refusal of the service becomes one of ours."""
    answer = client.post(route, content=path.read_bytes(), headers={"content-type": "application/json"})
    if answer.status_code not in DECLARED:
        raise AssertionError(f"{route} answered {answer.status_code}: {answer.text[:200]}")
    found = answer.json()
    if answer.status_code != 200:
        assert set(found) == {"error"}
        assert set(found["error"]) == {"code", "message"}
        assert "Traceback" not in answer.text
        raise DataError(found["error"]["message"])


@contextlib.contextmanager
def http_targets(folder: pathlib.Path) -> Iterator[list[Target]]:
    """A service of a small grammar in this process, and its routes."""
    from starlette.testclient import TestClient

    from eigenparse.api.grammar import load
    from eigenparse.serve.app import create_app

    (folder / "h.ptb").write_text(TREES * 100)
    done = call(
        "train", "lpcfg", folder / "h.ptb", "--states", "2", "--rare", "0", "--out", folder / "h.model"
    )
    assert done.code == 0, done.err
    app = create_app(load(folder / "h.model"), name="small")
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
        targets = []
        for route, bodies in BODIES.items():
            seeds = tuple(json.dumps(body).encode() for body in bodies)
            target = Target(f"http {route[1:]}", seeds, partial(send, client, route), spoil_json)
            targets.append(target)
        yield targets
