"""Weighted rules as text in, a checked L-PCFG out.

A rule is ``WEIGHT MOTHER -> CHILD CHILD ...`` with symbols ``label:state``.  Three steps bring
the rules into the form that binarised, unary-collapsed treebanks have:

* longer right-hand sides are right-factored: ``X -> A B C`` becomes ``X -> A @X`` and
  ``@X -> B C``, where the state of ``@X`` is what is still to come;
* unary rules are folded into joint labels: where ``X`` stood, ``X|Y`` may stand too;
* symbols that begin with ``_`` are folded away and leave no label.
"""

import itertools
import re
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import as_ids, as_offsets, frozen
from eigenparse.corpus.columns import Label
from eigenparse.errors import DataError
from eigenparse.synthetic.grammar import SyntheticGrammar, check_grammar
from eigenparse.synthetic.lexicon import Lexicon

Symbol = tuple[str, str]
Rule = tuple[tuple[Symbol, ...], float]
Values = dict[str, dict[str, float]]
Node = tuple[Label, str]
VARIABLE = re.compile(r"\{([a-z])(\d*)\}")


@dataclass(frozen=True, slots=True)
class _Book:
    """Rules by mother symbol, the lexicon, and what has been folded so far."""

    rules: dict[Symbol, list[Rule]]
    lexicon: Lexicon
    folded: dict[Symbol, list[tuple[tuple[str, ...], Symbol, float]]]


def read_values(text: str) -> Values:
    """``n = s:2 p:1`` as weights that sum to one."""
    values: Values = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, _, rest = line.partition("=")
        weights = {value: float(weight) for value, weight in (item.split(":") for item in rest.split())}
        total = sum(weights.values())
        values[name.strip()] = {value: weight / total for value, weight in weights.items()}
    return values


def _symbol(text: str) -> Symbol:
    label, colon, state = text.rpartition(":")
    if not (label and colon and state):
        raise DataError(f"symbol {text!r} of a synthetic grammar is not label:state; add its state")
    return label, state


def _bind(line: str, values: Values) -> list[tuple[str, float]]:
    """Every filling of a rule's variables, weighted by those that its mother does not fix."""
    mother = line.split("->")[0]
    names = sorted(set(VARIABLE.findall(line)))
    fixed = set(VARIABLE.findall(mother))
    filled = []
    for choice in itertools.product(*(values[name].items() for name, _ in names)):
        text, weight = line, 1.0
        for (name, index), (value, share) in zip(names, choice):
            text = text.replace("{" + name + index + "}", value)
            weight *= 1.0 if (name, index) in fixed else share
        filled.append((text, weight))
    return filled


def read_rules(text: str, values: Values) -> dict[Symbol, list[Rule]]:
    """Rules by mother, their weights turned into probabilities."""
    rules: dict[Symbol, dict[tuple[Symbol, ...], float]] = {}
    for line in map(str.strip, text.splitlines()):
        if not line or line.startswith("#"):
            continue
        weight, rule = line.split(None, 1)
        for bound, share in _bind(rule, values):
            mother, _, rest = bound.partition("->")
            children = tuple(map(_symbol, rest.split()))
            into = rules.setdefault(_symbol(mother.strip()), {})
            into[children] = into.get(children, 0.0) + float(weight) * share
    return {mother: _normalised(into) for mother, into in rules.items()}


def _normalised(weights: dict[tuple[Symbol, ...], float]) -> list[Rule]:
    total = sum(weights.values())
    return [(children, weight / total) for children, weight in weights.items()]


def _fold(book: _Book, symbol: Symbol) -> list[tuple[tuple[str, ...], Symbol, float]]:
    """What may stand where ``symbol`` is asked for: (chain of labels, last symbol, probability)."""
    if symbol not in book.folded:
        book.folded[symbol] = []  # met again while being folded: a cycle of unary rules adds nothing
        rules = book.rules.get(symbol, [])
        if not rules and symbol not in book.lexicon:
            raise DataError(f"{':'.join(symbol)} has neither rules nor words; write some for it")
        own: tuple[str, ...] = () if symbol[0].startswith("_") else (symbol[0],)
        stays = 1.0 - sum(weight for children, weight in rules if len(children) == 1)
        found = [(own, symbol, stays)] if stays > 1e-9 else []
        for children, weight in rules:
            if len(children) == 1:
                found += [(own + chain, last, weight * p) for chain, last, p in _fold(book, children[0])]
        book.folded[symbol] = found
    return book.folded[symbol]


def _nodes(book: _Book, symbol: Symbol) -> list[tuple[Node, float]]:
    """The labelled nodes that may stand where ``symbol`` is asked for."""
    if symbol[0].startswith("@"):
        return [((Label((symbol[0][1:],), partial=True), symbol[1]), 1.0)]
    return [((Label(chain), last[1]), p) for chain, last, p in _fold(book, symbol)]


def _pairs(book: _Book, node: Node) -> list[tuple[Symbol, Symbol, float]]:
    """Right-factored rules of a node, its unary ones left out."""
    label, state = node
    name = label.chain[-1]
    if label.partial:
        longer = [(tuple(map(_symbol, state.split())), 1.0)]
    else:
        longer = [rule for rule in book.rules[name, state] if len(rule[0]) > 1]
    total = sum(weight for _, weight in longer)
    pairs = []
    for children, weight in longer:
        rest = children[1:]
        right = rest[0] if len(rest) == 1 else ("@" + name, " ".join(map(":".join, rest)))
        pairs.append((children[0], right, weight / total))
    return pairs


def _binary(book: _Book, node: Node) -> dict[tuple[Node, Node], float]:
    """All binary rules of a node with both children's foldings multiplied out."""
    rules: dict[tuple[Node, Node], float] = {}
    for left, right, weight in _pairs(book, node):
        for (b, p), (c, q) in itertools.product(_nodes(book, left), _nodes(book, right)):
            rules[b, c] = rules.get((b, c), 0.0) + weight * p * q
    return rules


def _is_tag(book: _Book, node: Node) -> bool:
    return not node[0].partial and (node[0].chain[-1], node[1]) in book.lexicon


def _reachable(book: _Book, roots: list[Node]) -> dict[Node, dict[tuple[Node, Node], float]]:
    """Every node that some tree contains, with its binary rules (none for tags)."""
    found: dict[Node, dict[tuple[Node, Node], float]] = {}
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        found[node] = {} if _is_tag(book, node) else _binary(book, node)
        waiting += itertools.chain.from_iterable(found[node])
    return found


def compile_grammar(rules: str, values: str, lexicon: Lexicon, *, start: str) -> SyntheticGrammar:
    """The L-PCFG of a grammar text: rules, values of their variables, words, start symbol."""
    book = _Book(read_rules(rules, read_values(values)), lexicon, {})
    roots = dict(_nodes(book, _symbol(start)))
    found = _reachable(book, list(roots))
    nodes = sorted(found, key=lambda node: (node[0].partial, node[0].chain, node[1]))
    number = {node: i for i, node in enumerate(nodes)}
    labels = tuple(dict.fromkeys(label for label, _ in nodes))
    names = tuple(tuple(state for label, state in nodes if label == wanted) for wanted in labels)
    binary = [
        (number[a], number[b], number[c], p) for a in nodes for (b, c), p in sorted(found[a].items(), key=str)
    ]
    lexemes = [
        (number[node], word, weight / sum(entry.values()))
        for node in nodes
        if _is_tag(book, node)
        for entry in [lexicon[node[0].chain[-1], node[1]]]
        for word, weight in entry.items()
    ]
    words = tuple(sorted({word for _, word, _ in lexemes}))
    word_id = {word: i for i, word in enumerate(words)}
    return check_grammar(
        SyntheticGrammar(
            labels=labels,
            state_names=names,
            words=words,
            rule=frozen(as_ids([row[:3] for row in binary])),
            rule_probability=frozen(np.array([row[3] for row in binary])),
            lexeme=frozen(as_ids([(symbol, word_id[word]) for symbol, word, _ in lexemes])),
            lexeme_probability=frozen(np.array([p for _, _, p in lexemes])),
            root_probability=frozen(np.array([roots.get(node, 0.0) for node in nodes])),
            offsets=frozen(as_offsets(np.cumsum([0] + [len(states) for states in names]))),
        )
    )
