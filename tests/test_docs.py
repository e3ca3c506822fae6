"""The documentation names only what exists."""

import importlib
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md"))
NAMED = sorted(
    {name for page in PAGES for name in re.findall(r"`(eigenparse(?:\.\w+)+)`", page.read_text("utf-8"))}
)


def bibliography() -> set[str]:
    """Every key of the bibliography, other names included."""
    text = (ROOT / "docs" / "refs.bib").read_text("utf-8")
    keys = re.findall(r"^@\w+\{([^,]+),", text, re.MULTILINE)
    assert len(keys) == len(set(keys))
    other = re.findall(r"^\s*ids\s*=\s*\{([^}]*)\}", text, re.MULTILINE)
    return {*keys, *(key.strip() for names in other for key in names.split(","))}


@pytest.mark.parametrize("name", NAMED)
def test_named_functions_exist(name: str) -> None:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute)


def test_cited_papers_are_in_the_bibliography() -> None:
    files = [*PAGES, *(ROOT / "src").rglob("*.py")]
    cited = {
        (key, path.name)
        for path in files
        for key in re.findall(r"\[([a-z]+(?:-[a-z]+)*-\d{4})[\],;]", path.read_text("utf-8"))
    }
    known = bibliography()
    assert {key for key, _ in cited} > {"cohen-etal-2014"}
    assert sorted((key, name) for key, name in cited if key not in known) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: pathlib.Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
