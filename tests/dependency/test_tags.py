"""Predicted tags: jack-knifed for training, by the parser's own taggers afterwards."""

import pathlib

import numpy as np
import pytest
from tests.dependency.toys import parsed_text, run, small, toy

from eigenparse.corpus.pick import folds
from eigenparse.errors import OptionError
from eigenparse.inference.dependency.arcs import parse
from eigenparse.inference.dependency.tags import with_predicted_tags
from eigenparse.learn.dependency.arcs import options_of
from eigenparse.learn.dependency.tags import fit_tagger, jackknifed_tags
from eigenparse.models.dependency.packed_tagger import packed_tagger
from eigenparse.models.registry import load_model, save_model


def test_training_tags_come_from_taggers_that_did_not_see_them() -> None:
    trees, _ = toy(40)
    found = jackknifed_tags(trees, n_folds=4)
    tagged, accuracy = found.trees, found.accuracy
    seen, rest = folds(40, 4)[1]
    tagger = packed_tagger(fit_tagger(trees.select(seen), "upos", 0, None))
    expected = with_predicted_tags({"upos": tagger}, trees.select(rest))
    assert tagged.select(rest).strings("upos") == expected.strings("upos")
    assert accuracy["upos"] == np.mean(np.array(tagged.strings("upos")) == trees.strings("upos"))
    assert list(accuracy) == ["upos"]  # the toy has no finer tags
    assert set(tagged.strings("feats")) == {"_"}


def test_gold_tags_are_not_looked_at(tmp_path: pathlib.Path) -> None:
    trees, lines = toy(40)
    model = small(passes=3, tags="predicted").fit(trees)
    blank = trees.with_tags({})
    assert np.array_equal(parse(model, trees).head, parse(model, blank).head)
    assert options_of(model).tags == "predicted"
    save_model(model, tmp_path / "a", "dependency")
    again = load_model(tmp_path / "a", "dependency")
    save_model(again, tmp_path / "b", "dependency")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert parsed_text(model, lines, n_best=3) == parsed_text(again, lines, n_best=3)
    with pytest.raises(OptionError, match="gold, predicted"):
        small(tags="silver")


def test_the_verb_says_how_good_the_tags_are(tmp_path: pathlib.Path) -> None:
    _, lines = toy(40)
    gold = tmp_path / "gold.conllu"
    gold.write_text("\n".join(lines), encoding="utf-8")
    options = ["--tags", "predicted", "--passes", 2, "--bits", 18, "--dev", gold, "--out", tmp_path / "m"]
    assert "UAS" in run("train", "dependency", gold, *options)
