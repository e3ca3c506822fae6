"""One sentence with constraints in; its best distinct trees and their posteriors out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from eigenparse.arrays import IntVector, as_ids
from eigenparse.corpus.normalise import ROOT
from eigenparse.decode.grammar.constraints import SpanLimit, Tag, brackets_of, give_tags, limit_spans
from eigenparse.decode.grammar.derivations import Derivation
from eigenparse.decode.grammar.objective import Brackets
from eigenparse.decode.grammar.parser import (
    Chart,
    Decoded,
    Parser,
    best_trees,
    explore,
    glued,
    word_choices,
)
from eigenparse.decode.grammar.posteriors import SymbolTable
from eigenparse.errors import DataError
from eigenparse.inference.grammar.forest import Choices, Constraints, Forest
from eigenparse.inference.grammar.probability import Items, some_items
from eigenparse.kernels.columns import spans

MOST_TRIED = 20_000  # derivations looked at in search of distinct trees
BYTES_PER_TRIED = 40  # for each item of the forest
FORMS: Mapping[str, tuple[str, ...]] = {
    "(": ("-LRB-",), ")": ("-RRB-",), "[": ("-LSB-",), "]": ("-RSB-",), "{": ("-LCB-",), "}": ("-RCB-",),
    "-LRB-": ("(",), "-RRB-": (")",), "-LSB-": ("[",), "-RSB-": ("]",), "-LCB-": ("{",), "-RCB-": ("}",),
    "“": ("``", '"'), "”": ("''", '"'), "``": ('"', "“"), "''": ('"', "”"), "‘": ("`", "'"), "’": ("'",),
    "…": ("...",), "—": ("--", "-"), "–": ("--", "-"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Request:
    """A sentence to parse.  tags: one per word, a name, weights by name, or None; limits: on spans."""

    tokens: tuple[str, ...]
    tags: tuple[Tag, ...] | None = None
    limits: tuple[SpanLimit, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The best trees of a request, distinct after un-binarising.

    posteriors: of constituents and tags, None after a fallback.  unknown_tags: positions whose given
    tags the grammar does not know.  items: the constituents that each grammar of an ensemble looked at, None
    after a fallback.
    """

    decoded: Decoded
    posteriors: Brackets | None
    unknown_tags: tuple[int, ...]
    items: tuple[Items, ...] | None = None


def lookup_form(parser: Parser, token: str) -> str:
    """The token itself, or another way to write it that the grammar knows.

    Treebanks write brackets and quotation marks in several ways; a token that the grammar has never
    seen is looked up in its other spellings.
    """
    known = parser.words.words
    if token in known or (token not in FORMS and "’" not in token):
        return token
    others = (*FORMS.get(token, ()), token.replace("’", "'"))
    return next((form for form in others if form in known), token)


def answer(parser: Parser, symbols: SymbolTable, request: Request, *, k: int = 1) -> Answer:
    """Parse one sentence; every non-empty sentence without limits gets at least one tree.

    Raises DataError if no tree was found that keeps the limits.
    """
    return answer_and_chart(parser, symbols, request, k=k)[0]


def answer_and_chart(
    parser: Parser, symbols: SymbolTable, request: Request, *, k: int = 1
) -> tuple[Answer, Chart | None]:
    """The answer and the chart behind it; no chart after a fallback."""
    words, limits, unknown = space_of(parser, request)
    free = request.tags is None and not request.limits
    others = [space_of(other, request)[:2] for other in parser.others]
    chart = explore(parser, words, limits, others, free=free, tokens=request.tokens)
    if chart is None:
        decoded = glued(parser, words, limits)
        _check_kept(parser, decoded.derivations[0], request)
        return Answer(decoded, None, unknown), None
    heard = [None if voice is None else voice.forest for voice in chart.heard]
    size = chart.forest.label.size + sum(forest.label.size for forest in heard if forest is not None)
    most = min(MOST_TRIED, parser.options.memory // (BYTES_PER_TRIED * size))
    decoded = distinct_trees(symbols, lambda wanted: best_trees(parser, chart, wanted), k, most)
    if unknown and decoded.status == "ok":
        decoded = replace(decoded, status="relaxed")
    items = tuple(
        _items(one, len(request.tokens), forest)
        for one, forest in zip((parser, *parser.others), (chart.forest, *heard))
    )
    return Answer(decoded, chart.posteriors, unknown, items), chart


def _items(parser: Parser, n: int, forest: Forest | None) -> Items:
    """The constituents of a forest; none without one."""
    none = as_ids([])
    columns = (none, none, none) if forest is None else (forest.label, forest.start, forest.end)
    return some_items(parser.grammar.skeleton, n, *columns)


def space_of(parser: Parser, request: Request) -> tuple[Choices, Constraints, tuple[int, ...]]:
    """The search space of a request: readings of the words, allowed labels of spans; unknown tags."""
    words = word_choices(parser, [lookup_form(parser, token) for token in request.tokens])
    unknown: tuple[int, ...] = ()
    if request.tags is not None:
        given = give_tags(parser, words, request.tags)
        words, unknown = given.words, given.relaxed
    words, limits = limit_spans(parser, words, request.limits, tagged=request.tags is not None)
    return words, limits, unknown


def distinct_trees(
    symbols: SymbolTable, best: Callable[[int], Decoded], k: int, most: int = MOST_TRIED
) -> Decoded:
    """The k best trees that differ after un-binarising; binary labels may record more than trees show.

    most: derivations to look at in search of them; k are looked at in any case.
    """
    wanted = k
    while True:
        decoded = best(wanted)
        if k == 1:
            return decoded
        kept: dict[bytes, Derivation] = {}
        for derivation in decoded.derivations:
            kept.setdefault(shown_tree(symbols, derivation), derivation)
        if len(kept) >= k or len(decoded.derivations) < wanted or wanted >= most:
            return replace(decoded, derivations=tuple(kept.values())[:k])
        wanted = min(2 * wanted, most)


def shown_tree(symbols: SymbolTable, derivation: Derivation) -> bytes:
    """A key that two derivations share if and only if their n-ary trees are the same."""
    start, end = row_spans(derivation)
    shown = symbols.shown[derivation.label]
    complete = shown >= 0
    return np.concatenate([column[complete] for column in (shown, start, end)]).tobytes()


def row_spans(derivation: Derivation) -> tuple[IntVector, IntVector]:
    """Start and end of every row of a derivation."""
    start, size = np.empty_like(derivation.left), np.empty_like(derivation.left)
    spans(derivation.left, derivation.right, np.array([0, start.size]), start, size)
    return start, start + size


def _check_kept(parser: Parser, tree: Derivation, request: Request) -> None:
    """Refuse a glued tree that breaks a limit."""
    start, end = (column.tolist() for column in row_spans(tree))
    found: set[tuple[int, int, str | None] | tuple[int, int, str | None, str]] = set()
    for a, i, j in zip(tree.label.tolist(), start, end):
        label = parser.labels[a]
        names = brackets_of(label, over_word=j - i == 1)
        found |= {(i, j, name) for name in names} | ({(i, j, None)} if names else set())
        if j - i == 1:
            found |= {(i, j, label.chain[-1], "tag"), (i, j, None, "tag")}
    n = len(request.tokens)
    found |= {(0, n, None, "tag"), (0, n, ROOT, "tag")}
    for limit in (limit for limit in request.limits if not limit.uncrossed):
        key = (limit.start, limit.end, limit.label)
        has = key in found or (limit.required and (*key, "tag") in found)
        if has != limit.required:
            raise DataError(
                f"no tree was found that keeps the {limit}; drop it or search with another grammar"
            )
