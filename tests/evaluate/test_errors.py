"""The error browser: every bracket gets one class, and all counts agree with ``evaluate``."""

import json
import pathlib
import re

import numpy as np
import pytest
from tests.cli.calls import call
from typer.testing import CliRunner

from eigenparse.cli.app import app
from eigenparse.cli.main import register
from eigenparse.corpus.brackets import format_trees
from eigenparse.evaluate.errors import RIGHT, ErrorReport, find_errors
from eigenparse.evaluate.pairing import PairedFiles, pair_files
from eigenparse.synthetic import sample_treebank

GOLD = "(ROOT (S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) (NP (NN sun)))))))"
ATTACHED = "(ROOT (S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN with) (NP (NN sun))))))"
RELABELLED = GOLD.replace("(PP (IN with)", "(ADVP (IN with)")
UNARY = GOLD.replace("(NP (NN sun))", "(NP (NML (NN sun)))").replace(
    "(NP (DT a) (NN man))", "(NP (NX (DT a) (NN man)))"
)
COORDINATED = "(ROOT (NP (NP (NN tea)) (CC and) (NP (NP (NN milk)) (PP (IN of) (NP (NN goats))))))"
WRONGLY = "(ROOT (NP (NP (NP (NN tea)) (CC and) (NP (NN milk))) (PP (IN of) (NP (NN goats)))))"


def paired(folder: pathlib.Path, gold: list[str], guess: list[str]) -> PairedFiles:
    for name, lines in (("gold", gold), ("guess", guess)):
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return pair_files(folder / "gold", folder / "guess")


def classes(report: ErrorReport) -> set[str]:
    return set(report.classes)


@pytest.mark.parametrize(
    ("gold", "guess", "expected"),
    [
        (GOLD, GOLD, set()),
        (GOLD, RELABELLED, {"label"}),
        (GOLD, ATTACHED, {"attachment: PP", "structure"}),
        (GOLD, UNARY, {"tag", "unary"}),
        (COORDINATED, WRONGLY, {"coordination", "structure"}),
    ],
)
def test_known_mistakes_get_their_class(
    tmp_path: pathlib.Path, gold: str, guess: str, expected: set[str]
) -> None:
    assert classes(find_errors(paired(tmp_path, [gold], [guess]))) <= expected
    assert bool(expected) == bool(find_errors(paired(tmp_path, [gold], [guess])).classes)


def test_a_wrong_tag_is_listed(tmp_path: pathlib.Path) -> None:
    report = find_errors(paired(tmp_path, [GOLD], [GOLD.replace("(NN sun)", "(JJ sun)")]))
    assert report.sentences[0].tags == (("sun", "NN", "JJ"),)
    assert report.tags == {("NN", "JJ"): 1}


def test_counts_agree_with_evaluate(tmp_path: pathlib.Path) -> None:
    """Random changes of sampled trees: the marks add up to the scorer's own counts."""
    rng = np.random.default_rng(5)
    gold = format_trees(sample_treebank(60, seed=3)).decode("utf-8").splitlines()
    labels = ["NP", "VP", "PP", "S"]
    guess = [
        re.sub(r"\((NP|VP|PP)\b", lambda m: f"({rng.choice(labels)}" if rng.random() < 0.3 else m[0], x)
        for x in gold
    ]
    pair = paired(tmp_path, gold, guess)
    report, scores = find_errors(pair), pair.score()
    for one, matched, n_gold, n_guess in zip(report.sentences, scores.matched, scores.gold, scores.guess):
        assert (one.matched, len(one.gold), len(one.guess)) == (matched, n_gold, n_guess)
    total = sum(mark.verdict != RIGHT for one in report.sentences for mark in (*one.gold, *one.guess))
    assert (
        sum(report.classes.values()) == total == scores.all.gold + scores.all.guess - 2 * scores.all.matched
    )


def test_the_page_holds_its_data_escaped(tmp_path: pathlib.Path) -> None:
    hostile = '(ROOT (S (NP (NN </script><script>alert(1)</script>)) (VP (VB "onload=))))'.replace("(1)", "")
    (tmp_path / "gold").write_text(hostile + "\n")
    (tmp_path / "guess").write_text(hostile.replace("(NP ", "(X<b> ") + "\n")
    register(["compare"])
    result = CliRunner().invoke(
        app, ["compare", str(tmp_path / "gold"), str(tmp_path / "guess"), "--out", str(tmp_path / "page")]
    )
    assert result.exit_code == 0, result.output
    page = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "X<b>" not in page
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found
    data = json.loads(found[1])
    assert data["sentences"][0]["text"].startswith("</script>")
    assert data["sentences"][0]["wrong"] == 2


def test_errors_at_unknown_words_are_a_class(tmp_path: pathlib.Path) -> None:
    """The brackets that end at a wrongly tagged unknown word, and no others, change their class."""
    guess = GOLD.replace("(NP (NN sun))", "(ADJP (JJ sun))").replace("(DT a)", "(CD a)")
    pair = paired(tmp_path, [GOLD], [guess])
    plain, known = find_errors(pair), find_errors(pair, known={"I", "saw", "a", "man", "with"})
    assert plain.classes.total() == known.classes.total()
    assert known.classes == {"unknown word": 2}
    assert known.unknown == {("NN", "JJ"): 1}
    assert known.n_unknown == 1
    assert plain.n_unknown == 0
    assert find_errors(pair, known={"I", "saw", "a", "man", "with", "sun"}).classes == plain.classes


@pytest.mark.parametrize("known", ["trees", "model"])
def test_the_words_of_trees_or_of_a_grammar_are_known(tmp_path: pathlib.Path, known: str) -> None:
    (tmp_path / "train").write_bytes(format_trees(sample_treebank(40, 1)))
    paired(tmp_path, [GOLD.replace("man", "zyx")], [ATTACHED.replace("(NN man)", "(JJ zyx)")])
    names = {"trees": tmp_path / "train", "model": tmp_path / "model"}
    done = call("train", "lpcfg", names["trees"], "--method", "pcfg", "--out", names["model"])
    assert done.code == 0, done.err
    options = ("--train", names[known], "--out", tmp_path / "errors")
    done = call("compare", tmp_path / "gold", tmp_path / "guess", *options)
    assert done.code == 0, done.err
    assert "1 of 1 unknown words have a wrong tag" in done.out or "unknown words have a wrong tag" in done.out
    page = (tmp_path / "errors" / "index.html").read_text()
    assert "<option>unknown word</option>" in page
    assert "tags of unknown words confused" in page
