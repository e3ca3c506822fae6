"""Tutorials run as notebooks, print what their pages show, and draw the pictures that the pages have.

Numbers may differ a little from machine to machine; words, trees and tables may not.
`python scripts/notebooks.py` writes pages, pictures and notebooks again.
"""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from scripts.notebooks import DOCS, PAGES, Step, page_of, run, steps_of

SOFT = re.compile(r"eigenparse (?:demo|info|embed)")  # words of states, whose order may depend on the machine
NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*(?:e[-+]\d+)?")


def values(text: str) -> tuple[str, list[float]]:
    """A text with # for its numbers and one blank between words, and the numbers."""
    found = [float(one.replace(",", "")) for one in NUMBER.findall(text)]
    return " ".join(NUMBER.sub("#", text).split()), found


def differs(shown: str, printed: str) -> bool:
    """Whether two lines say different things."""
    (one, a), (other, b) = values(shown), values(printed)
    return one != other or any(
        abs(x - y) > max(2.0, (0.1 if abs(x) < 1000 else 0.5) * abs(x)) for x, y in zip(a, b)
    )  # large numbers count parameters


def sources(steps: list[Step]) -> list[tuple[str, str]]:
    return [(step.kind, step.source) for step in steps]


def drawn(picture: Path) -> list[str]:
    """The words of a drawing."""
    return sorted(re.findall(r">([^<>]+)</(?:text|tspan)>", picture.read_text("utf-8")))


@pytest.mark.thorough
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_prints_what_it_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    steps = steps_of(page.read_text("utf-8"))
    found, _ = run(steps, tmp_path)
    for step, done in zip(steps, found, strict=True):
        if step.kind != "prose":
            assert len(step.lines) == len(done.lines), (step.source, done.lines)
            wrong = [pair for pair in zip(step.lines, done.lines) if differs(*pair)]
            assert not wrong or SOFT.match(step.source), step.source
    for picture in re.findall(r"!\[.*?\]\((.*?\.svg)\)", page.read_text("utf-8")):
        assert drawn(DOCS / picture) == drawn(tmp_path / picture)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_notebook_is_its_page(page: Path) -> None:
    """The notebook has the steps of the page and what they print; writing a page again changes nothing."""
    text = page.read_text("utf-8")
    steps = steps_of(text)
    assert page_of(steps) == text
    cells = json.loads(page.with_suffix(".ipynb").read_text("utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    told = [step for step in steps if step.kind != "prose"]
    assert len(code) == len(told) > 3
    for cell, step in zip(code, told):
        assert "".join(cell["source"]).removeprefix("%%bash\n") == step.source.rstrip("\n")
        lines = [line for one in cell["outputs"] if one["output_type"] == "stream" for line in one["text"]]
        assert "".join(lines).splitlines() == list(step.lines)
    assert any("image/svg+xml" in str(cell["outputs"]) for cell in code) == (page.stem == "tutorial-parsing")


def test_every_family_has_a_tutorial() -> None:
    families = {"parsing", "sequences", "dependency", "speech"}
    assert {page.stem.removeprefix("tutorial-") for page in PAGES} == families


@pytest.mark.parametrize(("one", "other"), [("F1 80.1", "F1 70"), ("3 ok", "3 fine"), ("(NP a)", "(VP a)")])
def test_what_differs_is_seen(one: str, other: str) -> None:
    assert differs(one, other)
    assert not differs(one, one)
    assert not differs("F1 80.1  in 3 s", "F1 79.5 in 3 s")
