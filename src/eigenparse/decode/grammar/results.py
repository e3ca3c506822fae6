"""Answers of sentences in, records that users read out: trees as text, constituents, tags, posteriors."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eigenparse.arrays import FloatArray, as_ids
from eigenparse.corpus.brackets import format_trees
from eigenparse.corpus.transform import ChainTable, chain_table, unbinarise
from eigenparse.decode.grammar.parser import Derivation, Parser, as_trees
from eigenparse.decode.grammar.posteriors import SymbolTable, posterior_of, spelled_out, symbol_table
from eigenparse.decode.grammar.request import Answer, Request, answer, row_spans
from eigenparse.inference.grammar.tree import Rows, score_rows


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
    wider search was needed, or a given tag was not known) or "fallback" (pieces glued together).
    score: what the decoder maximised.  log_probability: log p(tree); log_total: log p(tokens) over
    the trees searched; both are means over the members of an ensemble (those of its first
    binarisation), -inf where p is not positive.  brackets: from left to right, outer before inner,
    TOP left out.
    """

    tokens: tuple[str, ...]
    tree: str
    status: str
    score: float
    log_probability: float
    log_total: float
    brackets: tuple[Bracket, ...] = ()
    tags: tuple[WordTag, ...] = ()
    n_non_positive: int = 0
    unknown_tags: tuple[int, ...] = ()

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

    def as_dict(self) -> dict[str, Any]:
        """The same as JSON values; null where a number is not finite."""
        return {
            "tokens": list(self.tokens),
            "tree": self.tree or None,
            "status": self.status,
            "score": _number(self.score),
            "log_probability": _number(self.log_probability),
            "log_total": _number(self.log_total),
            "probability": _number(self.probability),
            "brackets": [
                {"label": b.label, "start": b.start, "end": b.end, "posterior": _number(b.posterior)}
                for b in self.brackets
            ],
            "tags": [{"tag": t.tag, "posterior": _number(t.posterior)} for t in self.tags],
        }


def _number(value: float) -> float | None:
    """A number with the digits that mean something, or null."""
    return float(f"{value:.9g}") if math.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class Tables:
    """A parser with the tables that turn its answers into records; make it once for many sentences."""

    parser: Parser
    symbols: SymbolTable
    chains: ChainTable = field(repr=False)


def make_tables(parser: Parser) -> Tables:
    """Prepare a parser for ``parse_block``."""
    return Tables(parser, symbol_table(parser), chain_table(parser.labels))


def skipped(tokens: Sequence[str]) -> Parse:
    """What stands for a sentence that is too long to be parsed."""
    return Parse(tuple(tokens), "", "skipped", -math.inf, -math.inf, -math.inf)


@dataclass(frozen=True, slots=True)
class Detail:
    """How much to say about trees: posteriors and probabilities cost time, brackets alone do not."""

    posteriors: bool = True
    probabilities: bool = True


FULL = Detail()
PLAIN = Detail(posteriors=False, probabilities=False)


def answer_or_none(tables: Tables, request: Request, k: int) -> Answer | None:
    """The answer to a request; None if the sentence is longer than the parser takes."""
    if len(request.tokens) > tables.parser.options.max_length:
        return None
    return answer(tables.parser, tables.symbols, request, k=k)


def parses_of(
    tables: Tables, requests: Sequence[Request], answers: Sequence[Answer | None], detail: Detail = FULL
) -> list[tuple[Parse, ...]]:
    """The records of a block of sentences, best tree first; trees are written out block by block."""
    answered = [(q, a) for q, a in zip(requests, answers) if a is not None]
    owner = [(q, a, d) for q, a in answered for d in a.decoded.derivations]
    lines, log_probability = _written(tables, owner, detail)
    made = iter(
        _parse(tables, request, found, tree, line, log_p, detail)
        for (request, found, tree), line, log_p in zip(owner, lines, log_probability)
    )
    return [
        (skipped(q.tokens),) if a is None else tuple(next(made) for _ in a.decoded.derivations)
        for q, a in zip(requests, answers)
    ]


def _written(
    tables: Tables, owner: Sequence[tuple[Request, Answer, Derivation]], detail: Detail
) -> tuple[list[str], list[float]]:
    """The text and log-probability of every derivation."""
    if not owner:
        return [], []
    derivations = [d for _, _, d in owner]
    tokens = [q.tokens for q, _, _ in owner]
    trees = as_trees(tables.parser, tokens, derivations)
    lines = format_trees(unbinarise(trees, tables.chains)).decode("utf-8").split("\n")
    log_p = np.full(len(owner), -np.inf)
    if detail.probabilities:
        whole = np.flatnonzero([a.decoded.status != "fallback" for _, a, _ in owner])
        if whole.size:
            log_p[whole] = log_probabilities(
                tables.parser, [tokens[i] for i in whole], [derivations[i] for i in whole]
            )
    return lines, log_p.tolist()


def log_probabilities(
    parser: Parser, sentences: Sequence[Sequence[str]], derivations: Sequence[Derivation]
) -> FloatArray:
    """log p of derivations, mean over the members that give a positive one; -inf if none does."""
    trees = as_trees(parser, sentences, derivations)
    rules = as_ids(np.concatenate([d.rule for d in derivations]))
    entries = as_ids(np.concatenate([d.entry for d in derivations]))
    rows = Rows(rules, entries, np.ones(len(trees), dtype=bool))
    total, count = np.zeros(len(trees)), np.zeros(len(trees))
    for weights in parser.grammar.members:
        log, sign = score_rows(parser.grammar.skeleton, weights, trees, rows)
        positive = (sign > 0) & np.isfinite(log)
        total[positive] += log[positive]
        count += positive
    return np.where(count > 0, total / np.maximum(count, 1), -np.inf)


def _parse(
    tables: Tables, request: Request, found: Answer, tree: Derivation, line: str, log_p: float, detail: Detail
) -> Parse:
    """The record of one derivation."""
    decoded = found.decoded
    brackets, tags = _brackets(tables, tree, found) if detail.posteriors else ((), ())
    return Parse(
        tokens=request.tokens,
        tree=line,
        status=decoded.status,
        score=tree.score,
        log_probability=log_p,
        log_total=decoded.log_total,
        brackets=brackets,
        tags=tags,
        n_non_positive=decoded.n_non_positive,
        unknown_tags=found.unknown_tags,
    )


def _brackets(
    tables: Tables, tree: Derivation, found: Answer
) -> tuple[tuple[Bracket, ...], tuple[WordTag, ...]]:
    """Constituents and tags of a derivation with their posteriors."""
    symbols, table = tables.symbols, found.posteriors
    start, end = row_spans(tree)
    order = np.lexsort((-end, start))
    row, ids = spelled_out(symbols, tree.label[order])
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
