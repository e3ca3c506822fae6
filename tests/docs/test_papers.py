"""docs/papers.md has a row for every numbered part of the four papers, and names only what exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "papers.md").read_text("utf-8")


def parts(kind: str, numbers: str) -> list[str]:
    return [f"{kind} {number}" for number in numbers.split()]


def up_to(kind: str, first: int, last: int) -> list[str]:
    return [f"{kind} {number}" for number in range(first, last + 1)]


PARTS = {
    "matejovicova-2018": [
        *parts(
            "section", "1 2 2.1 2.1.1 2.1.2 2.1.3 2.2 2.3 2.4 3 3.1 3.2 3.3 3.4 3.5 3.6 4 4.1 4.1.1 4.1.2 4.2"
        ),
        *parts("section", "4.2.1 4.2.2 4.3 4.3.1 4.3.2 5 5.1 5.2 5.3 6 7 7.1 7.2"),
        *parts("definition", "2.1 2.2 2.3 2.4 2.5 2.6"),
        *up_to("figure", 1, 28),
    ],
    "cohen-2014": [
        *parts("section", "1 2 3 4 4.1 4.2 4.3 5 6 6.1 6.2 7 7.1 7.2 8 9"),
        *parts("appendix", "A A.1 A.2 A.3 A.4 A.5 B B.1 B.1.1 B.1.2 B.1.3 B.2 B.2.1 B.3 B.3.1 B.4"),
        *up_to("figure", 1, 8),
        *parts("definition", "1 5"),
        *parts("theorem", "3 6 8"),
        *parts("condition", "1 2"),
        *parts("remark", "2 4"),
        "lemma 7",
        *up_to("lemma", 9, 20),
    ],
    "stratos-2013": [
        *parts("section", "1 2 3 3.1 3.2 4 5 5.1 5.2 6 7 8"),
        "appendix",
        *up_to("figure", 1, 8),
        *parts("proposition", "4.1 5.1"),
        *parts("theorem", "4.1 5.1"),
        *parts("condition", "6.1 6.2"),
    ],
    "dhillon-2012": [
        *parts("section", "1 2 2.1 2.2 3 3.1 3.2 3.3 3.4 4 4.1 4.2 4.3 5 6 7"),
        *up_to("figure", 1, 2),
        "table 1",
        "algorithm 1",
        "theorem 3.1",
        *parts("definition", "1 2"),
    ],
}


@pytest.mark.parametrize("paper", PARTS)
def test_every_part_has_one_row_with_all_cells(paper: str) -> None:
    section = PAGE.partition(f"## {paper}\n")[2].partition("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("| ").split("|")] for line in section.splitlines()[3:] if line
    ]
    assert sorted(row[0] for row in rows) == sorted(PARTS[paper])
    assert all(len(row) == 4 and row[1] and row[3] for row in rows)


def test_what_the_page_names_is_there() -> None:
    for name in re.findall(r"`(tests/[\w/.]+)`", PAGE):
        assert (ROOT / name).exists(), name
    for name in re.findall(r"`([a-z]+/[\w/]+(?:\.py)?)`", PAGE):
        if not name.startswith("tests/"):
            assert (ROOT / "src" / "eigenparse" / name).exists(), name
    for name in re.findall(r"\((\w[\w-]*\.(?:md|bib))\)", PAGE):
        assert (ROOT / "docs" / name).exists(), name
