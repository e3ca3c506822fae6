"""What somebody who tries the Python interface meets: pictures, words about objects, scikit-learn."""

import json
import pathlib

import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from tests.cli.calls import call

from eigenparse import LatentPCFG
from eigenparse.corpus.brackets import format_trees, write_trees
from eigenparse.synthetic import sample_treebank


@pytest.fixture(scope="module")
def trees() -> list[str]:
    return format_trees(sample_treebank(40, 0)).decode().splitlines()


def test_a_parse_shows_itself(trees: list[str]) -> None:
    grammar = LatentPCFG(method="pcfg").fit(trees)
    parse = grammar.parse("the man saw the dog .")
    assert parse.dependencies().n_words == 6
    assert "man" in parse.draw()
    assert parse._repr_svg_().startswith("<svg")
    assert f"{parse.probability:.3f}" in parse._repr_html_()
    assert "40 trees" in repr(grammar)
    assert "1 members" in repr(grammar)


def test_scikit_learn_searches_settings_by_f1(trees: list[str]) -> None:
    search = GridSearchCV(clone(LatentPCFG(method="pcfg")), {"horizontal": [0, 1]}, cv=2).fit(trees)
    assert 0 < search.best_score_ <= 1
    assert set(search.best_params_) == {"horizontal"}
    again = clone(search.best_estimator_)
    assert again.get_params() == search.best_estimator_.get_params()
    assert not hasattr(again, "grammar_")
    assert search.predict(["the man saw the dog ."])[0].status == "ok"


def test_many_pictures_ask_for_a_folder(tmp_path: pathlib.Path) -> None:
    write_trees(sample_treebank(12, 1), tmp_path / "t.ptb")
    done = call("draw", tmp_path / "t.ptb", "--out", tmp_path / "x.svg")
    assert done.code == 1
    assert "--folder" in done.err
    done = call("draw", tmp_path / "t.ptb", "--folder", tmp_path / "pictures")
    assert done.code == 0, done.err
    assert len(list((tmp_path / "pictures").glob("*.svg"))) == 12


def test_a_training_report_is_plotted(tmp_path: pathlib.Path) -> None:
    write_trees(sample_treebank(60, 1), tmp_path / "t.ptb")
    options = (
        "--states",
        2,
        "--nodes-per-state",
        5,
        "--report",
        tmp_path / "r.json",
        "--out",
        tmp_path / "m",
    )
    assert call("train", "lpcfg", tmp_path / "t.ptb", *options).code == 0
    content = json.loads((tmp_path / "r.json").read_text())
    assert len(content["labels"]) == len(content["states"]) == content["n_labels"]
    done = call("plot", tmp_path / "r.json", "--out", tmp_path / "p.svg")
    assert done.code == 0, done.err
    for title in ("Singular values by label", "Learning", "States by label", "Time by stage"):
        assert title in done.out
