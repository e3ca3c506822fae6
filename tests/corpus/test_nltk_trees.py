"""Conversion to and from nltk trees."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus import oracles
from corpus.oracles import COMMON, NASTY, Tree, all_written
from eigenparse.corpus.brackets import format_trees, parse_trees
from eigenparse.corpus.nltk_trees import from_nltk, to_nltk
from eigenparse.errors import DataError

nltk_tree = pytest.importorskip("nltk.tree")


@settings(max_examples=60, deadline=None)
@given(st.lists(oracles.trees(st.one_of(COMMON, NASTY)), max_size=3))
def test_there_and_back(found: list[Tree]) -> None:
    treebank = parse_trees(all_written(found), skip_broken=True)
    again = from_nltk(to_nltk(treebank))
    assert format_trees(again) == format_trees(treebank)
    assert (again.labels, again.words) == (treebank.labels, treebank.words)


def test_nltk_reads_the_same_tree() -> None:
    text = "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))"
    assert to_nltk(parse_trees(text)) == [nltk_tree.Tree.fromstring(text)]


@pytest.mark.parametrize("text", ["(S the (NN dog))", "(NP the dog)", "(S )"])
def test_what_columns_cannot_hold(text: str) -> None:
    with pytest.raises(DataError, match=r"tree 2: the node .*; give every word a tag of its own"):
        from_nltk([nltk_tree.Tree.fromstring("(A b)"), nltk_tree.Tree.fromstring(text)])
    with pytest.raises(DataError, match="tree 1 is a word"):
        from_nltk(["word"])


def test_message_without_nltk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk.tree", None)
    with pytest.raises(DataError, match=r"pip install 'eigenparse\[nltk\]'"):
        to_nltk(parse_trees("(A b)"))
