"""What the copy buttons of the documentation hide is all but the commands."""

import re
from html import unescape
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HIDDEN = re.compile(r'<span class="(?:gp|go)[^"]*">.*?</span>', re.DOTALL)


def test_commands_are_copied_without_prompts_and_outputs() -> None:
    markdown = pytest.importorskip("markdown")
    pytest.importorskip("pymdownx")
    site = (ROOT / "mkdocs.yml").read_text("utf-8")
    found = re.search(r"^markdown_extensions: \[(.*)\]$", site, re.MULTILINE)
    assert found
    page = "```console\n$ eigenparse parse en text.txt\n(TOP (S (NP (PRP She))))\n$ eigenparse info en\n```\n"
    made = markdown.markdown(page, extensions=found[1].split(", "))
    copied = unescape(re.sub(r"<[^>]+>", "", HIDDEN.sub("", made)))
    assert copied.split("\n")[0:1] + copied.split() == [
        "eigenparse parse en text.txt", "eigenparse", "parse", "en", "text.txt", "eigenparse", "info", "en",
    ]  # fmt: skip
    style = (ROOT / "docs" / "extra.css").read_text("utf-8")
    assert "[data-md-copying] .gp, [data-md-copying] .go { display: none; }" in style
    assert "extra_css: [extra.css]" in site


def test_long_lines_of_code_are_not_cut_off() -> None:
    style = (ROOT / "docs" / "extra.css").read_text("utf-8")
    assert re.search(r"pre > code \{[^}]*white-space: pre-wrap;[^}]*overflow-wrap: anywhere;", style)
