"""Sentences as clients send them in, checked sentences with their constraints out; runs in worker processes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eigenparse.api.given import refuse_tree, text_given
from eigenparse.api.grammar import Grammar
from eigenparse.corpus.tokenise import split_sentences, tokens_of
from eigenparse.decode.grammar.constraints import Span, is_name
from eigenparse.decode.grammar.request import Request
from eigenparse.errors import DataError
from eigenparse.serve.limits import Limits, check_length, check_number, check_words
from eigenparse.serve.refusal import Refusal

Item = str | Sequence[str] | Mapping[str, Any]


def split_text(text: str, limits: Limits, *, lines: bool = False) -> list[str]:
    """The sentences of a paragraph, or its lines that are not blank."""
    check_words(text.split(), limits)
    _check(text_given, text)
    found = [line for line in text.split("\n") if line.strip()] if lines else split_sentences(text)
    check_number(len(found), limits, "sentences")
    return found


def request_of(grammar: Grammar, item: Item, style: dict[str, str], limits: Limits) -> Request:
    """One sentence and its constraints, or a refusal.

    item: plain text, tokens, or a mapping as ``schema.Limited`` describes it.
    style: how the grammar's treebank writes quotation marks and compounds.
    """
    if not isinstance(item, Mapping):
        return grammar.request(_tokens(item, style, limits))
    tokens = _tokens(item["sentence"], style, limits)
    tags, require, forbid = (item.get(name) for name in ("tags", "require", "forbid"))
    if tags is not None and len(tags) != len(tokens):
        raise conflict(f"{len(tags)} tags for {len(tokens)} tokens; give one for each, or null")
    if not all(tag is None or is_name(tag) for tag in tags or ()):
        raise conflict("a tag is empty or has a blank or a bracket; write a name such as NN, or null")
    for span in (*(require or ()), *(forbid or ())):
        if not span["start"] < span["end"] <= len(tokens):
            raise conflict(
                f"the span {span['start']} to {span['end']} is not inside a sentence of {len(tokens)} tokens"
            )
    return grammar.request(
        tokens, tags=tags, required=map(_span, require or ()), forbidden=map(_span, forbid or ())
    )


def _tokens(sentence: str | Sequence[str], style: dict[str, str], limits: Limits) -> list[str]:
    """The tokens of a sentence, written as in the grammar's treebank; lengths are checked first."""
    if not isinstance(sentence, str):
        tokens = list(sentence)
        check_words(tokens, limits)
    else:
        check_words(sentence.split(), limits)
        _check(refuse_tree, sentence)
        tokens = tokens_of(sentence, **style)
    check_length(len(tokens), limits)
    return tokens


def _check(refuse: Callable[[str], object], text: str) -> None:
    """Refuse trees and other data where text is expected."""
    try:
        refuse(text)
    except DataError as problem:
        raise Refusal(422, "misshapen", str(problem)) from None


def conflict(message: str) -> Refusal:
    """Constraints that contradict the sentence they came with."""
    return Refusal(409, "conflict", message)


def _span(span: Mapping[str, Any]) -> Span:
    bounds = (span["start"], span["end"])
    return bounds if span.get("label") is None else (*bounds, span["label"])
