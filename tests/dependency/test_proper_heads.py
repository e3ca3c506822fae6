"""The distribution of a split-head grammar over projective trees: states, sums over all trees, members, the verb."""

import itertools
import math
import pathlib
from dataclasses import replace

import numpy as np
import pytest
from tests.cli.calls import call
from tests.dependency.oracles import all_trees
from tests.dependency.toys import toy

from eigenparse.corpus.conllu import read_lines
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.inference.dependency.proper_heads import MORE, PLAIN, proper_heads, tree_logs
from eigenparse.learn.dependency.trees import DepTreeOptions
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
