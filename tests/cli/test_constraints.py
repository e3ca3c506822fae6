"""Constraints from files, and the correcting loop in the terminal."""

import pathlib
from collections.abc import Iterator

import pytest
from tests.cli.calls import call

from eigenparse.api.grammar import load
from eigenparse.batch.ask import ask
from eigenparse.batch.requests import ParseRequest
from eigenparse.corpus.partial import Known, read_known
from eigenparse.errors import FormatError


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


@pytest.mark.parametrize(
    ("line", "said"),
    [("(NP the man) ) saw", "closes nothing"), ("(XYZ the man)", "'the man': no label of the grammar fits")],
)
def test_constraints_that_cannot_be_kept(
    model: pathlib.Path, tmp_path: pathlib.Path, line: str, said: str
) -> None:
    (tmp_path / "c.txt").write_text(line + "\n")
    done = call("parse", model, "--constraints", tmp_path / "c.txt")
    assert done.code == 1
    assert said in done.err


def replies(*lines: str) -> Iterator[str]:
    yield from lines
    raise EOFError


def test_the_correcting_loop(model: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Fix a node, undo, accept; leave, and go on later without losing or repeating a tree."""
    text, out = tmp_path / "t.txt", tmp_path / "kept.ptb"
    text.write_text("the man saw the dog .\nthe dog saw the man .\nthe cat saw the man .\n")
    asked = ParseRequest(source=text, output=out)
    answers = replies("1-3", "nonsense", "9-99 NP", "u", "", "q")
    assert ask(model, asked, lambda _: next(answers)) == 1
    grammar = load(model)
    assert out.read_text().splitlines() == [grammar.parse("the man saw the dog .").tree]
    answers = replies("s", "1-3", "t 2 NN", "")
    assert ask(model, asked, lambda _: next(answers)) == 2
    forced = grammar.parse("the cat saw the man .", required=[(0, 3)], tags=[None, "NN", *[None] * 4])
    assert out.read_text().splitlines()[1] == forced.tree
    assert call("parse", model, text, "--ask").code == 1
