"""``parse`` with a split-head grammar: heads, lists, long and empty sentences, models that cannot parse."""

import io
import itertools
import pathlib
from dataclasses import replace

import numpy as np
import pytest
from tests.dependency.toys import run, toy

from eigenparse.corpus.conllu import read_conllu, read_lines
from eigenparse.corpus.dependencies import broken_trees, from_tokens
from eigenparse.corpus.split_heads import word_tags
from eigenparse.decode.dependency.rerank import read_nbest
from eigenparse.decode.dependency.split_heads import (
    TreeParser,
    parse_split_heads,
    search_split_heads,
    tree_parser,
)
from eigenparse.decode.grammar.parser import ParserOptions
from eigenparse.errors import ModelFileError, OptionError
from eigenparse.evaluate.attachment import attachment
from eigenparse.features.dependency.arc_columns import arc_columns
from eigenparse.inference.dependency.arcs import relations_of
from eigenparse.inference.dependency.split_heads import score_split_heads
from eigenparse.learn.dependency.arcs import ArcOptions
from eigenparse.learn.dependency.split_heads import LABEL_PASSES, with_less
from eigenparse.models.container import read_container, write_container
from eigenparse.models.dependency.rerank import Reranker
from eigenparse.models.dependency.split_heads import SplitHeads
from eigenparse.models.registry import load_model, save_model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Toy trees in ``gold.conllu`` and a grammar of them in ``m``."""
    place = tmp_path_factory.mktemp("grammar")
    _, lines = toy(60)
    (place / "gold.conllu").write_text("\n".join(lines), encoding="utf-8")
    options = ["--estimator", "lpcfg", "--states", 2, "--dev", place / "gold.conllu", "--out", place / "m"]
    (place / "figures").write_text(run("train", "deptree", place / "gold.conllu", *options))
    return place


def parser(folder: pathlib.Path, options: ParserOptions | None = None) -> TreeParser:
    model = load_model(folder / "m", "deptree")
    assert isinstance(model, SplitHeads)
    return tree_parser(model, options)


def test_the_verb_parses_as_training_reported(folder: pathlib.Path) -> None:
    run("parse", folder / "m", folder / "gold.conllu", "--output", folder / "guess.conllu")
    gold, guess = read_conllu(folder / "gold.conllu"), read_conllu(folder / "guess.conllu")
    figures = attachment(gold.trees, guess.trees).figures()
    assert f"UAS {figures['UAS']:.2f}" in (folder / "figures").read_text()
    assert figures["UAS"] > 75
    for before, after in zip(gold.text, guess.text):
        cells = [line.split("\t") for lines in (before, after) for line in lines]
        assert [c[:6] + c[9:] for c in cells[: len(before)]] == [c[:6] + c[9:] for c in cells[len(before) :]]
    assert f"LAS {figures['LAS']:.2f}" in (folder / "figures").read_text()
    assert figures["LAS"] > 0.9 * figures["UAS"]


@pytest.mark.parametrize("tags", ["upos", "tag"])
def test_the_labeller_also_learns_from_words_of_which_less_is_known(tags: str) -> None:
    trees, _ = toy(5)
    both = with_less(trees, tags)
    assert both.offsets.tolist() == [*trees.offsets, *(trees.offsets[1:] + trees.n_words)]
    n = trees.n_words
    for name in ("form", "relation", "lemma", "upos", "xpos", "feats"):
        found, given = both.strings(name), trees.strings(name)
        assert found[:n] == given
        kept = name in ("form", "relation", "lemma") or (name == "upos" and tags == "upos")
        finer = [word_tags(trees, "tag")[0][i] for i in word_tags(trees, "tag")[1]]
        assert found[n:] == (given if kept else finer if (name, tags) == ("xpos", "tag") else ["_"] * n)
    assert both.head[:n].tolist() == both.head[n:].tolist() == trees.head.tolist()


def test_the_labeller_is_that_of_the_graph_based_parser(folder: pathlib.Path) -> None:
    """Relations of the grammar's arcs are those that a graph-based parser of the same sentences gives them."""
    gold = read_conllu(folder / "gold.conllu").trees
    graph = ArcOptions(passes=1, bits=8, label_passes=LABEL_PASSES).fit(with_less(gold, "upos"))
    guess = parse_split_heads(parser(folder), gold)
    expected = relations_of(graph.labeller, arc_columns(gold), guess.head)
    assert guess.strings("relation") == [graph.labeller.relations[r] for r in expected]


def test_words_without_tags_are_labelled_by_the_tags_of_their_tree(folder: pathlib.Path) -> None:
    gold = read_conllu(folder / "gold.conllu").trees
    words = [gold.select([s]).strings("form") for s in range(len(gold))]
    found = parse_split_heads(parser(folder), from_tokens(words))
    plain = replace(parser(folder), label_tags=np.array(["_"] * parser(folder).label_tags.size))
    without = parse_split_heads(plain, from_tokens(words))
    right = [g == f for g, f in zip(gold.strings("relation"), found.strings("relation"))]
    blind = [g == f for g, f in zip(gold.strings("relation"), without.strings("relation"))]
    assert np.array_equal(found.head, without.head)
    assert sum(right) > sum(blind)


def test_models_without_a_labeller_call_words_root_and_dep(folder: pathlib.Path) -> None:
    model = replace(parser(folder).model, labeller=None)
    save_model(model, folder / "bare", "deptree")
    again = load_model(folder / "bare", "deptree")
    assert isinstance(again, SplitHeads)
    assert again.labeller is None
    guess = parse_split_heads(tree_parser(again), read_conllu(folder / "gold.conllu").trees)
    assert set(guess.strings("relation")) == {"root", "dep"}


@pytest.mark.parametrize(
    ("name", "value"),
    [("label_bits", 60), ("relations", ["x"]), ("relations", [1]), ("label_templates", ["z: h.p"])],
)
def test_damaged_labellers_are_refused(folder: pathlib.Path, name: str, value: object) -> None:
    kind, header, arrays = read_container(folder / "m")
    header["labeller"][name] = value
    write_container(folder / "bad", kind=kind, header=header, arrays=arrays)
    with pytest.raises(ModelFileError):
        load_model(folder / "bad", "deptree")


def test_lists_are_distinct_ordered_and_begin_with_the_best(folder: pathlib.Path) -> None:
    run("parse", folder / "m", folder / "gold.conllu", "--kbest", 5, "--output", folder / "lists.conllu")
    lines = (folder / "lists.conllu").read_text().split("\n")
    corpus, groups, scores = read_nbest(lines, source="lists")
    best, _ = search_split_heads(parser(folder), read_conllu(folder / "gold.conllu").trees, 1)
    heads = [tuple(corpus.trees.select([s]).head.tolist()) for s in range(len(corpus))]
    assert broken_trees(corpus.trees)[0].size == 0
    assert max(map(len, groups)) == 5
    low = 0
    for group in groups:
        found = [heads[s] for s in group]
        assert len(set(found)) == len(found)
        assert all(scores[a] >= scores[b] for a, b in itertools.pairwise(group))
        assert found[0] == tuple(best.heads[0, low : low + len(found[0])].tolist())
        low += len(found[0])


def test_lists_of_words_with_any_tag_repeat_no_tree(folder: pathlib.Path) -> None:
    lists, _ = search_split_heads(parser(folder), from_tokens([["qqq", "zzz", "qqq", "yyy"]]), 6)
    assert lists.found[0] > 3
    assert len({row.tobytes() for row in lists.heads[: lists.found[0]]}) == lists.found[0]


def test_long_and_empty_sentences_are_counted(folder: pathlib.Path) -> None:
    out = io.StringIO()
    lines = ["# sent_id = empty", "", *(f"{i}\tx" + "\t_" * 8 for i in range(1, 8)), "", "1\tx" + "\t_" * 8]
    limited = parser(folder, ParserOptions(max_length=6))
    assert limited.parse_corpus(read_lines(lines, source="in", heads=False), out) == 1
    found = read_lines(out.getvalue().split("\n"), source="out").trees
    assert found.lengths().tolist() == [0, 7, 1]
    assert found.head.tolist() == [0, 1, 2, 3, 4, 5, 6, 0]


def test_tokens_are_parsed_too(folder: pathlib.Path) -> None:
    words = read_conllu(folder / "gold.conllu").trees.select([0]).strings("form")
    (folder / "tokens").write_text(" ".join(words) + "\n")
    run("parse", folder / "m", folder / "tokens", "--output", folder / "out")
    assert read_conllu(folder / "out").trees.strings("form") == words


def test_spectral_models_do_not_parse(folder: pathlib.Path) -> None:
    options = ["--states", 2, "--estimator", "consistent", "--out", folder / "signed"]
    run("train", "deptree", folder / "gold.conllu", *options)
    with pytest.raises(OptionError, match="the estimator consistent scores trees but finds none; train with"):
        run("parse", folder / "signed", folder / "gold.conllu")
    with pytest.raises(OptionError, match="writes CoNLL-U"):
        run("parse", folder / "m", folder / "gold.conllu", "--format", "json")


def test_rerankers_keep_no_labeller(folder: pathlib.Path) -> None:
    model = parser(folder).model
    dense = np.ones(3, dtype=np.float32)
    ranker = Reranker((), np.zeros(256, dtype=np.float32), dense, dense, (model,))
    save_model(ranker, folder / "r", "reranker")
    again = load_model(folder / "r", "reranker").tree_models[0]
    assert isinstance(again, SplitHeads)
    assert (model.labeller is not None, again.labeller) == (True, None)
    trees = read_conllu(folder / "gold.conllu").trees
    assert np.array_equal(score_split_heads(again, trees), score_split_heads(model, trees))
