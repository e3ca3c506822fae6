"""A latent tree model and a seed in, dependency trees drawn from its distribution over projective trees out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenparse.arrays import generator
from eigenparse.corpus.dependencies import Dependencies, columns_of
from eigenparse.errors import DataError, OptionError
from eigenparse.inference.dependency.proper_heads import MORE, PLAIN, ProperHeads, ProperMember, proper_heads
from eigenparse.inference.dependency.proper_trees import ProperTrees, proper_trees
from eigenparse.inference.grammar.sample import (
    ENTRY,
    MOST_TRIES,
    RULE,
    UNKNOWN,
    Becoming,
    becoming,
    drawn_children,
    picked,
)
from eigenparse.models.dependency.deptree import TreeModel
from eigenparse.models.dependency.split_heads import SplitHeads

STREAM = 0x5A4
Seeds = Sequence[Any]
Expand = Callable[[Any], tuple[str, str, Seeds, Seeds]]  # word, tag, children on the left and on the right
Grown = tuple[list[str], list[str], list[int]]  # words, tags, heads
Start = tuple[Any, Expand]


def sample_trees(model: TreeModel, n: int, *, seed: int = 0, max_words: int = 400) -> Dependencies:
    """n trees; longer ones than ``max_words`` are drawn again.  The first trees of a seed do not depend on n."""
    if n < 0 or max_words < 1:
        raise OptionError(f"the numbers of trees and words must be positive, got {n} and {max_words} instead")
    if isinstance(model, SplitHeads):
        tag = model.tags
        start = _heads_start(proper_heads(model))
    else:
        tag = model.channels[0]
        start = _trees_start(proper_trees(model))
    drawn = [_tree(start, generator(seed, STREAM, i), max_words) for i in range(n)]
    words = [word for one in drawn for word in one[0]]
    tags = [name for one in drawn for name in one[1]]
    heads = [head for one in drawn for head in one[2]]
    blank = ["_"] * len(words)
    rows = dict.fromkeys(("lemma", "upos", "xpos", "feats", "relation"), blank) | {"form": words}
    rows["upos" if tag == "upos" else "xpos"] = tags
    return columns_of(rows, heads, [len(one[0]) for one in drawn], [0] * len(words))


def _tree(start: Callable[[np.random.Generator], Start], rng: np.random.Generator, most: int) -> Grown:
    for _ in range(MOST_TRIES):
        found = grown(*start(rng), most)
        if found is not None:
            return found
    raise DataError(f"no tree of at most {most} words came up in {MOST_TRIES} draws; allow more words")


def grown(root: Any, expand: Expand, most: int) -> Grown | None:
    """The tree that grows from a root: words, tags and heads in word order; None if it has too many words."""
    seeds: list[Any] = [root]
    nodes: list[tuple[str, str, range, range]] = []
    while len(nodes) < len(seeds) <= most:
        word, tag, left, right = expand(seeds[len(nodes)])
        middle = len(seeds) + len(left)
        nodes.append((word, tag, range(len(seeds), middle), range(middle, middle + len(right))))
        seeds += [*left, *right]
    if len(seeds) > most:
        return None
    order: list[int] = []
    todo = [(0, False)]
    while todo:
        i, is_due = todo.pop()
        if is_due:
            order.append(i)
        else:
            left_of, right_of = nodes[i][2:]
            todo += [(x, False) for x in reversed(right_of)]
            todo += [(i, True), *((x, False) for x in reversed(left_of))]
    place = {node: k for k, node in enumerate(order, start=1)}
    head = {child: place[i] for i in order for side in nodes[i][2:] for child in side}
    return [nodes[i][0] for i in order], [nodes[i][1] for i in order], [head.get(i, 0) for i in order]


@dataclass(frozen=True, slots=True)
class _Heads:
    """One member of a split-head grammar being drawn from."""

    heads: ProperHeads
    member: ProperMember
    becoming: Becoming
    rng: np.random.Generator

    def expand(self, s: int) -> tuple[str, str, Seeds, Seeds]:
        """A word in a state: the children that it takes, from the outermost on its left to the innermost right."""
        skeleton, weights = self.heads.skeleton, self.member.weights
        left: list[int] = []
        right: list[int] = []
        while True:
            kind, number = self.becoming.draw(s, self.rng)
            if kind != RULE:
                break
            b, c = drawn_children(skeleton, weights, number, s, self.rng)
            if skeleton.labels[skeleton.rules[number, 1]].partial:  # the head itself is on the left
                right.append(c)
                s = b
            else:
                left.append(b)
                s = c
        a = int(np.searchsorted(weights.state_at, s, side="right")) - 1
        if kind == ENTRY:
            word = skeleton.symbols[skeleton.entry_symbol[number]]
        else:
            word = self.heads.lexicon.spelling.draw(
                picked(self.member.groups[s], self.rng), self.rng, blanks=True
            )
        return word, skeleton.labels[a].chain[-1], left, right[::-1]


def _heads_start(heads: ProperHeads) -> Callable[[np.random.Generator], Start]:
    tables = [
        becoming(
            heads.skeleton, one.weights, heads.lexicon.kept, (one.scale, one.scale), {UNKNOWN: one.unknown}
        )
        for one in heads.members
    ]

    def start(rng: np.random.Generator) -> Start:
        if rng.random() < PLAIN:
            return None, lambda _: _plain(heads, rng)
        k = int(rng.integers(len(tables)))
        member = heads.members[k]
        return picked(member.root, rng), _Heads(heads, member, tables[k], rng).expand

    return start


def _plain(heads: ProperHeads, rng: np.random.Generator) -> tuple[str, str, Seeds, Seeds]:
    """A word of the plain model."""
    number = int(rng.integers(len(heads.tags) + 1))
    tag = heads.tags[number] if number < len(heads.tags) else ""
    while not tag or (number == len(heads.tags) and tag in heads.tags):
        tag = heads.spelling.draw(0, rng)
    left, right = (int(rng.geometric(1.0 - MORE)) - 1 for _ in range(2))
    return heads.spelling.draw(0, rng, blanks=True), tag, [None] * left, [None] * right


def _trees_start(trees: ProperTrees) -> Callable[[np.random.Generator], Start]:
    def start(rng: np.random.Generator) -> Start:
        def expand(state: int) -> tuple[str, str, Seeds, Seeds]:
            symbol = trees.symbol(state, rng)
            left, right = (
                [picked(law[:, state], rng) for _ in range(trees.children(side, state, rng))]
                for side, law in enumerate(trees.model.transition)
            )
            return symbol, symbol, left, right

        return picked(trees.model.start, rng), expand

    return start
