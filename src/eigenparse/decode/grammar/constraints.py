"""Constraints on the tree of a sentence: spans and tags in, masks and lexicon choices out.

A required span holds a constituent (with the label asked for, if any); a forbidden span holds none
(or none of that label); an uncrossed span may hold one or not, but no constituent overlaps it without
nesting.  TOP over the whole sentence is no constituent in this sense.  Tags are
given hard (a name for a word) or soft (weights by name).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, BoolVector, IntVector, as_ids
from eigenparse.corpus.columns import Label
from eigenparse.corpus.normalise import ROOT
from eigenparse.decode.grammar.parser import Parser
from eigenparse.errors import DataError
from eigenparse.inference.grammar.forest import Choices, Constraints, choices, unconstrained
from eigenparse.kernels.grammar.span_filter import SPOKEN_OF

Tag = str | Mapping[str, float] | None
Span = tuple[int, int] | tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class SpanLimit:
    """One span [start, end) that must, or must not, be a constituent; label None means any.

    uncrossed: it need not be one, but no constituent may cross it.
    """

    start: int
    end: int
    label: str | None = None
    required: bool = True
    uncrossed: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether the span may not be crossed."""
        return self.required or self.uncrossed

    def __str__(self) -> str:
        name = f"({self.start}, {self.end}{'' if self.label is None else f', {self.label}'})"
        return (
            f"{'uncrossed' if self.uncrossed else 'required' if self.required else 'forbidden'} span {name}"
        )


def span_limits(required: Iterable[Span] = (), forbidden: Iterable[Span] = ()) -> tuple[SpanLimit, ...]:
    """Limits of spans written as (start, end) or (start, end, label), end not included."""
    return tuple(
        SpanLimit(int(span[0]), int(span[1]), span[2] if len(span) > 2 else None, wanted)
        for spans, wanted in ((required, True), (forbidden, False))
        for span in spans
    )


@dataclass(frozen=True, slots=True)
class GivenTags:
    """The choices that given tags leave, and the positions whose tags the grammar does not know."""

    words: Choices
    relaxed: tuple[int, ...]


def give_tags(parser: Parser, words: Choices, tags: Sequence[Tag]) -> GivenTags:
    """Keep the entries whose tag is given, times its weight.

    A word that never had one of its given tags takes the entries that stand for any word of them.
    A word none of whose given tags the grammar knows keeps its own entries and is reported.
    """
    n = words.at.size - 1
    if len(tags) != n:
        raise DataError(f"{len(tags)} tags for {n} words; give one for each word, or None")
    bottom = _bottoms(parser)
    parts: list[Choices] = []
    relaxed: list[int] = []
    for i, given in enumerate(tags):
        if given is not None and not isinstance(given, str | Mapping):
            raise DataError(
                f"the tag {given!r} is neither a name nor weights by name; give one of them, or None"
            )
        weights = {given: 1.0} if isinstance(given, str) else dict(given or {})
        weights = {tag: _weight(tag, weight) for tag, weight in weights.items() if weight != 0}
        own = _slice(words, int(words.at[i]), int(words.at[i + 1]))
        part = _weighted(own, bottom, weights) if given is not None else own
        if part.entry.size == 0:
            part = _weighted(_any_word(parser, weights), bottom, weights)
        if part.entry.size == 0:
            part, relaxed = own, [*relaxed, i]
        parts.append(part)
    return GivenTags(_joined(words.symbol, parts), tuple(relaxed))


def _bottoms(parser: Parser) -> AnyArray:
    """The lowest symbol of every label, which is the tag of those that stand over words: (A,)."""
    return np.array([label.chain[-1] for label in parser.grammar.skeleton.labels], dtype=object)


def _weight(tag: str, weight: float) -> float:
    """A valid weight; OptionError otherwise."""
    if not (np.isfinite(weight) and weight >= 0):
        raise DataError(f"the weight of tag {tag!r} must be a number of 0 or more, got {weight} instead")
    return float(weight)


def _slice(words: Choices, low: int, high: int) -> Choices:
    """The choices [low, high) as those of one word."""
    part, at = slice(low, high), as_ids([0, high - low])
    columns = (column[part] for column in (words.entry, words.label, words.probability, words.emission))
    return Choices(words.symbol[:1], at, *columns)


def _any_word(parser: Parser, weights: Mapping[str, float]) -> Choices:
    """The entries that stand for any word of the tags named, as those of one word."""
    found = [parser.words.tags[tag] for tag in sorted(weights) if tag in parser.words.tags]
    every = choices(parser.grammar.skeleton, as_ids(found))
    return _slice(every, 0, every.entry.size)


def _weighted(word: Choices, bottom: AnyArray, weights: Mapping[str, float]) -> Choices:
    """One word's entries times the weights of their tags; entries with weight 0 are dropped."""
    factor = np.array([weights.get(tag, 0.0) for tag in bottom[word.label]], dtype=np.float64)
    kept = _kept(word, factor > 0)
    factor = factor[factor > 0]
    return kept._replace(probability=kept.probability * factor, emission=kept.emission * factor)


def _kept(word: Choices, keep: BoolVector) -> Choices:
    """Some entries of one word."""
    columns = (column[keep] for column in (word.entry, word.label, word.probability, word.emission))
    return Choices(word.symbol, as_ids([0, int(keep.sum())]), *columns)


def _joined(symbol: IntVector, parts: Sequence[Choices]) -> Choices:
    """The choices of single words as those of a sentence."""
    at = as_ids(np.cumsum([0] + [part.entry.size for part in parts]))
    names = ("entry", "label", "probability", "emission")
    columns = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
    return Choices(symbol, at, *columns)


def limit_spans(
    parser: Parser, words: Choices, limits: Sequence[SpanLimit], *, tagged: bool = False
) -> tuple[Choices, Constraints]:
    """Choices and masks under which every tree keeps the limits.

    A binary tree without spans that cross [i, j) has a node over it, so a required span needs no
    more than empty masks where it would be crossed.  tagged: the words keep the tags they have, as
    they were given.  Raises DataError for limits that no tree of
    the grammar can keep.
    """
    skeleton, n = parser.grammar.skeleton, words.at.size - 1
    check_limits(limits, n)
    if not limits:
        return words, unconstrained(skeleton)
    cells: dict[tuple[int, int], BoolVector] = {}
    for limit in (limit for limit in limits if not limit.uncrossed):
        cell = (limit.start, limit.end)
        allowed = _allowed(skeleton.labels, limit, n)
        cells[cell] = cells.get(cell, np.ones(skeleton.n_labels, dtype=bool)) & allowed
        if not cells[cell].any():
            raise DataError(f"no label of the grammar fits the {limit}; drop one of the limits on this span")
    return _limited_words(parser, words, cells, tagged), _masks(cells, limits, n, skeleton.labels)


def is_name(label: str) -> bool:
    """Whether a label or tag can stand in a tree in brackets."""
    return re.fullmatch(r"[^\s()]+", label) is not None


def check_limits(limits: Sequence[SpanLimit], n: int) -> None:
    """DataError for limits that no tree over n words can keep."""
    for limit in limits:
        _check(limit, n)
    _check_crossing(limits)


def _check(limit: SpanLimit, n: int) -> None:
    if isinstance(limit.label, str) and not is_name(limit.label):
        raise DataError(
            f"the label {limit.label!r} is empty or has a blank or a bracket; write a name such as NP"
        )
    if not 0 <= limit.start < limit.end <= n:
        raise DataError(
            f"the {limit} lies outside the sentence; positions run from 0 to {n}, end not included"
        )


def _check_crossing(limits: Sequence[SpanLimit]) -> None:
    """Refuse spans that overlap without nesting, if both must be whole."""
    stack: list[SpanLimit] = []
    for limit in sorted((x for x in limits if x.is_whole), key=lambda x: (x.start, -x.end)):
        while stack and stack[-1].end <= limit.start:
            stack.pop()
        if stack and stack[-1].end < limit.end:
            raise DataError(f"the {stack[-1]} and the {limit} cross; no tree has both, so drop one")
        stack.append(limit)


def brackets_of(label: Label, *, over_word: bool) -> tuple[str, ...]:
    """The constituents that a label of a binary tree stands for: no tag, no TOP, none if partial."""
    chain = label.chain[:-1] if over_word else label.chain
    return () if label.partial else tuple(symbol for symbol in chain if symbol != ROOT)


def _allowed(labels: Sequence[Label], limit: SpanLimit, n: int) -> BoolVector:
    """Which labels keep a limit on their own span: (A,)."""
    over_word, whole = limit.end - limit.start == 1, (limit.start, limit.end) == (0, n)
    found = [brackets_of(label, over_word=over_word) for label in labels]
    if limit.label is None:
        # A word is under its tag in any case, and the whole sentence is a unit in any case.
        has = [(over_word or whole or bool(names)) if limit.required else bool(names) for names in found]
    else:
        of_tag = [over_word and limit.required and label.chain[-1] == limit.label for label in labels]
        top = whole and limit.required and limit.label == ROOT
        has = [limit.label in names or tag or top for names, tag in zip(found, of_tag)]
    result: BoolVector = np.array(has, dtype=bool) == limit.required
    return result


def _limited_words(
    parser: Parser, words: Choices, cells: Mapping[tuple[int, int], BoolVector], tagged: bool
) -> Choices:
    """The choices of words whose own span is limited; entries for any word step in where none is left."""
    parts = []
    bottom = _bottoms(parser)
    for i in range(words.at.size - 1):
        own = _slice(words, int(words.at[i]), int(words.at[i + 1]))
        allowed = cells.get((i, i + 1))
        if allowed is not None:
            part = _kept(own, allowed[own.label])
            if part.entry.size == 0:
                tags = bottom[own.label] if tagged else parser.words.tags
                every = _any_word(parser, dict.fromkeys(tags, 1.0))
                part = _kept(every, allowed[every.label])
            if part.entry.size == 0:
                raise DataError(f"no label of the grammar fits the limits on word {i}; drop one of them")
            own = part
        parts.append(own)
    return _joined(words.symbol, parts)


def _masks(
    cells: Mapping[tuple[int, int], BoolVector], limits: Sequence[SpanLimit], n: int, labels: Sequence[Label]
) -> Constraints:
    """Mask 0 allows everything, mask 1 nothing, mask 2 nodes that cut phrases; the others belong to limited spans."""
    cell_mask = np.zeros((n, n + 1), dtype=np.int32)
    for mask in (2, 1):
        for limit in limits:
            if limit.is_whole and limit.uncrossed == (mask == 2):
                cell_mask[_crossing(limit, n)] = mask
    for number, (start, end) in enumerate(cells, start=SPOKEN_OF):
        if cell_mask[start, end] == 0:
            cell_mask[start, end] = number
    partial = np.array([label.partial for label in labels], dtype=bool)
    masks = np.stack([np.ones_like(partial), np.zeros_like(partial), partial, *cells.values()])
    return Constraints(as_ids(cell_mask.reshape(-1)), masks)


def _crossing(limit: SpanLimit, n: int) -> BoolVector:
    """Which spans overlap a span without nesting: (n, n + 1)."""
    a, b = np.meshgrid(np.arange(n), np.arange(n + 1), indexing="ij")
    i, j = limit.start, limit.end
    crosses: BoolVector = ((a < i) & (i < b) & (b < j)) | ((i < a) & (a < j) & (j < b))
    return crosses
