"""Every ``console`` and ``python`` block of the documentation runs, page by page, in an empty folder.

A line that begins with ``$`` is a command.  Folders beside the page that a command needs are made by
the commands before it.  Blocks of other kinds (forms of a command, file formats) are not run.  A page
with a line ``<!-- needs: NAME -->`` is skipped unless the data NAME is there (as ``data/NAME``) or,
for ``module NAME``, the Python module.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import DATA

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md"])
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUNNABLE = [
    page
    for page in PAGES
    if BLOCK.search(page.read_text("utf-8")) and not page.stem.startswith("tutorial-")  # see test_tutorials
]
DEMO = "eigenparse demo --trees 600 --out demo-output"  # begins several pages; run for the first of them


def steps(page: Path) -> list[list[str]]:
    """Commands of a page in order; consecutive Python blocks share their names."""
    found: list[list[str]] = []
    script = ""
    for kind, body in BLOCK.findall(page.read_text("utf-8")):
        if kind == "python":
            script += body
            continue
        if script:
            found.append([sys.executable, "-c", script])
            script = ""
        found += [["bash", "-ec", line[2:]] for line in body.splitlines() if line.startswith("$ ")]
    return [*found, [sys.executable, "-c", script]] if script else found


def lacking(page: Path) -> str | None:
    """What a page needs and this machine does not have."""
    for need in re.findall(r"<!-- needs: (.+?) -->", page.read_text("utf-8")):
        kind, _, name = need.partition(" ")
        there = importlib.util.find_spec(name) is not None if kind == "module" else (DATA / name).is_dir()
        if not there:
            return need
    return None


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the demonstration's files wait for the next page that begins with them."""
    return tmp_path_factory.mktemp("shelf")


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(p, marks=() if p == ROOT / "README.md" else pytest.mark.thorough, id=p.stem)
        for p in RUNNABLE
    ],
)
def test_page_runs(page: Path, tmp_path: Path, shelf: Path) -> None:
    missing = lacking(page)
    if missing:
        pytest.skip(f"{page.name} needs {missing}")
    if DATA.is_dir():
        (tmp_path / "data").symlink_to(DATA.resolve())
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "100"}
    for command in steps(page):
        if command[-1] == DEMO and (shelf / "demo-output").is_dir():
            shutil.copytree(shelf / "demo-output", tmp_path / "demo-output")
            continue
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, f"{command[-1]}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        if command[-1] == DEMO:
            shutil.copytree(tmp_path / "demo-output", shelf / "demo-output")
