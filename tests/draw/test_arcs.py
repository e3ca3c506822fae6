"""Pictures of dependency trees: levels by a slow definition, golden lines, well-formed documents, PNG."""

import doctest
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import eigenparse.cli.verbs
import eigenparse.draw.arcs
from eigenparse.cli.main import app
from eigenparse.corpus.conllu import read_lines
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.draw import draw_arcs_svg, draw_arcs_text, png
from eigenparse.draw.arcs import levels
from eigenparse.errors import OptionError

SVG = "{http://www.w3.org/2000/svg}"
SENTENCE = "(S (NP (DT the) (JJ old) (NN dog)) (VP (VBZ barks)))"
LINES = """
┌──►the    DT   DT:NP
│ ┌►old    JJ   JJ:NP
└┬┴►dog    NN   NP:S
 └──barks  VBZ  root
"""


def corpus(heads: list[int], words: list[str] | None = None) -> Dependencies:
    """One sentence with these heads, counted from 1 and 0 at the root."""
    words = words or [f"w{i}" for i in range(len(heads))]
    rows = [f"{i}\t{w}\t_\t_\tT\t_\t{h}\tr\t_\t_" for i, (w, h) in enumerate(zip(words, heads), start=1)]
    return read_lines([*rows, ""], source="test").trees


@st.composite
def random_heads(draw: st.DrawFn) -> list[int]:
    """A tree over up to nine words, projective or not, by attaching words in a random order."""
    n = draw(st.integers(1, 9))
    order = draw(st.permutations(range(n)))
    heads = [0] * n
    for k in range(1, n):
        heads[order[k]] = order[draw(st.integers(0, k - 1))] + 1
    return heads


@settings(deadline=None)
@given(random_heads(), st.booleans())
def test_no_two_arcs_of_a_level_meet(heads: list[int], apart: bool) -> None:
    level = levels([h - 1 for h in heads], apart=apart)
    arcs = [(*sorted((i, h - 1)), level[i]) for i, h in enumerate(heads) if h > 0]
    assert all(one > 0 for *_, one in arcs)
    for i, (a, b, one) in enumerate(arcs):
        for c, d, other in arcs[:i]:
            meet = (a <= d and c <= b) if apart else (a < d and c < b)
            assert one != other or not meet
            if a <= c and d <= b and (a, b) != (c, d):
                assert one > other  # an arc lies above every arc inside it


@settings(max_examples=50, deadline=None)
@given(random_heads())
def test_every_word_has_a_line_and_every_dependent_an_arrow(heads: list[int]) -> None:
    lines = draw_arcs_text(corpus(heads)).split("\n")
    assert [f"w{i}" in line for i, line in enumerate(lines)] == [True] * len(heads)
    assert [("►" in line) for line in lines] == [h > 0 for h in heads]
    root = ET.fromstring(draw_arcs_svg(corpus(heads)))
    assert len(root.findall(f".//{SVG}path[@class='arc']")) == len(heads)


def test_text_of_a_converted_tree(tmp_path: Path) -> None:
    (tmp_path / "t.ptb").write_text(SENTENCE)
    shown = CliRunner().invoke(app, ["draw", str(tmp_path / "t.ptb"), "--arcs"])
    assert shown.output.rstrip("\n") == LINES.strip("\n")


def test_nothing_in_a_word_reaches_the_document_unescaped() -> None:
    evil = '<script>&"\x07'
    root = ET.fromstring(draw_arcs_svg(corpus([0], [evil.replace("\x07", "\u200f")])))
    assert next(t.text for t in root.iter(f"{SVG}text") if t.get("class") == "word").startswith("<script>&")
    assert root.find(f".//{SVG}script") is None


def test_a_tree_that_is_not_there() -> None:
    with pytest.raises(OptionError, match="tree 2 does not exist; choose one from 1 to 1"):
        draw_arcs_svg(corpus([0]), 1)


def test_standard_input_may_hold_either(tmp_path: Path) -> None:
    run = CliRunner()
    by_rules = run.invoke(app, ["convert", "-"], input=SENTENCE).output
    assert run.invoke(app, ["draw", "-"], input=by_rules).output.rstrip("\n") == LINES.strip("\n")
    assert "NP" in run.invoke(app, ["draw", "-"], input=SENTENCE).output


def test_png(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    picture = png(draw_arcs_svg(corpus([2, 0])), scale=1)
    assert picture.startswith(b"\x89PNG\r\n")
    assert picture == png(draw_arcs_svg(corpus([2, 0])), scale=1)
    width = int.from_bytes(picture[16:20], "big")
    assert int.from_bytes(png(draw_arcs_svg(corpus([2, 0])), scale=3)[16:20], "big") == 3 * width
    (tmp_path / "t.ptb").write_text(SENTENCE + "\n" + SENTENCE)
    CliRunner().invoke(app, ["draw", str(tmp_path / "t.ptb"), "-o", str(tmp_path / "t.png")])
    assert sorted(p.name for p in tmp_path.glob("*.png")) == ["t-1.png", "t-2.png"]


def test_examples_in_docstrings() -> None:
    assert doctest.testmod(eigenparse.draw.arcs).failed == 0
