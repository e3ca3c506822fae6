"""Learning latent tree models: EM's law, counts against enumeration, all estimators end to end, files."""

import itertools
import pathlib

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.dependency.latent import draw_truth, relabelled
from tests.dependency.oracles import all_trees

from eigenparse.corpus.dependencies import Dependencies, from_tokens
from eigenparse.errors import DataError, ModelFileError, OptionError
from eigenparse.features.dependency.channels import UNKNOWN, encode
from eigenparse.inference.dependency.deptree import count_symbols, score_trees
from eigenparse.learn.dependency.blocks import tree_blocks
from eigenparse.learn.dependency.em import Smoothing, em_rounds
from eigenparse.learn.dependency.trees import ESTIMATORS, SPLIT_HEADS, DepTreeOptions
from eigenparse.models.dependency.deptree import DepTree, proper_model
from eigenparse.models.dependency.split_heads import SplitHeads
from eigenparse.models.registry import load_model, save_model
from eigenparse.work.work import Work

K, N = 3, 6
NAMES = ((UNKNOWN, *"abcde"),)


def truth_model(seed: int = 0) -> DepTree:
    truth = draw_truth(K, N, seed)
    return proper_model("truth", ("tag",), NAMES, truth.pi, truth.T, truth.O)


def shapes(n_trees: int, seed: int, most: int = 6) -> Dependencies:
    rng = np.random.default_rng(seed)
    heads = [all_trees(n)[rng.integers(len(all_trees(n)))] for n in rng.integers(1, most + 1, size=n_trees)]
    blank = from_tokens([["w"] * len(h) for h in heads])
    return blank.with_heads([h for tree in heads for h in tree])


def drawn(n_trees: int, seed: int = 0, most: int = 6) -> Dependencies:
    return relabelled(truth_model(), shapes(n_trees, seed, most), rng=np.random.default_rng(seed))


def test_expected_counts_equal_enumeration() -> None:
    model, trees = truth_model(), drawn(12, seed=1, most=4)
    symbols = encode(trees, model.channels, model.symbols)
    found = count_symbols(model, trees.head, trees.offsets, symbols)
    start, transition = np.zeros(K), np.zeros((2, K, K))
    observation, log_likelihood = np.zeros((N, K)), 0.0
    for low, high in itertools.pairwise(trees.offsets):
        heads, words = trees.head[low:high], symbols[low:high, 0]
        weights = {}
        for states in itertools.product(range(K), repeat=int(high - low)):
            p = 1.0
            for m, h in enumerate(heads, start=1):
                g = states[m - 1]
                p *= model.observation[words[m - 1], g]
                p *= model.start[g] if h == 0 else model.transition[int(m > h), g, states[h - 1]]
            weights[states] = p
        total = sum(weights.values())
        log_likelihood += np.log(total)
        for states, p in weights.items():
            for m, h in enumerate(heads, start=1):
                observation[words[m - 1], states[m - 1]] += p / total
                if h == 0:
                    start[states[m - 1]] += p / total
                else:
                    transition[int(m > h), states[m - 1], states[h - 1]] += p / total
    assert_allclose(found.start, start, rtol=1e-10)
    assert_allclose(found.transition, transition, rtol=1e-9, atol=1e-12)
    assert_allclose(found.observation, observation, rtol=1e-9, atol=1e-12)
    assert_allclose(found.log_likelihood, log_likelihood, rtol=1e-10)
    halves = [trees.select(np.arange(6)), trees.select(np.arange(6, 12))]
    cut = halves[0].n_words
    added = count_symbols(model, halves[0].head, halves[0].offsets, symbols[:cut])
    added = added + count_symbols(model, halves[1].head, halves[1].offsets, symbols[cut:])
    assert_allclose(added.transition, found.transition, rtol=1e-10)


def test_em_never_goes_down() -> None:
    trees = drawn(300)
    model = DepTreeOptions(estimator="cluster", states=3, channels="tag,left,right").fit(trees)
    assert isinstance(model, DepTree)
    blocks = tree_blocks(trees, encode(trees, model.channels, model.symbols))
    smoothing = Smoothing(transition=1e-9, observation=1e-9)
    history = em_rounds(lambda: model, blocks, 15, smoothing, Work()).about["log_likelihood"]
    assert np.diff(history[1:]).min() > -1e-6 * abs(history[0])
    assert history[-1] > history[1]


def test_consistent_estimate_approaches_the_truth() -> None:
    """From samples: log-probabilities of fresh trees come closer to those of the true model."""
    fresh, errors = drawn(200, seed=3, most=3), []
    expected = score_trees(truth_model(), fresh).log_abs
    options = DepTreeOptions(estimator="consistent", states=3, channels="tag", ridge=0.0)
    for n_trees in (10_000, 160_000):
        model = options.fit(drawn(n_trees, seed=2))
        assert model.about["families"] > n_trees / 10
        errors.append(np.median(np.abs(score_trees(model, fresh).log_abs - expected)))
    assert errors[1] < errors[0] / 2


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_estimator_learns_saves_and_scores(estimator: str, tmp_path: pathlib.Path) -> None:
    trees = drawn(400)
    channels = ("tag",) if estimator in SPLIT_HEADS else ("tag", "left", "right", "distance")
    options = DepTreeOptions(estimator=estimator, states=3, channels=",".join(channels), rounds=3)
    model = options.fit(trees)
    save_model(model, tmp_path / "a", "deptree")
    save_model(options.fit(trees), tmp_path / "b", "deptree")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    totals = score_trees(load_model(tmp_path / "a", "deptree"), trees)
    assert np.array_equal(totals.log_abs, score_trees(model, trees).log_abs)
    if model.is_proper:
        assert totals.n_not_positive == 0
        assert np.isfinite(totals.log_abs).all()
    if isinstance(model, SplitHeads):
        assert model.about["lifted"] == 0
    elif model.is_proper:
        assert_allclose(model.transition.sum(axis=1), 1.0, rtol=1e-9)
        assert_allclose(model.observation.sum(axis=0), len(channels), rtol=1e-9)
    else:
        assert model.about["not_positive"] == totals.n_not_positive
    (tmp_path / "c").write_bytes((tmp_path / "a").read_bytes()[:-9])
    with pytest.raises(ModelFileError):
        load_model(tmp_path / "c", "deptree")


def test_samples_follow_the_model() -> None:
    model = truth_model()
    pairs = from_tokens([["w", "w"]] * 60_000).with_heads([2, 0] * 60_000)  # head on the right: a left child
    sample = relabelled(model, pairs, rng=np.random.default_rng(0))
    place = {name: i for i, name in enumerate(NAMES[0])}
    words = np.array([place[name] for name in sample.strings("form")]).reshape(-1, 2)
    found = np.zeros((N, N))
    np.add.at(found, (words[:, 0], words[:, 1]), 1 / len(words))
    A, T = model.observation, model.transition[0]
    assert_allclose(found, A @ T @ np.diag(model.start) @ A.T, atol=0.01)


def test_unknown_symbols_and_bad_input() -> None:
    trees = drawn(50)
    model = DepTreeOptions(states=2, channels="form,left", rare=0, rounds=1).fit(trees)
    strange = from_tokens([["never", "seen"]]).with_heads([0, 1])
    assert np.isfinite(score_trees(model, strange).log_abs).all()
    with pytest.raises(DataError, match="no head"):
        score_trees(model, from_tokens([["x"]]))
    with pytest.raises(OptionError, match="estimator must be one of"):
        DepTreeOptions(estimator="magic")
    with pytest.raises(OptionError, match="channels must be"):
        DepTreeOptions(channels="colour")
    with pytest.raises(DataError, match="both sides"):
        DepTreeOptions(estimator="consistent", states=2, channels="tag").fit(pairs_only())


def pairs_only() -> Dependencies:
    return from_tokens([["a", "b"], ["c", "d"]], [["a", "b"], ["c", "d"]]).with_heads([0, 1, 0, 1])
