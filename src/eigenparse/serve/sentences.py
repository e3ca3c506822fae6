"""Request bodies in, checked sentences with their constraints out."""

from collections.abc import Sequence

from eigenparse.api.grammar import Grammar
from eigenparse.api.raw import conventions
from eigenparse.corpus.tokenise import split_sentences, tokenise
from eigenparse.decode.grammar.constraints import Span as SpanTuple
from eigenparse.decode.grammar.request import Request
from eigenparse.serve.gate import Refusal
from eigenparse.serve.schema import Limited, ParseMany, ParseOne, ParseText, Span, TagMany, TagOne, TagText
from eigenparse.serve.settings import Settings

Body = ParseOne | ParseMany | ParseText | TagOne | TagMany | TagText
Item = str | Sequence[str] | Limited


def requests_of(grammar: Grammar, body: Body, settings: Settings) -> list[Request]:
    """Every sentence of a body as a request to the grammar, or a refusal that names the first too large."""
    items = _items(body, settings)
    if len(items) > settings.max_sentences:
        raise Refusal(
            413, "too_many", f"{len(items)} sentences at once; send at most {settings.max_sentences}"
        )
    style = conventions(grammar)
    return [_request(grammar, item, style, settings) for item in items]


def _items(body: Body, settings: Settings) -> list[Item]:
    """The sentences of a body, still as they were sent."""
    if isinstance(body, ParseText | TagText):
        _check_words(body.text.split(), settings)
        return list(split_sentences(body.text))
    if isinstance(body, ParseMany | TagMany):
        return list(body.sentences)
    return [body if isinstance(body, ParseOne) else body.sentence]


def _request(grammar: Grammar, item: Item, style: dict[str, str], settings: Settings) -> Request:
    """One sentence and its constraints."""
    if not isinstance(item, Limited):
        return grammar.request(_tokens(item, style, settings))
    tokens = _tokens(item.sentence, style, settings)
    if item.tags is not None and len(item.tags) != len(tokens):
        raise _conflict(f"{len(item.tags)} tags for {len(tokens)} tokens; give one for each, or null")
    for span in (*item.require, *item.forbid):
        if not span.start < span.end <= len(tokens):
            raise _conflict(
                f"the span {span.start} to {span.end} is not inside a sentence of {len(tokens)} tokens"
            )
    return grammar.request(
        tokens, tags=item.tags, required=map(_span, item.require), forbidden=map(_span, item.forbid)
    )


def _tokens(sentence: str | Sequence[str], style: dict[str, str], settings: Settings) -> list[str]:
    """The tokens of a sentence, written as in the grammar's treebank; lengths are checked first."""
    if not isinstance(sentence, str):
        tokens = list(sentence)
        _check_words(tokens, settings)
    else:
        _check_words(sentence.split(), settings)
        tokens = tokenise(sentence, **style)
    if len(tokens) > settings.max_words:
        raise Refusal(
            413, "too_long", f"a sentence of {len(tokens)} words; at most {settings.max_words} are allowed"
        )
    return tokens


def _check_words(words: Sequence[str], settings: Settings) -> None:
    """Refuse words longer than any word is."""
    longest = max(map(len, words), default=0)
    if longest > settings.max_word_length:
        raise Refusal(
            413,
            "long_word",
            f"a word of {longest} characters; at most {settings.max_word_length} are allowed",
        )


def _conflict(message: str) -> Refusal:
    """Constraints that contradict the sentence they came with."""
    return Refusal(409, "conflict", message)


def _span(span: Span) -> SpanTuple:
    return (span.start, span.end) if span.label is None else (span.start, span.end, span.label)
