"""``eigenparse evaluate`` as a user meets it."""

import json
import pathlib

import pytest
from typer.testing import CliRunner

from eigenparse.batch.evaluate import choose_format
from eigenparse.cli import verbs
from eigenparse.cli.main import app
from eigenparse.errors import EigenparseError

GOLD = """(TOP (S (NP (NN rain)) (VP (VBZ falls)) (. .)))
(TOP (S (NP (DT the) (NN sun)) (VP (VBZ shines)) (. .)))
(TOP (S (NP (NN wind)) (VP (VBZ blows)) (. .)))
"""
GUESS = """(TOP (S (NP (NN rain)) (VP (VBZ falls)) (: .)))
(TOP (S (NP (DT the)) (VP (NN sun) (VBZ shines)) (NN .)))

"""


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "gold").write_text(GOLD)
    (tmp_path / "guess").write_text(GUESS)
    return tmp_path


def run(folder: pathlib.Path, *options: str) -> tuple[str, str]:
    assert "evaluate" in verbs.VERBS
    done = CliRunner().invoke(app, ["evaluate", str(folder / "gold"), str(folder / "guess"), *options])
    if done.exception is not None:
        raise done.exception
    return done.stdout, done.stderr


def test_summary_says_how_and_what_is_missing(folder: pathlib.Path) -> None:
    out, _ = run(folder)
    assert out.startswith("brackets by COLLINS, punctuation taken out by the gold tags")
    assert "sentences                                   3        3\n" in out
    assert "sentences scored                            2        2\n" in out
    assert "labelled F1                             66.67    66.67\n" in out
    assert "not scored: 1 without words: sentence 3\n" in out
    assert "labelled F1 if those counted as parses without brackets: 53.33\n" in out


def test_strict_sentences_are_all_that_evalb_prints(folder: pathlib.Path) -> None:
    out, err = run(folder, "--strict", "--per-sentence")
    lines = out.split("\n")
    assert lines[3] == "   1    3    0  100.00 100.00     3      3    3      0      2     2   100.00"
    assert lines[4] == "   2    4    1    0.00   0.00     0      0    0      0      0     0     0.00"
    assert lines[5] == "   3    3    2    0.00   0.00     0      0    0      0      0     0     0.00"
    assert lines[-2] == "Tagging accuracy          = 100.00"
    assert "strict: exactly as EVALB" in err
    assert "strict" not in out


def test_json_holds_everything(folder: pathlib.Path) -> None:
    found = json.loads(run(folder, "--json", "--per-sentence", "--per-label", "--cutoff", "3")[0])
    assert (found["mode"], found["format"], found["paired"]) == ("gold-tags", "brackets", "line by line")
    assert (found["all"]["matched"], found["all"]["gold"], found["all"]["guess"]) == (4, 6, 6)
    assert (found["short"]["sentences"], found["cutoff"]) == (2, 3)
    assert found["labels"]["NP"]["gold_matched"] == 1
    assert [one["status"] for one in found["per_sentence"]] == [0, 0, 2]


def test_comparison(folder: pathlib.Path) -> None:
    out, _ = run(
        folder, "--compare", str(folder / "gold"), "--resamples", "200", "--per-label", "--per-sentence"
    )
    assert f"against 100.00 ({folder / 'gold'})" in out
    assert "200 resamples of 2 sentences, seed 0" in out
    assert "label " in out
    found = json.loads(run(folder, "--json", "--compare", str(folder / "gold"), "--resamples", "200")[0])
    assert found["comparison"]["difference"] == pytest.approx(100 / 3)
    assert found["other"]["all"]["f1"] == 100.0


def test_own_parameters(folder: pathlib.Path) -> None:
    (folder / "mine.prm").write_text("LABELED 0\nDELETE_LABEL .\n")
    out, _ = run(folder, "--params", str(folder / "mine.prm"))
    assert out.startswith("brackets by mine (LABELED 0: labels do not count)")


@pytest.mark.parametrize(
    ("gold", "options", "problem"),
    [
        ("prose\n", [], "not a format that can be scored"),
        (GOLD, ["--format", "music"], "format must be one of .*brackets"),
        (GOLD, ["--cutoff", "-1"], "cutoff must be 0 or more"),
        (GOLD, ["--params", "nowhere.prm"], "nowhere.prm"),
        ("(S (NN a))\n", [], "has 1 trees"),
        ("(S (NN a)\n", ["--format", "brackets"], "never closed"),
    ],
)
def test_refusals_are_one_sentence(folder: pathlib.Path, gold: str, options: list[str], problem: str) -> None:
    (folder / "gold").write_text(gold)
    with pytest.raises(EigenparseError, match=problem) as caught:
        run(folder, *options)
    assert "\n" not in str(caught.value)


def test_columns_that_start_with_a_bracket_are_no_trees(folder: pathlib.Path) -> None:
    (folder / "gold").write_text("( ( O\nthe DT O\n")
    assert choose_format(folder / "gold", None) != "brackets"


@pytest.mark.parametrize("start", ["( (S", "((S", "(S", "(S\n ", "\n# id\n(S"])
def test_brackets_are_recognised(folder: pathlib.Path, start: str) -> None:
    for name in ("gold", "guess"):
        (folder / name).write_text(f"{start} (NN a)){')' * (start.count('(') - 1)}\n")
    assert "labelled F1                            100.00" in run(folder)[0]
