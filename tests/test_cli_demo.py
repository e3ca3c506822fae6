"""The demonstration keeps its promises, on fewer trees."""

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from eigenparse.batch.demo import PAIR, attachment, proper, sentences_of
from eigenparse.corpus.brackets import parse_trees, read_trees
from eigenparse.corpus.transform import binarise
from eigenparse.learn.grammar.learner import fit_trees
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.synthetic import english_grammar, latent_grammar, sample_treebank


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What the demonstration prints, and the folder it fills."""
    import eigenparse.cli.demo  # noqa: F401  registers the verb
    from eigenparse.cli.main import app

    out = tmp_path_factory.mktemp("demo") / "new" / "folder"
    result = CliRunner().invoke(app, ["demo", "--out", str(out), "--trees", "2000"])
    assert result.exit_code == 0, result.output
    return result.stdout, out


def figures(text: str) -> dict[str, list[float]]:
    """F1, exact match and log-likelihood of each grammar."""
    names = ("plain PCFG", "latent (cluster + EM)", "the true grammar")
    lines = {name: next(line for line in text.splitlines() if line.startswith(name)) for name in names}
    return {
        name: [float(v.rstrip("%")) for v in line[len(name) :].split()[:3]] for name, line in lines.items()
    }


def test_latent_states_recover_what_the_plain_grammar_misses(shown: tuple[str, Path]) -> None:
    plain, latent, truth = figures(shown[0]).values()
    assert plain[0] < 88 < latent[0] < truth[0]  # F1
    assert truth[0] > 95
    assert plain[1] + 15 < latent[1]  # exact match
    assert plain[2] + 5 < latent[2] < truth[2]  # log-likelihood


def test_the_two_sentences_get_two_trees(shown: tuple[str, Path]) -> None:
    lines = shown[0].splitlines()
    for (_, sentence), wanted in zip(PAIR, ("the verb", "the noun")):
        at = lines.index(sentence)
        assert lines[at + 2].split("joins it to ")[1] == wanted
    assert lines.count("Two sentences that look alike to the plain grammar; the latent one draws:") == 1


def test_files(shown: tuple[str, Path]) -> None:
    out = shown[1]
    assert len(read_trees(out / "train.ptb")) == 2000
    assert len(read_trees(out / "test.ptb")) == 500
    pictures = sorted(out.glob("*.svg"))
    assert len(pictures) == 4
    for picture in pictures:
        assert "posterior" in picture.read_text("utf-8")
        ET.parse(picture)


def test_proper_makes_distributions_of_a_learnt_lexicon() -> None:
    learned = fit_trees(binarise(sample_treebank(500, seed=1)), GrammarOptions(method="pcfg"))
    for grammar in (learned, latent_grammar(english_grammar())):
        skeleton, weights = grammar.skeleton, proper(grammar).members[0]
        total = np.zeros(int(weights.state_at[-1]))
        for e in np.flatnonzero(skeleton.entry_symbol < skeleton.n_words):
            a = skeleton.entry_label[e]
            total[weights.state_at[a] : weights.state_at[a + 1]] += weights.entry_weight[
                weights.entry_at[e] : weights.entry_at[e + 1]
            ]
        np.testing.assert_allclose(total[total > 0], 1.0, rtol=1e-5)


def test_sentences_and_attachments() -> None:
    trees = parse_trees("(S (NP (PRP it)) (VP (VBZ rains) (PP (IN on) (NP (PRP me)))))(X (UH no))")
    assert sentences_of(trees) == [("it", "rains", "on", "me"), ("no",)]
    assert attachment(trees) == "the verb"
    assert attachment(parse_trees("(X (UH no))")) == "?"
