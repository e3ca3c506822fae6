"""Reading and writing CoNLL-U and CoNLL-X: round trips, and one sentence for each way to be broken."""

import gzip
import io
import pathlib

import numpy as np
import pytest

from conftest import data_dir
from eigenparse.corpus.conllu import from_sentences, read_conllu, read_lines, write_conllu
from eigenparse.corpus.dependencies import is_projective, projectivised
from eigenparse.errors import FormatError

WORD_RANGE = """# sent_id = 1
# text = Vámonos al mar
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\t_\tMood=Imp\t0\troot\t0:root\t_
2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t1:obj\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\t_\t_\t5\tcase\t5:case\t_
4\tel\tel\tDET\t_\t_\t5\tdet\t5:det\t_
4.1\te\te\tX\t_\t_\t_\t_\t1:dep\t_
5\tmar\tmar\tNOUN\t_\t_\t1\tobl\t1:obl:a\tSpaceAfter=No

# only a comment

1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_
"""


def word(number: int, head: str, relation: str = "dep") -> str:
    return f"{number}\tw{number}\t_\tX\t_\t_\t{head}\t{relation}\t_\t_"


def test_words_heads_and_lines() -> None:
    corpus = read_lines(WORD_RANGE.split("\n"), source="toy")
    trees = corpus.trees
    assert trees.lengths().tolist() == [5, 0, 1]
    assert trees.head.tolist() == [0, 1, 5, 5, 1, 0]
    assert trees.strings("form") == ["Vamos", "nos", "a", "el", "mar", "Yes"]
    assert trees.line.tolist() == [4, 5, 7, 8, 10, 14]
    assert trees.select([2, 0]).strings("form")[:2] == ["Yes", "Vamos"]


def test_writing_the_same_heads_changes_only_enhanced_arcs() -> None:
    corpus = read_lines(WORD_RANGE.split("\n"), source="toy")
    out = io.StringIO()
    write_conllu(out, corpus, corpus.trees.head, corpus.trees.strings("relation"))
    again = read_lines(out.getvalue().split("\n"), source="again")
    assert again.trees.head.tolist() == corpus.trees.head.tolist()
    expected = [line for line in WORD_RANGE.split("\n") if line]
    for ours, theirs in zip([line for line in out.getvalue().split("\n") if line], expected, strict=True):
        if theirs.partition("\t")[0].isdecimal():
            cells = theirs.split("\t")
            theirs = "\t".join([*cells[:8], "_", cells[9]])
        assert ours == theirs


@pytest.mark.parametrize(
    ("lines", "at", "part"),
    [
        ([word(1, "2"), word(2, "1")], 1, "no word of the sentence has head 0"),
        ([word(1, "0"), word(2, "3"), word(3, "2")], 2, "cycle"),
        ([word(1, "0"), word(2, "0")], 2, "second word has head 0"),
        ([word(1, "0"), word(2, "7")], 2, "outside the sentence"),
        ([word(1, "0"), word(2, "2")], 2, "its own head"),
        ([word(1, "0"), word(2, "x")], 2, "not a number"),
        ([word(1, "0"), word(2, "_")], 2, "the head is missing"),
        ([word(1, "0"), "2\tw\t_"], 2, "3 columns instead of 10"),
        ([word(1, "0"), word(3, "1")], 2, "word number '3' where 2 was expected"),
        (["# c", "1-x" + word(1, "0")[1:]], 2, "not a word number"),
    ],
)
def test_broken_sentences_name_line_and_remedy(lines: list[str], at: int, part: str) -> None:
    good = [word(1, "0"), word(2, "1"), ""]
    with pytest.raises(FormatError, match=part) as caught:
        read_lines(good + lines, source="toy.conllu")
    assert str(caught.value).startswith(f"toy.conllu:{at + 3}: ")
    kept = read_lines(good + lines + ["", *good], source="toy.conllu", skip_broken=True)
    assert len(kept) == 2
    assert len(kept.skipped) == 1
    assert kept.trees.head.tolist() == [0, 1, 0, 1]


def test_heads_may_be_missing_when_they_are_to_be_predicted() -> None:
    corpus = read_lines([word(1, "_"), word(2, "_")], source="toy", heads=False)
    assert corpus.trees.head.tolist() == [-1, -1]
    assert from_sentences([["a", "b"], []]).trees.lengths().tolist() == [2, 0]


def test_packed_file_with_carriage_returns(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "x.conllu.gz"
    path.write_bytes(gzip.compress(WORD_RANGE.replace("\n", "\r\n").encode("utf-8-sig")))
    assert read_conllu(path).trees.head.tolist() == [0, 1, 5, 5, 1, 0]


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "sentences", "words", "crossing"),
    [
        ("ud-ewt", 12544, 204577, 288),
        ("ud-gum", 10224, 177410, 296),
        ("ud-fr-sequoia", 2231, 50502, 59),
        ("ud-tr-imst", 3435, 37522, 171),
        ("ud-af-afribooms", 1315, 33878, 105),
    ],
)
def test_real_treebanks(name: str, sentences: int, words: int, crossing: int) -> None:
    corpus = read_conllu(data_dir(name) / "train.conllu")
    assert (len(corpus), corpus.trees.n_words) == (sentences, words)
    flags = is_projective(corpus.trees)
    assert (~flags).sum() == crossing
    lifted, n_lifted = projectivised(corpus.trees)
    assert n_lifted == crossing
    assert is_projective(lifted).all()
    sentence = np.repeat(np.arange(len(flags)), corpus.trees.lengths())
    assert ((lifted.head == corpus.trees.head) | ~flags[sentence]).all()
