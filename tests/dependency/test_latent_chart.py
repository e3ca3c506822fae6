"""The latent tree model as a parser: sums and posteriors against a list of all trees, and the verb."""

import math
import pathlib

import numpy as np
import pytest
from tests.cli.calls import call
from tests.dependency.oracles import all_trees
from tests.dependency.toys import toy

from eigenparse.corpus.dependencies import Dependencies
from eigenparse.decode.dependency.latent_trees import LatentParser, latent_parser, parse_latent
from eigenparse.decode.grammar.parser import ParserOptions
from eigenparse.errors import OptionError
from eigenparse.inference.dependency.deptree import score_trees
from eigenparse.inference.dependency.latent_chart import arc_posteriors, latent_lists
from eigenparse.learn.dependency.trees import DepTreeOptions
from eigenparse.models.dependency.deptree import DepTree

CHANNELS = ("upos", "upos,left", "upos,right,distance", "form,left,right,distance", "left,right")


def model_of(channels: str, estimator: str = "em", states: int = 3) -> DepTree:
    made = DepTreeOptions(states=states, estimator=estimator, channels=channels, rounds=2).fit(toy(60)[0])
    assert isinstance(made, DepTree)
    return made


def listed(model: DepTree, sentence: Dependencies) -> tuple[np.ndarray, float]:
    """Posteriors of arcs and log of the total, tree by tree."""
    n = sentence.n_words
    trees = all_trees(n)
    many = sentence.select([0] * len(trees)).with_heads([h for tree in trees for h in tree])
    log = score_trees(model, many).log_abs
    total = float(np.logaddexp.reduce(log))
    marginal = np.zeros((n + 1, n + 1))
    for tree, p in zip(trees, np.exp(log - total).tolist()):
        for m, h in enumerate(tree, start=1):
            marginal[h, m] += p
    return marginal, total


@pytest.mark.parametrize("channels", CHANNELS)
def test_sums_and_posteriors_equal_enumeration(channels: str) -> None:
    model, (trees, _) = model_of(channels), toy(12, seed=3)
    seen = set()
    for s, n in enumerate(trees.lengths().tolist()):
        marginal, total = listed(model, trees.select([s]))
        found, log_total = arc_posteriors(model, trees, s)
        np.testing.assert_allclose(found, marginal, atol=1e-13)
        assert log_total == pytest.approx(total, abs=1e-12)
        seen.add(n)
    assert max(seen) == 6


def test_lists_are_those_of_the_posteriors() -> None:
    model, (trees, _) = model_of("upos,left,right,distance"), toy(8, seed=4)
    lists = latent_lists(model, trees, 7, LatentParser(model, ParserOptions()).too_long)
    for s, (low, high) in enumerate(zip(trees.offsets[:-1], trees.offsets[1:])):
        marginal, _ = arc_posteriors(model, trees, s)
        scores = sorted(
            (sum(marginal[h, m] for m, h in enumerate(tree, start=1)) for tree in all_trees(high - low)),
            reverse=True,
        )[:7]
        assert lists.found[s] == len(scores)
        np.testing.assert_allclose(lists.scores[s, : len(scores)], scores, atol=1e-12)
        best = lists.heads[0, low:high].tolist()
        assert sum(marginal[h, m] for m, h in enumerate(best, start=1)) == pytest.approx(scores[0])


def test_long_sentences_keep_their_scale() -> None:
    """Posteriors of 120 words sum to one a word, and nothing runs out of range."""
    model, (trees, _) = model_of("upos,left,right,distance", states=2), toy(60)
    rows = np.resize(np.arange(trees.n_words), 120)
    long = Dependencies(
        **{name: np.asarray(getattr(trees, name)[rows]) for name in ("form", "lemma", "upos", "xpos", "feats")},
        relation=trees.relation[rows], head=np.zeros(120, dtype=np.int32), line=trees.line[rows],
        offsets=np.array([0, 120]), symbols=trees.symbols,
    )  # fmt: skip
    marginal, total = arc_posteriors(model, long, 0)
    np.testing.assert_allclose(marginal[:, 1:].sum(axis=0), 1.0, atol=1e-9)
    assert math.isfinite(total)


def test_the_verb_parses_and_says_what_it_cannot(tmp_path: pathlib.Path) -> None:
    trees, lines = toy(40)
    gold = tmp_path / "gold.conllu"
    gold.write_text("\n".join(lines))
    for estimator in ("em", "printed"):
        done = call(
            "train", "deptree", gold, "--estimator", estimator, "--states", 2, "--out", tmp_path / estimator
        )
        assert done.code == 0, done.err
    done = call("parse", tmp_path / "em", gold)
    assert done.code == 0, done.err
    heads = [line.split("\t")[6] for line in done.lines if line and line[0] != "#"]
    model = DepTreeOptions(states=2).fit(trees)
    assert heads == [str(h) for h in parse_latent(model, trees).head.tolist()]
    assert "rank = 2" in call("parse", tmp_path / "em", gold, "--kbest", 3).out
    assert "too long" in call("parse", tmp_path / "em", gold, "--max-length", 3).err
    refused = call("parse", tmp_path / "printed", gold)
    assert (refused.code, refused.out) == (1, "")
    assert "--estimator em" in refused.err
    with pytest.raises(OptionError, match="finds none"):
        latent_parser(model_of("upos", "consistent"))
