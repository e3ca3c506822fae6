"""Random small grammars, once as an oracle's dictionaries and once as the package's arrays."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

import oracles
from eigenparse.corpus.columns import Label, Trees
from eigenparse.models.grammar.kind import WEIGHTS
from eigenparse.models.grammar.pcfg import LatentGrammar, Skeleton, Weights, layout, weight_arrays
from eigenparse.models.schema import Part, Schema, check_model
from oracles import Grammar, Tree

WORDS = ("u", "v", "w", "x")
MOST_TREES = 400


@dataclass(frozen=True)
class World:
    """The same grammar twice."""

    oracle: Grammar
    skeleton: Skeleton
    weights: Weights

    @property
    def grammar(self) -> LatentGrammar:
        return LatentGrammar(self.skeleton, (self.weights,))

    @property
    def names(self) -> list[str]:
        return [str(label) for label in self.skeleton.labels]


def random_grammar(rng: np.random.Generator, *, signed: bool = False) -> Grammar:
    """3-5 labels of 1-3 states each; some label heads phrases and words."""
    names = [f"L{a}" for a in range(rng.integers(3, 6))]
    states = {a: 1 + (i + int(rng.integers(3))) % 3 for i, a in enumerate(names)}
    draw = rng.standard_normal if signed else rng.random
    triples = [(a, b, c) for a in names for b in names for c in names]
    chosen = rng.choice(len(triples), rng.integers(5, 9), replace=False)
    rules = {triples[r]: draw([states[a] for a in triples[r]]) for r in sorted(chosen)}
    parents = {a for a, _, _ in rules}
    words = {(a, x): draw(states[a]) for a in names for x in WORDS if a not in parents or rng.random() < 0.3}
    both = sorted(parents)[0]
    words.setdefault((both, WORDS[0]), draw(states[both]))
    root = {a: draw(states[a]) for a in names if a in parents or rng.random() < 0.3}
    return Grammar(root, rules, words)


def as_world(grammar: Grammar, rng: np.random.Generator | None = None) -> World:
    """An oracle's grammar as arrays; the plain PCFG that builds the charts is made up."""
    rng = rng or np.random.default_rng(0)
    names = oracles.labels_of(grammar)
    ids = {a: i for i, a in enumerate(names)}
    symbols = sorted({x for _, x in grammar.words})
    rules = sorted(grammar.rules, key=lambda r: tuple(ids[a] for a in r))
    entries = sorted(grammar.words, key=lambda e: (symbols.index(e[1]), ids[e[0]]))
    entry_symbol = np.array([symbols.index(x) for _, x in entries], dtype=np.int32)
    root = np.array([0.1 + rng.random() if a in grammar.root else 0.0 for a in names])
    skeleton = Skeleton(
        labels=tuple(Label((a,)) for a in names),
        rules=np.array([[ids[a] for a in rule] for rule in rules], dtype=np.int32).reshape(-1, 3),
        symbols=tuple(symbols),
        entry_label=np.array([ids[a] for a, _ in entries], dtype=np.int32),
        entry_symbol=entry_symbol,
        entry_start=np.searchsorted(entry_symbol, np.arange(len(symbols) + 1)).astype(np.int64),
        rule_probability=0.1 + rng.random(len(rules)),
        entry_probability=0.1 + rng.random(len(entries)),
        root_probability=root,
        n_words=len(symbols),
    )
    states = np.array([width(grammar, a) for a in names], dtype=np.int32)
    weights = Weights(
        states,
        *layout(skeleton, states),
        rule_weight=np.concatenate([[], *(grammar.rules[rule].ravel() for rule in rules)]),
        entry_weight=np.concatenate([grammar.words[entry] for entry in entries]),
        root_weight=np.concatenate([grammar.root.get(a, np.zeros(width(grammar, a))) for a in names]),
    )
    return World(grammar, skeleton, checked(skeleton, weights))


def checked(skeleton: Skeleton, weights: Weights) -> Weights:
    """The same weights, which must fit the skeleton as those of a file must."""
    schema = Schema(sizes={"labels": "labels"}, parts=(Part("member.", WEIGHTS),))
    arrays = {"skeleton.rules": skeleton.rules, "skeleton.entry_label": skeleton.entry_label}
    check_model(schema, {"labels": list(skeleton.labels)}, arrays | weight_arrays(weights, "member."))
    return weights


def width(grammar: Grammar, label: str) -> int:
    """Number of states of a label."""
    for rule, tensor in grammar.rules.items():
        if label in rule:
            return tensor.shape[rule.index(label)]
    over_words = [v for (a, _), v in grammar.words.items() if a == label]
    return (over_words[0] if over_words else grammar.root[label]).size


def random_world(seed: int, *, signed: bool = False) -> World:
    """A random grammar in which sentences up to five words have trees, but not too many."""
    for attempt in range(1000):
        rng = np.random.default_rng([seed, attempt])
        grammar = random_grammar(rng, signed=signed)
        number = [len(oracles.all_trees(grammar, [WORDS[i % 4] for i in range(n)])) for n in (2, 3, 5)]
        if all(number) and number[-1] <= MOST_TREES:
            return as_world(grammar, rng)
    raise AssertionError("no grammar of the wanted size")


def random_sentence(world: World, length: int, rng: np.random.Generator) -> list[str]:
    """Words of a sentence that has a tree."""
    for _ in range(200):
        words = [WORDS[i] for i in rng.integers(len(WORDS), size=length)]
        if oracles.all_trees(world.oracle, words):
            return words
    raise AssertionError("no sentence of this length")


def as_trees(
    trees: Sequence[Tree], copies: Sequence[int] | None = None, names: Sequence[str] | None = None
) -> Trees:
    """Nested tuples as columns, each tree so many times."""
    names = list(names or sorted({node[0] for tree in trees for node, _, _ in oracles.nodes(tree)}))
    words = sorted({x for tree in trees for x in oracles.leaves(tree)})
    ids, symbols = {a: i for i, a in enumerate(names)}, {x: i for i, x in enumerate(words)}
    columns, sizes = [], []
    for tree, n in zip(trees, copies if copies is not None else [1] * len(trees)):
        rows: list[tuple[int, int, int, int]] = []
        _write(tree, rows, ids, symbols)
        columns.append(np.tile(np.array(rows, dtype=np.int32).T, int(n)))
        sizes += [len(rows)] * int(n)
    label, left, right, word = np.concatenate(columns, axis=1)
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    shift = np.repeat(offsets[:-1], sizes)
    left, right = (np.where(c >= 0, c + shift, -1).astype(np.int32) for c in (left, right))
    return Trees(label, left, right, word, offsets, tuple(Label((a,)) for a in names), tuple(words))


def _write(
    tree: Tree, rows: list[tuple[int, int, int, int]], ids: dict[str, int], symbols: dict[str, int]
) -> int:
    if oracles.is_leaf(tree):
        rows.append((ids[tree[0]], -1, -1, symbols[tree[1]]))
    else:
        left = _write(tree[1], rows, ids, symbols)
        right = _write(tree[2], rows, ids, symbols)
        rows.append((ids[tree[0]], left, right, -1))
    return len(rows) - 1


def random_bases(world: World, rng: np.random.Generator) -> list[np.ndarray]:
    """An invertible matrix a label, none near singular."""
    bases = []
    for m in world.weights.states:
        Q, _ = np.linalg.qr(rng.standard_normal((m, m)))
        P, _ = np.linalg.qr(rng.standard_normal((m, m)))
        bases.append(Q @ np.diag(0.5 + rng.random(m)) @ P)
    return bases


def rotated(skeleton: Skeleton, weights: Weights, bases: list[np.ndarray]) -> Weights:
    """The same grammar in other bases: the states of label a are multiplied by G_a.

    Inside row vectors turn by the inverse of G_a, root columns by G_a, so every tree and
    sentence keeps its probability.
    """
    inverse = [np.linalg.inv(G) for G in bases]
    rule_weight = np.empty_like(weights.rule_weight, dtype=np.float64)
    for r, (a, b, c) in enumerate(skeleton.rules):
        C = weights.rule_weight[weights.rule_at[r] : weights.rule_at[r + 1]]
        m = weights.states[[a, b, c]]
        turned = np.einsum(
            "ijk,ia,jb,kc->abc", C.reshape(m), inverse[a], bases[b].T, bases[c].T, optimize=True
        )
        rule_weight[weights.rule_at[r] : weights.rule_at[r + 1]] = turned.ravel()
    entry_weight, root_weight = np.empty_like(weights.entry_weight), np.empty_like(weights.root_weight)
    for e, a in enumerate(skeleton.entry_label):
        part = slice(weights.entry_at[e], weights.entry_at[e + 1])
        entry_weight[part] = weights.entry_weight[part] @ inverse[a]
    for a in range(skeleton.n_labels):
        part = slice(weights.state_at[a], weights.state_at[a + 1])
        root_weight[part] = bases[a] @ weights.root_weight[part]
    return replace(weights, rule_weight=rule_weight, entry_weight=entry_weight, root_weight=root_weight)


def with_member(world: World, *members: Weights) -> LatentGrammar:
    """An ensemble over a world's skeleton."""
    return replace(world.grammar, members=members)
