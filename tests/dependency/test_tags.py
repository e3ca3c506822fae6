"""Predicted tags: jack-knifed for training, by the parser's own taggers afterwards."""

import io
import pathlib

import numpy as np
import pytest
from tests.dependency.toys import run, small, toy

from eigenparse.corpus.folds import folds
from eigenparse.decode.dependency.arcs import parse, parse_conllu
from eigenparse.errors import OptionError
from eigenparse.inference.grammar.tags import tagging_columns, with_predicted_tags
from eigenparse.learn.dependency.mira import learner_of
from eigenparse.learn.dependency.tags import TagLearner
from eigenparse.learn.tagger.base import labelled
from eigenparse.learn.tagger.learner import TaggerOptions
from eigenparse.models.dependency.arcs import load_arcs, save_arcs


def test_training_tags_come_from_taggers_that_did_not_see_them() -> None:
    trees, _ = toy(40)
    _, tagged, report = TagLearner(n_folds=4).fit(trees)
    seen, rest = folds(40, 4)[1]
    data = labelled(tagging_columns(trees.select(seen), "upos"), "upos")
    tagger = TaggerOptions(method="hmm", emission="loglinear").fit(data).first
    expected = with_predicted_tags({"upos": tagger}, trees.select(rest))
    assert tagged.select(rest).strings("upos") == expected.strings("upos")
    assert report.accuracy["upos"] == np.mean(np.array(tagged.strings("upos")) == trees.strings("upos"))
    assert list(report.accuracy) == ["upos"]  # the toy has no finer tags
    assert set(tagged.strings("feats")) == {"_"}


def test_gold_tags_are_not_looked_at(tmp_path: pathlib.Path) -> None:
    trees, lines = toy(40)
    model, _ = small(passes=3, tags="predicted").fit(trees)
    blank = trees.with_tags({})
    assert np.array_equal(parse(model, trees).head, parse(model, blank).head)
    assert learner_of(model).tags == "predicted"
    save_arcs(tmp_path / "a", model)
    again = load_arcs(tmp_path / "a")
    save_arcs(tmp_path / "b", again)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    one, two = io.StringIO(), io.StringIO()
    parse_conllu(model, lines, one, n_best=3)
    parse_conllu(again, lines, two, n_best=3)
    assert one.getvalue() == two.getvalue()
    with pytest.raises(OptionError, match="gold or predicted"):
        small(tags="silver").fit(trees)


def test_the_verb_says_how_good_the_tags_are(tmp_path: pathlib.Path) -> None:
    _, lines = toy(40)
    gold = tmp_path / "gold.conllu"
    gold.write_text("\n".join(lines), encoding="utf-8")
    options = ["--tags", "predicted", "--passes", 2, "--bits", 18, "--dev", gold, "--out", tmp_path / "m"]
    assert "UAS" in run("train", "dependency", gold, *options)
