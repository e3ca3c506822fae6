"""The verbs of the dependency family, run in process."""

import json
import pathlib

import pytest
from tests.dependency.toys import parsed_text, run, toy

from eigenparse.errors import FormatError
from eigenparse.models.registry import load_model


def test_train_parse_evaluate(tmp_path: pathlib.Path) -> None:
    _, lines = toy()
    gold, guess, model = tmp_path / "gold.conllu", tmp_path / "guess.conllu", tmp_path / "model"
    gold.write_text("\n".join(lines), encoding="utf-8")
    options = ["--passes", 20, "--bits", 18, "--order", 2, "--dev", gold, "--out", model]
    assert "UAS 100.00" in run("train", "dependency", gold, *options)
    guess.write_text(parsed_text(load_model(model, "dependency"), lines), encoding="utf-8")
    figures = json.loads(run("evaluate", gold, guess, "--json"))
    assert (figures["UAS"], figures["LAS"], figures["complete"]) == (100.0, 100.0, 100.0)
    (tmp_path / "tokens").write_text("dog sees cat\n", encoding="utf-8")
    parsed = ["--output", tmp_path / "out"]
    assert "the sentences have no tags" in run("parse", model, tmp_path / "tokens", *parsed)
    assert "no tags" not in run("parse", model, gold, *parsed)
    report = run("evaluate", gold, guess, "--per-label", "--compare", gold)
    assert "difference +0.00" in report


def test_broken_training_file_is_named(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "bad.conllu"
    path.write_text("1\ta\t_\tX\t_\t_\t1\tdep\t_\t_\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"bad\.conllu:1: a word is its own head"):
        run("train", "dependency", path, "--out", tmp_path / "m")
