"""Normalisation and binarisation against their recursive twins; exact inverses."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import data_dir
from corpus.oracles import (
    COMMON,
    EDITORIAL,
    NASTY,
    Tree,
    all_written,
    binarised,
    clean_trees,
    format_tree,
    nested,
    nested_binary,
    normalised,
    trees,
)
from eigenparse.corpus.brackets import format_trees, parse_trees, read_trees
from eigenparse.corpus.columns import Label, Treebank, Trees, check_trees
from eigenparse.corpus.normalise import Normalisation, compact, normalise, normalise_report
from eigenparse.corpus.transform import Binarisation, as_treebank, binarise, chain_table, unbinarise
from eigenparse.errors import DataError, OptionError

EVERY = [Binarisation(factor, h, v) for factor in ("right", "left") for h in (0, 1, 2) for v in (1, 2)]


def equal(found: Treebank, expected: Treebank) -> bool:
    columns = ("label", "parent", "word", "offsets")
    return (
        all(np.array_equal(getattr(found, column), getattr(expected, column)) for column in columns)
        and found.labels == expected.labels
        and found.words == expected.words
    )


@settings(max_examples=200, deadline=None)
@given(st.lists(trees(st.one_of(COMMON, EDITORIAL, COMMON)), min_size=1, max_size=4), st.booleans())
def test_normalise_equals_its_definition(found: list[Tree], keep: bool) -> None:
    expected = [normalised(tree, keep_tags=keep) for tree in found]
    report = normalise_report(parse_trees(all_written(found)), options=Normalisation(keep_tag_suffix=keep))
    assert nested(report.treebank) == [tree for tree in expected if tree is not None]
    assert report.kept.tolist() == [i for i, tree in enumerate(expected) if tree is not None]
    assert report.n_removed == expected.count(None)
    assert report.treebank.line.tolist() == [i + 1 for i in report.kept]
    assert equal(normalise(report.treebank, options=Normalisation(keep_tag_suffix=keep)), report.treebank)


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("( (S (NP-SBJ-1 (NN a)) (VP=2 (VB b))))", "(TOP (S (NP (NN a)) (VP (VB b))))"),
        ("((S (NP (-NONE- *T*-1)) (VP (VB b))))", "(TOP (S (VP (VB b))))"),
        ("(ROOT (S1 (S (VB b))))", "(TOP (S (VB b)))"),
        ("(NN a)", "(TOP (NN a))"),
        ("(S (NP (NP-X (NP (NN a)))) (VP (VP b)))", "(TOP (S (NP (NN a)) (VP (VP b))))"),
        ("( (IP-MAT (PRO-N a)) (ID 1.2))", "(TOP (IP (PRO a)))"),
        ("( (CODE <P_1>) (IP (X a) (CODE <b>)) (ID 1))", "(TOP (IP (X a)))"),
        ("( (S (A a)) (S (B b)))", "(TOP (S (A a)) (S (B b)))"),
        ("(ADVP|PRT (-LRB- -LRB-) (= =) (PRP$ x))", "(TOP (ADVP (-LRB- -LRB-) (= =) (PRP$ x)))"),
        ("(TOP a)", "(TOP (TOP a))"),
        ("(S (ID a))", "(TOP (S (ID a)))"),
    ],
)
def test_normalise_by_hand(raw: str, clean: str) -> None:
    assert format_tree(normalise(parse_trees(raw)), 0) == clean


def test_trees_without_words_go_and_the_rest_is_numbered() -> None:
    report = normalise_report(parse_trees("( (CODE x))\n(A b)\n(S (-NONE- 0))\n((S (A b))(ID c))\n(ID d)\n"))
    assert report.kept.tolist() == [1, 3]
    assert report.n_removed == 3
    assert report.treebank.words == ("b",)
    assert report.treebank.line.tolist() == [2, 4]
    assert len(normalise(parse_trees("(ID d)"))) == 0


@settings(max_examples=200, deadline=None)
@given(
    st.lists(clean_trees(st.one_of(NASTY, st.sampled_from(["A", "B", "TOP"]))), min_size=1, max_size=3),
    st.sampled_from(["right", "left"]),
    st.integers(0, 4),
    st.integers(1, 4),
)
def test_binarise_equals_its_definition_and_has_an_inverse(
    found: list[Tree], factor: str, horizontal: int, vertical: int
) -> None:
    treebank = normalise(parse_trees(all_written(found)), options=WHOLE)
    binary = check_trees(binarise(treebank, Binarisation(factor, horizontal, vertical)))
    assert nested_binary(binary) == [
        binarised(tree, factor, horizontal, vertical) for tree in nested(treebank)
    ]
    assert binary.words == treebank.words
    assert in_first_occurrence(binary.label)
    assert len(set(binary.labels)) == len(binary.labels)
    assert equal(unbinarise(binary), treebank)
    assert equal(unbinarise(binary, chain_table(binary.labels)), treebank)


WHOLE = Normalisation(keep_tag_suffix=True, dropped=(), marginal=())


def in_first_occurrence(ids: Any) -> bool:
    _, first = np.unique(ids, return_index=True)
    return bool(np.all(np.diff(first) > 0)) and ids.max() == first.size - 1


def test_binary_trees_by_hand() -> None:
    treebank = normalise(parse_trees("(S (VP (A a) (B b) (C (D c)) (E e)))"))
    assert shown(treebank, Binarisation("right", 2)) == (
        "(S|VP (A a) (@VP<A> (B b) (@VP<A,B> (C|D c) (E e))))"
    )
    assert shown(treebank, Binarisation("left", 1, 2)) == (
        "(S|VP^TOP (@VP^S<E> (@VP^S<C> (A a) (B b)) (C|D c)) (E e))"
    )
    assert shown(treebank, Binarisation()) == "(S|VP (A a) (@VP (B b) (@VP (C|D c) (E e))))"


def shown(treebank: Treebank, options: Binarisation) -> str:
    return format_tree(as_treebank(binarise(treebank, options)), 0)


def test_left_is_the_mirror_of_right() -> None:
    def mirrored(tree: Tree) -> Tree:
        return tree if isinstance(tree[1], str) else (tree[0], [mirrored(child) for child in tree[1][::-1]])

    tree = "(TOP (S (A a) (B b) (C (X c) (Y d) (Z e) (W f)) (D g)))"
    right = nested_binary(binarise(parse_trees(tree), Binarisation("right", 2, 3)))
    turned = all_written([mirrored(t) for t in nested(parse_trees(tree))])
    left = nested_binary(binarise(parse_trees(turned), Binarisation("left", 2, 3)))
    assert [mirrored(t) for t in right] == left


def test_deep_chains_and_wide_nodes() -> None:
    depth = 10_000
    chain = "(TOP " + "(X (Y " * depth + "(N w)" + "))" * depth + ")"
    spine = "(TOP " + "(X (N w) " * depth + "(N w)" + ")" * depth + ")"
    wide = "(TOP (X " + "(N w) " * depth + "))"
    treebank = parse_trees("\n".join([chain, spine, wide]))
    for factor in ("right", "left"):
        binary = binarise(treebank, Binarisation(factor, 1, 2))
        assert equal(unbinarise(binary), treebank)
    assert max(len(label.chain) for label in binary.labels) == 2 * depth + 1


def test_a_parser_can_restore_its_own_binary_tree() -> None:
    labels = (
        Label(("S", "VP"), above=("TOP",)),
        Label(("S",), partial=True, siblings=("A",)),
        Label(("A|@",)),
    )
    ids = np.array
    columns = ids(
        [[2, -1, -1, 0], [2, -1, -1, 1], [2, -1, -1, 0], [1, 1, 2, -1], [0, 0, 3, -1]], dtype=np.int32
    ).T
    label, left, right, word = (np.ascontiguousarray(column) for column in columns)
    binary = Trees(label, left, right, word, ids([0, 5]), labels, ("x", "y"))
    assert format_tree(unbinarise(binary), 0) == "(TOP (S (VP (A|@ x) (A|@ y) (A|@ x))))"
    rooted = dataclasses.replace(binary, labels=(labels[1], *labels[1:]))
    assert format_tree(unbinarise(rooted), 0) == "(TOP (S (A|@ x) (A|@ y) (A|@ x)))"


def test_refusals() -> None:
    with pytest.raises(DataError, match="tree 2 has no root TOP above its words; normalise the trees first"):
        binarise(parse_trees("(TOP (A b))\n(S (A b))"))
    with pytest.raises(DataError, match="tree 1 has no root"):
        binarise(parse_trees("(TOP b)"))
    with pytest.raises(OptionError, match="factor must be 'right', 'left' or 'head', got 'up' instead"):
        binarise(parse_trees("(TOP (A b))"), Binarisation("up"))
    with pytest.raises(OptionError, match="got -1 and 1 instead"):
        binarise(parse_trees("(TOP (A b))"), Binarisation(horizontal=-1))


def test_nothing_in_nothing_out() -> None:
    empty = parse_trees("", skip_broken=True)
    for options in EVERY:
        binary = binarise(normalise(empty), options)
        assert len(binary) == 0
        assert format_trees(unbinarise(binary)) == b""


def test_compact_keeps_absent_ids() -> None:
    ids, symbols = compact(np.array([3, -1, 1, 3], dtype=np.int32), ("a", "b", "c", "d"))
    assert ids.tolist() == [0, -1, 1, 0]
    assert symbols == ("d", "b")


@pytest.mark.thorough
@pytest.mark.data
@pytest.mark.parametrize("name", ["wsj-sample", "gum", "craft", "icepahc", "english-open"])
def test_identity_on_real_treebanks(name: str) -> None:
    raw = read_trees(data_dir(name))
    assert equal(parse_trees(format_trees(raw)), raw)
    for options in (Normalisation(), Normalisation(keep_tag_suffix=True)):
        report = normalise_report(raw, options=options)
        assert report.n_removed == 0
        assert equal(normalise(report.treebank, options=options), report.treebank)
        assert equal(parse_trees(format_trees(report.treebank)), report.treebank)
        for binarisation in EVERY:
            binary = check_trees(binarise(report.treebank, binarisation))
            assert equal(unbinarise(binary), report.treebank)


@pytest.mark.data
@pytest.mark.parametrize("name", ["wsj-sample", "gum"])
def test_definitions_on_real_trees(name: str) -> None:
    raw = read_trees(data_dir(name) / "dev.ptb")
    treebank = normalise(raw)
    assert nested(treebank) == [normalised(tree) for tree in nested(raw)]
    binary = binarise(treebank, Binarisation("right", 1, 2))
    assert nested_binary(binary) == [binarised(tree, "right", 1, 2) for tree in nested(treebank)]
