"""Constraints from files, and the correcting loop in the terminal."""

import json
import pathlib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.calls import call

from eigenparse.api.correct import Draft, with_imposed
from eigenparse.api.grammar import load
from eigenparse.batch.ask import ask
from eigenparse.batch.parse_grammar import constrained
from eigenparse.batch.requests import ParseRequest
from eigenparse.corpus.brackets import parse_trees
from eigenparse.corpus.columns import sentences_of
from eigenparse.corpus.partial import Known, read_known
from eigenparse.decode.grammar.constraints import SpanLimit
from eigenparse.decode.grammar.results import Bracket, Parse
from eigenparse.errors import FormatError
from eigenparse.learn.grammar.judge_cases import gold_brackets
from eigenparse.serve import answers


def known(line: str) -> Known:
    return read_known(line, str.split, "file", 7)


def test_partial_trees_are_spans() -> None:
    assert known("(NP the old man) the boats") == Known(
        ("the", "old", "man", "the", "boats"), ((0, 3, "NP"),)
    )
    assert known("(S (NP (DT the) man) ( saw it ))").required == (
        (0, 4, "S"), (0, 2, "NP"), (0, 1, "DT"), (2, 4))  # fmt: skip
    line = '{"sentence": ["a", "b"], "require": [[0, 2, "NP"]], "forbid": [{"start": 1, "end": 2}], '
    line += '"tags": [null, "N"]}'
    assert known(line) == Known(("a", "b"), ((0, 2, "NP"),), ((1, 2),), (None, "N"))


@pytest.mark.parametrize(
    "line", ["(NP the", "the)", "(NP) the", "{", '{"sentence": "a", "x": 1}', '{"sentence": "a", "tags": []}']
)
def test_broken_lines_are_named(line: str) -> None:
    with pytest.raises(FormatError, match=r"^file:7: .*; "):
        known(line)


def test_every_constraint_of_a_file_is_kept(model: pathlib.Path, tmp_path: pathlib.Path) -> None:
    sentence = ("the", "man", "saw", "the", "dog", "with", "the", "telescope")
    grammar = load(model)
    free = grammar.parse(sentence)
    spans = {(b.start, b.end) for b in free.brackets}
    wanted = next((i, i + 3) for i in range(5) if (i, i + 3) not in spans)
    words = list(sentence)
    words[wanted[0]], words[wanted[1] - 1] = f"( {words[wanted[0]]}", f"{words[wanted[1] - 1]} )"
    (tmp_path / "c.txt").write_text(f"{' '.join(words)}\n\n{' '.join(sentence)}\n")
    done = call("parse", model, "--constraints", tmp_path / "c.txt", "--format", "json")
    assert done.code == 0, done.err
    assert f'"start": {wanted[0]}, "end": {wanted[1]}' in done.lines[0]
    assert free.tree in done.lines[2]
    gone = next((b.start, b.end) for b in free.brackets if 1 < b.end - b.start < len(sentence))
    (tmp_path / "c.txt").write_text(json.dumps({"sentence": sentence, "forbid": [gone]}) + "\n")
    done = call("parse", model, "--constraints", tmp_path / "c.txt")
    assert done.lines == [grammar.parse(sentence, forbidden=[gone]).tree]
    assert done.lines != [free.tree]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("(NP the man) ) saw", "closes nothing"),
        ('{"sentence": "the man saw", "require": [[0, 2], [1, 3]]}', "cross; no tree has both"),
        ('{"sentence": "the man saw", "require": [[0, 9]]}', "outside the sentence"),
    ],
)
def test_constraints_that_cannot_be_kept(
    model: pathlib.Path, tmp_path: pathlib.Path, line: str, said: str
) -> None:
    (tmp_path / "c.txt").write_text(line + "\n")
    done = call("parse", model, "--constraints", tmp_path / "c.txt")
    assert done.code == 1
    assert said in done.err


UNKNOWN = (
    ("(XYZ the man) saw the dog .", "(XYZ (DT the) (NN man))"),
    ("the (QQ man) saw the dog .", "(QQ man)"),
    ('{"sentence": "the man saw the dog .", "tags": [null, "QQ", null, null, null, null]}', "(QQ man)"),
    ("(NP (XYZ the man) (UVW saw the)) dog .", "(UVW (VBD saw) (DT the))"),
)


@pytest.mark.parametrize(("line", "held"), UNKNOWN)
def test_what_no_tree_of_the_grammar_has_is_put_in(
    model: pathlib.Path, tmp_path: pathlib.Path, line: str, held: str
) -> None:
    """The file, the dialogue and the service put the same into the same tree, and say so."""
    (tmp_path / "c.txt").write_text(f"{line}\n(NP the man) saw .\n")
    done = call("parse", model, "--constraints", tmp_path / "c.txt")
    assert done.code == 0, done.err
    assert held in done.lines[0]
    assert "1 ok, 1 imposed" in done.err
    assert "no tree of the grammar has what is known of these sentences; it was put in as given" in done.err
    grammar = load(model)
    request = next(one for one in constrained(grammar, tmp_path / "c.txt") if one is not None)
    answer = answers.parse(
        grammar, request, answers.Wishes(3, probabilities=True, dependencies=True, states=True, chart=True)
    )
    assert answer["status"] == "imposed"
    assert answer["parses"][0]["tree"] == done.lines[0]
    assert len({one["tree"] for one in answer["parses"]}) == len(answer["parses"])
    put_in = [one for one in answer["parses"][0]["brackets"] if one["posterior"] is None]
    assert all(one["latent"] is None for one in put_in)
    told = call("parse", model, "--constraints", tmp_path / "c.txt", "--format", "json", "--kbest", 3)
    assert json.loads(told.lines[0])["status"] == "imposed"


def test_other_constraints_are_kept_by_the_grammar(model: pathlib.Path) -> None:
    """What can be kept guides the search; only the rest is put in."""
    grammar = load(model)
    words = ["the", "man", "saw", "the", "dog", "with", "the", "telescope", "."]
    spans = {(b.start, b.end) for b in grammar.parse(words).brackets}
    kept = next((3, end) for end in (5, 8) if (3, end) not in spans) if (3, 8) not in spans else (2, 5)
    draft = Draft.of(grammar, grammar.request(words, required=[(0, 2, "XYZ"), kept]))
    assert [str(one) for one in draft.imposed] == ["required span (0, 2, XYZ)"]
    free = grammar.parse(words, required=[kept])
    assert {(b.start, b.end, b.label) for b in draft.parse.brackets} == {
        (0, 2, "XYZ"), *((b.start, b.end, b.label) for b in free.brackets)
    }  # fmt: skip


def replies(*lines: str) -> Iterator[str]:
    yield from lines
    raise EOFError


def test_the_correcting_loop(model: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Fix a node, undo, accept; leave, and go on later without losing or repeating a tree."""
    text, out = tmp_path / "t.txt", tmp_path / "kept.ptb"
    text.write_text("the man saw the dog .\nthe dog saw the man .\nthe cat saw the man .\n")
    asked = ParseRequest(source=text, output=out)
    given = replies("1-3", "nonsense", "9-99 NP", "u", "", "q")
    assert ask(model, asked, lambda _: next(given)) == 1
    grammar = load(model)
    assert out.read_text().splitlines() == [grammar.parse("the man saw the dog .").tree]
    given = replies("s", "1-3", "t 2 NN", "")
    assert ask(model, asked, lambda _: next(given)) == 2
    forced = grammar.parse("the cat saw the man .", required=[(0, 3)], tags=[None, "NN", *[None] * 4])
    assert out.read_text().splitlines()[1] == forced.tree
    assert call("parse", model, text, "--ask").code == 1


def test_a_tree_that_the_grammar_does_not_have_is_put_in(
    model: pathlib.Path, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Labels and rules that were never seen, one correction after another, until the tree is the one wanted."""
    text, out = tmp_path / "t.txt", tmp_path / "kept.ptb"
    text.write_text("the man saw the dog .\n")
    given = replies("1-2 XYZ", "2-5 UVW", "2-3", "t 5 QQ", "x 1", "")
    assert ask(model, ParseRequest(source=text, output=out), lambda _: next(given)) == 1
    said = capsys.readouterr().out
    assert "no tree of the grammar has this" in said
    assert "cross; no tree has both" in said
    (kept,) = out.read_text().splitlines()
    assert "(XYZ " in kept
    assert "(QQ dog)" in kept
    assert sentences_of(parse_trees(kept)) == [("the", "man", "saw", "the", "dog", ".")]


TOKENS = ("a", "b", "c", "d")
NODES = [(i, j) for i in range(4) for j in range(i + 1, 5)]


@given(
    st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from(["A", "B", None]), st.booleans()), max_size=6)
)
def test_imposed_limits_hold(wanted: list[tuple[tuple[int, int], str | None, bool]]) -> None:
    """The last limit holds whatever was said before, and the tree is what the nodes say."""
    parse = Parse(
        TOKENS, "(TOP (S (X (T a) (T b)) (Y (T c) (T d))))", "ok", 0.0,
        (Bracket("S", 0, 4, 1.0), Bracket("X", 0, 2, 1.0), Bracket("Y", 2, 4, 1.0)),
    )  # fmt: skip
    limits = [SpanLimit(*span, label, required) for span, label, required in wanted]
    found = with_imposed(parse, limits)
    nodes = {(b.start, b.end, b.label) for b in found.brackets}
    (gold,) = gold_brackets(parse_trees(found.tree))
    assert {node for node in gold if node[2] != "TOP"} == nodes
    for limit in limits[-1:]:
        there = any(node[:2] == (limit.start, limit.end) and limit.label in (None, node[2]) for node in nodes)
        assert there == limit.required
