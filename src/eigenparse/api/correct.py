"""Trees under correction: one correction in, the best tree that keeps all that is known out.

The grammar parses again under every correction that some tree of it keeps.  One that none keeps, because it needs a
rule that was never seen, is put into the tree as it stands, so that a person can reach any tree.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from eigenparse.api.grammar import Grammar
from eigenparse.corpus.normalise import ROOT
from eigenparse.decode.grammar.constraints import SpanLimit, Tag, check_limits
from eigenparse.decode.grammar.request import Request
from eigenparse.decode.grammar.results import Bracket, Parse
from eigenparse.errors import DataError

_LEAF = re.compile(r"\(([^\s()]+) ([^\s()]+)\)")


@dataclass(frozen=True, slots=True)
class Draft:
    """A sentence with the corrections that its grammar keeps, those that were put in by hand, and the tree of both."""

    request: Request
    parse: Parse
    imposed: tuple[SpanLimit, ...] = ()

    @classmethod
    def of(cls, grammar: Grammar, request: Request) -> "Draft":
        """The best tree of a sentence."""
        return cls(request, next(grammar.stream([request]))[0])

    def corrected(
        self, grammar: Grammar, limits: Sequence[SpanLimit] = (), tags: tuple[Tag, ...] | None = None
    ) -> "Draft":
        """The draft after one more correction; DataError for one that no tree at all can keep."""
        known = (*self.request.limits, *self.imposed, *limits)
        check_limits(known, len(self.request.tokens))
        wanted = replace(self.request, limits=(*self.request.limits, *limits), tags=tags or self.request.tags)
        try:
            again = Draft.of(grammar, wanted)
        except DataError:
            if tags is not None:
                raise
            imposed = (*self.imposed, *limits)
            return replace(self, parse=with_imposed(self.parse, imposed), imposed=imposed)
        return replace(again, parse=with_imposed(again.parse, self.imposed), imposed=self.imposed)


def with_imposed(parse: Parse, limits: Sequence[SpanLimit]) -> Parse:
    """The same tree with required constituents put in, in the place of what crosses them, and forbidden ones out."""
    if not limits:
        return parse
    nodes = list(parse.brackets)
    for limit in limits:
        nodes = _kept(nodes, limit) if limit.required else _without(nodes, limit)
    leaves = _LEAF.findall(parse.tree)
    return replace(
        parse, tree=_written(nodes, leaves), status="imposed", brackets=tuple(nodes), likelihood=None
    )


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
