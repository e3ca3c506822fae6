"""The filter of spans: what it may never close, what it costs, and that it comes back from a file."""

import functools
import pathlib
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from eigenparse.corpus.brackets import format_trees
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.transform import binarise, unbinarise
from eigenparse.decode.grammar.constraints import SpanLimit, span_limits
from eigenparse.decode.grammar.derivations import Derivation
from eigenparse.decode.grammar.parser import (
    Parser,
    ParserOptions,
    as_trees,
    decode,
    make_parser,
    narrower,
)
from eigenparse.decode.grammar.posteriors import symbol_table
from eigenparse.decode.grammar.request import Request, answer, row_spans
from eigenparse.errors import ModelFileError
from eigenparse.inference.grammar.forest import (
    EVERYTHING_OPEN,
    choices,
    read_words,
    rule_index,
    unconstrained,
)
from eigenparse.inference.grammar.span_filter import spans_left_open
from eigenparse.kernels.grammar.forest import base_edges, base_inside
from eigenparse.kernels.grammar.kept_forest import Thresholds, base_forest, root_posteriors, stable_order
from eigenparse.kernels.grammar.span_filter import SPOKEN_OF, open_spans, span_sums
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.learn.grammar.span_filter import learn_span_filter, span_corpus
from eigenparse.models.container import read_container, write_container
from eigenparse.models.grammar.packed import PackedGrammar
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.models.grammar.span_filter import tag_numbers
from eigenparse.models.registry import load_model, save_model
from eigenparse.models.words import symbols_of, word_table
from eigenparse.synthetic import sample_treebank

N_TREES = 2500
NO_FILTER = ParserOptions(span_filter=False)


@functools.cache
def learnt() -> LatentGrammar:
    return GrammarOptions(method="pcfg", span_loss=0.01).fit(normalise(sample_treebank(N_TREES, 0)))


@functools.cache
def sentences(n: int = 40) -> list[list[str]]:
    bank = sample_treebank(n, 17)
    cuts = zip(bank.offsets, bank.offsets[1:])
    return [[bank.words[w] for w in bank.word[i:j] if w >= 0] for i, j in cuts]


def with_threshold(least: int) -> LatentGrammar:
    """The grammar with a filter that closes every span below another sum."""
    found = learnt().span_filter
    assert found is not None
    return replace(learnt(), span_filter=replace(found, least=least))


def parsed(grammar: LatentGrammar, options: ParserOptions | None = None) -> list[str]:
    parser = make_parser(grammar, options)
    best = [decode(parser, words) for words in sentences()]
    trees = as_trees(parser, sentences(), [found.derivations[0] for found in best])
    return [found.status for found in best] + format_trees(unbinarise(trees)).decode().splitlines()


def test_training_keeps_its_word_about_the_spans_lost() -> None:
    found = learnt().span_filter
    assert found is not None
    assert 0 < found.lost <= 0.01
    assert found.closed > 0.3


def test_the_same_trees_give_the_same_filter() -> None:
    grammar, trees = (
        learnt(),
        binarise(normalise(sample_treebank(N_TREES, 0)), GrammarOptions().filled().binarisation),
    )
    assert grammar.context is not None
    again = learn_span_filter(grammar.skeleton, grammar.context, [trees], 0.01)
    assert grammar.span_filter is not None
    assert again is not None
    assert again.facts() == grammar.span_filter.facts()
    assert np.array_equal(again.weights, grammar.span_filter.weights)


def test_too_few_trees_have_no_filter() -> None:
    assert GrammarOptions(method="pcfg").fit(normalise(sample_treebank(60, 0))).span_filter is None


def test_a_filter_that_closes_nothing_changes_nothing() -> None:
    """Beside the thresholds, which are higher wherever a filter has been."""
    same = ParserOptions(span_filter=False, pruning=narrower(ParserOptions().pruning))
    assert parsed(with_threshold(-(10**6))) == parsed(learnt(), same)
    assert parsed(replace(learnt(), span_filter=None)) == parsed(learnt(), NO_FILTER)


def test_without_a_tree_the_search_is_done_again_without_the_filter() -> None:
    assert parsed(with_threshold(10**6)) == parsed(learnt(), NO_FILTER)


def test_words_sentences_and_limited_spans_are_never_closed() -> None:
    n, rng = 7, np.random.default_rng(0)
    weights = rng.integers(-127, 128, 1 << 10).astype(np.int8)
    limited = np.zeros((n, n + 1), dtype=np.int32)
    limited[2, 5], limited[1, 3], limited[3, 6] = SPOKEN_OF, 1, 2
    tags, words = rng.integers(0, 4, (2, n)).astype(np.int32)
    is_open = open_spans(tags, words, weights, 10**6, limited.reshape(-1)).reshape(n, n + 1)
    always = {(i, i + 1) for i in range(n)} | {(0, n), (2, 5)}
    assert set(zip(*np.nonzero(is_open))) == always


def test_required_spans_stay_possible_under_a_filter_that_closes_all() -> None:
    closed, free = make_parser(with_threshold(10**6)), make_parser(learnt(), NO_FILTER)
    words = next(words for words in sentences() if len(words) > 8)
    spans = {
        (i, j)
        for tree in decode(free, words, k=8).derivations
        for a, i, j in zip(tree.label.tolist(), *(column.tolist() for column in row_spans(tree)))
        if not free.labels[a].partial
    }
    assert len(spans) > len(words)
    for span in sorted(spans):
        request = Request(tuple(words), limits=span_limits([span]))
        one, two = (answer(parser, symbol_table(parser), request).decoded for parser in (closed, free))
        assert one.status == two.status == "ok"
        assert one.derivations[0].label.tolist() == two.derivations[0].label.tolist()


def test_nothing_crosses_uncrossed_spans() -> None:
    parser = make_parser(learnt(), NO_FILTER)
    words = next(words for words in sentences() if len(words) > 8)
    n = len(words)
    for i, j in combinations(range(n), 2):
        request = Request(tuple(words), limits=(SpanLimit(i, j, required=False, uncrossed=True),))
        tree = answer(parser, symbol_table(parser), request).decoded.derivations[0]
        assert not phrases(parser, tree) & crossing(i, j, n)


def phrases(parser: Parser, tree: Derivation) -> set[tuple[int, int]]:
    start, end = (column.tolist() for column in row_spans(tree))
    return {(i, j) for a, i, j in zip(tree.label.tolist(), start, end) if not parser.labels[a].partial}


def crossing(i: int, j: int, n: int) -> set[tuple[int, int]]:
    return {(a, b) for a in range(n) for b in range(a + 1, n + 1) if a < i < b < j or i < a < j < b}


def test_a_sum_knows_only_the_two_ends_of_a_span() -> None:
    rng = np.random.default_rng(1)
    weights = rng.integers(-127, 128, 1 << 12).astype(np.int8)
    tags, words = rng.integers(0, 9, (2, 12)).astype(np.int32)
    before, after = np.zeros((13, 13), np.int32), np.zeros((13, 13), np.int32)
    span_sums(tags, words, weights, before)
    changed = tags.copy()
    changed[6] = 20
    span_sums(changed, words, weights, after)
    looks = np.zeros((13, 13), dtype=bool)  # features see two tags beyond and two within either end
    for i in range(12):
        for j in range(i + 2, 13):
            looks[i, j] = any(p == 6 for p in (i - 2, i - 1, i, i + 1, j - 2, j - 1, j, j + 1))
    assert np.array_equal(before[~looks], after[~looks])
    assert np.mean(before[looks] != after[looks]) > 0.9


def test_the_corpus_of_spans_holds_the_spans_of_the_trees() -> None:
    grammar, trees = (
        learnt(),
        binarise(normalise(sample_treebank(50, 0)), GrammarOptions().filled().binarisation),
    )
    assert grammar.context is not None
    corpus, _ = span_corpus(grammar.skeleton, grammar.context, [trees])
    for s in range(len(trees)):
        n = corpus.word_at[s + 1] - corpus.word_at[s]
        gold = corpus.gold[corpus.gold_at[s] : corpus.gold_at[s + 1]].reshape(n, n + 1)
        assert gold.sum() == 2 * n - 1  # the nodes of a binary tree
        assert gold[0, n]
        assert all(gold[i, i + 1] for i in range(n))
    right = tag_numbers(grammar.skeleton.labels)[trees.label[trees.word >= 0]]
    assert 0.5 < np.mean(corpus.tags == right) < 1.0  # predicted, not copied


def test_one_call_builds_what_the_separate_passes_build() -> None:
    grammar = learnt()
    skeleton, index = grammar.skeleton, rule_index(grammar.skeleton)
    limits, least = unconstrained(skeleton), Thresholds(1e-4, 1e-4, 1e-4, 1e-5, 10**6)
    for tokens in sentences(10):
        words = choices(skeleton, symbols_of(word_table(skeleton), tokens))
        readings = read_words(grammar, words)
        found, _ = base_forest(
            words, readings, index, limits, EVERYTHING_OPEN, skeleton.root_probability, least
        )
        cells = base_inside(words, readings, index, limits, EVERYTHING_OPEN, least.beam, least.tag)
        roots, posterior, _ = root_posteriors(cells, skeleton.root_probability, len(tokens))
        edges = base_edges(cells, len(tokens), index, posterior, least.item, least.edge, least.max_edges)
        items = cells.items[:3, : cells.first[-1]]
        place = {tuple(items[:, p]): p for p in range(items.shape[1])}
        rows = list(zip(found.label, found.start, found.end))
        number = np.array([place[row] for row in rows])
        parent = np.repeat(np.arange(number.size), np.diff(found.edge_at))
        kept = list(zip(number[parent], found.rule, number[found.left], number[found.right]))
        every = [(p, r, x, y) for p, x, y, r in edges.links.T]
        assert set(kept) <= set(every)
        assert [(p, r) for p, r, _, _ in kept] == sorted((p, r) for p, r, _, _ in kept)
        gone = set(every) - set(kept)  # only what no tree of the kept items can use
        assert not any({p, x, y} <= set(number.tolist()) for p, _, x, y in gone)
        np.testing.assert_array_equal(found.posterior, posterior[number])
        assert set(number[found.root]) <= set(roots.tolist())


def test_sorting_by_counting_is_stable() -> None:
    rng = np.random.default_rng(2)
    for n in (0, 1, 50):
        keys = rng.integers(0, 7, n).astype(np.int32)
        order = rng.permutation(n)
        assert stable_order(keys, 7, order).tolist() == order[np.argsort(keys[order], kind="stable")].tolist()


@pytest.mark.parametrize("packed", [False, True])
def test_a_filter_comes_back_from_a_file(tmp_path: pathlib.Path, packed: bool) -> None:
    model = PackedGrammar(learnt()) if packed else learnt()
    save_model(model, tmp_path / "m", "lpcfg-packed" if packed else "lpcfg")
    found, kept = load_model(tmp_path / "m").span_filter, learnt().span_filter
    assert found is not None
    assert kept is not None
    assert found.facts() == kept.facts()
    assert np.array_equal(found.weights, kept.weights)
    assert np.array_equal(found.common, kept.common)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("weights", np.zeros(1000, np.int8)),
        ("weights", np.zeros(1 << 12, np.int32)),
        ("weights", np.zeros(1, np.int8)),
        ("common", np.zeros(3, np.uint8)),
        ("least", 2**40),
        ("lost", 2.0),
        ("closed", "many"),
    ],
)
def test_a_damaged_filter_is_refused(tmp_path: pathlib.Path, name: str, value: object) -> None:
    save_model(learnt(), tmp_path / "m", "lpcfg")
    kind, header, arrays = read_container(tmp_path / "m")
    if isinstance(value, np.ndarray):
        arrays[f"span_filter.{name}"] = value
    else:
        header["span_filter"][name] = value
    write_container(tmp_path / "m", kind=kind, header=header, arrays=arrays)
    with pytest.raises(ModelFileError):
        load_model(tmp_path / "m")


def test_closed_spans_have_no_posterior() -> None:
    grammar, parser = learnt(), make_parser(learnt())
    words = max(sentences(), key=len)
    ids = choices(grammar.skeleton, symbols_of(parser.words, words))
    readings = read_words(grammar, ids)
    is_open = spans_left_open(
        grammar.span_filter, parser.label_tag, ids, readings, unconstrained(grammar.skeleton)
    ).reshape(len(words), len(words) + 1)
    found = answer(parser, symbol_table(parser), Request(tuple(words))).posteriors
    assert found is not None
    span = found.keys // len(parser.table.ids)
    start, end = np.divmod(span, found.width)
    assert is_open[start, end].all()
    assert not is_open.all()
