"""Checked sentences or trees in, answers as JSON values out; runs in worker processes."""

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from eigenparse.api.correct import Draft, put_in
from eigenparse.api.dependencies import dependencies
from eigenparse.api.grammar import Grammar
from eigenparse.corpus.brackets import parse_trees
from eigenparse.decode.grammar.constraints import SpanLimit
from eigenparse.decode.grammar.derivations import Derivation
from eigenparse.decode.grammar.node_states import NodeStates, row_states, shown_rows
from eigenparse.decode.grammar.parser import Chart
from eigenparse.decode.grammar.posteriors import listed
from eigenparse.decode.grammar.request import Answer, Request, answer_and_chart
from eigenparse.decode.grammar.results import Parse, parses_of
from eigenparse.errors import DataError, EigenparseError
from eigenparse.serve.sentences import conflict

LEAST = 0.01  # posteriors and shares below this are not sent
MOST_STATES = 6
MOST_TAGS = 5

Json = dict[str, Any]


class Wishes(NamedTuple):
    """Which details of a sentence to return; ``schema.Wishes`` describes the fields."""

    k: int = 1
    probabilities: bool = False
    dependencies: bool = False
    universal: bool = False
    states: bool = False
    chart: bool = False


def parse(grammar: Grammar, request: Request, wishes: Wishes) -> Json:
    """The answer of /parse for one sentence; constraints that no tree of the grammar keeps are put into its trees."""
    imposed: tuple[SpanLimit, ...] = ()
    try:
        found, chart = _answered(grammar, request, wishes.k)
    except DataError:
        request, imposed = _settled(grammar, request)
        found, chart = _answered(grammar, request, wishes.k)
    own = parses_of(grammar.tables, [request], [found])[0]
    parses = put_in(grammar, request, own, imposed)
    trees = [_tree(one, wishes.probabilities) for one in parses]
    if wishes.states and chart is not None:
        for tree, rank in zip(trees, (one.rank for one in parses)):
            _add_states(grammar, chart, found.decoded.derivations[rank], own[rank], tree)
    if wishes.dependencies:
        for tree, arcs in zip(trees, _arcs(parses)):
            tree["dependencies"] = arcs
    result: Json = {
        "tokens": list(request.tokens),
        "status": parses[0].status,
        "log_total": _number(own[0].log_total) if wishes.probabilities else None,
        "parses": trees,
    }
    if wishes.chart:
        result["chart"] = _chart(grammar, found)
    return result


def _answered(grammar: Grammar, request: Request, k: int) -> tuple[Answer, Chart | None]:
    return answer_and_chart(grammar.tables.parser, grammar.tables.symbols, request, k=k)


def _settled(grammar: Grammar, request: Request) -> tuple[Request, tuple[SpanLimit, ...]]:
    """Constraints that some tree of the grammar keeps, and those to put in; a Refusal if no tree can keep them."""
    try:
        draft = Draft.of(grammar, request)
    except DataError as problem:
        raise conflict(str(problem)) from None
    return draft.request, draft.imposed


def _tree(parse: Parse, probabilities: bool) -> Json:
    """One tree as JSON values."""
    whole = parse.as_dict(probabilities=probabilities)
    names = ("tree", "score", "log_probability", "brackets", "tags")
    known = whole["log_probability"] is not None and whole["log_total"] is not None
    return {name: whole[name] for name in names} | {"probability": whole["probability"] if known else None}


def _add_states(grammar: Grammar, chart: Chart, derivation: Derivation, own: Parse, tree: Json) -> None:
    """Write the latent states of a derivation beside the constituents and tags that were not put in."""
    states = row_states(grammar.tables.parser, chart, derivation)
    phrases, words = shown_rows(grammar.tables.symbols, derivation)
    found: dict[tuple[str, int, int], list[int]] = {}
    for row, one in zip(phrases, own.brackets, strict=True):
        found.setdefault((one.label, one.start, one.end), []).append(row)
    for node in tree["brackets"]:
        rows = found.get((node["label"], node["start"], node["end"]))
        node["latent"] = _latent(states[rows.pop(0)]) if rows else None
    for row, tag, node in zip(words, own.tags, tree["tags"], strict=True):
        node["latent"] = _latent(states[row]) if tag.tag == node["tag"] else None


def _latent(states: NodeStates | None) -> Json | None:
    """The likeliest states of a node."""
    if states is None:
        return None
    likely = sorted((-share, h) for h, share in enumerate(states.shares.tolist()) if share >= LEAST)
    shares = [[h, round(-share, 4)] for share, h in likely[:MOST_STATES]]
    return {"label": states.label, "n_states": int(states.shares.size), "states": shares}


def _arcs(parses: Sequence[Parse]) -> list[list[Json]]:
    """Heads and relations of trees."""
    found = dependencies(parses)
    columns = zip(found.head.tolist(), found.strings("relation"), found.strings("upos"))
    rows = [{"head": head, "relation": relation, "upos": upos} for head, relation, upos in columns]
    ends = found.offsets.tolist()
    return [rows[low:high] for low, high in itertools.pairwise(ends)]


def _chart(grammar: Grammar, found: Answer) -> list[Json]:
    """Every likely constituent of a sentence."""
    if found.posteriors is None:
        return []
    symbols = grammar.tables.symbols
    return [
        {"label": symbols.names[a], "start": i, "end": j, "posterior": round(p, 6)}
        for a, i, j, p in listed(found.posteriors, symbols, LEAST)
    ]


def tag(grammar: Grammar, request: Request) -> Json:
    """The answer of /tag for one sentence."""
    found, _ = _answered(grammar, request, 1)
    return {"status": found.decoded.status, "tokens": _tagged(grammar, request, found)}


def _tagged(grammar: Grammar, request: Request, found: Answer) -> list[Json]:
    """Each token with the tag that has the highest posterior; after a fallback, the tag of the tree."""
    choices = _tag_choices(grammar, found, len(request.tokens))
    own = parses_of(grammar.tables, [request], [found])[0][0].tags
    tokens = []
    for token, tree_tag, ranked in zip(request.tokens, own, choices):
        best = ranked[0] if ranked else {"tag": tree_tag.tag, "posterior": None}
        tokens.append({"token": token, **best, "others": ranked[1:MOST_TAGS]})
    return tokens


def _tag_choices(grammar: Grammar, found: Answer, n: int) -> list[list[Json]]:
    """The likely tags of every word, best first."""
    ranked: list[list[Json]] = [[] for _ in range(n)]
    table, symbols = found.posteriors, grammar.tables.symbols
    if table is None:
        return ranked
    span, ids = np.divmod(table.keys, len(symbols.names))
    keep = symbols.is_tag[ids] & (table.masses >= LEAST)
    columns = (ids[keep], span[keep] // table.width, np.minimum(table.masses[keep], 1.0))
    for a, i, p in zip(*(column.tolist() for column in columns)):
        ranked[i].append({"tag": symbols.names[a], "posterior": round(p, 6)})
    return [sorted(row, key=lambda one: -one["posterior"]) for row in ranked]


def score(grammar: Grammar, text: str) -> Json:
    """The answer of /score for one tree in brackets, or why the string is not a tree."""
    nothing = {"log_probability": None, "sign": 0, "words": 0}
    try:
        treebank = parse_trees(text, "tree")
        if len(treebank) != 1:
            raise DataError(f"{len(treebank)} trees in one string; send each as a string of its own")
        found = grammar.score(treebank)
    except EigenparseError as problem:
        return nothing | {"error": str(problem)}
    words = int(np.count_nonzero(treebank.word >= 0))
    log = _number(float(found.log_probability[0]))
    return {"log_probability": log, "sign": int(found.sign[0]), "words": words}


def _number(value: float) -> float | None:
    """A number rounded to its significant digits, or null."""
    return float(f"{value:.9g}") if math.isfinite(value) else None
