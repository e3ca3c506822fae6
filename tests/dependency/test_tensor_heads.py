"""Split heads by the method of moments: exact from exact moments, signs, verbs, projection."""

import itertools
import math
import pathlib
from dataclasses import replace

import numpy as np
import pytest
from tests.cli.calls import call
from tests.dependency.toys import toy
from tests.lpcfg.finite import learnt, whole_trees

from eigenparse.corpus.dependencies import Dependencies, from_tokens
from eigenparse.corpus.split_heads import split_head_trees
from eigenparse.decode.dependency.split_heads import parse_split_heads, tree_parser
from eigenparse.errors import DataError
from eigenparse.inference.dependency.proper_heads import projected_heads, proper_heads, tree_logs
from eigenparse.inference.dependency.rerank import scored
from eigenparse.inference.dependency.sample import sample_trees
from eigenparse.inference.dependency.split_heads import score_split_heads
from eigenparse.inference.grammar.tree import score_trees
from eigenparse.learn.dependency.trees import DepTreeOptions
from eigenparse.models.dependency.split_heads import TENSOR, SplitHeads
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.models.registry import load_model, save_model

SHAPES = ((0,), (2, 0), (0, 1), (2, 0, 2))  # a verb alone, with a noun before it, after it, on both sides


def world() -> tuple[Dependencies, np.ndarray]:
    """All trees of a verb in one of two states with up to two nouns, and how often each comes up."""
    shape = np.array([[1, 1, 1, 1], [0, 1, 1, 2]])  # shares given the verb's state
    verb, noun = np.array([[3, 1], [1, 3]]), np.array([[3, 1, 0], [0, 1, 3]])
    side = {"before": np.array([[3, 1], [1, 3]]), "after": np.array([[1, 3], [4, 0]])}
    forms, tags, heads, copies = [], [], [], []
    for number, tree in enumerate(SHAPES):
        sides = [("before" if i < tree.index(0) else "after") for i, h in enumerate(tree) if h]
        for words in itertools.product(range(2), *(range(3) for _ in sides)):
            n = 0
            for state in range(2):
                below = [side[s][state] @ noun[:, w] for s, w in zip(sides, words[1:])]
                n += (
                    shape[state, number]
                    * verb[state, words[0]]
                    * math.prod(map(int, below))
                    * 16 ** (2 - len(sides))
                )
            if n:
                nouns = iter(words[1:])
                row = [f"n{next(nouns)}" if h else f"v{words[0]}" for h in tree]
                forms.append(row)
                tags.append(["N" if h else "V" for h in tree])
                heads += tree
                copies.append(n)
    return from_tokens(forms, tags).with_heads(heads), np.array(copies)


def test_exact_moments_give_the_true_probabilities_of_dependency_trees() -> None:
    trees, copies = world()
    corpus = split_head_trees(trees.select(np.repeat(np.arange(len(trees)), copies // np.gcd.reduce(copies))))
    encoded, projected, weights = learnt(corpus, whole_trees(level=True))
    assert sorted(projected.states.tolist()) == [
        1,
        2,
        2,
        2,
    ]  # V at the root; N, a bare verb and one after a noun
    assert weights.is_signed
    skeleton = replace(encoded.skeleton, n_words=len(encoded.skeleton.symbols))
    model = SplitHeads("upos", 2, LatentGrammar(skeleton, (weights,)), np.full(5, 1e-6), None, {}, TENSOR)
    log_p, sign = score_split_heads(model, trees)
    np.testing.assert_allclose(sign * np.exp(log_p), copies / copies.sum(), rtol=1e-9)
    plain = learnt(corpus, whole_trees(states=1))[2]
    one = SplitHeads("upos", 1, LatentGrammar(skeleton, (plain,)), np.full(5, 1e-6))
    assert np.abs(np.exp(score_split_heads(one, trees)[0]) * copies.sum() / copies - 1.0).max() > 0.1


@pytest.fixture(scope="module")
def model() -> SplitHeads:
    made = DepTreeOptions(estimator="lpcfg-tensor", states=2, relations=False).fit(toy(60)[0])
    assert isinstance(made, SplitHeads)
    return made


def test_seen_trees_have_the_grammars_totals_and_signs(model: SplitHeads) -> None:
    trees, _ = toy(60)
    own = score_trees(model.grammar, split_head_trees(trees))
    log_p, sign = score_split_heads(model, trees)
    np.testing.assert_allclose(log_p, own.log_probability, rtol=1e-5)
    assert np.array_equal(sign, own.sign)
    assert model.about["not_positive"] == int((sign <= 0).sum())
    assert not model.is_proper


def test_what_was_never_seen_stays_finite_and_lists_carry_signs(model: SplitHeads) -> None:
    trees, _ = toy(60)
    strange = from_tokens([["zzz", "yyy", "x"]], [["NEW", "NOUN", "VERB"]]).with_heads([2, 0, 2])
    assert np.isfinite(score_split_heads(model, strange)[0]).all()
    found = scored(
        trees, trees.head[None], np.zeros((len(trees), 1)), np.ones(len(trees), dtype=np.int64), (model,)
    )
    assert np.array_equal(found.positive[0, :, 0], score_split_heads(model, trees)[1] > 0)


def test_it_parses_and_keeps_every_bit(model: SplitHeads, tmp_path: pathlib.Path) -> None:
    trees, _ = toy(60)
    save_model(model, tmp_path / "m", "deptree")
    again = load_model(tmp_path / "m", "deptree")
    assert again.estimator == TENSOR
    assert np.array_equal(again.grammar.members[0].rule_weight, model.grammar.members[0].rule_weight)
    guess = [parse_split_heads(tree_parser(one), trees).head for one in (model, again)]
    assert np.array_equal(*guess)
    assert np.mean(guess[0] == trees.head) > 0.75


def test_signed_weights_are_no_distribution_but_their_projection_is(model: SplitHeads) -> None:
    trees, _ = toy(60)
    for make in (proper_heads, lambda one: sample_trees(one, 1)):
        with pytest.raises(DataError, match="signed, which is no distribution"):
            make(model)
    near = projected_heads(model)
    assert near.is_proper
    drawn = sample_trees(near, 200)
    assert np.isfinite(tree_logs(proper_heads(near), drawn)).all()
    assert np.isfinite(tree_logs(proper_heads(near), trees)).all()


def test_verbs_say_what_signs_mean(tmp_path: pathlib.Path) -> None:
    gold = tmp_path / "gold.conllu"
    gold.write_text("\n".join(toy(60)[1]))
    options = ("--estimator", "lpcfg-tensor", "--states", 2, "--dev", gold, "--out", tmp_path / "m")
    done = call("train", "deptree", gold, *options)
    assert done.code == 0, done.err
    assert "training trees are not positive" in done.out + done.err
    assert "UAS" in done.out + done.err
    said = call("score", tmp_path / "m", gold)
    assert (said.code, len(said.lines)) == (0, 60)
    assert "signed, so that it is no distribution" in said.err
    assert "of 60 totals are not positive" in said.err
    near = call("score", tmp_path / "m", gold, "--project")
    raw, proper = (np.array(one.lines, dtype=float) for one in (said, near))
    change = np.nanmean(proper - raw)
    bad = int(np.isnan(raw).sum())
    assert np.all(np.isfinite(proper))
    assert f"{bad} of 60 totals are not positive before; log p changes by {change:+.3f} per tree" in near.err
    assert "a distribution over projective trees" in near.err
    refused = call("perplexity", tmp_path / "m", gold)
    assert (refused.code, refused.out) == (1, "")
    assert "add --project" in refused.err
    figure = call("perplexity", tmp_path / "m", gold, "--project")
    assert figure.lines[0].startswith("projected: ")
    n_words = toy(60)[0].n_words
    assert float(figure.lines[1].split()[1]) == pytest.approx(math.exp(-proper.sum() / n_words), abs=0.01)
    assert f"({n_words} words, 60 trees, none left out)" in figure.out
    assert call("sample", tmp_path / "m").code == 1
    drawn = call("sample", tmp_path / "m", "-n", 8, "--project", "--output", tmp_path / "drawn.conllu")
    assert drawn.code == 0, drawn.err
    own = call("score", tmp_path / "m", tmp_path / "drawn.conllu", "--project").lines
    assert len(own) == 8
    assert all(math.isfinite(float(line)) for line in own)


def test_estimators_without_visible_states_have_no_perplexity(tmp_path: pathlib.Path) -> None:
    """Trees without a positive total must not be left out of a mean."""
    gold = tmp_path / "gold.conllu"
    gold.write_text("\n".join(toy(60)[1]))
    made = call("train", "deptree", gold, "--estimator", "printed", "--states", 2, "--out", tmp_path / "p")
    assert made.code == 0, made.err
    refused = call("score", tmp_path / "p", gold, "--project")
    assert "leave out --project" in " ".join(refused.err.split())
    refused = call("perplexity", tmp_path / "p", gold)
    assert (refused.code, refused.out) == (1, "")
    assert "train with --estimator em" in " ".join(refused.err.split())
