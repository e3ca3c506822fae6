"""Words in, classes of words out: what a parser sees of a word it has not met often enough.

A class is a name in angle brackets such as ``<lower,-ing>``, made from case, digits, punctuation and
ending, in the manner of the unknown-word signatures of the Berkeley and Stanford parsers.
"""

import re
import unicodedata

# Endings of English that tell tags apart, longest first where one ends another.
ENGLISH_SUFFIXES = (
    "ness", "ment", "tion", "able", "less", "sion", "ship", "ings",
    "ing", "ion", "ity", "est", "ous", "ful", "ive", "ism", "ist", "ble", "ant", "ent", "ate", "ize", "ise",
    "ed", "er", "ly", "al", "ic", "an", "or", "en",
    "s", "y",
)  # fmt: skip
_SHORTEST_STEM = 3
_NUMBERS = (
    ("year", re.compile(r"(1\d|20)\d\d")),
    ("integer", re.compile(r"[+-]?\d+")),
    ("grouped", re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")),
    ("decimal", re.compile(r"[+-]?\d*[.,]\d+")),
    ("years", re.compile(r"'?\d{2,4}'?s")),
    ("ordinal", re.compile(r"\d+(st|nd|rd|th)", re.IGNORECASE)),
    ("time", re.compile(r"\d{1,2}[:.]\d\d")),
    ("fraction", re.compile(r"\d+(-\d+)?\\?/\d+")),
    ("range", re.compile(r"\d[\d.,]*[-–—]\d[\d.,]*")),
)
_DASHES = "-‐‑–—"


def word_class(word: str, sentence_initial: bool, *, suffix_length: int | None = None) -> str:
    """The class of a word.

    suffix_length: None takes English endings, a number the last so many letters, for any language;
    0 takes none.

    >>> word_class("unparsing", False), word_class("Xpd-12", True), word_class("3,500", False)
    ('<lower,-ing>', '<First,digit,dash>', '<grouped>')
    """
    for name, pattern in _NUMBERS:
        if pattern.fullmatch(word):
            return f"<{name}>"
    parts = [_case(word, sentence_initial), *_marks(word)]
    ending = _ending(word, suffix_length)
    if ending:
        parts.append(f"-{ending}")
    return "<" + ",".join(part for part in parts if part) + ">"


def _case(word: str, sentence_initial: bool) -> str:
    """How capitals stand in a word; scripts without capitals count as lower case."""
    letters = [c for c in word if c.isalpha()]
    if not letters:
        return ""
    capitals = sum(c.isupper() or c.istitle() for c in letters)
    if not capitals:
        return "lower"
    starts = word[0].isupper() or word[0].istitle()
    if starts and capitals == 1:
        return "First" if sentence_initial else "Initial"
    if capitals == len(letters):
        return "CAPITALS"
    return "InnerCapitals" if starts else "innerCapitals"


def _marks(word: str) -> list[str]:
    """What a word holds besides letters."""
    marks = []
    if any(c.isdigit() for c in word):
        marks.append("digit" if any(c.isalpha() for c in word) else "digits")
    if any(c in _DASHES for c in word):
        marks.append("dash")
    if "." in word:
        marks.append("period")
    if any(unicodedata.category(c)[0] in "PS" and c not in _DASHES and c != "." for c in word):
        marks.append("sign")
    if not marks and not any(c.isalpha() for c in word):
        marks.append("other")
    return marks


def _ending(word: str, suffix_length: int | None) -> str:
    """The ending of a word that is long enough to have one, in lower case."""
    if not word[-1:].isalpha():
        return ""
    text = word.lower()
    if suffix_length is not None:
        ending = text[max(len(text) - suffix_length, 0) :] if suffix_length > 0 else ""
        return ending if len(text) >= suffix_length + _SHORTEST_STEM - 1 and ending.isalpha() else ""
    for ending in ENGLISH_SUFFIXES:
        if text.endswith(ending) and len(text) >= len(ending) + _SHORTEST_STEM:
            return "" if ending == "s" and text.endswith(("ss", "us", "is")) else ending
    return ""
