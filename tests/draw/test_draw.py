"""Pictures of trees: golden drawings, well-formed documents, no limits on depth."""

import doctest
import itertools
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import eigenparse.draw.text
from eigenparse.corpus.brackets import parse_trees
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.transform import Binarisation, binarise
from eigenparse.draw import draw_svg, draw_text, row_posteriors
from eigenparse.draw.layout import arrange, display_width, shape_of
from eigenparse.errors import DataError, OptionError

SVG = "{http://www.w3.org/2000/svg}"
SENTENCE = "(S (NP (DT the) (JJ old) (NN dog)) (VP (VBZ barks)))"


SIDEWAYS = """
S
├─ NP
│  ├─ DT the
│  ├─ JJ old
│  └─ NN dog
└─ VP ─ VBZ barks
"""


def handmade(labels: list[str], parent: list[int], word: list[int], words: list[str]) -> Treebank:
    """One tree with any symbols, also those that brackets cannot hold."""
    n = len(parent)
    columns = [np.array(values, dtype=np.int32) for values in (range(n), parent, word)]
    offsets, line = np.array([0, n], dtype=np.int64), np.array([1], dtype=np.int64)
    return Treebank(*columns, offsets, line, tuple(labels), tuple(words))


def test_upright() -> None:
    picture = draw_text(parse_trees(SENTENCE))
    rows = [line.rstrip() for line in picture.splitlines()]
    assert rows == [
        "           S",
        "      ┌────┴─────┐",
        "      NP         VP",
        " ┌────┼────┐     │",
        " DT   JJ   NN   VBZ",
        "the  old  dog  barks",
    ]


def test_sideways_when_too_narrow() -> None:
    assert draw_text(parse_trees(SENTENCE), width=19).strip() == SIDEWAYS.strip()
    assert "┴" in draw_text(parse_trees(SENTENCE), width=20)


def test_one_word_and_second_tree() -> None:
    treebank = parse_trees("(X (UH yes)) (S (NP (PRP it)) (VP (VBZ rains)))")
    assert draw_text(treebank, 0).split() == ["X", "│", "UH", "yes"]
    assert "rains" in draw_text(treebank, 1)
    with pytest.raises(OptionError, match="from 1 to 2"):
        draw_text(treebank, 2)


def test_documented_example() -> None:
    assert doctest.testmod(eigenparse.draw.text).failed == 0


def test_wide_characters_take_two_columns() -> None:
    assert display_width("日本") == 4
    assert display_width("e\u0301") == 1
    lines = draw_text(parse_trees("(S (NN 日本) (NN 東京都))")).splitlines()
    assert display_width(lines[-1]) == 4 + 2 + 6


def test_control_characters_never_reach_the_terminal() -> None:
    treebank = handmade(["T\x1b[31m", "S\u202e"], [1, -1], [0, -1], ["a\x07\nb"])
    for picture in (draw_text(treebank), draw_text(treebank, width=1), draw_svg(treebank)):
        assert not any(c in picture for c in "\x1b\x07\u202e")
    assert len(draw_text(treebank).splitlines()) == 4


def bracketed(depth: int, side: str) -> str:
    """A tree that branches ``depth`` levels to one side, or a unary chain."""
    if side == "unary":
        return "(X " * depth + "(N w)" + ")" * depth
    if side == "left":
        return "(X " * depth + "(N w)" + " (N w))" * depth
    return "(X (N w) " * depth + "(N w)" + ")" * depth


@pytest.mark.parametrize("side", ["unary", "left", "right"])
def test_five_thousand_levels(side: str) -> None:
    treebank = parse_trees(bracketed(5000, side))
    text, svg = draw_text(treebank), draw_svg(treebank)
    assert text.count("X") == 5000
    assert len(text) < 5_000_000
    assert len(list(ET.fromstring(svg).iter(f"{SVG}text"))) > 5000


any_text = st.text(min_size=1, max_size=8)


@st.composite
def trees(draw: st.DrawFn) -> Treebank:
    """Random shapes in post-order with any characters as symbols."""
    stack: list[int] = []
    parent: list[int] = []
    word: list[int] = []
    for _ in range(draw(st.integers(1, 12))):
        take = draw(st.integers(0, min(3, len(stack))))
        row = len(parent)
        for child in stack[len(stack) - take :]:
            parent[child] = row
        del stack[len(stack) - take :]
        parent.append(-1)
        word.append(-1 if take else 0)
        stack.append(row)
    row = len(parent)
    for child in stack:
        parent[child] = row
    labels = draw(st.lists(any_text, min_size=row + 1, max_size=row + 1))
    return handmade(labels, [*parent, -1], [*word, -1], [draw(any_text)])


@settings(max_examples=100, deadline=None)
@given(trees())
def test_documents_are_well_formed_whatever_the_symbols(treebank: Treebank) -> None:
    root = ET.fromstring(draw_svg(treebank, posterior=[0.5] * treebank.label.size))
    tags = int(np.count_nonzero(treebank.word >= 0))
    assert len(list(root.iter(f"{SVG}text"))) == treebank.label.size + tags
    assert len(list(root.iter(f"{SVG}path"))) == treebank.label.size - 1


@settings(max_examples=100, deadline=None)
@given(trees())
def test_labels_of_one_level_never_meet(treebank: Treebank) -> None:
    shape = shape_of(treebank, 0)
    sizes, words = [display_width(t) for t in shape.label], [display_width(t) for t in shape.word]
    placement = arrange(shape, sizes, words, 2)
    for level in set(shape.depth):
        rows = [r for r, d in enumerate(shape.depth) if d == level]
        for one, next_one in itertools.pairwise(rows):
            assert placement.start[one] + sizes[one] + 2 <= placement.start[next_one] + 1
    assert all(s >= 0 and s + n <= placement.width for s, n in zip(placement.start, sizes))


def test_posteriors_colour_and_explain() -> None:
    treebank = parse_trees("(S (NP (PRP it)) (VP (VBZ rains)))")
    svg = draw_svg(treebank, posterior=[1.0, 0.25, float("nan"), 0.9, 1.0])
    assert "NP, words 1 to 1, posterior 0.250" in svg
    assert svg.count("opacity:") == 4
    with pytest.raises(DataError, match="2 posteriors for a tree of 5 nodes"):
        draw_svg(treebank, posterior=[1.0, 1.0])


def test_documents_ask_for_nothing_outside() -> None:
    svg = draw_svg(parse_trees(SENTENCE), title='<script>alert(1)</script> & "more"')
    assert "<script" not in svg
    assert svg.count("http") == 1  # the name of the SVG language itself
    assert ET.fromstring(svg).get("aria-label") == '<script>alert(1)</script> & "more"'


@pytest.fixture
def app() -> object:
    import eigenparse.cli.draw  # noqa: F401  registers the verb
    from eigenparse.cli.main import app

    return app


def test_command_line(app: object, tmp_path: Path) -> None:
    source, runner = tmp_path / "two.ptb", CliRunner()
    source.write_text(f"{SENTENCE}\n{SENTENCE}\n")
    shown = runner.invoke(app, ["draw", str(source)])  # type: ignore[arg-type]
    assert shown.exit_code == 0
    assert shown.stdout.count("barks") == 2
    made = runner.invoke(app, ["draw", str(source), "--format", "svg", "--out", str(tmp_path / "t.svg")])  # type: ignore[arg-type]
    assert made.exit_code == 0
    assert sorted(path.name for path in tmp_path.glob("*.svg")) == ["t-1.svg", "t-2.svg"]
    refused = runner.invoke(app, ["draw", str(source), "--format", "svg"])  # type: ignore[arg-type]
    assert "add --out FILE or --number N" in str(refused.exception)
    one = runner.invoke(app, ["draw", str(source), "--format", "svg", "--number", "2"])  # type: ignore[arg-type]
    assert one.stdout.startswith("<svg")


def test_posteriors_of_binary_rows_reach_the_rows_of_the_tree() -> None:
    treebank = normalise(parse_trees("(S (NP (DT a) (JJ b) (NN c)) (VP (VBZ d)))"))
    binary = binarise(treebank, Binarisation("right", horizontal=0, vertical=1))
    value = np.arange(binary.label.size) / 10
    rows = row_posteriors([binary.labels[a] for a in binary.label], value.tolist())
    by_label = dict(zip([treebank.labels[a] for a in treebank.label], rows, strict=True))
    # DT, JJ, NN, @NP, NP, VP|VBZ, S in post-order; @NP vanishes, the root is sure.
    assert by_label == {
        "DT": 0.0,
        "JJ": 0.1,
        "NN": 0.2,
        "NP": 0.4,
        "VBZ": 0.5,
        "VP": 0.5,
        "S": 0.6,
        "TOP": 1.0,
    }
