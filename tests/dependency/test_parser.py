"""The trained parser: features against a slow twin, memorisation, determinism, model files."""

import itertools
import pathlib

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.dependency.oracles import all_trees, tree_score
from tests.dependency.toys import arc_marginals, parsed_text, small, toy

from eigenparse.corpus.conllu import read_lines
from eigenparse.errors import ModelFileError, OptionError
from eigenparse.features.dependency.arc_columns import arc_columns, compile_templates
from eigenparse.inference.dependency.arcs import kbest, parse
from eigenparse.kernels.dependency.arc_features import arc_rows, row_buffer, sentence_parts
from eigenparse.kernels.dependency.arc_training import sentence_scores, tree_total
from eigenparse.models.registry import load_model, save_model


@pytest.mark.parametrize("order", [1, 2])
def test_ten_trees_are_memorised(order: int) -> None:
    trees, _ = toy()
    model = small(order, passes=30).fit(trees)
    guess = parse(model, trees)
    assert guess.head.tolist() == trees.head.tolist()
    assert guess.strings("relation") == trees.strings("relation")
    assert model.about["lifted"] == 0
    assert model.about["wrong_heads"][-1] < model.about["wrong_heads"][0]


@pytest.mark.parametrize("order", [1, 2])
def test_scores_lists_and_marginals_agree_with_enumeration(order: int) -> None:
    trees, _ = toy(6, seed=1)
    model = small(order, passes=2).fit(trees)
    compiled = compile_templates(model.templates, model.pair_templates, bits=model.bits)
    columns = arc_columns(trees)
    lists = kbest(model, trees, 5)
    for s, (low, high) in enumerate(itertools.pairwise(trees.offsets)):
        p = sentence_parts(columns, s, compiled, order == 2)
        parts = sentence_scores(p, compiled, model.weights, order == 2, np.ones((high - low + 1,) * 2, bool))
        ranked = sorted((tree_score(t, *parts) for t in all_trees(high - low)), reverse=True)
        found = int(lists.found[s])
        assert found == min(5, len(ranked))
        assert_allclose(lists.scores[s, :found], ranked[:found], rtol=1e-6, atol=1e-6)  # float32 pair scores
        for k in range(found):
            heads = lists.heads[k, low:high]
            assert_allclose(tree_total(heads, *parts), lists.scores[s, k], rtol=1e-6, atol=1e-6)
        assert_allclose(arc_marginals(model, trees, s)[:, 1:].sum(axis=0), 1.0, rtol=1e-6)


def test_rows_are_what_the_templates_say() -> None:
    trees, _ = toy(3, seed=2)
    compiled = compile_templates(["s: h.p m-1.w", "d: m+1.p", "t: h.p m.p"], bits=20)
    columns = arc_columns(trees)
    s = int(trees.lengths().argmax())
    low, high = trees.offsets[s], trees.offsets[s + 1]
    n = int(high - low)
    keys = columns.keys[:, low:high]
    p = sentence_parts(columns, s, compiled, False)
    rows = row_buffer(compiled)
    coefficient = [int(c) for c in compiled.coefficients]

    def key(attribute: int, position: int) -> int:
        if 1 <= position <= n:
            return int(keys[attribute, position - 1])
        return int(compiled.edge_keys[attribute, 0 if position < 0 else 1 if position == 0 else 2])

    for h, m in itertools.product(range(n + 1), range(1, n + 1)):
        if h == m:
            continue
        side, distance = int(m > h), abs(h - m)
        bucket = [0, 1, 2, 3, 4, 5, 5, 6, 6, 6, 6, 7, 7][min(distance, 12)]
        plain = int(compiled.codes[side, 0])
        expected = [
            coefficient[0] * key(1, h) + coefficient[1] * key(0, m - 1) + plain,
            coefficient[2] * key(1, m + 1) + int(compiled.codes[side, 1 + bucket]),
        ]
        for tag in sorted({int(columns.tags[low + i - 1]) for i in range(min(h, m) + 1, max(h, m))}):
            pair = coefficient[3] * key(1, h) + coefficient[4] * key(1, m)
            expected.append(pair + plain + int(compiled.tag_keys[tag]))
        count = arc_rows(h, m, p, compiled, rows)
        assert rows[:count].tolist() == [(x % 2**64) >> 44 for x in expected]


def test_same_seed_same_bytes_and_files_round_trip(tmp_path: pathlib.Path) -> None:
    trees, _ = toy()
    for name in ("a", "b"):
        save_model(small(2, passes=3, seed=4).fit(trees), tmp_path / name, "dependency")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    model = small(2, passes=3, seed=4).fit(trees)
    again = load_model(tmp_path / "a", "dependency")
    assert again.order == 2
    assert np.array_equal(again.weights, model.weights)
    assert np.array_equal(again.labeller.weights, model.labeller.weights)
    (tmp_path / "c").write_bytes((tmp_path / "a").read_bytes()[:-40])
    with pytest.raises(ModelFileError):
        load_model(tmp_path / "c", "dependency")


def test_gold_heads_do_not_leak_into_parsing() -> None:
    trees, _ = toy(20, seed=5)
    model = small(2, passes=2).fit(trees)
    blank = trees.with_heads(np.full(trees.n_words, -1), np.zeros(trees.n_words), ("_",))
    assert parse(model, blank).head.tolist() == parse(model, trees).head.tolist()
    assert parse(model, blank).relation.tolist() == parse(model, trees).relation.tolist()


def test_crossing_trees_are_learnt_and_lifted() -> None:
    heads = [3, 4, 0, 3]  # arcs 3 -> 1 and 4 -> 2 cross
    lines = [f"{i}\tw{i}\t_\tX\t_\t_\t{h}\tdep\t_\t_" for i, h in enumerate(heads, start=1)]
    trees = read_lines(lines, source="toy").trees
    model = small(passes=10, crossing=True).fit(trees)
    assert parse(model, trees).head.tolist() == heads
    assert model.about["lifted"] == 0
    model = small(passes=10).fit(trees)
    assert model.about["lifted"] == 1
    assert parse(model, trees).head.tolist() == [3, 3, 0, 3]
    with pytest.raises(OptionError, match="order 1"):
        small(2, crossing=True)


def test_text_in_conllu_out() -> None:
    trees, lines = toy()
    model = small(passes=5).fit(trees)
    parsed = read_lines(parsed_text(model, lines).split("\n"), source="out").trees
    assert len(parsed) == 10
    assert parsed.head.tolist() == parse(model, trees).head.tolist()
    blocks = parsed_text(model, ["the old man\n", "\n", "sees\n"], n_best=3).strip().split("\n\n")
    assert len(blocks) == 3 + 1
    assert blocks[0].startswith("# rank = 1\n# score = ")


def test_bad_templates_are_refused() -> None:
    with pytest.raises(OptionError, match=r"'m\.q' is not role"):
        compile_templates(["s: h.p m.q"], bits=18)
