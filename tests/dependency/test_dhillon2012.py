"""Table 1 end to end on a toy treebank, and trees without punctuation."""

import pathlib

import numpy as np
import pytest
from tests.dependency.toys import run, toy

from eigenparse.cli import reproduce_dhillon2012 as reproduce_dhillon2012
from eigenparse.corpus.dependencies import broken_trees, from_tokens, without_punctuation
from eigenparse.errors import OptionError
from eigenparse.experiments.dhillon2012 import Plan
from eigenparse.report import read_report


def test_every_row_of_the_table_is_there(tmp_path: pathlib.Path) -> None:
    _, lines = toy(24)
    gold, kept = tmp_path / "gold.conllu", tmp_path / "kept"
    gold.write_text("\n".join(lines), encoding="utf-8")
    options = ["--passes", 1, "--best", 4, "--folds", 2, "--estimators", "lpcfg,printed", "--keep", kept]
    options += ["--states", "lpcfg=2,printed=2"]
    files = ["--train", gold, "--dev", gold, "--test", gold]
    first = run("reproduce", "dhillon2012", *files, *options, "--out", tmp_path / "a")
    assert len(list(kept.glob("parser-*"))) == 6  # a parser and two folds of both orders
    run("reproduce", "dhillon2012", *files, *options, "--out", tmp_path / "b")
    one, two = read_report(tmp_path / "a"), read_report(tmp_path / "b")
    assert one.sections[:2] == two.sections[:2]
    table = one.sections[0].items[0]
    names = [row[0] for row in table.rows]
    for order in ("first order", "second order"):
        for method in ("parser", "re-ranked, base features", "re-ranked, base features + log p (printed)"):
            assert f"{order}: {method}" in names
    best = [row[1] for row in table.rows if "best tree" in str(row[0])]
    assert all(row[1] <= max(best) for row in table.rows)
    assert "p" in first


def test_plans_that_cannot_run_are_refused() -> None:
    with pytest.raises(OptionError, match="orders must be"):
        Plan(orders=(3,))
    with pytest.raises(OptionError, match="estimators must be among"):
        Plan(estimators=("magic",))


def test_words_below_punctuation_move_up() -> None:
    tags = [["NOUN", "PUNCT", "VERB", "NOUN"], ["PUNCT"], ["NOUN", "PUNCT", "NOUN", "ADJ"]]
    words = [["a", ",", "b", "c"], ["!"], ["d", "-", "e", "f"]]
    trees = from_tokens(words, tags).with_heads([2, 3, 0, 3, 0, 2, 0, 2, 3])
    plain = without_punctuation(trees)
    assert plain.strings("form") == ["a", "b", "c", "d", "e", "f"]
    assert plain.offsets.tolist() == [0, 3, 6]
    assert plain.head.tolist() == [2, 0, 2, 0, 1, 2]
    assert broken_trees(plain)[0].size == 0


def test_trees_without_punctuation_stay() -> None:
    trees, _ = toy(30)
    plain = without_punctuation(trees)
    assert np.array_equal(plain.head, trees.head)
    assert np.array_equal(plain.offsets, trees.offsets)
