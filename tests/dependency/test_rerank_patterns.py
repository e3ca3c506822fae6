"""Features that a user writes: rows against their definition, learning, files, bad patterns."""

import pathlib
from dataclasses import replace

import numpy as np
import pytest
from tests.cli.calls import call
from tests.dependency.oracles import all_trees
from tests.dependency.toys import toy

import eigenparse.cli.verbs  # noqa: F401  registers the verbs
from eigenparse.corpus.dependencies import Dependencies, from_tokens
from eigenparse.errors import ModelFileError, OptionError
from eigenparse.inference.dependency.rerank import (
    Candidates,
    choose,
    chosen_heads,
    compile_patterns,
    scored,
    word_keys,
)
from eigenparse.kernels.dependency.rerank import pattern_rows, role_parts
from eigenparse.learn.dependency.rerank import RerankerOptions
from eigenparse.models.registry import load_model, save_model

PATTERNS = ("m.w", "m.w h.w", "m.p h.p g.p", "m.p s.w", "l.w m.p r.w", "h.t m.x")


def meaning(heads: tuple[int, ...], words: list[str], m: int, text: str) -> tuple[str, ...]:
    """What a pattern says about word m (from 1), read off its definition; words stand for their tags too."""
    n, h = len(heads), heads[m - 1]
    g = -1 if h == 0 else heads[h - 1]
    between = range(m + 1, h) if h > m else range(m - 1, h, -1)
    near = next((i for i in between if h and heads[i - 1] == h), -1)
    left = next((i for i in range(1, m) if heads[i - 1] == m), -1)
    right = next((i for i in range(n, m, -1) if heads[i - 1] == m), -1)
    place = {"m": m, "h": h, "g": g, "s": near, "l": left, "r": right}
    seen = [
        "none" if place[a[0]] < 0 else "root" if place[a[0]] == 0 else words[place[a[0]] - 1]
        for a in text.split()
    ]
    sides = [str(m > h), str(g >= 0 and h > g) if "g." in text else ""]
    return (text, *sides, *seen)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_rows_equal_their_definition(n: int) -> None:
    words = ["a", "b", "a", "c", "b"][:n]
    keys = word_keys(from_tokens([words], [words]), PATTERNS)
    patterns = compile_patterns(PATTERNS)
    part = role_parts(keys, patterns)
    rows_of: dict[tuple[str, ...], int] = {}
    for heads in all_trees(n):
        rows = np.zeros(n * len(PATTERNS), dtype=np.uint64)
        count = pattern_rows(np.array(heads, dtype=np.int32), part, patterns.sides, np.uint64(0), rows)
        assert count == rows.size
        for i, row in enumerate(rows.tolist()):
            said = meaning(heads, words, 1 + i // len(PATTERNS), PATTERNS[i % len(PATTERNS)])
            assert rows_of.setdefault(said, row) == row
    assert len(set(rows_of.values())) == len(rows_of)


def lists_of_pairs(n_sentences: int, seed: int) -> tuple[Candidates, Dependencies]:
    """Three words: the last hangs from the first if they are the same letter, else from the second."""
    rng = np.random.default_rng(seed)
    words = [[str(w) for w in rng.choice(list("abc"), 3)] for _ in range(n_sentences)]
    gold = [h for a, _, c in words for h in (0, 1, 1 if a == c else 2)]
    trees = from_tokens(words, [["X"] * 3] * n_sentences).with_heads(gold)
    heads = np.tile(np.array([[0, 1, 1], [0, 1, 2]], dtype=np.int32), (1, n_sentences))
    found = np.full(n_sentences, 2, dtype=np.int64)
    return scored(trees, heads, np.zeros((n_sentences, 2)), found, ()), trees


def test_words_are_seen_only_by_patterns(tmp_path: pathlib.Path) -> None:
    (lists, gold), (fresh, fresh_gold) = lists_of_pairs(200, 0), lists_of_pairs(100, 1)
    right = {}
    for patterns in ((), ("m.w h.w",)):
        options = RerankerOptions(feature=patterns, ceiling=1.0, passes=20, bits=14)
        model = options.fit_lists(lists, gold.head, ())
        save_model(model, tmp_path / "r", "reranker")
        again = load_model(tmp_path / "r", "reranker")
        assert again.patterns == patterns
        choice, scores = choose(again, fresh)
        assert np.array_equal(scores, choose(model, fresh)[1])
        right[patterns] = (chosen_heads(fresh, choice) == fresh_gold.head)[2::3].mean()
    assert right["m.w h.w",] > right[()] + 0.1


@pytest.mark.parametrize("text", ["", "m", "q.w", "m.q", "m-1.w", "m.w,h.w"])
def test_bad_patterns_are_refused(text: str, tmp_path: pathlib.Path) -> None:
    lists, gold = lists_of_pairs(3, 0)
    with pytest.raises(OptionError, match="write it like"):
        RerankerOptions(feature=(text,))
    model = RerankerOptions(bits=10).fit_lists(lists, gold.head, ())
    save_model(replace(model, patterns=(text,)), tmp_path / "r", "reranker")
    with pytest.raises(ModelFileError, match="a pattern is not understood"):
        load_model(tmp_path / "r", "reranker")


def test_the_verb_takes_features(tmp_path: pathlib.Path) -> None:
    gold = tmp_path / "gold.conllu"
    gold.write_text("\n".join(toy(12)[1]), encoding="utf-8")
    done = call("train", "dependency", gold, "--passes", 1, "--bits", 12, "--out", tmp_path / "p")
    assert done.code == 0, done.err
    start = ["train", "reranker", gold, "--parser", tmp_path / "p", "--best", 3, "--out", tmp_path / "r"]
    done = call(*start, "--feature", "m.w h.w", "--feature", "m.t s.t")
    assert done.code == 0, done.err
    assert load_model(tmp_path / "r", "reranker").patterns == ("m.w h.w", "m.t s.t")
    refused = call(*start, "--feature", "m.q")
    assert refused.code == 1
    assert "'m.q' is not role and attribute" in refused.err
