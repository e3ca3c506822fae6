"""A grammar and sentences in, trees with scores and posteriors out."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from eigenparse.arrays import BoolVector, IntVector, as_ids
from eigenparse.corpus.columns import Label, Trees
from eigenparse.decode.grammar.cover import cover
from eigenparse.decode.grammar.derivations import Derivation, ranked
from eigenparse.decode.grammar.judge import Bench, judged, make_bench
from eigenparse.decode.grammar.objective import (
    Belief,
    Brackets,
    BracketTable,
    Objective,
    bracket_table,
    brackets,
    combine,
    likely,
    mean_brackets,
    scores,
)  # fmt: skip
from eigenparse.errors import DataError, ResourceError
from eigenparse.inference.grammar.chart import LatentArrays, Marginals, marginals, narrowed, sparse_arrays
from eigenparse.inference.grammar.forest import (
    EVERYTHING_OPEN,
    Choices,
    Constraints,
    Forest,
    ForestTooLarge,
    Pruning,
    RuleIndex,
    build_forest,
    choices,
    forest_of,
    prune,
    read_words,
    rule_index,
    unconstrained,
    widened,
)  # fmt: skip
from eigenparse.inference.grammar.span_filter import spans_left_open
from eigenparse.models.grammar.pcfg import LatentGrammar, Weights, every_label
from eigenparse.models.grammar.span_filter import tag_numbers
from eigenparse.models.words import WordTable, symbols_of, word_table

ROOT = "TOP"
BYTES_PER_EDGE = 120  # at the peak: growing arrays, their copies, and what is made of them
BYTES_PER_ITEM = 150
ITEMS_OF_A_CELL = ((40.0, 0.0), (12.0, 0.003), (6.0, 0.03), (3.0, 0.3))  # under a beam, at most
NARROW = (0.03, 0.3)  # beams for sentences whose chart does not fit into memory
LATER = 2  # times the least posteriors under the small grammar: those for the later members of an ensemble
LONG = 60  # words beyond which the beam narrows
GLUE = (Label((ROOT,)), Label((ROOT,), partial=True))


@dataclass(frozen=True, slots=True)
class ParserOptions:
    """How to search and what to maximise.

    max_length: longer sentences are refused.  memory: bytes that one sentence's chart may take.
    span_filter: whether spans that the grammar's filter closes are left out, where it has one.
    relax: whether a sentence without a tree is searched again with a wider beam.
    """

    pruning: Pruning = Pruning()
    objective: Objective = Objective()
    max_length: int = 1000
    memory: int = 3_000_000_000
    span_filter: bool = True
    relax: bool = True


@dataclass(frozen=True, slots=True)
class Parser:
    """A grammar with the look-up tables that parsing needs; make it once for many sentences.

    label_tag: the tag of each label.  members: the grammar's, as kernels read them.  labels: its own, those that only
    others of its ensemble have, then two to glue pieces with.  places: where those of each of the others are in it.
    """

    grammar: LatentGrammar
    options: ParserOptions
    index: RuleIndex
    table: BracketTable
    words: WordTable
    labels: tuple[Label, ...]
    others: tuple["Parser", ...] = ()
    label_tag: IntVector = field(default_factory=lambda: as_ids([]))
    members: tuple[LatentArrays, ...] = ()
    bench: Bench | None = None
    places: tuple[IntVector, ...] = ()


def make_parser(grammar: LatentGrammar, options: ParserOptions | None = None) -> Parser:
    """Prepare a grammar for parsing."""
    ids: dict[tuple[str, bool], int] = {}
    chosen = options or ParserOptions()
    others = tuple(_parser(other, chosen, ids, ()) for other in grammar.others)
    parser = _parser(grammar, chosen, ids, others)
    return parser if grammar.judge is None else replace(parser, bench=make_bench(grammar.judge, ids))


def with_options(parser: Parser, options: ParserOptions) -> Parser:
    """The same parser with other options; its tables are made anew only where they depend on them."""
    if options.pruning.weight != parser.options.pruning.weight:
        return make_parser(parser.grammar, options)
    others = tuple(replace(other, options=options) for other in parser.others)
    return replace(parser, options=options, others=others)


def _parser(
    grammar: LatentGrammar,
    options: ParserOptions,
    ids: dict[tuple[str, bool], int],
    others: tuple[Parser, ...],
) -> Parser:
    skeleton, labels = grammar.skeleton, (*every_label(grammar), *GLUE)
    number = {label: a for a, label in enumerate(labels)}
    places = [as_ids([number[label] for label in one.skeleton.labels]) for one in (grammar, *grammar.others)]
    is_tag, is_phrase = np.zeros((2, len(labels)), dtype=bool)
    for place, one in zip(places, (grammar, *grammar.others)):
        is_tag[place] |= one.skeleton.is_tag()
        is_phrase[place[one.skeleton.rules[:, 0]]] = True
    both = set(np.flatnonzero(is_tag & is_phrase).tolist())
    table = bracket_table(labels, is_tag.tolist(), ids, both)
    return Parser(
        grammar, options, rule_index(skeleton), table, word_table(skeleton), labels, others,
        tag_numbers(skeleton.labels),
        tuple(sparse_arrays(skeleton, member, options.pruning.weight, short=True) for member in grammar.members),
        None, tuple(places[1:]),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Decoded:
    """The best derivations of a sentence, best first.

    status: "ok", "relaxed" (found only with a wider search) or "fallback" (pieces glued together).
    log_total: log p(sentence) over the searched trees, mean over the members; -inf after a fallback.
    n_non_positive: members whose sentence total was not positive.
    """

    derivations: tuple[Derivation, ...]
    status: str
    log_total: float
    n_non_positive: int


COVERING = Pruning(beam=1e-2, item=0.0, max_edges=20_000_000)
RELAXED = Pruning(beam=1e-7, tag=0.0, item=1e-8, edge=1e-9, coarse_item=0.0, coarse_edge=0.0, state=0.0)


@dataclass(frozen=True, slots=True)
class Voice:
    """What another grammar of an ensemble says of a sentence; the posteriors are its own."""

    forest: Forest
    belief: Belief
    posteriors: Brackets


@dataclass(frozen=True, slots=True)
class Chart:
    """Posteriors of a sentence, before a tree is chosen.

    members: marginals under each set of weights that gives the sentence a positive probability.  belief: all of
    them combined.  posteriors: of brackets and tags, other grammars of an ensemble included.  heard: the
    charts of these other grammars, None if one has no tree.
    status, log_total, n_non_positive: as in ``Decoded``.
    """

    forest: Forest
    members: tuple[Marginals, ...]
    belief: Belief
    posteriors: Brackets
    status: str
    log_total: float
    n_non_positive: int
    heard: tuple[Voice | None, ...] = ()


def word_choices(parser: Parser, words: Sequence[str]) -> Choices:
    """The lexicon entries of the words of a sentence; words that cannot be parsed are refused."""
    if not words:
        raise DataError("an empty sentence has no tree; leave it out")
    limit = parser.options.max_length
    if len(words) > limit:
        raise ResourceError(f"a sentence of {len(words)} words is longer than {limit}; raise max_length")
    return choices(parser.grammar.skeleton, symbols_of(parser.words, words))


Space = tuple[Choices, Constraints]


@dataclass(frozen=True, slots=True)
class Search:
    """The plain PCFG's forest of a sentence, how it was pruned, and "relaxed" if that took a wider search.

    is_open: the spans that were searched; empty for all.
    """

    forest: Forest
    pruning: Pruning
    status: str
    is_open: BoolVector


def search(parser: Parser, words: Choices, limits: Constraints, *, free: bool = True) -> Search | None:
    """The forest of a sentence; None if no tree of the grammar spans it.

    It depends on the plain PCFG alone, not on latent weights.  free: in the last
    attempt, words may have the readings of unknown words; not with given tags.
    """
    n_words = words.at.size - 1
    try:
        found = _filtered_search(parser, words, limits)
        if found is not None:
            return found
        for status, wanted in (("ok", parser.options.pruning), ("relaxed", RELAXED), ("relaxed", RELAXED)):
            pruning = _fitting(wanted, parser.options, n_words)
            if status == "relaxed" and pruning.beam == beam_for(parser.options.memory, n_words):
                break  # there is no memory for a wider search
            forest = build_forest(parser.grammar, parser.index, words, limits, pruning)
            if forest is not None:
                return Search(forest, pruning, status, EVERYTHING_OPEN)
            if n_words == 1 or not parser.options.relax:  # a word alone has no other tree than its tag
                return None
            if free and status == "relaxed":
                words = widened(parser.grammar.skeleton, words)
    except ForestTooLarge:
        return _narrow_search(parser, words, limits)
    return None


def _narrow_search(parser: Parser, words: Choices, limits: Constraints) -> Search | None:
    """The search with narrower and narrower beams, for a sentence whose chart does not fit into memory."""
    usual = _fitting(parser.options.pruning, parser.options, words.at.size - 1)
    for beam in NARROW:
        pruning = replace(usual, beam=max(beam, usual.beam))
        try:
            forest = build_forest(parser.grammar, parser.index, words, limits, pruning)
        except ForestTooLarge:
            continue
        return None if forest is None else Search(forest, pruning, "ok", EVERYTHING_OPEN)
    return None


@lru_cache
def narrower(pruning: Pruning) -> Pruning:
    """Higher thresholds, for filtered spans: with fewer competing trees, posteriors are larger."""
    return replace(
        pruning,
        beam=2 * pruning.beam,
        item=3 * pruning.item,
        edge=3 * pruning.edge,
        coarse_item=5 * pruning.coarse_item,
        coarse_edge=5 * pruning.coarse_edge,
        state=30 * pruning.state,
    )


def _filtered_search(parser: Parser, words: Choices, limits: Constraints) -> Search | None:
    """The search over the spans that the filter leaves open; None without a filter or a tree."""
    grammar = parser.grammar
    if grammar.span_filter is None or not parser.options.span_filter:
        return None
    readings = read_words(grammar, words)
    is_open = spans_left_open(grammar.span_filter, parser.label_tag, words, readings, limits)
    pruning = _fitting(narrower(parser.options.pruning), parser.options, words.at.size - 1)
    forest = forest_of(grammar, parser.index, words, readings, limits, is_open, pruning)
    return None if forest is None else Search(forest, pruning, "ok", is_open)


def explore(
    parser: Parser,
    words: Choices,
    limits: Constraints,
    others: Sequence[Space] = (),
    *,
    free: bool = True,
    tokens: Sequence[str] | None = None,
) -> Chart | None:
    """Marginals over the trees of a sentence; None if no tree of the grammar spans it.

    others: the same sentence in terms of each other grammar of an ensemble, whose posteriors are averaged.
    free: as in ``search``.  tokens: the words themselves, for the grammar's judge to look at.
    """
    found = search(parser, words, limits, free=free)
    if found is None:
        return None
    chart = chart_of(parser, found, others)
    if parser.bench is None or tokens is None:
        return chart
    return replace(chart, posteriors=judged(parser.bench, tokens, chart.posteriors))


def free_space(parser: Parser, words: Sequence[str]) -> Space:
    """The readings of the words without constraints."""
    return word_choices(parser, words), unconstrained(parser.grammar.skeleton)


def decode(
    parser: Parser,
    words: Sequence[str],
    *,
    k: int = 1,
    given: Choices | None = None,
    limits: Constraints | None = None,
) -> Decoded:
    """The k best trees of a sentence; every non-empty sentence gets at least one."""
    free = given is None and limits is None
    others = [free_space(other, words) for other in parser.others] if free else []
    given = word_choices(parser, words) if given is None else given
    limits = unconstrained(parser.grammar.skeleton) if limits is None else limits
    chart = explore(parser, given, limits, others, free=free, tokens=words)
    return glued(parser, given, limits) if chart is None else best_trees(parser, chart, k)


def best_trees(parser: Parser, chart: Chart, k: int) -> Decoded:
    """The k best derivations under the parser's objective, of any grammar of an ensemble."""
    heard = zip((parser, *parser.others), (None, *parser.places), (chart, *chart.heard))
    lists, found = {}, []
    for number, (own, names, one) in enumerate(heard):
        if one is not None:
            value = scores(one.forest, one.belief, chart.posteriors, own.table, parser.options.objective)
            lists[number] = ranked(one.forest, value, k), names
            found += [(-score, number, root, rank) for score, root, rank in lists[number][0].tops()]
    trees = []
    for _, number, root, rank in sorted(found)[:k]:
        own_lists, names = lists[number]
        trees.append(own_lists.derivation(root, rank, names, number))
    return Decoded(tuple(trees), chart.status, chart.log_total, chart.n_non_positive)


def _fitting(pruning: Pruning, options: ParserOptions, n_words: int) -> Pruning:
    """The same pruning, narrower for long sentences, with no more edges than the memory allowed holds."""
    room = max((options.memory - 64 * n_words**2) // BYTES_PER_EDGE, 1)
    steepness = 6 if pruning is RELAXED else 2
    beam = min(pruning.beam * max(1.0, n_words / LONG) ** steepness, max(pruning.beam, 0.1))
    beam, most = max(beam, beam_for(options.memory, n_words)), min(pruning.max_edges, room)
    same = (beam, most) == (pruning.beam, pruning.max_edges)
    return pruning if same else replace(pruning, beam=beam, max_edges=most)


def beam_for(memory: int, n_words: int) -> float:
    """A beam whose items fit into half of the memory allowed; 0 if those of any beam do.

    The numbers of items per cell were measured on random words, plus a margin.
    """
    room = memory / 2 / BYTES_PER_ITEM / (n_words * (n_words + 1) / 2)
    return next((beam for items, beam in ITEMS_OF_A_CELL if room >= items), 1.0)


def chart_of(parser: Parser, found: Search, others: Sequence[Space] = ()) -> Chart:
    """Prune by the small grammar, combine the members and average with the other grammars."""
    forest, members = _members(parser, found.forest, found.pruning)
    usable = tuple(m for m in members if m.sign != 0) or (_plain(forest),)
    log_total = float(np.mean([m.log_total for m in usable]))
    belief = combine(forest, usable, parser.options.objective.combination)
    own = brackets(forest, belief, parser.table)
    voices = [_voice(other, *space, found, own) for other, space in zip(parser.others, others)]
    unheard = [None] * (len(parser.others) - len(voices))
    heard = [None if voice is None else voice.posteriors for voice in voices]
    posteriors = mean_brackets(own, [*heard, *unheard])
    negative = sum(m.sign <= 0 for m in members)
    return Chart(forest, usable, belief, posteriors, found.status, log_total, negative, tuple(voices))


def _members(parser: Parser, forest: Forest, pruning: Pruning) -> tuple[Forest, list[Marginals]]:
    """The forest that the small grammar leaves over, and its marginals under every member.

    Later members look only at what the first one leaves over.
    """
    coarse, least = parser.grammar.coarse, (pruning.coarse_item, pruning.coarse_edge)
    if coarse is not None:
        rough = marginals(forest, coarse)
        forest = prune(forest, rough.item, rough.edge, *least) or forest
    first, *later = zip(parser.members, parser.grammar.members)
    found = [_marginals(forest, *first, pruning)]
    if later and found[0].sign > 0 and (left := narrowed(forest, found[0], *(LATER * x for x in least))):
        forest, found = left[0], [left[1]]
    return forest, [*found, *(_marginals(forest, *pair, pruning) for pair in later)]


def _marginals(forest: Forest, arrays: LatentArrays, weights: Weights, pruning: Pruning) -> Marginals:
    """The marginals by the larger weights, or by all of them if these give the sentence no positive probability."""
    found = marginals(forest, arrays, pruning.state)
    return found if found.sign != 0 else marginals(forest, weights, pruning.state)


def _voice(
    parser: Parser, words: Choices, limits: Constraints, found: Search, said: Brackets
) -> Voice | None:
    """What another grammar of the ensemble says of a sentence; None without a parse.

    said: posteriors of the first grammar; what is very unlikely there is left out, unless nothing else is left.
    """
    filtered = found.is_open.size > 0
    pruning = (
        found.pruning if filtered else _fitting(parser.options.pruning, parser.options, words.at.size - 1)
    )
    readings, least = read_words(parser.grammar, words), LATER * pruning.coarse_item
    attempts = [limits]
    if least > 0 and limits.cell_mask.size == 0:
        attempts = [likely(said, parser.table, limits.masks.shape[1], least), limits]
    try:
        for allowed in attempts:
            forest = forest_of(parser.grammar, parser.index, words, readings, allowed, found.is_open, pruning)
            if forest is not None:
                break
    except ForestTooLarge:
        return None
    if forest is None:
        return None
    forest, members = _members(parser, forest, pruning)
    usable = [m for m in members if m.sign != 0]
    if not usable:
        return None
    belief = combine(forest, usable, parser.options.objective.combination)
    return Voice(forest, belief, brackets(forest, belief, parser.table))


def _plain(forest: Forest) -> Marginals:
    """The pruning posteriors as marginals, for a sentence to which no member gives a positive probability."""
    width = np.arange(forest.label.size + 1, dtype=np.int64)
    parent = np.repeat(np.arange(forest.label.size), np.diff(forest.edge_at))
    edge = np.minimum(forest.posterior[forest.left], forest.posterior[forest.right])
    return Marginals(
        forest.posterior, np.minimum(edge, forest.posterior[parent]), -np.inf, 1.0,
        np.ones(forest.label.size), forest.posterior, width,
    )  # fmt: skip


def glued(parser: Parser, words: Choices, constraints: Constraints) -> Decoded:
    """The fewest pieces that cover the sentence, under one root."""
    pruning = _fitting(COVERING, parser.options, words.at.size - 1)
    label, left, right, position = cover(
        parser.grammar, parser.index, words, constraints, pruning, len(parser.labels) - 2
    )
    none = np.full(label.size, -1, dtype=np.int32)
    tree = Derivation(label, left, right, position, none, none, np.zeros(label.size), -np.inf)
    return Decoded((tree,), "fallback", -np.inf, 0)


def as_trees(parser: Parser, sentences: Sequence[Sequence[str]], derivations: Sequence[Derivation]) -> Trees:
    """Derivations of sentences as tree columns; word ids are positions in one list of all tokens."""
    offsets = np.cumsum([0] + [d.label.size for d in derivations])
    first = np.cumsum([0] + [len(words) for words in sentences])

    def shifted(columns: list[IntVector], by: IntVector) -> IntVector:
        return as_ids(np.concatenate([np.where(c >= 0, c + b, -1) for c, b in zip(columns, by)]))

    return Trees(
        label=as_ids(np.concatenate([d.label for d in derivations])),
        left=shifted([d.left for d in derivations], offsets),
        right=shifted([d.right for d in derivations], offsets),
        word=shifted([d.position for d in derivations], first),
        offsets=offsets.astype(np.int64),
        labels=parser.labels,
        words=tuple(word for words in sentences for word in words),
    )
