"""Interactive correction: one correction in, the best tree that keeps all corrections so far out.

The grammar parses again under every correction that some tree of it keeps.  One that none keeps, because it needs a
rule that was never seen, is put into the tree directly, so that a user can reach any tree.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from eigenparse.api.grammar import Grammar
from eigenparse.corpus.normalise import ROOT
from eigenparse.decode.grammar.constraints import SpanLimit, Tag, check_limits
from eigenparse.decode.grammar.request import Request
from eigenparse.decode.grammar.results import Bracket, Parse, WordTag
from eigenparse.errors import DataError

_LEAF = re.compile(r"\(([^\s()]+) ([^\s()]+)\)")


@dataclass(frozen=True, slots=True)
class Draft:
    """A sentence, the constraints that some tree of its grammar keeps, those put in directly, and the best trees."""

    request: Request
    parses: tuple[Parse, ...]
    imposed: tuple[SpanLimit, ...] = ()

    @property
    def parse(self) -> Parse:
        """The best tree."""
        return self.parses[0]

    @classmethod
    def of(cls, grammar: Grammar, request: Request, k: int = 1) -> "Draft":
        """The best trees under all constraints; those that no tree of the grammar keeps are put in, one by one.

        DataError for constraints that no tree at all can keep.
        """
        try:
            return cls._parsed(grammar, request, (), k)
        except DataError:
            check_limits(request.limits, len(request.tokens))
            if not request.limits:
                raise
        draft = cls._parsed(grammar, replace(request, limits=()), (), k)
        for limit in request.limits:
            draft = draft.corrected(grammar, [limit], k=k)
        return draft

    @classmethod
    def _parsed(cls, grammar: Grammar, request: Request, imposed: tuple[SpanLimit, ...], k: int) -> "Draft":
        found = next(grammar.stream([request], k=k))
        return cls(request, put_in(grammar, request, found, imposed), imposed)

    def corrected(
        self,
        grammar: Grammar,
        limits: Sequence[SpanLimit] = (),
        tags: tuple[Tag, ...] | None = None,
        k: int = 1,
    ) -> "Draft":
        """The draft after one more correction; DataError for one that no tree at all can keep."""
        check_limits((*self.request.limits, *self.imposed, *limits), len(self.request.tokens))
        wanted = replace(self.request, limits=(*self.request.limits, *limits), tags=tags or self.request.tags)
        try:
            return Draft._parsed(grammar, wanted, self.imposed, k)
        except DataError:
            if tags is not None:
                raise
            imposed = (*self.imposed, *limits)
            return replace(self, parses=put_in(grammar, self.request, self.parses, imposed), imposed=imposed)


def put_in(
    grammar: Grammar, request: Request, parses: Sequence[Parse], imposed: Sequence[SpanLimit]
) -> tuple[Parse, ...]:
    """Different trees with limits, and given tags that the grammar does not know, put in.

    Over a word, a label that no phrase of the grammar has is its tag.
    """
    symbols, given = grammar.tables.symbols, request.tags or ()
    phrases = {name for name, is_tag in zip(symbols.names, symbols.is_tag.tolist()) if not is_tag}
    unknown = {i: tag for i in parses[0].unknown_tags if isinstance(tag := given[i], str)}
    over_word = [one for one in imposed if one.required and one.end - one.start == 1 and one.label]
    named = {one.start: one.label for one in over_word if one.label and one.label not in phrases}
    others = [one for one in imposed if one not in over_word or one.label in phrases]
    made = {one.tree: one for one in (with_imposed(parse, others, unknown | named) for parse in parses)}
    return tuple(made.values())


def with_imposed(
    parse: Parse, limits: Sequence[SpanLimit], tags: Mapping[int, str] = MappingProxyType({})
) -> Parse:
    """The same tree with required constituents put in, in the place of what crosses them, and forbidden ones out.

    tags: of words, by their places.
    """
    if not limits and not tags:
        return parse
    nodes = list(parse.brackets)
    for limit in limits:
        nodes = _kept(nodes, limit) if limit.required else _without(nodes, limit)
    leaves = [(tags.get(i, tag), word) for i, (tag, word) in enumerate(_LEAF.findall(parse.tree))]
    known = tuple(WordTag(tags[i], math.nan) if i in tags else tag for i, tag in enumerate(parse.tags))
    free = tuple(i for i in parse.unknown_tags if i not in tags)
    return replace(
        parse, tree=_written(nodes, leaves), status="imposed", brackets=tuple(nodes), tags=known,
        unknown_tags=free, likelihood=None,
    )  # fmt: skip


def _kept(nodes: list[Bracket], limit: SpanLimit) -> list[Bracket]:
    """The nodes with a required one, innermost of those over the same words, and without what crosses it."""
    i, j = limit.start, limit.end
    nodes = [one for one in nodes if not (one.start < i < one.end < j or i < one.start < j < one.end)]
    here = [one.label for one in nodes if (one.start, one.end) == (i, j)]
    if limit.label in here or (limit.label is None and here):
        return nodes
    place = sum((one.start, -one.end) <= (i, -j) for one in nodes)
    around = [one.label for one in nodes[:place] if one.start <= i and j <= one.end]
    return [*nodes[:place], Bracket(limit.label or (around or ["X"])[-1], i, j, math.nan), *nodes[place:]]


def _without(nodes: list[Bracket], limit: SpanLimit) -> list[Bracket]:
    """The nodes without forbidden ones."""
    span = (limit.start, limit.end)
    return [one for one in nodes if (one.start, one.end) != span or limit.label not in (None, one.label)]


def _written(nodes: Sequence[Bracket], leaves: Sequence[tuple[str, str]]) -> str:
    """Constituents, outer before inner, and tagged words as a tree in brackets."""
    opened, closed = [""] * len(leaves), [""] * len(leaves)
    for one in nodes:
        opened[one.start] += f"({one.label} "
        closed[one.end - 1] += ")"
    words = (f"{a}({tag} {word}){b}" for a, (tag, word), b in zip(opened, leaves, closed, strict=True))
    return f"({ROOT} {' '.join(words)})"
