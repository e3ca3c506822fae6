"""Raw gold trees, with all that annotators add: whoever scores by them gets the same figures."""

import pathlib
import re

import pytest
from tests.cli.calls import call

from eigenparse.api.learner import LatentPCFG
from eigenparse.corpus.brackets import write_trees
from eigenparse.evaluate.errors import find_errors
from eigenparse.evaluate.pairing import comparable, pair_files
from eigenparse.synthetic import sample_treebank

NUMBER = r"\d+\.\d+"


def raw(line: str) -> str:
    """A tree with an identifier, editorial nodes, traces, function tags, suffixes of tags and X over X."""
    inner = line.removeprefix("(TOP ").removesuffix(")")
    inner = re.sub(r"\(NN ", "(NN-D ", inner).replace("(NP ", "(NP-SBJ-1 (-NONE- *T*-1) ", 1)
    label = inner[1:].split()[0]
    note = "(METADATA (AUTHOR (NN somebody)))"
    return f"( ({label}-MAT {note} (CODE <P:12>) {inner} (REM (NN aside))) (ID a.1))"


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with train.ptb, gold.ptb and what a grammar finds."""
    folder = tmp_path_factory.mktemp("raw")
    for name, trees in (("train", sample_treebank(200, 0)), ("clean", sample_treebank(30, 5))):
        write_trees(trees, folder / f"{name}.ptb")
    lines = (folder / "clean.ptb").read_text().splitlines()
    (folder / "gold.ptb").write_text("".join(f"{raw(line)}\n" for line in lines))
    options = ("--states", 2, "--drop", "REM", "--dev", folder / "gold.ptb", "--out", folder / "m")
    trained = call("train", "lpcfg", folder / "train.ptb", *options)
    assert trained.code == 0, trained.err
    (folder / "dev.txt").write_text(trained.out)
    done = call("parse", folder / "m", folder / "gold.ptb", "--out", folder / "guess.ptb")
    assert done.code == 0, done.err
    return folder


def figures(bank: pathlib.Path, *options: object) -> dict[str, float]:
    """What ``evaluate`` prints, by name."""
    import json

    done = call("evaluate", bank / "gold.ptb", bank / "guess.ptb", "--drop", "REM", "--json", *options)
    assert done.code == 0, done.err
    found: dict[str, float] = json.loads(done.out)["all"]
    return found


def test_every_sentence_is_scored(bank: pathlib.Path) -> None:
    found = figures(bank)
    assert found["scored"] == found["sentences"] == 30
    assert found["f1"] > 60


def test_training_and_evaluate_print_the_same(bank: pathlib.Path) -> None:
    table = [line.split("  ") for line in (bank / "dev.txt").read_text().splitlines()]
    head, last = ([cell.strip() for cell in row if cell.strip()] for row in (table[0], table[-1]))
    trained = dict(zip(head, last))
    found = figures(bank)
    for ours, theirs in (
        ("F1", "f1"),
        ("precision", "precision"),
        ("recall", "recall"),
        ("tagging", "tagging"),
    ):
        assert trained[ours] == f"{found[theirs]:.2f}", ours


def test_the_estimator_and_compare_agree_with_evaluate(bank: pathlib.Path) -> None:
    learner = LatentPCFG(states=2)
    learner.fit(bank / "train.ptb")
    plain = bank / "plain.ptb"
    plain.write_text((bank / "gold.ptb").read_text().replace("(REM (NN aside))", ""))
    guess = bank / "plain.guess"
    guess.write_text("".join(f"{one.tree}\n" for one in learner.predict(_words(bank))))
    pair = comparable(pair_files(plain, guess))
    assert learner.score(plain) == pytest.approx(pair.score().all.f1 / 100)
    errors = find_errors(pair)
    assert sum(one.matched for one in errors.sentences) == pair.score().all.matched
    assert not any(tag == "NN-D" for one in errors.sentences for _, tag, _ in one.tags)


def _words(bank: pathlib.Path) -> list[list[str]]:
    return [re.findall(r" ([^()\s]+)\)", line) for line in (bank / "clean.ptb").read_text().splitlines()]
