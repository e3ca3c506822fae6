"""The re-ranker: features against a slow twin, learning from lists, lists in files."""

import io
import pathlib

import numpy as np
import pytest
from tests.dependency.oracles import all_trees
from tests.dependency.toys import parsed_text, run, small, toy

from eigenparse.corpus.conllu import read_conllu, read_lines
from eigenparse.corpus.dependencies import Dependencies, from_tokens
from eigenparse.decode.dependency.rerank import (
    candidates,
    read_nbest,
    rerank_conllu,
    tree_totals,
)
from eigenparse.errors import FormatError
from eigenparse.inference.dependency.arcs import kbest
from eigenparse.inference.dependency.deptree import score_trees
from eigenparse.inference.dependency.rerank import choose, chosen_heads, oracle, scored
from eigenparse.kernels.dependency.rerank import FAMILY_KEYS, pattern, tree_rows
from eigenparse.learn.dependency.rerank import RerankerOptions, folds, jackknifed_lists
from eigenparse.learn.dependency.trees import DepTreeOptions
from eigenparse.models.dependency.arcs import ArcModel
from eigenparse.models.registry import load_model, save_model

SHIFT = np.uint64(44)


def slow_rows(heads: tuple[int, ...], tags: np.ndarray) -> list[int]:
    """Patterns of the two baseline families, read off the definition."""
    n, found = len(heads), []
    root, beyond = FAMILY_KEYS[4], FAMILY_KEYS[3]
    for m in range(1, n + 1):
        h = heads[m - 1]
        g = heads[h - 1] if h else -1
        kind = np.uint64(8 + 2 * (m > h) + (h > max(g, 0) if h else 0))
        top = tags[h - 1] if h else root
        above = beyond if h == 0 else (tags[g - 1] if g else root)
        found.append(int(pattern(kind, tags[m - 1], top, above, SHIFT)))
        if h > 0 and m < h:
            for r in range(h + 1, n + 1):
                if heads[r - 1] == h:
                    found.append(int(pattern(np.uint64(1), tags[m - 1], tags[h - 1], tags[r - 1], SHIFT)))
    return sorted(found)


def test_patterns_equal_their_definition() -> None:
    rng = np.random.default_rng(0)
    for n in (1, 2, 4, 5):
        tags = rng.integers(1, 2**63, size=n).astype(np.uint64)
        for heads in all_trees(n)[::3]:
            rows = np.empty(200, dtype=np.uint64)
            flags = np.array([True, True, False])
            count = tree_rows(np.array(heads, dtype=np.int32), tags, flags, SHIFT, rows)
            assert sorted(int(r) for r in rows[:count]) == slow_rows(heads, tags)


def lists_of(model: ArcModel, sentences: Dependencies) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    found = kbest(model, sentences, 8)
    return found.heads, found.scores, found.found


def chains(n_sentences: int, seed: int) -> Dependencies:
    """Every word hangs from its left neighbour; a, b alternate as grandparents."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 6, size=n_sentences)
    tags = [["NOUN" if i % 2 else "VERB" for i in range(n)] for n in sizes]
    return from_tokens([[f"w{rng.integers(50)}" for _ in range(n)] for n in sizes], tags).with_heads(
        [i for n in sizes for i in range(n)]
    )


def test_learning_improves_on_the_base_parser() -> None:
    trees, fresh = chains(120, 0), chains(60, 1)
    rng = np.random.default_rng(2)
    parts = []
    for corpus in (trees, fresh):  # lists of all trees with meaningless base scores
        sizes = corpus.lengths()
        k = 30
        heads, found = np.zeros((k, corpus.n_words), dtype=np.int32), np.zeros(len(corpus), dtype=np.int64)
        for s, n in enumerate(sizes):
            chosen = [all_trees(int(n))[i] for i in rng.permutation(len(all_trees(int(n))))[: k - 1]]
            chosen = [*dict.fromkeys([*chosen, tuple(range(int(n)))])]
            found[s] = len(chosen)
            heads[: len(chosen), corpus.offsets[s] : corpus.offsets[s + 1]] = chosen
        parts.append(scored(corpus, heads, rng.normal(size=(len(corpus), k)), found, ()))
    model = RerankerOptions(passes=20, ceiling=0.1, bits=16).fit_lists(parts[0], trees.head, ())
    choice, _ = choose(model, parts[1])
    right = (chosen_heads(parts[1], choice) == fresh.head).mean()
    assert right > 0.99
    assert (chosen_heads(parts[1], parts[1].scores.argmax(axis=1) * 0) == fresh.head).mean() < 0.7
    assert (chosen_heads(parts[1], oracle(parts[1], fresh.head)) == fresh.head).all()


def test_jackknifed_lists_come_from_parsers_that_did_not_see_them() -> None:
    trees, _ = toy(12)
    learner = small(passes=2)
    tree_options = DepTreeOptions(states=2, rounds=1)
    lists = jackknifed_lists(trees, learner, (tree_options,), RerankerOptions(best=8, folds=3))
    assert len(lists) == 12
    for train, rest in folds(12, 3):
        assert sorted([*train, *rest]) == list(range(12))
        model = learner.fit(trees.select(train))
        heads, scores, _ = lists_of(model, trees.select(rest))
        low, high = trees.offsets[rest[0]], trees.offsets[rest[-1] + 1]
        assert np.array_equal(lists.heads[:, low:high], heads)
        assert np.array_equal(lists.scores[rest], scores)
    first = score_trees(
        tree_options.fit(trees.select(np.arange(4, 12))),
        trees.select([0]).with_heads(lists.heads[0, : trees.offsets[1]]),
    )
    assert lists.log_p[0, 0, 0] == pytest.approx(first.log_abs[0])


def test_files_and_verbs(tmp_path: pathlib.Path) -> None:
    _, lines = toy(30)
    gold = tmp_path / "gold.conllu"
    gold.write_text("\n".join(lines), encoding="utf-8")
    for arguments in (
        ["train", "dependency", gold, "--passes", 3, "--bits", 18, "--out", tmp_path / "p"],
        ["train", "deptree", gold, "--states", 3, "--rounds", 2, "--out", tmp_path / "t"],
        [
            "train",
            "reranker",
            gold,
            "--parser",
            tmp_path / "p",
            "--deptree",
            tmp_path / "t",
            "--out",
            tmp_path / "r",
        ],
    ):
        run(*arguments)
    text = parsed_text(load_model(tmp_path / "p", "dependency"), lines, n_best=5)
    nbest = tmp_path / "nbest.conllu"
    nbest.write_text(text, encoding="utf-8")
    printed = run("rerank", tmp_path / "r", nbest)
    again = read_lines(printed.split("\n"), source="out").trees
    assert again.strings("form") == read_conllu(gold).trees.strings("form")
    model = load_model(tmp_path / "r", "reranker")
    save_model(model, tmp_path / "r2", "reranker")
    assert (tmp_path / "r").read_bytes() == (tmp_path / "r2").read_bytes()
    corpus, groups, scores = read_nbest(text.split("\n"), source="lists")
    choice, _ = choose(model, candidates(corpus.trees, groups, scores, model.tree_models))
    picked = [corpus.trees.select([g[c]]).head.tolist() for g, c in zip(groups, choice)]
    assert [h for heads in picked for h in heads] == again.head.tolist()
    said = run("score", tmp_path / "t", gold).split("\n")[:30]
    expected = tree_totals(load_model(tmp_path / "t", "deptree"), read_conllu(gold).trees).log_abs
    assert [float(x) for x in said] == pytest.approx(expected.tolist(), abs=1e-5)


def test_lists_without_ranks_are_refused() -> None:
    trees, lines = toy(3)
    lists = scored(trees, *lists_of(small(passes=1).fit(trees), trees), ())
    model = RerankerOptions(bits=10).fit_lists(lists, trees.head, ())
    with pytest.raises(FormatError, match="without a comment '# rank ='"):
        rerank_conllu(model, lines, io.StringIO())
