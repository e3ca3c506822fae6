"""Readers of labelled tokens: round trips, real-world oddities, clear errors."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import data_dir
from tests.sequence.corpora import column_lines

from eigenparse.corpus.label_sources import guess_format, pick_label, read_labelled, reduce_columns
from eigenparse.corpus.sequences import Column, Sequences, map_symbols
from eigenparse.corpus.tagged import parse_columns, parse_plain_lines, parse_tagged_lines
from eigenparse.errors import DataError, FormatError, OptionError
from eigenparse.features.tagger.sequence import chain_features, read_features
from eigenparse.features.tagger.templates import parse_template, template_keys

token = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=("Z", "C")), min_size=1
).filter(lambda text: not text.startswith("-DOCSTART-"))
corpora = st.lists(st.lists(st.tuples(token, token, token), min_size=1, max_size=4), min_size=1, max_size=4)


@given(corpora)
def test_columns_written_and_read_are_the_same(rows):
    corpus = Sequences.of(("word", "pos", "label"), rows)
    again = parse_columns(column_lines(corpus), corpus.names)
    assert again.offsets.tolist() == corpus.offsets.tolist()
    assert [c.strings() for c in again.columns] == [c.strings() for c in corpus.columns]


@given(
    st.lists(
        st.lists(st.tuples(token, st.sampled_from(["NN", "VB-X", "."])), min_size=1, max_size=4), min_size=1
    )
)
def test_tagged_lines_written_and_read_are_the_same(rows):
    corpus = Sequences.of(("word", "label"), rows)
    again = parse_tagged_lines(" ".join(f"{word}_{tag}" for word, tag in row) for row in rows)
    assert [c.strings() for c in again.columns] == [c.strings() for c in corpus.columns]
    assert again.offsets.tolist() == corpus.offsets.tolist()


def test_columns_with_tabs_blank_lines_and_document_marks():
    corpus = parse_columns(["", "-DOCSTART- -X- O", "", "a\tX", "b  Y", "", "", "c Z"])
    assert corpus.offsets.tolist() == [0, 2, 3]
    assert corpus.line.tolist() == [4, 8]
    assert corpus.column("label").strings() == ["X", "Y", "Z"]


def test_ragged_columns_name_file_line_and_remedy():
    with pytest.raises(
        FormatError, match=r"f\.txt:2: 1 columns where the first token has 2; give every token"
    ):
        parse_columns(["a X", "b"], source="f.txt")


def test_a_token_without_a_tag_is_refused():
    with pytest.raises(FormatError, match=r"input:1: token 'dog' is not word_TAG"):
        parse_tagged_lines(["the_DT dog"])


def test_empty_input_gives_no_sequence():
    assert len(parse_columns([])) == 0
    assert len(parse_plain_lines(["", " "])) == 0


def test_missing_and_repeated_columns_are_refused():
    corpus = parse_columns(["a X"])
    with pytest.raises(DataError, match="no column 'pos'"):
        corpus.column("pos")
    with pytest.raises(DataError, match="share a name"):
        parse_columns(["a X"], ["w", "w"])


def test_formats_are_recognised(tmp_path):
    assert guess_format(["(S (NN dog) (VB runs))"], "f") == "brackets"
    assert guess_format(["1\tdog\tdog\tNOUN\tNN\t_\t0\troot\t_\t_"], "f") == "conllu"
    assert guess_format(["the_DT dog_NN"], "f") == "tagged"
    assert guess_format(["the DT", "dog NN"], "f") == "columns"
    packed = tmp_path / "a.txt.gz"
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbfthe DT\r\ndog NN\r\n"))
    assert read_labelled(packed).column("word").strings() == ["the", "dog"]


def test_labels_of_trees_and_of_conllu(tmp_path):
    trees = tmp_path / "a.ptb"
    trees.write_text("( (S (NP-SBJ (DT the) (NN dog)) (VP (VBZ runs) (NP (-NONE- *)))) )\n")
    corpus = read_labelled(trees)
    assert corpus.column("word").strings() == ["the", "dog", "runs"]
    assert corpus.column("label").strings() == ["DT", "NN", "VBZ"]
    conllu = tmp_path / "a.conllu"
    rows = ("1-2 du _ _ _ _ _ _ _ _", "1 de de ADP P _ 2 case _ _", "2 le le DET D _ 0 root _ _")
    conllu.write_text("# x\n" + "\n".join(row.replace(" ", "\t") for row in rows) + "\n\n")
    dependency = read_labelled(conllu)
    assert pick_label(dependency, None) == "upos"
    assert reduce_columns(dependency, "xpos").names == ("word", "xpos")
    assert dependency.column("upos").strings() == ["ADP", "DET"]


def test_symbols_are_mapped_by_type():
    column = Column.of("x", ["b", "a", "b", "z"])
    assert map_symbols(column, {"a": 5, "b": 7}).tolist() == [7, 5, 7, -1]


def test_template_keys_agree_exactly_where_values_agree():
    corpus = Sequences.of(("w", "t"), [[("Ab", "X"), ("ab", "X"), ("Ab", "Y")], [("Ab", "X")]])
    texts = ("w", "lower(w)", "w[-1]&t", "next(t)", "previous(t)", "place(t)", "w[1]")
    keys = template_keys([parse_template(text) for text in texts], corpus)
    same = [[keys[i, k] == keys[j, k] for i, j in ((0, 1), (0, 2), (0, 3))] for k in range(len(texts))]
    assert same[0] == [False, True, True]
    assert same[1] == [True, True, True]
    assert same[2] == [False, False, True]  # w[-1]: boundary, Ab, ab, boundary
    assert same[3] == [True, False, False]  # next tag: Y, Y, none, none
    assert same[5] == [False, False, False]  # begin, end, whole, whole
    assert keys[2, 5] == keys[3, 5]
    assert keys[2, 6] == keys[3, 6]
    assert len({int(k) for k in keys[:, 0]} & {int(k) for k in keys[:, 1]}) == 0


@pytest.mark.parametrize("text", ["", "w[", "bogus(w)", "w[x]", "f(w"])
def test_bad_templates_are_refused(text):
    with pytest.raises(OptionError):
        parse_template(text)


@pytest.mark.parametrize(
    ("role", "text"),
    [("phi", "x[-1]"), ("psi", "x"), ("xi", "x[1]"), ("upsilon", "x"), ("psi", "next(label)")],
)
def test_templates_outside_their_window_are_refused(role, text):
    roles = {"phi": ["x"], "psi": ["x[-1]"], "xi": ["x"], "upsilon": ["x[1]"]}
    with pytest.raises(OptionError, match="looks where"):
        chain_features({**roles, role: [text]}, label="label")


def test_template_files_are_read():
    lines = ["# comment", "phi: x", "psi: label[-1]", "xi: x", "upsilon: place(label)"]
    assert read_features(lines, label="label").psi[0].text == "label[-1]"
    with pytest.raises(FormatError, match=r"templates:1: .* does not begin with a role"):
        read_features(["x[0]"], label="label")


@pytest.mark.data
def test_real_files_are_read():
    corpus = read_labelled(data_dir("conll2000") / "train.txt")
    assert (len(corpus), corpus.n_tokens, len(corpus.column("label").symbols)) == (8936, 211727, 22)
