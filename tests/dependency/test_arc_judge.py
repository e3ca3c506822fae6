"""The judge of arcs: its candidates, features and probabilities against direct computation, and what it can learn."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.dependency.toys import arc_marginals, small, toy

from eigenparse.corpus.conllu import read_lines
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.features.dependency.arc_columns import arc_columns, judge_templates
from eigenparse.inference.dependency.arcs import believed, judge_weights, judged, kbest, parse
from eigenparse.kernels.dependency.arc_features import BUCKET
from eigenparse.kernels.dependency.arc_judge import judge_pass, judge_rows, place_of, sight_of
from eigenparse.learn.dependency.arc_judge import BITS, FEWEST, SCALE
from eigenparse.models.dependency.arcs import ArcJudge, ArcModel
from eigenparse.models.registry import load_model, save_model
from eigenparse.run.ordered import open_run
from eigenparse.work.work import Work


def chains(n: int = 150, seed: int = 0) -> Dependencies:
    """Sentences in which the verb says where the second noun and the adverb after it belong."""
    rng = np.random.default_rng(seed)
    lines: list[str] = []
    for _ in range(n):
        verb, noun = rng.choice(["put", "saw"]), f"n{rng.integers(30)}"
        high = verb == "put"
        rows = [
            (verb, "VERB", 0, "root"), (noun, "NOUN", 1, "obj"), ("in", "ADP", 4, "case"),
            (f"n{rng.integers(30)}", "NOUN", 1 if high else 2, "obl" if high else "nmod"),
            ("so", "ADV", 1 if high else 4, "advmod"), (".", "PUNCT", 1, "punct"), ("ok", "INTJ", 1, "discourse"),
        ]  # fmt: skip
        lines += [f"{i}\t{w}\t_\t{p}\t_\t_\t{h}\t{r}\t_\t_" for i, (w, p, h, r) in enumerate(rows, 1)] + [""]
    return read_lines(lines, source="test").trees


@pytest.fixture(scope="module")
def model() -> ArcModel:
    return small(2, passes=2, prune_bits=10).fit(chains())


def test_few_sentences_or_the_first_order_have_no_judge(model: ArcModel) -> None:
    assert model.judge is not None
    assert small(2, passes=1).fit(chains(FEWEST - 1)).judge is None
    assert small(1, passes=1).fit(chains(FEWEST)).judge is None
    assert small(2, passes=1, judge=False).fit(chains(FEWEST)).judge is None


def test_without_weights_the_judge_believes_the_chart(model: ArcModel) -> None:
    trees = chains(3, seed=1)
    blank = ArcJudge(("s: h.p",), np.zeros(1 << 8, dtype=np.float32), SCALE, 1.0)
    found = judged(model, blank, arc_columns(trees))
    for s in range(len(trees)):
        chart = arc_marginals(replace(model, judge=None), trees, s, scale=SCALE)
        for m in range(trees.offsets[s], trees.offsets[s + 1]):
            heads = found.heads[m][found.heads[m] >= 0]
            shares = chart[heads, m - trees.offsets[s] + 1]
            assert_allclose(
                np.exp(found.scores[m][: heads.size]), shares / shares.sum(), rtol=1e-3, atol=1e-6
            )


def test_judged_scores_are_probabilities_and_trees_lists_and_posteriors_agree(model: ArcModel) -> None:
    trees = chains(20, seed=2)
    assert model.judge is not None
    found = judged(model, model.judge, arc_columns(trees))
    assert_allclose((np.exp(found.scores) * (found.heads >= 0)).sum(axis=1), 1.0, rtol=1e-5)
    lists = kbest(model, trees, 3)
    assert lists.heads[0].tolist() == parse(model, trees).head.tolist()
    assert (np.diff(lists.scores, axis=1)[lists.found == 3] <= 1e-9).all()
    assert_allclose(arc_marginals(model, trees, 0)[:, 1:].sum(axis=0), 1.0, rtol=1e-9)


def test_rows_are_what_the_templates_say() -> None:
    trees, _ = toy(30, seed=3)
    trees = trees.select([int(trees.lengths().argmax())])
    columns = arc_columns(trees)
    columns = columns._replace(keys=np.concatenate([columns.keys, columns.keys[:1] + np.uint64(7)]))
    compiled = judge_templates(["s: h.p g.w", "d: s.p o.r", "a: l.w r+1.p m.p"], bits=20)
    tree, n = trees.head, trees.n_words
    sight = sight_of(columns, 0, compiled, tree)
    rows = np.empty(3, dtype=np.uint64)
    none = n + 1
    for m in range(1, n + 1):
        for h in (h for h in range(n + 1) if h != m):
            side, near = int(m > h), range(min(h, m) + 1, max(h, m))
            inner = [k for k in near if tree[k - 1] == h]
            outer = [k for k in (range(m + 1, n + 1) if side else range(1, m)) if tree[k - 1] == h]
            children = [k for k in range(1, n + 1) if tree[k - 1] == m]
            place = {
                "h": h, "m": m, "s": (inner[-1] if side else inner[0]) if inner else none,
                "o": (outer[0] if side else outer[-1]) if outer else none, "g": tree[h - 1] if h else none,
                "l": next((k for k in children if k < m), none), "r": next((k for k in children[::-1] if k > m), none),
            }  # fmt: skip
            codes = compiled.codes[side, [0, 1 + BUCKET[abs(h - m)]]].tolist()
            totals = [*codes, codes[0] + int(compiled.tag_keys[place_of(h, m, tree)])]
            for atom, coefficient in zip(compiled.atoms.tolist(), compiled.coefficients.tolist()):
                template, role, offset, attribute = atom
                at = place["hmsoglr"[role]]
                if at != none and 1 <= at + offset <= n:
                    key = columns.keys[attribute, at + offset - 1]
                else:
                    edge = 3 if at == none else 1 if at + offset == 0 else 2
                    key = compiled.edge_keys[attribute, edge]
                totals[template] += coefficient * int(key)
            judge_rows(h, m, sight, compiled, rows)
            assert rows.tolist() == [(total % 2**64) >> 44 for total in totals]


def test_places_beside_the_believed_head() -> None:
    tree = np.array([2, 0, 2, 5, 3, 2], dtype=np.int32)  # 2 heads 1, 3, 6; 3 heads 5; 5 heads 4
    assert [place_of(h, 5, tree) for h in (3, 2, 4, 1)] == [0, 1, 3, 5]
    assert [place_of(h, 6, tree) for h in (2, 0, 3, 4)] == [0, 1, 2, 4]


def test_a_pass_lowers_the_loss_and_the_second_look_helps(model: ArcModel) -> None:
    trees = chains(seed=4)
    full, found = believed(model, arc_columns(trees), SCALE)
    assert model.judge is not None
    weights = judge_weights(replace(model.judge, weights=np.zeros(1 << BITS, dtype=np.float32)))
    squares = np.zeros((1 << BITS) + 1, dtype=np.float32)
    losses = [
        judge_pass(full, trees.head, np.arange(len(trees)), weights, found, squares, 0.05) for _ in range(3)
    ]
    assert losses[0] > losses[1] > losses[2]


def test_a_file_and_any_number_of_workers_give_the_same_judge(model: ArcModel, tmp_path) -> None:
    save_model(model, tmp_path / "one", "dependency")
    again = load_model(tmp_path / "one", "dependency")
    assert again.judge is not None
    assert model.judge is not None
    assert again.judge.trust == model.judge.trust
    np.testing.assert_array_equal(again.judge.weights, model.judge.weights)
    with open_run(None, 2) as run:
        two = small(2, passes=2, prune_bits=10).fit(chains(), Work(run))
    save_model(two, tmp_path / "two", "dependency")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
