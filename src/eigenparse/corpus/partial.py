"""Constraints on trees: partial trees in brackets or JSON lines in, tokens and spans out.

A partial tree has brackets only where something is known: ``(NP the old man) the boats`` says that the first three
words are an NP, ``( the boats )`` that two words belong together, ``(VBD man)`` that a word has this tag or is this
phrase.  A JSON line has ``sentence`` (text or tokens) and may have ``tags`` (one per token, or null), ``require`` and
``forbid`` (spans ``[start, end]`` or ``[start, end, label]``, or objects with these names).
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from eigenparse.errors import FormatError

Span = tuple[int, int] | tuple[int, int, str]
_PIECE = re.compile(r"\((?P<label>[^\s()]*)|(?P<close>\))|(?P<word>[^\s()]+)")


@dataclass(frozen=True, slots=True)
class Known:
    """A sentence and what is known about its tree; spans are half-open."""

    tokens: tuple[str, ...]
    required: tuple[Span, ...] = ()
    forbidden: tuple[Span, ...] = ()
    tags: tuple[str | None, ...] | None = None


def read_known(line: str, tokens_of: Callable[[str], list[str]], source: str, number: int) -> Known:
    """One line of constraints.  tokens_of: cuts text without brackets into tokens."""
    text = line.strip()
    if text.startswith("{"):
        return _from_json(text, tokens_of, source, number)
    if not re.search(r"[()]", text):
        return Known(tuple(tokens_of(text)))
    return _from_brackets(text, source, number)


def _from_brackets(text: str, source: str, number: int) -> Known:
    """Tokens and required spans of a partial tree, outer spans first."""
    tokens: list[str] = []
    opened: list[tuple[str, int, int]] = []
    spans: list[tuple[int, Span]] = []
    for order, piece in enumerate(_PIECE.finditer(text)):
        if piece["word"]:
            tokens.append(piece["word"])
        elif not piece["close"]:
            opened.append((piece["label"], len(tokens), order))
        elif not opened or opened[-1][1] == len(tokens):
            problem = "this bracket holds no word" if opened else "this ')' closes nothing"
            raise FormatError(problem, source=source, line=number, remedy="write (NP the old man) the boats")
        else:
            label, start, place = opened.pop()
            spans.append((place, (start, len(tokens), label) if label else (start, len(tokens))))
    if opened:
        raise FormatError(
            f"the bracket {opened[-1][0]!r} is never closed", source=source, line=number, remedy="add ')'"
        )
    return Known(tuple(tokens), tuple(span for _, span in sorted(spans, key=lambda one: one[0])))


def _from_json(text: str, tokens_of: Callable[[str], list[str]], source: str, number: int) -> Known:
    """A JSON object as constraints."""
    try:
        found = json.loads(text)
        sentence = found.pop("sentence")
        if not isinstance(sentence, str | list):
            raise ValueError("the sentence is neither text nor a list of tokens")
        tokens = tuple(tokens_of(sentence) if isinstance(sentence, str) else map(str, sentence))
        tags = found.pop("tags", None)
        required, forbidden = (tuple(map(_span, found.pop(name, ()))) for name in ("require", "forbid"))
        if found:
            raise ValueError(f"{next(iter(found))!r} is not known")
        if tags is not None and len(tags) != len(tokens):
            raise ValueError(f"{len(tags)} tags for {len(tokens)} tokens")
        if not all(tag is None or isinstance(tag, str) for tag in tags or ()):
            raise ValueError("a tag is not text")
        if any(re.search(r"[\s()]", tag) for tag in tags or () if tag):
            raise ValueError("a tag has a blank or a bracket")
    except (LookupError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as problem:
        raise FormatError(
            f"not a sentence with constraints ({problem})", source=source, line=number,
            remedy='write {"sentence": "The old man the boats .", "require": [[0, 2, "NP"]]}',
        ) from None  # fmt: skip
    return Known(tokens, required, forbidden, None if tags is None else tuple(tags))


def _span(given: Any) -> Span:
    """A span of a list or of an object."""
    parts: Sequence[Any] = (
        [given["start"], given["end"], given.get("label")] if isinstance(given, dict) else given
    )
    start, end, label = int(parts[0]), int(parts[1]), parts[2] if len(parts) > 2 else None
    return (start, end) if label is None else (start, end, str(label))
