"""The OpenAPI description keeps its promises for generated requests, right ones and wrong ones."""

import pathlib
import subprocess
import sys
import urllib.request

import pytest
from tests.serve.clients import running

CONFIGURATION = pathlib.Path(__file__).parent / "schemathesis.toml"
PATIENCE = 600  # seconds; how quickly requests are answered is not asked here


@pytest.mark.thorough
@pytest.mark.timeout(1500)
def test_schemathesis_finds_nothing(model: pathlib.Path, tmp_path: pathlib.Path) -> None:
    program = [sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()"]
    with running(model, "--quiet", "--seconds", PATIENCE, "--body-seconds", PATIENCE) as server:
        description = tmp_path / "openapi.json"
        with urllib.request.urlopen(f"{server.address}/openapi.json", timeout=PATIENCE) as answer:
            description.write_bytes(answer.read())
        options = "--phases examples,coverage,fuzzing --max-examples 20 --seed 1 --checks all --no-color --no-shrink"
        limits = f"--suppress-health-check all --request-timeout {PATIENCE} --url {server.address}"
        done = subprocess.run(
            [*program, "--config-file", CONFIGURATION, "run", description, *options.split(), *limits.split()],
            capture_output=True,
            text=True,
            timeout=1200,
            cwd=tmp_path,
        )
        code, err = server.stop()
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "10 selected" in done.stdout
    assert code == 0
    assert "Traceback" not in err
