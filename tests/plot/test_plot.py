"""Plots: calibration by hand and by simulation, curves of grammars, files of all forms."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import eigenparse
import eigenparse.cli.verbs
from eigenparse.api.calibration import calibrations, chosen_calibrations
from eigenparse.api.learner import LatentPCFG
from eigenparse.cli.main import app
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.pick import tokens_of
from eigenparse.errors import DataError, OptionError
from eigenparse.learn.grammar.judge_cases import gold_brackets
from eigenparse.plot import calibrate, calibration_curves, learning_curves, render, singular_curves
from eigenparse.report import Curves, Report, Section, Series, write_report
from eigenparse.synthetic import sample_treebank

BOWL = Curves("a bowl", "x", "y", (Series("square", (1.0, 2.0, 3.0), (1.0, 4.0, 9.0)),))


def test_calibration_by_hand() -> None:
    found = calibrate(np.array([0.1, 0.2, 0.9, 1.0]), np.array([False, True, True, True]), bins=2)
    assert found.count.tolist() == [2, 2]
    assert found.claimed == pytest.approx([0.15, 0.95])
    assert found.true == pytest.approx([0.5, 1.0])
    assert found.error == pytest.approx((0.35 + 0.05) / 2)


def test_honest_posteriors_have_little_error_and_boastful_ones_have_much() -> None:
    p = np.random.default_rng(0).random(20_000)
    came = np.random.default_rng(1).random(20_000) < p
    assert calibrate(p, came).error < 0.02
    assert calibrate(np.sqrt(p), came).error > 0.1


def test_nothing_to_calibrate() -> None:
    with pytest.raises(DataError, match="there are none"):
        calibrate(np.empty(0), np.empty(0, dtype=bool))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plot") / "small.model"
    LatentPCFG(states=4).fit(sample_treebank(200, 0)).save(path)
    return path


def test_curves_of_a_grammar(model: Path) -> None:
    latent = eigenparse.load(model).latent
    names = [str(label) for label in latent.skeleton.labels]
    singular = singular_curves(latent.report, names, most=3)
    assert singular is not None
    assert len(singular.series) == 3
    assert all(list(line.y) == sorted(line.y, reverse=True) for line in singular.series)
    learning = learning_curves(latent.report)
    assert learning is not None
    said = latent.report["members"][0]["log_likelihood"]
    assert [y * latent.report["n_words"] for y in learning.series[0].y] == pytest.approx(said)
    assert singular_curves({}, []) is None
    assert learning_curves({}) is None


def test_chosen_brackets_and_tags_are_counted_by_what_was_promised(model: Path) -> None:
    gold = normalise(sample_treebank(20, 5))
    found, trees = (
        chosen_calibrations(eigenparse.load(model), gold),
        eigenparse.load(model).parse_many(tokens_of(gold)),
    )
    assert found["tags"].count.sum() == sum(len(one.tags) for one in trees)
    assert found["brackets"].count.sum() == sum(len(one.brackets) for one in trees)
    right = sum(
        (b.start, b.end, b.label) in true
        for one, true in zip(trees, gold_brackets(gold))
        for b in one.brackets
    )
    assert found["brackets"].true @ found["brackets"].count == pytest.approx(right)


def test_the_table_of_calibration_has_an_error_for_brackets_tags_and_trees(
    model: Path, tmp_path: Path
) -> None:
    gold = tmp_path / "gold.ptb"
    gold.write_text("(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sleeps))))\n")
    done = CliRunner().invoke(app, ["evaluate", str(gold), str(model), "--calibration"])
    assert done.exit_code == 0
    assert done.output.count("expected calibration error") == 3


def test_calibration_of_a_grammar(model: Path) -> None:
    found = calibrations(eigenparse.load(model), normalise(sample_treebank(20, 5)))
    assert set(found) == {"constituents", "tags"}
    assert found["constituents"].error < 0.2
    assert [line.name.split()[0] for line in calibration_curves(found).series] == [
        "perfect",
        "constituents",
        "tags",
    ]


@pytest.mark.parametrize(("form", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_forms_repeat_to_the_byte(form: str, start: bytes) -> None:
    pytest.importorskip("matplotlib")
    once = render([BOWL, BOWL, BOWL], form, title="three bowls")
    assert once.startswith(start)
    assert once == render([BOWL, BOWL, BOWL], form, title="three bowls")


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(OptionError, match="not as 'gif'"):
        render([BOWL], "gif")
    with pytest.raises(OptionError, match="nothing to plot"):
        render([], "png")


def test_the_verb_draws_models_and_reports(model: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    run = CliRunner()
    shown = run.invoke(app, ["plot", str(model), "--out", str(tmp_path / "m.svg")])
    assert "Singular values by label, Learning" in shown.output
    assert b"singular value" in (tmp_path / "m.svg").read_bytes()
    write_report(Report("bowls", "", (Section("one", "", (BOWL,)),)), tmp_path / "r.json")
    shown = run.invoke(app, ["plot", str(tmp_path / "r.json"), "--out", str(tmp_path / "r.png")])
    assert shown.output.endswith("r.png: a bowl\n")
    assert (tmp_path / "r.png").stat().st_size > 5000
