"""The phrases that show what a state stands for are phrases of the training trees, under its label and by its rule."""

import pathlib

import pytest
from tests.cli.calls import call

from eigenparse import load
from eigenparse.corpus.brackets import write_trees
from eigenparse.corpus.columns import sentences_of
from eigenparse.inference.grammar.typical import state_profiles
from eigenparse.learn.grammar.judge_cases import gold_brackets
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.synthetic import sample_treebank

TREES = sample_treebank(150, 3)


@pytest.fixture(scope="module")
def grammar() -> LatentGrammar:
    return GrammarOptions(states=3, nodes_per_state=20, span_loss=0.0).fit(TREES)


def test_phrases_are_constituents_of_the_training_trees(grammar: LatentGrammar) -> None:
    there = {
        (label, " ".join(words[i:j]))
        for words, nodes in zip(sentences_of(TREES), gold_brackets(TREES))
        for i, j, label in nodes
    }
    labels = [a for a, label in enumerate(grammar.skeleton.labels) if not label.partial]
    profiles = state_profiles(grammar, labels, 4)
    tops = {str(label): label.chain[0] for label in grammar.skeleton.labels}
    shown = [(tops[one.label], phrase) for one in profiles for _, phrase, _ in one.phrases if phrase]
    assert len(shown) > 20
    assert set(shown) <= there
    first = next(one for one in profiles if one.label == "NP" and any(phrase for _, phrase, _ in one.phrases))
    assert all(weight > 0 for _, _, weight in first.phrases)


def test_a_file_keeps_them(grammar: LatentGrammar, tmp_path: pathlib.Path) -> None:
    write_trees(TREES, tmp_path / "t.ptb")
    options = (
        "--states",
        3,
        "--nodes-per-state",
        20,
        "--span-loss",
        0,
        "--no-judge",
        "--out",
        tmp_path / "m",
    )
    assert call("train", "lpcfg", tmp_path / "t.ptb", *options).code == 0
    assert load(tmp_path / "m").latent.report["examples"] == grammar.report["examples"]
    told = call("info", tmp_path / "m", "--label", "NP").out
    assert any(phrase in told for _, _, phrase in grammar.report["examples"])
