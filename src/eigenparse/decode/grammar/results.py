"""Answers of sentences in, records that users read out: trees as text, constituents, tags, posteriors."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eigenparse.arrays import FloatArray, as_ids, as_offsets
from eigenparse.corpus.brackets import format_trees, parse_trees
from eigenparse.corpus.cleaning import Normalisation
from eigenparse.corpus.columns import Trees
from eigenparse.corpus.heads import HeadRules, rules_of
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.transform import ChainTable, Collapsed, chain_table, unbinarise
from eigenparse.decode.grammar.derivations import Derivation
from eigenparse.decode.grammar.parser import Decoded, Parser, as_trees
from eigenparse.decode.grammar.posteriors import SymbolTable, posterior_of, spelled_out, symbol_table
from eigenparse.decode.grammar.request import Answer, Request, answer, row_spans
from eigenparse.inference.grammar.probability import (
    collapsed_log_p,
    own_chains,
    sentence_log_p,
    sentence_readings,
    tree_log_p,
)
from eigenparse.inference.grammar.proper import is_signed, proper_parts
from eigenparse.inference.grammar.tree import Rows, score_rows
from eigenparse.kernels.grammar.proper import Readings
from eigenparse.kernels.grammar.tree_nodes import complete_rows
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.models.registry import named

KEPT = Normalisation(keep_tag_suffix=True, dropped=(), marginal=())  # trees that were made here are clean
SHARE = 3  # the chart of probabilities gets a third of the memory allowed


@dataclass(frozen=True, slots=True)
class Bracket:
    """A constituent over the tokens [start, end) and its posterior (not a number after a fallback)."""

    label: str
    start: int
    end: int
    posterior: float


@dataclass(frozen=True, slots=True)
class WordTag:
    """The tag of a word and its posterior (not a number after a fallback)."""

    tag: str
    posterior: float


@dataclass(frozen=True, slots=True)
class Parse:
    """A tree of a sentence and what is known about it.

    tree: in brackets, root TOP; empty for status "skipped" (too long).  status: "ok", "relaxed" (a
    wider search was needed, or a given tag was not known) or "fallback" (pieces glued together); "imposed" where a
    correction was put in that no tree of the grammar has.
    score: what the decoder maximised.  brackets: from left to right, outer before inner, TOP left out.
    heads: the head rules of the grammar's treebank.
    """

    tokens: tuple[str, ...]
    tree: str
    status: str
    score: float
    brackets: tuple[Bracket, ...] = ()
    tags: tuple[WordTag, ...] = ()
    n_non_positive: int = 0
    unknown_tags: tuple[int, ...] = ()
    rank: int = 0
    heads: HeadRules | None = field(default=None, repr=False, compare=False)
    likelihood: "Likelihood | None" = field(default=None, repr=False, compare=False)

    @property
    def log_probability(self) -> float:
        """log p(tree), as printed by ``score``; computed when first used."""
        return -math.inf if self.likelihood is None else self.likelihood.trees()[self.rank]

    @property
    def log_total(self) -> float:
        """log p(tokens), summed over the trees whose constituents the parser looked at: a lower bound.

        -inf if it would need more memory than allowed.
        """
        return -math.inf if self.likelihood is None else self.likelihood.total()

    @property
    def probability(self) -> float:
        """p(tree | tokens), 0 where it is not known."""
        known = math.isfinite(self.log_probability) and math.isfinite(self.log_total)
        return math.exp(min(self.log_probability - self.log_total, 0.0)) if known else 0.0

    def to_nltk(self) -> Any:
        """The tree as an ``nltk.Tree``."""
        from eigenparse.corpus.brackets import parse_trees
        from eigenparse.corpus.nltk_trees import to_nltk

        return to_nltk(parse_trees(self.tree))[0]

    def dependencies(self) -> Any:
        """Heads and relations of the words, by the head rules that fit the grammar's treebank."""
        return named("eigenparse.api.dependencies:dependencies")([self])

    def draw(self, *, width: int = 100) -> str:
        """The tree as lines of text, upright where it fits into ``width`` columns."""
        drawn: str = named("eigenparse.api.pictures:text")(self, width=width)
        return drawn

    def _repr_svg_(self) -> str | None:
        """The picture that a notebook shows; labels are coloured by their posteriors."""
        picture: str | None = named("eigenparse.api.pictures:svg")(self) if self.tree else None
        return picture

    def _repr_html_(self) -> str:
        """The same with the tree's probability below."""
        note = f"p(tree) = {self.probability:.3f}, {self.status}"
        return f"<div>{self._repr_svg_() or ''}<p>{note}</p></div>"

    def as_dict(self, *, probabilities: bool = True) -> dict[str, Any]:
        """The same as JSON values; null where a number is not finite, and where probabilities are not wanted."""
        logs = (self.log_probability, self.log_total, self.probability) if probabilities else (math.nan,) * 3
        return {
            "tokens": list(self.tokens),
            "tree": self.tree or None,
            "status": self.status,
            "score": _number(self.score),
            "log_probability": _number(logs[0]),
            "log_total": _number(logs[1]),
            "probability": _number(logs[2]),
            "brackets": [
                {"label": b.label, "start": b.start, "end": b.end, "posterior": _number(b.posterior)}
                for b in self.brackets
            ],
            "tags": [{"tag": t.tag, "posterior": _number(t.posterior)} for t in self.tags],
        }


def _number(value: float) -> float | None:
    """A number rounded to its significant digits, or null."""
    return float(f"{value:.9g}") if math.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class Tables:
    """A parser with the tables that turn its answers into records; make it once for many sentences."""

    parser: Parser
    symbols: SymbolTable
    heads: HeadRules = field(repr=False)
    chains: ChainTable = field(repr=False)


def make_tables(parser: Parser) -> Tables:
    """Prepare a parser for ``parse_block``."""
    return Tables(parser, symbol_table(parser), rules_of(parser.grammar.report), chain_table(parser.labels))


def skipped(tokens: Sequence[str]) -> Parse:
    """The record of a sentence that is too long to parse."""
    return Parse(tuple(tokens), "", "skipped", -math.inf)


def answer_or_none(tables: Tables, request: Request, k: int) -> Answer | None:
    """The answer to a request; None if the sentence is longer than the parser takes."""
    if len(request.tokens) > tables.parser.options.max_length:
        return None
    return answer(tables.parser, tables.symbols, request, k=k)


def parses_of(
    tables: Tables,
    requests: Sequence[Request],
    answers: Sequence[Answer | None],
    *,
    posteriors: bool = True,
) -> list[tuple[Parse, ...]]:
    """The records of a block of sentences, best tree first; posteriors: of their brackets and tags, which cost time."""
    answered = [(q, a) for q, a in zip(requests, answers) if a is not None]
    owner = [(q, a, d) for q, a in answered for d in a.decoded.derivations]
    lines = iter(_lines(tables, owner))
    found: list[tuple[Parse, ...]] = []
    for request, one in zip(requests, answers):
        if one is None:
            found.append((skipped(request.tokens),))
            continue
        likelihood = Likelihood(tables, request, one, [next(lines) for _ in one.decoded.derivations])
        found.append(tuple(_parse(likelihood, rank, posteriors) for rank in range(len(likelihood.lines))))
    return found


def _lines(tables: Tables, owner: Sequence[tuple[Request, Answer, Derivation]]) -> list[str]:
    """The text of every derivation."""
    if not owner:
        return []
    trees = as_trees(tables.parser, [q.tokens for q, _, _ in owner], [d for _, _, d in owner])
    return format_trees(unbinarise(trees, tables.chains)).decode("utf-8").split("\n")


@dataclass(slots=True, eq=False)
class Likelihood:
    """Probabilities of the trees of one sentence, computed when first used."""

    tables: Tables
    request: Request
    found: Answer
    lines: list[str]
    known: list[float] | None = None
    whole: float | None = None
    readings: list[Readings] | None = None

    def trees(self) -> list[float]:
        """log p of every tree, by the grammar's proper distribution; of signed weights by the weights themselves."""
        if self.known is None:
            parser = self.tables.parser
            room = parser.options.memory // SHARE
            if is_signed(parser.grammar):
                log_p = log_probabilities(parser, self.request.tokens, self.found.decoded)
            elif self.found.decoded.status != "fallback" and (chains := own_chains(parser.grammar)):
                trees = _collapsed(self.tables, self.found.decoded.derivations)
                parts = proper_parts(parser.grammar)
                log_p = collapsed_log_p(parts, trees, chains, self.read(), memory=room)
            else:
                read = normalise(parse_trees("\n".join(self.lines)), options=KEPT)
                log_p = tree_log_p(proper_parts(parser.grammar), read, memory=room)
            self.known = log_p.tolist()
        return self.known

    def read(self) -> list[Readings]:
        """The readings of the words."""
        if self.readings is None:
            self.readings = sentence_readings(proper_parts(self.tables.parser.grammar), self.request.tokens)
        return self.readings

    def total(self) -> float:
        """log p of the words, summed over all trees of the chart's constituents; of signed weights by the chart."""
        if self.whole is None:
            parser, listed = self.tables.parser, float(np.logaddexp.reduce(self.trees()))
            if is_signed(parser.grammar):
                self.whole = self.found.decoded.log_total
            else:
                items = self.found.items
                self.whole = listed
                if items is not None:
                    room = parser.options.memory // SHARE
                    log_p = sentence_log_p(proper_parts(parser.grammar), self.read(), items, memory=room)
                    self.whole = max(log_p, listed) if log_p > -math.inf else log_p
        return self.whole


def _collapsed(tables: Tables, derivations: Sequence[Derivation]) -> Collapsed:
    """Derivations of one sentence as n-ary trees whose chains are the grammar's labels."""
    names = ("label", "left", "right", "position")
    columns = [np.concatenate([getattr(one, name) for one in derivations]) for name in names]
    offsets = as_offsets(np.cumsum([0, *(one.label.size for one in derivations)]))
    chain, parent, word, begin = complete_rows(*columns, offsets, tables.chains.partial)
    return Collapsed(chain, parent, word, begin, ())


def log_probabilities(parser: Parser, tokens: Sequence[str], decoded: Decoded) -> FloatArray:
    """log p of derivations by the weights themselves, mean over the members that give a positive one, else -inf.

    The members are those of the grammar that a derivation is of.
    """
    found = np.full(len(decoded.derivations), -np.inf)
    if decoded.status == "fallback":
        return found
    for number, grammar in enumerate((parser.grammar, *parser.grammar.others)):
        own = [d.grammar == number for d in decoded.derivations]
        if any(own):
            chosen = [d for d, is_own in zip(decoded.derivations, own) if is_own]
            found[own] = _mean_scores(grammar, as_trees(parser, [tokens] * len(chosen), chosen), chosen)
    return found


def _mean_scores(grammar: LatentGrammar, trees: Trees, derivations: Sequence[Derivation]) -> FloatArray:
    """The mean of log p over the members that give a tree a positive one, else -inf."""
    rules = as_ids(np.concatenate([d.rule for d in derivations]))
    entries = as_ids(np.concatenate([d.entry for d in derivations]))
    rows = Rows(rules, entries, np.ones(len(trees), dtype=bool))
    total, count = np.zeros(len(trees)), np.zeros(len(trees))
    for weights in grammar.members:
        log, sign = score_rows(grammar.skeleton, weights, trees, rows)
        positive = (sign > 0) & np.isfinite(log)
        total[positive] += log[positive]
        count += positive
    return np.where(count > 0, total / np.maximum(count, 1), -np.inf)


def _parse(likelihood: Likelihood, rank: int, posteriors: bool) -> Parse:
    """The record of one derivation."""
    tables, found = likelihood.tables, likelihood.found
    tree = found.decoded.derivations[rank]
    brackets, tags = _brackets(tables, tree, found) if posteriors else ((), ())
    return Parse(
        tokens=likelihood.request.tokens,
        tree=likelihood.lines[rank],
        status=found.decoded.status,
        score=tree.score,
        brackets=brackets,
        tags=tags,
        n_non_positive=found.decoded.n_non_positive,
        unknown_tags=found.unknown_tags,
        rank=rank,
        heads=tables.heads,
        likelihood=likelihood,
    )


def _brackets(
    tables: Tables, tree: Derivation, found: Answer
) -> tuple[tuple[Bracket, ...], tuple[WordTag, ...]]:
    """Constituents and tags of a derivation with their posteriors."""
    symbols, table = tables.symbols, found.posteriors
    start, end = row_spans(tree)
    order = np.lexsort((-end, start))
    row, ids = spelled_out(symbols, tree.label[order], tree.left[order] < 0)
    row = order[row]
    last = np.append(row[1:] != row[:-1], True)
    is_tag = last & (tree.left[row] < 0)
    mass = np.full(ids.size, np.nan)
    if table is not None:
        mass = posterior_of(table, symbols, ids, start[row], end[row])
    phrase, word = np.flatnonzero(~is_tag & ~symbols.is_root[ids]), np.flatnonzero(is_tag)
    names = symbols.names
    columns = (ids[phrase], start[row[phrase]], end[row[phrase]], mass[phrase])
    return (
        tuple(Bracket(names[a], i, j, p) for a, i, j, p in zip(*(column.tolist() for column in columns))),
        tuple(WordTag(names[a], p) for a, p in zip(ids[word].tolist(), mass[word].tolist())),
    )
