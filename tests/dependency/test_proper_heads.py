"""Distributions over projective trees, of split heads and of latent trees: states, sums, members, samples, verbs."""

import itertools
import math
import pathlib
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from tests.cli.calls import call
from tests.dependency.oracles import all_trees
from tests.dependency.toys import toy

from eigenparse.corpus.conllu import read_lines
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.decode.dependency.rerank import tree_totals
from eigenparse.decode.dependency.split_heads import search_split_heads, tree_parser
from eigenparse.errors import DataError
from eigenparse.inference.dependency import proper_trees
from eigenparse.inference.dependency.latent_chart import latent_lists
from eigenparse.inference.dependency.proper_heads import MORE, PLAIN, projected_heads, proper_heads, tree_logs
from eigenparse.inference.dependency.sample import sample_trees
from eigenparse.learn.dependency.trees import DepTreeOptions
from eigenparse.models.dependency.deptree import DepTree
from eigenparse.models.dependency.split_heads import SplitHeads


def treebank(words: list[tuple[tuple[str, str], ...]], heads: list[tuple[int, ...]]) -> Dependencies:
    """Trees of words with tags."""
    lines = []
    for sentence, tree in zip(words, heads):
        for i, ((form, tag), h) in enumerate(zip(sentence, tree), start=1):
            lines.append(f"{i}\t{form}\t_\t{tag}\t_\t_\t{h}\tdep\t_\t_")
        lines.append("")
    return read_lines(lines, source="made").trees


def training() -> Dependencies:
    """Two tags and few words, so that all short trees can be listed."""
    rng = np.random.default_rng(0)
    words, heads = [], []
    for number in range(120):
        n = int(rng.choice([1, 2, 3, 4], p=[0.4, 0.3, 0.2, 0.1]))
        tree = all_trees(n)[rng.integers(len(all_trees(n)))]
        tags = ["V" if h == 0 else str(rng.choice(["N", "V"], p=[0.8, 0.2])) for h in tree]
        forms = [f"w{number}" if rng.random() < 0.05 else f"{t.lower()}{rng.integers(2)}" for t in tags]
        words.append(tuple(zip(forms, tags)))
        heads.append(tree)
    return treebank(words, heads)


@pytest.fixture(scope="module")
def model() -> SplitHeads:
    """A grammar of two members, the second with other rule weights."""
    made = DepTreeOptions(states=2, estimator="lpcfg", relations=False).fit(training())
    assert isinstance(made, SplitHeads)
    first = made.grammar.members[0]
    noise = np.random.default_rng(1).uniform(0.2, 2.0, first.rule_weight.size).astype(first.rule_weight.dtype)
    other = replace(first, rule_weight=first.rule_weight * noise)
    return replace(made, grammar=replace(made.grammar, members=(first, other)))


def one_member(model: SplitHeads, k: int) -> SplitHeads:
    return replace(model, grammar=replace(model.grammar, members=model.grammar.members[k : k + 1]))


def test_every_state_is_a_distribution(model: SplitHeads) -> None:
    heads = proper_heads(model)
    skeleton, n_words = heads.skeleton, heads.skeleton.n_words
    for member in heads.members:
        w = member.weights
        label = np.repeat(np.arange(skeleton.n_labels), w.states)
        total = member.unknown.copy()
        for r, a in enumerate(skeleton.rules[:, 0].tolist()):
            tensor = w.rule_weight[w.rule_at[r] : w.rule_at[r + 1]].reshape(w.states[a], -1)
            total[label == a] += tensor.sum(axis=1) * member.scale[label == a]
        for e, (a, symbol) in enumerate(zip(skeleton.entry_label.tolist(), skeleton.entry_symbol.tolist())):
            if symbol < n_words:
                own = w.entry_weight[w.entry_at[e] : w.entry_at[e + 1]]
                total[label == a] += own * member.scale[label == a] * heads.lexicon.kept[symbol]
        np.testing.assert_allclose(total, 1.0, rtol=1e-5)
        assert member.root.sum() == pytest.approx(1.0)
        np.testing.assert_allclose(member.groups.sum(axis=1), 1.0)


def test_all_trees_of_few_words_sum_to_at_most_one(model: SplitHeads) -> None:
    """All projective trees up to three words over known forms under either tag, and some unknown ones."""
    heads, total = proper_heads(model), 0.0
    forms = [*heads.skeleton.symbols[: heads.skeleton.n_words], "new", "w"]
    for n in (1, 2, 3):
        tokens = list(itertools.product(forms if n < 3 else forms[:4], ("N", "V")))
        every = [(words, tree) for words in itertools.product(tokens, repeat=n) for tree in all_trees(n)]
        logs = tree_logs(heads, treebank([w for w, _ in every], [t for _, t in every]))
        assert np.all(np.isfinite(logs))
        total += float(np.exp(logs).sum())
    assert 0.5 < total < 1.0


def test_several_members_are_the_mean_of_each(model: SplitHeads) -> None:
    trees = training().select(range(30))
    logs = [tree_logs(proper_heads(one_member(model, k)), trees) for k in (0, 1)]
    np.testing.assert_allclose(
        np.exp(tree_logs(proper_heads(model), trees)), np.mean(np.exp(logs), axis=0), rtol=1e-9
    )
    assert not np.allclose(*logs)


def test_trees_of_any_tags_and_words_are_possible(model: SplitHeads) -> None:
    """A tag never seen: what is left is the plain model, written out."""
    odd = treebank([(("a b", "NEVER"), ("(", "V"), ("日本", "_"))], [(2, 0, 2)])
    heads = proper_heads(model)
    found = float(tree_logs(heads, odd)[0])
    names = heads.spelling.logs(["a b", "NEVER", "(", "日本", "_"])[:, 0]
    shape = 6 * math.log1p(-MORE) + 2 * math.log(MORE)
    assert found == pytest.approx(math.log(PLAIN) + names.sum() + shape - 3 * math.log(3), rel=1e-9)


def test_the_verb_scores_by_the_distribution(tmp_path: pathlib.Path) -> None:
    trees, lines = toy(40)
    gold = tmp_path / "gold.conllu"
    gold.write_text("\n".join(lines))
    options = ("--estimator", "lpcfg", "--states", 2, "--out", tmp_path / "m")
    done = call("train", "deptree", gold, *options)
    assert done.code == 0, done.err
    made = DepTreeOptions(states=2, estimator="lpcfg").fit(trees)
    assert isinstance(made, SplitHeads)
    said = call("score", tmp_path / "m", gold)
    logs = tree_logs(proper_heads(made), trees)
    np.testing.assert_allclose([float(line) for line in said.lines], logs, atol=1e-5)
    assert "forms and tags with their trees" in said.err
    figure = call("perplexity", tmp_path / "m", gold)
    assert figure.code == 0, figure.err
    assert float(figure.out.split()[1]) == pytest.approx(math.exp(-logs.sum() / trees.n_words), abs=0.01)


N, SIGMAS = 1500, 5.0


def latent_trees(estimator: str, states: int) -> DepTree:
    """States that draw tags and numbers of children."""
    made = DepTreeOptions(states=states, estimator=estimator, channels="upos,left,right,distance").fit(
        training()
    )
    assert isinstance(made, DepTree)
    return made


@pytest.fixture(scope="module")
def latent() -> DepTree:
    return latent_trees("em", 3)


@pytest.fixture(scope="module")
def cluster() -> DepTree:
    return latent_trees("cluster", 3)


@pytest.fixture(scope="module")
def recovered() -> DepTree:
    return latent_trees("recovered", 2)


@pytest.fixture(scope="module")
def projected() -> SplitHeads:
    """The nearest distribution to split heads by moments."""
    made = DepTreeOptions(states=2, estimator="lpcfg-tensor", relations=False).fit(training())
    assert isinstance(made, SplitHeads)
    return projected_heads(made)


def keys(trees: Dependencies) -> list[tuple[tuple[str, str, int], ...]]:
    rows = list(zip(trees.strings("form"), trees.strings("upos"), trees.head.tolist()))
    return [tuple(rows[i:j]) for i, j in itertools.pairwise(trees.offsets.tolist())]


@pytest.mark.parametrize("name", ["model", "projected", "latent", "cluster", "recovered"])
def test_samples_come_up_as_often_as_they_score_and_have_the_entropy(
    name: str, request: pytest.FixtureRequest
) -> None:
    """Tree by tree, and the mean of log p over fresh samples against its exact expectation."""
    model = request.getfixturevalue(name)
    trees = sample_trees(model, N, seed=1)
    totals = tree_totals(model, trees)
    assert np.all(np.isfinite(totals.log_abs))
    drawn = keys(trees)
    p = dict(zip(drawn, np.exp(totals.log_abs).tolist()))
    assert sum(p.values()) <= 1.0
    for tree, count in Counter(drawn).most_common(12):
        assert abs(count - N * p[tree]) < SIGMAS * math.sqrt(N * p[tree])
    fresh = keys(sample_trees(model, N, seed=2))
    value = np.array([-math.log(p[tree]) if tree in p else 0.0 for tree in fresh])
    expected = sum(-q * math.log(q) for q in p.values())
    assert abs(value.mean() - expected) < SIGMAS * value.std() / math.sqrt(N)
    assert keys(sample_trees(model, 5, seed=2)) == fresh[:5]


@pytest.mark.parametrize("name", ["model", "projected", "latent", "cluster", "recovered"])
def test_lists_of_trees_never_sum_to_more_than_all_trees(name: str, request: pytest.FixtureRequest) -> None:
    """All trees of a sentence in the list: p of each by the distribution, together p of the tagged words, below 1."""
    model = request.getfixturevalue(name)
    words = treebank([(("n0", "N"), ("v1", "V"), ("new", "N"), ("n1", "N"))], [(2, 0, 2, 3)])
    if name in ("model", "projected"):
        lists, _ = search_split_heads(tree_parser(model), words, 400)
    else:
        lists = latent_lists(model, words, 400, lambda n: False)
    found, n = lists.found[0], len(all_trees(4))
    listed = words.select([0] * int(found)).with_heads(lists.heads[:found].ravel())
    p = np.exp(tree_totals(model, listed).log_abs)
    every = words.select([0] * n).with_heads([h for tree in all_trees(4) for h in tree])
    assert len(set(keys(listed))) == found <= n
    assert 0.0 < p.sum() <= np.exp(tree_totals(model, every).log_abs).sum() * (1 + 1e-9) < 1.0


@pytest.mark.parametrize("name", ["latent", "cluster", "recovered"])
def test_trees_of_a_latent_tree_model_sum_to_the_mass_of_their_length(
    name: str, request: pytest.FixtureRequest
) -> None:
    """All trees of few words over known tags; the mass of each length by the branching process of states alone."""
    trees = proper_trees.proper_trees(request.getfixturevalue(name))
    model, known = trees.model, 1.0 - trees.rows("upos")[0]
    left, right = trees.rows("left"), trees.rows("right")
    mass = np.zeros((4, model.n_states))  # of subtrees of so many words, by the state of their head
    for n in range(1, 4):
        for counts in itertools.product(range(3), repeat=2):
            below = [model.transition[side].T for side, c in enumerate(counts) for _ in range(c)]
            for sizes in itertools.product(range(1, n), repeat=len(below)):
                if 1 + sum(sizes) == n:
                    parts = [T @ mass[size] for T, size in zip(below, sizes)]
                    mass[n] += known * left[counts[0]] * right[counts[1]] * np.prod(parts, axis=0)
    for n in (1, 2, 3):
        words = itertools.product((("n", "N"), ("v", "V")), repeat=n)
        every = [(sentence, tree) for sentence in words for tree in all_trees(n)]
        logs = proper_trees.tree_logs(trees, treebank([w for w, _ in every], [t for _, t in every]))
        assert np.exp(logs).sum() == pytest.approx(float(model.start @ mass[n]), rel=1e-9)


def test_many_children_and_tags_never_seen_are_possible(latent: DepTree) -> None:
    odd = treebank([tuple(("x", tag) for tag in ("V", *"NNNNN", "NEVER"))], [(0, 1, 1, 1, 1, 1, 1)])
    fewer = treebank([tuple(("x", tag) for tag in ("V", *"NNNNN"))], [(0, 1, 1, 1, 1, 1)])
    trees = proper_trees.proper_trees(latent)
    with_tag, without = (float(proper_trees.tree_logs(trees, one)[0]) for one in (odd, fewer))
    assert math.isfinite(with_tag)
    assert with_tag < without


def test_models_that_do_not_draw_the_tree_are_not_sampled() -> None:
    made = DepTreeOptions(states=2, estimator="em", channels="upos").fit(training())
    with pytest.raises(DataError, match="given the shapes of trees; train with"):
        sample_trees(made, 1)


def test_drawn_trees_are_written_and_score_the_same(tmp_path: pathlib.Path) -> None:
    _, lines = toy(40)
    (tmp_path / "gold.conllu").write_text("\n".join(lines))
    for estimator in ("lpcfg", "em"):
        options = ("--estimator", estimator, "--states", 2, "--out", tmp_path / "m")
        assert call("train", "deptree", tmp_path / "gold.conllu", *options).code == 0
        drawn = call("sample", tmp_path / "m", "-n", 6, "--seed", 3, "--output", tmp_path / "drawn.conllu")
        assert drawn.code == 0, drawn.err
        said = call("score", tmp_path / "m", tmp_path / "drawn.conllu")
        assert all(math.isfinite(float(line)) for line in said.lines)
        assert len(said.lines) == 6
        assert "a distribution over projective trees" in said.err
        assert len(call("sample", tmp_path / "m", "-n", 6, "--seed", 3, "--words").lines) == 6


def test_brackets_and_blanks_in_a_word_cost_its_spelling_alone() -> None:
    """Such a word is no reason to leave the whole tree to the plain model."""
    made = proper_heads(DepTreeOptions(states=2, estimator="lpcfg").fit(toy(60)[0]))
    found = []
    for odd in ("qq", "(q", "q q"):
        trees = toy(1)[0]
        words = [
            (odd if i == 0 else w, t)
            for i, (w, t) in enumerate(zip(trees.strings("form"), trees.strings("upos")))
        ]
        found.append(float(tree_logs(made, treebank([tuple(words)], [tuple(trees.head.tolist())]))[0]))
    assert found[0] - found[1] < 25
    assert found[0] - found[2] < 25
