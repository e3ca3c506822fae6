"""The page of the command line names every option that there is, and no other."""

import pathlib
import re

import pytest
from tests.cli.calls import call

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
