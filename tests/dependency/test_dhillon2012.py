"""Table 1 end to end on a toy treebank, and trees without punctuation."""

import itertools
import pathlib

import numpy as np
import pytest
from tests.dependency.toys import run, toy

from eigenparse.cli import reproduce_dhillon2012 as reproduce_dhillon2012
from eigenparse.corpus.dependencies import broken_trees, from_tokens, without_punctuation
from eigenparse.errors import OptionError
from eigenparse.experiments.dhillon2012 import Plan
from eigenparse.experiments.dhillon_theory import errors_at, known_trees, path_probability, tree_probability
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
    published = {row[0]: row[3:] for row in table.rows if row[3] is not None}
    assert published["first order: re-ranked, base features + log p (printed)"] == (91.7, 37.8)
    assert not any("lpcfg" in str(name) for name in published)  # each figure beside the model it belongs to
    best = [row[1] for row in table.rows if "best tree" in str(row[0])]
    assert all(row[1] <= max(best) for row in table.rows)
    assert "p" in first
    alone = {str(row[0]): row[1] for item in one.sections[2].items[1:] for row in item.rows}
    assert len(alone) == 6  # three latent models as parsers, two parts
    assert all(value > 40 for value in alone.values())


def test_plans_that_cannot_run_are_refused() -> None:
    with pytest.raises(OptionError, match="orders must be"):
        Plan(orders=(3,))
    with pytest.raises(OptionError, match="estimators must be among"):
        Plan(estimators=("magic",))
    with pytest.raises(OptionError, match="need word vectors"):
        Plan(estimators=("printed-words",))


def test_estimators_name_their_states_and_what_they_observe() -> None:
    plan = Plan(estimators=("printed", "printed@5"))
    assert [plan.parts(name) for name in ("printed", "printed@5", "printed-words@7", "lpcfg")] == [
        ("printed", 10, False),
        ("printed", 5, False),
        ("printed", 7, True),
        ("lpcfg", 16, False),
    ]
    assert plan.learner("printed-words@7").observed() == ("form",)


def test_theorem_3_1() -> None:
    """The known model by enumeration; the error falls with the sample; paths from the root are no substitute."""
    known = known_trees(2, 3, 0)
    words = (0, 2, 1, 2)
    total = sum(
        known.pi[b] * known.T[0, a, b] * known.T[1, c, b] * known.T[1, d, c]
        * known.O[0, a] * known.O[2, b] * known.O[1, c] * known.O[2, d]
        for a, b, c, d in itertools.product(range(2), repeat=4)
    )  # fmt: skip
    assert tree_probability(known, words) == pytest.approx(total, rel=1e-12)
    strings = list(itertools.product(range(3), repeat=4))
    assert max(abs(path_probability(known, w) / tree_probability(known, w) - 1) for w in strings) > 0.01
    few, many = (errors_at(known, n, 0) for n in (10_000, 100_000_000))
    assert many[0] < few[0] / 20
    assert many[1] > 0.05


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
