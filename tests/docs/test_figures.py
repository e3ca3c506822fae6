"""Every table of measured numbers in the documentation names the command that printed it.

The command stands in backticks in the same section as the table or in one above it (a heading of a higher level), or
in the introduction of the page.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"])
NOT_MEASURED = {"papers", "equations", "notation", "formats", "architecture", "cli", "api"}
COMMAND = re.compile(
    r"`[^`]*(?:eigenparse \w+|python [\w/]*benchmarks/\w+|benchmarks/\w+\.py|pytest |make |scripts/)[^`]*`|^\$ ",
    re.M,
)
FIGURE = re.compile(r"^[^a-zA-Z]*\d+\.\d+[^a-zA-Z]*$")
ENOUGH = 3  # cells with a decimal figure that make a table one of measurements


def tables_without_command(text: str) -> list[str]:
    """First lines of tables of figures whose sections name no command."""
    found, above, body = [], {0: ""}, list[str]()
    level = 0
    for line in [*text.splitlines(), ""]:
        heading = re.match(r"(#+) ", line)
        if heading:
            level = len(heading[1])
            above = {k: v for k, v in above.items() if k < level}
        if line.startswith("|"):
            body.append(line)
            continue
        above[level] = above.get(level, "") + line + "\n"
        if body:
            cells = [cell.strip(" *") for row in body[2:] for cell in row.strip("|").split("|")]
            figures = sum(bool(FIGURE.match(cell)) for cell in cells)
            said = "".join(above.values()) + "".join(body)
            if figures >= ENOUGH and not COMMAND.search(said):
                found.append(body[0])
            body = []
    return found


@pytest.mark.parametrize("page", [p for p in PAGES if p.stem not in NOT_MEASURED], ids=lambda page: page.stem)
def test_tables_of_figures_name_their_command(page: Path) -> None:
    assert not tables_without_command(page.read_text("utf-8"))


def test_a_table_without_a_command_is_found() -> None:
    table = "| a | b |\n|---|---|\n| x | 1.5 |\n| y | 2.5 |\n| z | 3.5 |\n"
    assert tables_without_command(f"# Page\n\n{table}") == ["| a | b |"]
    assert not tables_without_command(f"# Page\n\nPrinted by `eigenparse demo`:\n\n{table}")
    assert not tables_without_command("# Page\n\n| a | b |\n|---|---|\n| x | many |\n")
