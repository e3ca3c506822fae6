"""Classes of rare words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eigenparse.corpus.words import word_class


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("parsing", "<lower,-ing>"),
        ("Parsing", "<Initial,-ing>"),
        ("IBM", "<CAPITALS>"),
        ("U.S.", "<CAPITALS,period>"),
        ("iPhone", "<innerCapitals>"),
        ("McDonald", "<InnerCapitals>"),
        ("low-cost", "<lower,dash>"),
        ("p53", "<lower,digit>"),
        ("Àrzte", "<Initial>"),
        ("漢字", "<lower>"),
        ("class", "<lower>"),
        ("rates", "<lower,-s>"),
        ("1998", "<year>"),
        ("12", "<integer>"),
        ("1,234.5", "<grouped>"),
        (".5", "<decimal>"),
        ("1990s", "<years>"),
        ("21st", "<ordinal>"),
        ("9:30", "<time>"),
        (r"3\/4", "<fraction>"),
        ("10-12", "<range>"),
        ("...", "<period>"),
        ("$", "<sign>"),
        ("½", "<other>"),
        ("", "<other>"),
    ],
)
def test_classes(word: str, expected: str) -> None:
    assert word_class(word, False) == expected


def test_position_matters_for_one_capital_only() -> None:
    assert word_class("Dogs", True) == "<First,-s>"
    assert word_class("dogs", True) == word_class("dogs", False)
    assert word_class("IBM", True) == word_class("IBM", False)


def test_endings_of_any_language() -> None:
    assert word_class("Magnússonar", False, suffix_length=3) == "<Initial,-nar>"
    assert word_class("ærlig", False, suffix_length=1) == "<lower,-g>"
    assert word_class("ærlig", False, suffix_length=0) == "<lower>"
    assert word_class("og", False, suffix_length=3) == "<lower>"


@settings(deadline=None)
@given(st.text(max_size=12), st.booleans(), st.sampled_from([None, 0, 1, 2, 3]))
def test_any_text_has_a_class(word: str, initial: bool, suffix_length: int | None) -> None:
    found = word_class(word, initial, suffix_length=suffix_length)
    assert found.startswith("<")
    assert found.endswith(">")
    assert len(found) > 2
