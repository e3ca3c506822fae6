"""Words in, classes of words out: what a model uses in place of words that are rare or unknown.

Grammars use ``class_levels``, from fine to coarse; the tagger's templates use ``tagger_class``, ``shape``,
``prefix`` and ``suffix``; the dependency parser's templates use ``kind_and_ending``.
"""

import re
import unicodedata
from functools import lru_cache

LONGEST_ENDING = 4
SHORTEST_STEM = 2
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


@lru_cache(maxsize=1 << 17)  # learning asks about every word of the vocabulary several times
def class_levels(word: str, sentence_initial: bool) -> tuple[str, ...]:
    """Names of the classes of a word, the finest first: its signature with shorter and shorter endings.

    >>> class_levels("Parse", False)
    ('<Initial>-rse', '<Initial>-se', '<Initial>-e', '<Initial>')
    """
    name = signature(word, sentence_initial)
    text = word.lower()
    longest = min(LONGEST_ENDING, len(text) - SHORTEST_STEM)
    endings = (text[-k:] for k in range(longest, 0, -1))
    return (*(f"{name}-{ending}" for ending in endings if ending.isalpha()), name)


def signature(word: str, sentence_initial: bool) -> str:
    """The class of a word by case, digits and punctuation, in the manner of the Berkeley and Stanford parsers.

    >>> signature("unparsing", False), signature("Xpd-12", True), signature("3,500", False)
    ('<lower>', '<First,digit,dash>', '<grouped>')
    """
    if word.isalpha():  # most words are, and have no other class
        return f"<{_case(word, sentence_initial)}>"
    for name, pattern in _NUMBERS:
        if pattern.fullmatch(word):
            return f"<{name}>"
    parts = [_case(word, sentence_initial), *_marks(word)]
    return "<" + ",".join(part for part in parts if part) + ">"


def _case(word: str, sentence_initial: bool) -> str:
    """Which letters of a word are capitals; scripts without capitals count as lower case."""
    if word.isalpha() and word.islower():
        return "lower"
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
    """What a word has besides letters."""
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


def shape(word: str) -> str:
    """Letters become X or x, digits become d, runs are shortened to two.

    >>> shape("Mc-1990")
    'Xx-dd'
    """
    out: list[str] = []
    for letter in word:
        kind = "X" if letter.isupper() else "x" if letter.islower() else "d" if letter.isdigit() else letter
        if out[-2:] != [kind, kind]:
            out.append(kind)
    return "".join(out)


def tagger_class(word: str) -> str:
    """The class that replaces a rare word in a tagger: case, digits, dash and an ending.

    >>> tagger_class("Unparsing"), tagger_class("3,500"), tagger_class("%")
    ('Aaing', 'num-d,dd', 'sym-%')
    """
    has_letter = any(letter.isalpha() for letter in word)
    if any(letter.isdigit() for letter in word):
        return "mix-" + shape(word)[-3:] if has_letter else "num-" + shape(word)
    if not has_letter:
        return "sym-" + word[:1]
    case = "AA" if word.isupper() and len(word) > 1 else "Aa" if word[0].isupper() else "aa"
    return case + ("-" if "-" in word else "") + word.lower()[-3 if len(word) > 4 else -2 :]


def suffix(word: str, n: int) -> str:
    """The last n letters in lower case; a word that is no longer is marked as whole."""
    return word.lower()[-n:] if len(word) > n else "^" + word.lower()


def prefix(word: str, n: int) -> str:
    """The first n letters in lower case."""
    return word.lower()[:n]


def kind_and_ending(word: str) -> str:
    """The kind of the first character (digit, capital, letter, other) and the last three letters."""
    kind = "d" if word[:1].isdigit() else "A" if word[:1].isupper() else "a" if word[:1].isalpha() else "."
    return kind + word[-3:].lower()
