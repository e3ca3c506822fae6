"""The page of the command line names every option that there is, and no other."""

import pathlib
import re

import pytest
from tests.cli.calls import call

from eigenparse.cli.verbs import VERBS

PAGE = pathlib.Path(__file__).parent.parent.parent / "docs" / "cli.md"


@pytest.mark.parametrize("verb", ["train lpcfg", "parse"])
def test_options_are_documented(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    shown = set(re.findall(r"--[a-z][a-z-]+", call(*verb.split(), "--help").out)) - {"--help"}
    page = PAGE.read_text("utf-8")
    section = page[page.index(f"## {verb}\n") :].split("\n## ")[0]
    written = set(re.findall(r"--[a-z][a-z-]+", section))
    others = (
        {"--method", "--dev", "--out", "--estimator", "--no-judge", "--rounds"} if verb == "parse" else set()
    )
    assert shown - {"--out"} <= written
    assert written <= shown | others


COMMANDS = [
    *(name.replace("_", "-").replace("reproduce-", "reproduce ", 1) for name in VERBS),
    "embed",
    *(f"train {name}" for name in ("lpcfg", "rhmm", "hmm", "dependency", "deptree", "reranker", "phones")),
]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_has_an_example_of_it(command: str) -> None:
    shown = call(*command.split(), "--help").out
    assert f"eigenparse {command} " in shown[shown.index("Example") :]


def test_help_and_page_name_every_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    listed = call("--help").out + call("train", "--help").out + call("reproduce", "--help").out
    assert [one for one in COMMANDS if one.split()[-1] not in listed] == []


def test_shell_completion_is_documented_as_it_is() -> None:
    assert "--install-completion" in call("--help").out
    assert "eigenparse --install-completion" in PAGE.read_text("utf-8")
