"""Signed weights: what is said of them, and the distribution that --project takes instead."""

import pathlib

import numpy as np
import pytest
from tests.cli.calls import call

import eigenparse
from eigenparse.api.grammar import Grammar
from eigenparse.corpus.brackets import format_trees
from eigenparse.corpus.columns import sentences_of
from eigenparse.inference.grammar.proper import is_signed, projected, proper_parts
from eigenparse.synthetic import sample_treebank

N = 30


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("signed")
    (folder / "train.ptb").write_bytes(format_trees(sample_treebank(300, 0)))
    (folder / "dev.ptb").write_bytes(format_trees(sample_treebank(N, 1)))
    for method, states in (("tensor", ("--states", 6)), ("pcfg", ())):
        options = ("--method", method, *states, "--no-judge", "--out", folder / method)
        done = call("train", "lpcfg", folder / "train.ptb", *options)
        assert done.code == 0, done.err
    return folder


def logs(lines: list[str]) -> np.ndarray:
    return np.array([line.split("\t")[1:3] for line in lines[1 : N + 1]], dtype=float)


def test_projected_weights_are_a_distribution(folder: pathlib.Path) -> None:
    model = eigenparse.load(folder / "tensor").latent
    assert is_signed(model)
    whole = projected(model)
    assert not is_signed(whole)
    assert is_signed(model)  # the model itself keeps its signs
    part, again = proper_parts(whole)[0], proper_parts(model)[0]
    np.testing.assert_array_equal(part.members[0].rule_weight, again.members[0].rule_weight)
    assert np.all(part.members[0].rule_weight >= 0)
    assert part.members[0].root.sum() + part.background.root == pytest.approx(1.0, rel=1e-6)


def test_score_counts_what_is_not_positive_and_says_what_projecting_costs(folder: pathlib.Path) -> None:
    raw = call("score", folder / "tensor", folder / "dev.ptb").lines
    made = call("score", folder / "tensor", folder / "dev.ptb", "--project").lines
    signed, proper = logs(raw), logs(made)
    n_bad = int((signed[:, 1] <= 0).sum())
    assert f"signed weights: no distribution; {n_bad} of {N} totals are not positive" in raw[-1]
    assert np.all(np.isfinite(proper[:, 0]))
    assert np.all(proper[:, 1] == 1)
    both = signed[:, 1] > 0
    change = (proper[both, 0] - signed[both, 0]).mean()
    assert (
        f"{n_bad} of {N} totals are not positive before; log p changes by {change:+.3f} per tree" in made[-1]
    )
    refused = call("score", folder / "pcfg", folder / "dev.ptb", "--project")
    assert "--project changes nothing for a model without signed weights; leave it out" in refused.err


def test_perplexity_of_the_projection_is_that_of_its_sentences(folder: pathlib.Path) -> None:
    refused = call("perplexity", folder / "tensor", folder / "dev.ptb")
    assert (refused.code, refused.out) == (1, "")
    assert "--project" in refused.err
    said = call("perplexity", folder / "tensor", folder / "dev.ptb", "--project")
    assert said.code == 0, said.err
    assert said.lines[0].startswith("projected: ")
    model = eigenparse.load(folder / "tensor")
    whole = Grammar.of(projected(model.latent))
    sentences = [list(one) for one in sentences_of(sample_treebank(N, 1))]
    total = [whole.kbest(words, 1)[0].log_total for words in sentences]
    figure = float(np.exp(-sum(total) / sum(map(len, sentences))))
    assert float(said.lines[1].split()[1]) == pytest.approx(figure, rel=1e-3)
    trees = np.exp(whole.score(sample_treebank(N, 1)).log_probability)
    assert np.all(trees <= np.exp(total) * 1.0001)


def test_samples_of_the_projection_score_what_the_projection_says(folder: pathlib.Path) -> None:
    drawn = call("sample", folder / "tensor", "-n", N, "--project", "--output", folder / "drawn.ptb")
    assert drawn.code == 0, drawn.err
    made = logs(call("score", folder / "tensor", folder / "drawn.ptb", "--project").lines)
    assert np.all(np.isfinite(made[:, 0]))
    whole = Grammar.of(projected(eigenparse.load(folder / "tensor").latent))
    own = whole.score(whole.sample(N)).log_probability
    np.testing.assert_allclose(made[:, 0], own, atol=1e-6)
