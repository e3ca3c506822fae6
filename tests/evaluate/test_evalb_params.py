"""Parameter files: what is read, and what is refused in one sentence."""

import pathlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenparse.errors import DataError, EigenparseError, FormatError
from eigenparse.evaluate.evalb_params import COLLINS, load_params, parse_params, read_params

TEXT = """## conventions of Collins
DEBUG 0
MAX_ERROR\t10
CUTOFF_LEN 40
LABELED 1   \r
#

DELETE_LABEL TOP
DELETE_LABEL -NONE-
DELETE_LABEL ,
DELETE_LABEL :
DELETE_LABEL ``
DELETE_LABEL ''
DELETE_LABEL .
DELETE_LABEL_FOR_LENGTH -NONE-
EQ_LABEL ADVP PRT
"""


def test_built_in_conventions_are_those_of_the_file(tmp_path: pathlib.Path) -> None:
    (tmp_path / "COLLINS.prm").write_text(TEXT)
    assert read_params(tmp_path / "COLLINS.prm") == COLLINS
    assert load_params(tmp_path / "COLLINS.prm") == COLLINS
    assert load_params("COLLINS") == COLLINS
    assert load_params("nowhere/COLLINS.prm") == COLLINS
    with pytest.raises(DataError, match=r"mine\.prm"):
        load_params(tmp_path / "mine.prm")


def test_every_key() -> None:
    params = parse_params(
        "MAX_ERROR 3\nCUTOFF_LEN 70\nLABELED 0\nDISC_ONLY 0\nQUOTE_LABEL POS\n"
        "EQ_WORD  a  b\nEQ_LABEL A\tB\nDELETE_LABEL #\n"
    )
    assert (params.max_error, params.cutoff, params.labelled) == (3, 70, False)
    assert (params.quote, params.equal_words) == (frozenset(["POS"]), frozenset([("a", "b")]))
    assert params.same_label("B", "A")
    assert params.delete == {"#"}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("DELETE_LABELS TOP", "unknown parameter 'DELETE_LABELS'"),
        ("  LABELED 1", "unknown parameter ''"),
        ("DELETE_LABEL", "needs one label"),
        ("DELETE_LABEL A B", "needs one label"),
        ("EQ_LABEL A", "needs two values"),
        ("EQ_WORD a b c", "needs two values"),
        ("CUTOFF_LEN forty", "needs a whole number"),
        ("MAX_ERROR 99999999999999999999", "needs a whole number"),
        ("DISC_ONLY 1", "discontinuous"),
    ],
)
def test_errors_name_the_line(line: str, problem: str) -> None:
    with pytest.raises(FormatError, match=problem) as caught:
        parse_params(f"# first\n{line}\n", source="my.prm")
    assert str(caught.value).startswith("my.prm:2: ")


@given(st.text(alphabet="DELTABQ_ #\n\t\r'\x00ü10", max_size=60))
def test_any_text_gives_parameters_or_a_sentence(text: str) -> None:
    problem = ""
    try:
        parse_params(text)
    except EigenparseError as found:
        problem = str(found)
    assert "\n" not in problem
