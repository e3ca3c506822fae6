"""The pages on other libraries and on pictures run as they are written."""

import json
import pathlib
import re
import shutil

import pytest
from tests.cli.calls import call

from eigenparse.api.learner import LatentPCFG
from eigenparse.corpus.brackets import format_trees
from eigenparse.corpus.normalise import normalise
from eigenparse.report import Curves, Report, Section, Series, write_report
from eigenparse.synthetic import sample_treebank

DOCS = pathlib.Path(__file__).parent.parent.parent / "docs"


def test_python_of_the_integrations_page(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "integrations.md").read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, "integrations.md", "exec"), {})
    out = capsys.readouterr().out
    assert out.startswith("(S (NP ")
    assert "(TOP" in out


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """Where the commands of a page find the files that they name."""
    monkeypatch.chdir(tmp_path)
    trees = sample_treebank(120, 0)
    lines = format_trees(normalise(trees)).decode().split("\n")
    for name in ("trees.ptb", "dev.ptb"):
        pathlib.Path(name).write_text("\n".join(lines[:3]) + "\n")
    pathlib.Path("corpus.conllu").write_text(call("convert", "trees.ptb").out)
    pathlib.Path("letter.txt").write_text("The dog saw a cat. We like dogs.\n\nYes!\n")
    LatentPCFG(states=2).fit(trees).save("my.model")
    bowl = Curves("a bowl", "x", "y", (Series("square", (1.0, 2.0), (1.0, 4.0)),))
    write_report(Report("bowls", "", (Section("one", "", (bowl,)),)), pathlib.Path("report.json"))
    return tmp_path


@pytest.mark.parametrize(("page", "count"), [("pictures.md", 7), ("integrations.md", 1)])
def test_commands_of_the_pages(page: str, count: int, folder: pathlib.Path) -> None:
    text = (DOCS / page).read_text("utf-8")
    commands = re.findall(r"^eigenparse (.+?)(?:\s+#.*)?$", text, re.MULTILINE)
    assert len(commands) == count
    for command in commands:
        done = call(*command.split())
        assert done.code == 0, (command, done.err)
    made = {path.name for path in folder.iterdir()}
    wanted = {"trees-1.svg", "second.svg", "my.png", "honest.svg", "curves.pdf"}
    assert (wanted if page == "pictures.md" else {"letter.jsonl"}) <= made
    shutil.rmtree(folder, ignore_errors=True)


def test_json_lines_are_what_pandas_expects(folder: pathlib.Path) -> None:
    call("parse", "en", "letter.txt", "--raw", "--format", "json", "--output", "letter.jsonl")
    rows = [json.loads(line) for line in (folder / "letter.jsonl").read_text("utf-8").splitlines()]
    assert [len(row["tags"]) for row in rows] == [len(row["tokens"]) for row in rows] == [6, 4, 2]
    assert len({tuple(row) for row in rows}) == 1  # the same columns everywhere
    pandas = pytest.importorskip("pandas")
    parses = pandas.read_json(folder / "letter.jsonl", lines=True)
    assert len(parses) == 3
    assert len(parses.explode(["tokens", "tags"])) == sum(map(len, parses["tokens"]))
