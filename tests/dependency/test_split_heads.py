"""Split heads: binary trees against a slow twin, probabilities against the grammar's own, files and verbs."""

import pathlib
from dataclasses import replace

import numpy as np
import pytest
from tests.dependency.oracles import all_trees
from tests.dependency.toys import run, toy

from eigenparse.arrays import FloatArray
from eigenparse.corpus.dependencies import Dependencies, broken_trees, from_tokens, is_projective
from eigenparse.corpus.split_heads import split_head_trees
from eigenparse.decode.dependency.rerank import tree_totals
from eigenparse.decode.dependency.split_heads import parse_split_heads, tree_parser
from eigenparse.decode.grammar.parser import ParserOptions, explore, make_parser, word_choices
from eigenparse.errors import DataError, OptionError
from eigenparse.inference.dependency.proper_heads import proper_heads, tree_logs
from eigenparse.inference.dependency.rerank import scored
from eigenparse.inference.dependency.split_heads import score_split_heads
from eigenparse.inference.grammar.forest import NO_PRUNING, Choices, unconstrained
from eigenparse.inference.grammar.open_rules import with_open_rules
from eigenparse.inference.grammar.tree import score_trees
from eigenparse.kernels.dependency.split_heads import heads_of_rows
from eigenparse.learn.dependency.dictionary import vector_dictionary
from eigenparse.learn.dependency.reading import TreeData
from eigenparse.learn.dependency.rerank import RerankerOptions
from eigenparse.learn.dependency.trees import DepTreeOptions, options_like
from eigenparse.models.dependency.split_heads import SplitHeads
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.models.registry import load_model, save_model
from eigenparse.models.vectors.vectors import WordVectors

ROUNDING = 1e-5  # weights are single precision
TAGS = ("A", "B", "C", "D", "E", "F")


def sentence(heads: tuple[int, ...]) -> Dependencies:
    n = len(heads)
    return from_tokens([[f"w{i}" for i in range(n)]], [TAGS[:n]]).with_heads(list(heads))


def slow(heads: tuple[int, ...], i: int) -> str:
    """The binary tree under word i, right children first, each nearest first."""
    n = len(heads)
    right = [m for m in range(i + 1, n + 1) if heads[m - 1] == i]
    left = [m for m in range(i - 1, 0, -1) if heads[m - 1] == i]
    tag = TAGS[i - 1]
    tree, todo = f"w{i - 1}", len(right) + len(left)
    tree = f"({tag if todo == 0 else f'@{tag}<0>'} {tree})"
    for m in right:
        todo -= 1
        tree = f"({tag if todo == 0 else f'@{tag}<>>'} {tree} {slow(heads, m)})"
    for m in left:
        todo -= 1
        tree = f"({tag if todo == 0 else f'@{tag}<<>'} {slow(heads, m)} {tree})"
    return tree


def written(trees: Dependencies) -> str:
    binary = split_head_trees(trees)

    def text(row: int) -> str:
        name = str(binary.labels[binary.label[row]])
        if binary.left[row] < 0:
            return f"({name} {binary.words[binary.word[row]]})"
        return f"({name} {text(int(binary.left[row]))} {text(int(binary.right[row]))})"

    return text(int(binary.root[0]))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_binary_trees_equal_their_definition(n: int) -> None:
    for heads in all_trees(n):
        assert written(sentence(heads)) == slow(heads, heads.index(0) + 1)


def test_crossing_and_empty_trees_are_refused() -> None:
    with pytest.raises(DataError, match="not a projective tree"):
        split_head_trees(sentence((3, 4, 0, 3)))
    with pytest.raises(DataError, match="without words"):
        split_head_trees(from_tokens([[]]).with_heads([]))


def logs_of(model: SplitHeads, trees: Dependencies) -> FloatArray:
    return score_split_heads(model, trees)[0]


def fitted(n_states: int = 2, members: int = 1) -> tuple[SplitHeads, Dependencies, list[str]]:
    trees, lines = toy(40)
    options = DepTreeOptions(estimator="lpcfg", states=n_states, members=members, relations=False)
    model = options.fit(trees)
    assert isinstance(model, SplitHeads)
    return model, trees, lines


def test_log_p_of_seen_trees_is_the_grammars() -> None:
    model, trees, _ = fitted()
    own = score_trees(model.grammar, split_head_trees(trees))
    assert (own.sign > 0).all()
    np.testing.assert_allclose(logs_of(model, trees), own.log_probability, rtol=ROUNDING)


def test_members_are_averaged_and_seeds_repeat() -> None:
    model, trees, _ = fitted(members=2)
    binary = split_head_trees(trees)
    parts = [score_trees(model.grammar, binary, member=i).log_probability for i in range(2)]
    np.testing.assert_allclose(logs_of(model, trees), np.mean(parts, axis=0), rtol=ROUNDING)
    again = fitted(members=2)[0]
    assert np.array_equal(again.grammar.members[1].rule_weight, model.grammar.members[1].rule_weight)


def test_unseen_words_rules_and_labels_cost_but_stay_finite() -> None:
    model, trees, _ = fitted()
    strange = from_tokens([["zzz", "yyy"]], [["NEW", "NEW"]]).with_heads([2, 0])
    known = trees.select([0])
    turned = known.with_heads([0, *range(1, known.n_words)])
    unknown = from_tokens([["qqq", "sees0"]], [["NOUN", "VERB"]]).with_heads([2, 0])
    for other in (strange, turned, unknown):
        assert np.isfinite(logs_of(model, other)).all()
    assert logs_of(model, turned)[0] < logs_of(model, known)[0]
    assert logs_of(model, from_tokens([[]]).with_heads([]))[0] == 0.0


def test_lists_are_scored_as_their_trees_are() -> None:
    model, trees, _ = fitted()
    words = trees.select(np.flatnonzero(trees.lengths() == 4)[:2]) if (trees.lengths() == 4).any() else trees
    n = int(words.lengths()[0])
    words = words.select(np.flatnonzero(words.lengths() == n))
    heads = np.array([h * len(words) for h in all_trees(n)[:6]], dtype=np.int32)
    found = np.full(len(words), 6, dtype=np.int64)
    found[0] = 3
    lists = scored(words, heads, np.zeros((len(words), 6)), found, (model,))
    for rank in range(6):
        expected = logs_of(model, words.with_heads(heads[rank]))
        expected[found <= rank] = 0.0
        np.testing.assert_allclose(lists.log_p[0, :, rank], expected, rtol=ROUNDING)


def test_files_keep_every_bit(tmp_path: pathlib.Path) -> None:
    model, trees, _ = fitted(members=2)
    save_model(model, tmp_path / "t", "deptree")
    again = load_model(tmp_path / "t", "deptree")
    assert isinstance(again, SplitHeads)
    assert np.array_equal(logs_of(again, trees), logs_of(model, trees))
    assert options_like(again).members == 2
    heads = trees.head[None, :]
    lists = scored(trees, heads, np.zeros((len(trees), 1)), np.ones(len(trees), dtype=np.int64), (model,))
    ranker = RerankerOptions(bits=10).fit_lists(lists, trees.head, (model,))
    save_model(ranker, tmp_path / "r", "reranker")
    save_model(load_model(tmp_path / "r", "reranker"), tmp_path / "r2", "reranker")
    assert (tmp_path / "r").read_bytes() == (tmp_path / "r2").read_bytes()
    assert np.array_equal(tree_totals(again, trees).log_abs, tree_logs(proper_heads(model), trees))


def test_the_verb_and_its_channels(tmp_path: pathlib.Path) -> None:
    _, lines = toy(20)
    gold = tmp_path / "gold.conllu"
    gold.write_text("\n".join(lines), encoding="utf-8")
    options = ["--estimator", "lpcfg", "--states", 2, "--out", tmp_path / "m"]
    run("train", "deptree", gold, *options)
    assert load_model(tmp_path / "m", "deptree").channels == ("upos",)
    with pytest.raises(OptionError, match="lpcfg takes one channel"):
        DepTreeOptions(estimator="lpcfg", channels="form")


def test_vectors_are_the_dictionary(tmp_path: pathlib.Path) -> None:
    trees, lines = toy(60)
    forms = sorted(set(trees.strings("form")))
    rng = np.random.default_rng(0)
    table = rng.normal(size=(len(forms) + 1, 4))
    vectors = WordVectors(("<unk>", *forms), table, np.ones(len(forms) + 1, dtype=np.int64), {})
    save_model(vectors, tmp_path / "v", "vectors")
    (tmp_path / "t").write_text("\n".join(lines), encoding="utf-8")
    options = ["--vectors", tmp_path / "v", "--estimator", "printed", "--states", 2, "--out", tmp_path / "m"]
    run("train", "deptree", tmp_path / "t", *options)
    assert load_model(tmp_path / "m", "deptree").channels == ("form",)
    U = vector_dictionary(vectors, (forms[0].upper().lower(), "<NN>", forms[1]), 2)
    assert U.shape == (3, 2)
    full = vector_dictionary(vectors, tuple(forms), 4)  # a rotation keeps all products
    np.testing.assert_allclose(full @ full.T, table[1:] @ table[1:].T, rtol=1e-9, atol=1e-9)
    with pytest.raises(OptionError, match="vectors serve"):
        DepTreeOptions(estimator="lpcfg").fit(TreeData(trees, vectors))
    with pytest.raises(OptionError, match="at least 9 numbers"):
        vector_dictionary(vectors, tuple(forms), 9)


def test_heads_of_rows_undo_split_heads() -> None:
    for n in (1, 2, 3, 4, 5):
        for heads in all_trees(n):
            binary = split_head_trees(sentence(heads))
            partial = np.array([label.partial for label in binary.labels])
            back = np.full(n, -1, dtype=np.int32)
            heads_of_rows(binary.label, binary.left, binary.right, binary.word, partial, back)
            assert tuple(back.tolist()) == heads


def test_the_grammar_alone_parses(tmp_path: pathlib.Path) -> None:
    rows = [("the", "DET", 2), ("dog", "NOUN", 3), ("barks", "VERB", 0), ("loudly", "ADV", 3)]
    words = [[form for form, _, _ in rows]] * 40 + [["dog", "barks"]] * 40
    tags = [[tag for _, tag, _ in rows]] * 40 + [["NOUN", "VERB"]] * 40
    heads = [head for _, _, head in rows] * 40 + [2, 0] * 40
    trees = from_tokens(words, tags).with_heads(heads)
    model = DepTreeOptions(estimator="lpcfg", states=2, relations=False).fit(trees)
    save_model(model, tmp_path / "m", "deptree")
    again = load_model(tmp_path / "m", "deptree")
    assert isinstance(again, SplitHeads)
    parser = tree_parser(again)
    fresh = from_tokens(
        [["the", "cat", "barks"], [], ["the", "dog", "barks"]], [["DET", "NOUN", "VERB"], [], ["_"] * 3]
    )
    guess = parse_split_heads(parser, fresh)
    assert guess.head.tolist() == [2, 3, 0, 2, 3, 0]
    assert guess.strings("relation") == ["dep", "dep", "root"] * 2


def test_every_sentence_gets_a_tree() -> None:
    model, _, _ = fitted()
    strange = from_tokens([["x"] * 9, ["y", "z"]], [["NEW"] * 9, ["CCONJ", "CCONJ"]])
    guess = parse_split_heads(tree_parser(model), strange)
    assert broken_trees(guess)[0].size == 0
    assert is_projective(guess).all()


def test_open_rules_keep_the_old_and_cover_every_tree() -> None:
    model, trees, _ = fitted()
    opened = with_open_rules(model)
    seen = split_head_trees(trees)
    old, new = score_trees(model.grammar, seen), score_trees(opened, seen)
    np.testing.assert_allclose(new.log_probability, old.log_probability, rtol=ROUNDING)
    words = trees.select(np.flatnonzero(trees.lengths() == 5)[:1])
    for heads in all_trees(5)[::7]:
        other = split_head_trees(words.with_heads(list(heads)))
        found = score_trees(opened, other).log_probability
        expected = logs_of(model, words.with_heads(list(heads)))
        if np.isfinite(found[0]):  # a label may be missing altogether
            np.testing.assert_allclose(found, expected, rtol=1e-4)
    n_finite = sum(
        np.isfinite(score_trees(opened, split_head_trees(words.with_heads(list(h)))).log_probability[0])
        for h in all_trees(5)
    )
    assert n_finite > 0.9 * len(all_trees(5))


def test_words_of_other_parts_of_a_corpus_are_unknown() -> None:
    trees, _ = toy(60)
    part = trees.select(np.arange(20))
    model = DepTreeOptions(estimator="lpcfg", states=2, relations=False).fit(part)
    assert isinstance(model, SplitHeads)
    skeleton = model.grammar.skeleton
    assert set(skeleton.symbols[: skeleton.n_words]) <= set(part.strings("form"))


def slow_total(opened: LatentGrammar, trees: Dependencies) -> float:
    """p of one tree, by a recursion over its binary tree; 0 where the grammar lacks a rule or a word."""
    binary, skeleton, weights = split_head_trees(trees), opened.skeleton, opened.members[0]
    labels = {label: i for i, label in enumerate(skeleton.labels)}
    rules = {tuple(rule): i for i, rule in enumerate(skeleton.rules.tolist())}
    words = {word: i for i, word in enumerate(skeleton.symbols[: skeleton.n_words])}
    entries = {(s, a): i for i, (s, a) in enumerate(zip(skeleton.entry_symbol, skeleton.entry_label))}

    def inside(row: int) -> tuple[int, np.ndarray]:
        a = labels.get(binary.labels[binary.label[row]], -1)
        n = weights.states[a]
        if binary.left[row] < 0:
            entry = entries.get((words[binary.words[binary.word[row]]], a))
            return a, np.zeros(n) if entry is None else weights.entry_weight[weights.entry_at[entry] :][:n]
        (b, left), (c, right) = inside(int(binary.left[row])), inside(int(binary.right[row]))
        rule = rules.get((a, b, c))
        if rule is None:
            return a, np.zeros(n)
        block = weights.rule_weight[weights.rule_at[rule] : weights.rule_at[rule + 1]]
        return a, np.einsum("abc,b,c->a", block.reshape(n, left.size, right.size), left, right)

    a, top = inside(int(binary.root[0]))
    return float(top @ weights.root_weight[weights.state_at[a] :][: top.size])


def test_the_chart_equals_enumeration_of_all_trees() -> None:
    model, trees, _ = fitted(3)
    opened = with_open_rules(model)
    exact = {
        name: getattr(opened.members[0], name).astype(float)
        for name in ("rule_weight", "entry_weight", "root_weight")
    }
    opened = replace(opened, members=(replace(opened.members[0], **exact),))
    parser = make_parser(opened, ParserOptions(pruning=NO_PRUNING))
    for n in (3, 4, 5):
        words = trees.select(np.flatnonzero(trees.lengths() == n)[:1])
        upos, forms = words.strings("upos"), words.strings("form")
        given = word_choices(parser, forms)
        position = np.repeat(np.arange(n), np.diff(given.at))
        keep = np.array(
            [opened.skeleton.labels[a].chain[-1] == upos[i] for a, i in zip(given.label, position)]
        )
        at = np.concatenate([[0], np.cumsum(np.bincount(position[keep], minlength=n))]).astype(np.int32)
        columns = (given.entry, given.label, given.probability, given.emission)
        chart = explore(
            parser,
            Choices(given.symbol, at, *(c[keep] for c in columns)),
            unconstrained(opened.skeleton),
            free=False,
        )
        assert chart is not None
        total = sum(slow_total(opened, words.with_heads(list(heads))) for heads in all_trees(n))
        assert chart.log_total == pytest.approx(np.log(total), abs=1e-10)
