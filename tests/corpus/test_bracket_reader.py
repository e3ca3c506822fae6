"""Laws and golden errors of the bracket reader and writer."""

import io
import pathlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.oracles import COMMON, EDITORIAL, NASTY, Tree, all_written, format_tree, nested, trees
from eigenparse.corpus.brackets import (
    encode_trees,
    format_trees,
    indent,
    join_treebanks,
    notes,
    parse_trees,
    read_trees,
    read_trees_report,
    take_trees,
    write_trees,
)
from eigenparse.corpus.columns import Treebank
from eigenparse.errors import DataError, FormatError

DOG = ("S", [("NP", [("DT", "the"), ("NN", "dog")]), ("VP", [("VBZ", "barks")])])
SINGLE = "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))"


def assert_same(found: Treebank, expected: Treebank) -> None:
    for column in ("label", "parent", "word", "offsets"):
        np.testing.assert_array_equal(getattr(found, column), getattr(expected, column))
    assert found.labels == expected.labels
    assert found.words == expected.words


@settings(max_examples=150, deadline=None)
@given(st.lists(trees(st.one_of(COMMON, NASTY, EDITORIAL)), min_size=1, max_size=4))
def test_reads_what_it_writes(found: list[Tree]) -> None:
    text = all_written(found)
    treebank = parse_trees(text)
    assert nested(treebank) == found
    assert format_trees(treebank).decode() == text
    assert treebank.label.dtype == treebank.parent.dtype == treebank.word.dtype == np.int32
    assert_same(parse_trees(format_trees(treebank)), treebank)
    pretty = "\n".join(indent(format_tree(treebank, i)) for i in range(len(treebank)))
    assert_same(parse_trees(pretty), treebank)


def test_columns_by_hand() -> None:
    treebank = parse_trees("(S (NP (NN a)) (VP (V b) (NN a)))\n\n(X y)")
    assert treebank.labels == ("NN", "NP", "V", "VP", "S", "X")
    assert treebank.words == ("a", "b", "y")
    assert treebank.label.tolist() == [0, 1, 2, 0, 3, 4, 5]
    assert treebank.parent.tolist() == [1, 5, 4, 4, 5, -1, -1]
    assert treebank.word.tolist() == [0, -1, 1, 0, -1, -1, 2]
    assert treebank.offsets.tolist() == [0, 6, 7]
    assert treebank.line.tolist() == [1, 3]


@pytest.mark.parametrize(
    ("text", "root", "lines"),
    [
        (SINGLE, "S", [1]),
        (f"( {SINGLE})", "", [1]),
        (f"({SINGLE} )", "", [1]),
        (f"(ROOT {SINGLE})", "ROOT", [1]),
        (f"(ROOT\n  {SINGLE}\n)\n", "ROOT", [1]),
        (f"(ROOT\n{SINGLE}\n)\n", "ROOT", [1]),
        ("( S\t(NP\r\n (DT the)(NN dog))\r\n\r\n(VP(VBZ barks)))\r\n", "S", [1]),
        (f"{SINGLE} {SINGLE}\r{SINGLE}", "S", [1, 1, 2]),
        (f"\ufeff\n\n{SINGLE}", "S", [3]),
        (f"# a\n%b\n;; c ( (\n*x* d\n/* e\n (f\n*/ {SINGLE}\n  # g\n{SINGLE}", "S", [7, 9]),
        (f"/~*\nheader (\n*~/\n{SINGLE}", "S", [4]),
    ],
)
def test_layouts(text: str, root: str, lines: list[int]) -> None:
    treebank = parse_trees(text)
    for tree in nested(treebank):
        assert tree == DOG if root == "S" else tree == (root, [DOG])
    assert treebank.line.tolist() == lines


def test_wrapper_nodes_are_kept_raw() -> None:
    text = "( (IP-MAT (NP-SBJ (PRO Hann)) (VBDI fór)) (ID 1210.THORLAKUR,.3))\n( (CODE <P_1>))\n"
    assert format_trees(parse_trees(text)).decode() == text


def test_rare_second_words_get_tags_of_their_own() -> None:
    text = "(S " + "(A b) " * 300 + ")\n(S (NP (NN Xpd TTD TTX) (N d)))\n"
    treebank = parse_trees(text)
    assert format_tree(treebank, 1) == "(S (NP (NN Xpd) (NN TTD) (NN TTX) (N d)))"


GOLDEN = [
    ("\n(S (A b)\n(S (A b))", 2, "the bracket opened here is never closed; add the missing ')'"),
    ("(S (A b)))\n", 1, "this ')' closes nothing; remove it or add the missing '('"),
    (
        "(S (A b))\nhello (S (A b))",
        2,
        "text stands outside brackets; put it into a tree or start the line with '#'",
    ),
    ("(S (A b)) # no", 1, "text stands outside brackets; put it into a tree or start the line with '#'"),
    ("(S\n (NP))", 2, "a bracket holds neither a word nor a phrase; give it a child or remove it"),
    ("()", 1, "a bracket holds neither a word nor a phrase; give it a child or remove it"),
    ("(NP the (NN dog))", 1, "a word stands beside a phrase; put the word under a tag of its own"),
    ("(NP (DT the)\ndog)", 2, "a word stands beside a phrase; put the word under a tag of its own"),
    ("(NP (NN two words))", 1, "two words stand under one tag; give each word a tag of its own"),
    ("(NN two words)", 1, "two words stand under one tag; give each word a tag of its own"),
    ("(A b)\n/* never", 2, "the comment opened here is never closed; add the missing '*/'"),
    (b"(A b)\n(A \xff)", 2, "the text is not UTF-8; convert the file to UTF-8"),
    ("(A \ud800)", 1, "the text is not UTF-8; convert the file to UTF-8"),
    ("", 1, "the file holds no tree; check that it is the right file"),
    ("# only a comment\n", 1, "the file holds no tree; check that it is the right file"),
]


@pytest.mark.parametrize(("text", "line", "sentence"), GOLDEN)
def test_golden_errors(text: str | bytes, line: int, sentence: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_trees(text, "corpus.mrg")
    assert str(caught.value) == f"corpus.mrg:{line}: {sentence}"


def test_skipping_goes_on_at_the_next_bracket_that_starts_a_line(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "broken.mrg"
    path.write_text(
        "(S (A b)\n(S (A c)\n   (A d))\n(S (A))\n  (S (A lost))\n) (S (A gone))\n(S (A e)))\n(S\n\n\n(X y)\n"
    )
    reading = read_trees_report(path, skip_broken=True)
    assert [format_tree(reading.treebank, i) for i in range(len(reading.treebank))] == [
        "(S (A c) (A d))",
        "(S (A e))",
        "(X y)",
    ]
    assert [error.line for error in reading.problems] == [1, 4, 7, 8]
    assert reading.n_skipped == 4
    assert reading.treebank.line.tolist() == [2, 7, 11]
    assert notes(reading) == [f"skipped 4 broken trees, the first at {reading.problems[0]}"]
    with pytest.raises(FormatError, match=r"broken\.mrg:4: a bracket holds neither"):
        read_trees(path)


def test_skipping_many_broken_trees_is_linear() -> None:
    text = "(S (A b)\n" * 100_000 + "(S (A b))"
    treebank = parse_trees(text, skip_broken=True)
    assert len(treebank) == 1


def test_nothing_left_after_skipping() -> None:
    assert len(parse_trees("(S", skip_broken=True)) == 0
    assert format_trees(parse_trees("", skip_broken=True)) == b""


def test_nesting_of_any_depth() -> None:
    depth = 100_000
    text = "(X " * depth + "w" + ")" * depth
    treebank = parse_trees(text)
    assert treebank.label.size == depth
    assert format_tree(treebank, 0) == text
    assert_same(parse_trees(indent(format_tree(treebank, 0))), treebank)
    with pytest.raises(FormatError, match="1: the bracket opened here is never closed"):
        parse_trees(text[:-1])


def test_huge_symbols() -> None:
    label, word = "L" * 1_000_000, "é" * 500_000
    assert nested(parse_trees(f"({label} {word})")) == [(label, word)]


@settings(max_examples=300, deadline=None)
@given(st.binary(min_size=1, max_size=6).map(lambda raw: bytes(b | 0x80 if b < 0x30 else b for b in raw)))
def test_utf8_is_what_python_says(raw: bytes) -> None:
    try:
        expected = raw.decode("utf-8")
    except UnicodeDecodeError:
        with pytest.raises(FormatError, match="not UTF-8"):
            parse_trees(b"(A " + raw + b")")
    else:
        assert parse_trees(b"(A " + raw + b")").words == (expected,)


def test_utf8_at_the_edges_of_its_ranges() -> None:
    edges = [0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF]
    text = "".join(map(chr, edges))
    assert parse_trees(f"(A {text})").words == (text,)
    for raw in (
        b"\xc1\xbf",
        b"\xe0\x9f\xbf",
        b"\xed\xa0\x80",
        b"\xf0\x8f\xbf\xbf",
        b"\xf4\x90\x80\x80",
        b"\xe2\x82",
    ):
        with pytest.raises(FormatError, match="not UTF-8"):
            parse_trees(b"(A " + raw + b")")


def test_parts_join_under_common_symbols(tmp_path: pathlib.Path) -> None:
    texts = ["(S (A b) (C d))\n(X y)\n", "(X b)\n", "(C (S y))\n(Z z)\n"]
    for k, text in enumerate(texts):
        (tmp_path / f"{k}.mrg").write_text(text)
    reading = read_trees_report(tmp_path)
    assert_same(reading.treebank, parse_trees("".join(texts)))
    assert reading.first.tolist() == [0, 2, 3, 5]
    assert [pathlib.Path(source).name for source in reading.sources] == ["0.mrg", "1.mrg", "2.mrg"]
    assert format_trees(
        join_treebanks(take_trees(reading.treebank, i, i + 1) for i in range(5))
    ).decode() == "".join(texts)
    with pytest.raises(DataError, match="no treebank to join"):
        join_treebanks([])


def test_parentheses_are_escaped() -> None:
    treebank = parse_trees("(A b)")
    odd = Treebank(*columns(treebank), ("(A",), ("b)(",))
    assert format_tree(odd, 0) == "(-LRB-A b-RRB--LRB-)"


def columns(treebank: Treebank) -> tuple[Any, ...]:
    return treebank.label, treebank.parent, treebank.word, treebank.offsets, treebank.line


@pytest.mark.parametrize(
    ("labels", "words", "sentence"),
    [
        (
            ("A",),
            ("b c",),
            "the word 'b c' is empty or contains spaces, which brackets cannot represent; replace it",
        ),
        (
            ("A",),
            ("",),
            "the word '' is empty or contains spaces, which brackets cannot represent; replace it",
        ),
        (
            ("A\n",),
            ("b",),
            "the label 'A\\n' is empty or contains spaces, which brackets cannot represent; replace it",
        ),
        (("",), ("b",), "a tag is empty, which brackets cannot represent; give every word a tag"),
        (("A",), ("\ud800",), "the word '\\ud800' is not valid Unicode; replace it"),
    ],
)
def test_symbols_that_cannot_be_written(labels: tuple[str], words: tuple[str], sentence: str) -> None:
    treebank = Treebank(*columns(parse_trees("(A b)")), labels, words)
    with pytest.raises(DataError) as caught:
        format_trees(treebank)
    assert str(caught.value) == sentence


def test_writing_to_paths_and_streams(tmp_path: pathlib.Path) -> None:
    treebank = parse_trees(f"( {SINGLE})\n(X é)")
    stream = io.StringIO()
    write_trees(treebank, stream)
    write_trees(treebank, tmp_path / "out.mrg")
    (tmp_path / "pretty.mrg").write_bytes(encode_trees(treebank, pretty=True))
    assert (tmp_path / "out.mrg").read_text(encoding="utf-8") == stream.getvalue() == f"( {SINGLE})\n(X é)\n"
    assert_same(read_trees(tmp_path / "pretty.mrg"), treebank)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.mrg", "pretty.mrg"]


def test_indented() -> None:
    assert indent("(S (NP (DT the) (NN dog)) (VP (VBZ barks)))") == (
        "(S\n  (NP\n    (DT the)\n    (NN dog))\n  (VP\n    (VBZ barks)))"
    )
