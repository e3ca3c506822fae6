"""Classes of rare words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eigenparse.corpus.word_classes import signature


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("parsing", "<lower>"),
        ("Parsing", "<Initial>"),
        ("IBM", "<CAPITALS>"),
        ("U.S.", "<CAPITALS,period>"),
        ("iPhone", "<innerCapitals>"),
        ("McDonald", "<InnerCapitals>"),
        ("low-cost", "<lower,dash>"),
        ("p53", "<lower,digit>"),
        ("Àrzte", "<Initial>"),
        ("漢字", "<lower>"),
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
    assert signature(word, False) == expected


def test_position_matters_for_one_capital_only() -> None:
    assert signature("Dogs", True) == "<First>"
    assert signature("dogs", True) == signature("dogs", False)
    assert signature("IBM", True) == signature("IBM", False)


@settings(deadline=None)
@given(st.text(max_size=12), st.booleans())
def test_any_text_has_a_class(word: str, initial: bool) -> None:
    found = signature(word, initial)
    assert found.startswith("<")
    assert found.endswith(">")
    assert len(found) > 2
