"""Checks of arguments of the public interface; errors say what to give instead."""

import math
from collections.abc import Iterable, Mapping, Set
from numbers import Real
from typing import Any

from eigenparse.corpus.brackets import parse_trees
from eigenparse.corpus.recognise import NAMES, REMEDIES, recognise_lines
from eigenparse.decode.grammar.constraints import Span
from eigenparse.errors import DataError, EigenparseError, OptionError

LOOK = 200  # lines that tell what a text is
NO_TEXT = (
    "trees",
    "partial",
    "conllu",
    "columns",
    "phones",
    "json",
    "markup",
    "code",
    "subtitles",
    "config",
    "log",
    "unclosed",
)
LEAST_BRACKETS = 3  # fewer may be a remark in parentheses


def tokens_given(sentence: Any) -> tuple[str, ...]:
    """The tokens of a sentence given as a list."""
    if isinstance(sentence, bytes | bytearray):
        raise DataError("the sentence is bytes; decode it first, as sentence.decode('utf-8')")
    if not isinstance(sentence, Iterable) or isinstance(sentence, Mapping | Set):
        name = type(sentence).__name__
        raise DataError(f"a sentence of type {name}; give a string, or a list of tokens")
    tokens = tuple(sentence)
    for token in tokens:
        if not isinstance(token, str):
            name = type(token).__name__
            raise DataError(
                f"the token {token!r} is a {name}; tokens are strings, parse_many takes several sentences"
            )
        if token.split() != [token]:
            raise DataError(
                f"the token {token!r} is empty or contains spaces; split the sentence into tokens, or call parse_many"
            )
    return tuple(map(str, tokens))


def sentences_given(sentences: Any) -> Iterable[Any]:
    """Several sentences; a single string is refused, because its letters would be taken for sentences."""
    if isinstance(sentences, str | bytes | Mapping) or not isinstance(sentences, Iterable):
        name = type(sentences).__name__
        raise DataError(f"sentences of type {name}; give a list of them, and one alone to parse")
    return sentences


def text_given(text: Any) -> list[str]:
    """The lines of plain text."""
    if isinstance(text, bytes | Mapping) or not isinstance(text, Iterable):
        raise DataError(f"a text of type {type(text).__name__}; give a string, or a list of lines")
    lines = text.split("\n") if isinstance(text, str) else list(text)
    for line in lines:
        if not isinstance(line, str):
            name = type(line).__name__
            raise DataError(f"a line of type {name}; give lines as strings, tokens to parse_many")
    kind = recognise_lines(lines[:LOOK])
    if kind in NO_TEXT:
        raise DataError(f"this is {NAMES[kind]}, where text should be; {REMEDIES[kind]}")
    return lines


def refuse_tree(text: str) -> None:
    """DataError for a tree in brackets where a sentence is wanted."""
    text = text.strip()
    if recognise_lines(text.split("\n")) in ("partial", "unclosed"):
        raise DataError(
            f"this is {NAMES['partial']}; give the words, and spans as required=[(start, end, label)]"
        )
    if not (text.startswith("(") and text.endswith(")")) or text.count("(") < LEAST_BRACKETS:
        return
    try:
        parse_trees(text)
    except EigenparseError:
        return
    raise DataError("this is a tree in brackets, not a sentence; give its words, or score the tree")


def spans_given(spans: Any) -> list[Span]:
    """Spans as (start, end) or (start, end, label)."""
    found = list(spans) if isinstance(spans, Iterable) and not isinstance(spans, str | Mapping) else [spans]
    for span in found:
        numbers = span[:2] if isinstance(span, tuple | list) and len(span) in (2, 3) else ()
        named = len(numbers) < 2 or len(span) == 2 or span[2] is None or isinstance(span[2], str)
        if len(numbers) < 2 or not all(map(_is_whole, numbers)) or not named:
            raise DataError(f"{span!r} is not a span; write [(start, end)] or [(start, end, label)]")
    return found


def _is_whole(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


def count_given(value: Any, name: str, least: int = 1, most: float = math.inf) -> int:
    """A whole number of at least 1, or of another least one, and at most ``most``."""
    if _is_whole(value) and value > most:
        raise OptionError(f"{name} must be {most} or less, got {value} instead")
    if not _is_whole(value) or value < least:
        raise OptionError(f"{name} must be a whole number of {least} or more, got {value!r} instead")
    return int(value)


def number_given(value: Any, name: str) -> float:
    """A number."""
    if not isinstance(value, Real) or isinstance(value, bool) or math.isnan(value):
        raise OptionError(f"{name} must be a number, got {value!r} instead")
    return float(value)
