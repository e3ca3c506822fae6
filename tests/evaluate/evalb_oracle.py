"""EVALB's rules once more: slow, obvious, on nested lists, sharing no code with the package."""

import random
from dataclasses import dataclass, field

Tree = tuple[str, "str | list[Tree]"]  # (tag, word) or (label, children)


@dataclass
class Side:
    """One tree's words (tag, word) and brackets (start, end, label), these from the top down."""

    words: list[tuple[str, str]] = field(default_factory=list)
    brackets: list[tuple[int, int, str]] = field(default_factory=list)
    length: int = 0

    def walk(self, tree: Tree, gone: set[str], unheard: set[str]) -> None:
        label, inner = tree
        if isinstance(inner, str):
            self.length += label not in unheard
            if label not in gone:
                self.words.append((label, inner))
            return
        place = len(self.brackets)
        self.brackets.append((len(self.words), -1, label))
        for child in inner:
            self.walk(child, gone, unheard)
        self.brackets[place] = (self.brackets[place][0], len(self.words), label)


def cut(label: str) -> str:
    for k, letter in enumerate(label):
        if letter in "-=":
            return label[:k]
    return label


def same(a: str, b: str, pairs: set[tuple[str, str]]) -> bool:
    return a == b or (a, b) in pairs or (b, a) in pairs


def evalb(
    gold: Tree, guess: Tree, gone: set[str], unheard: set[str], pairs: set[tuple[str, str]]
) -> tuple[int, ...]:
    """(length, status, matched, gold, guess, crossing, words, tags) of one sentence."""
    one, two = Side(), Side()
    one.walk(gold, gone, unheard)
    two.walk(guess, gone, unheard)
    if not two.words:
        return one.length, 2, 0, 0, 0, 0, 0, 0
    if [w for _, w in one.words] != [w for _, w in two.words]:
        return one.length, 1, 0, 0, 0, 0, 0, 0
    real = [
        [
            (i, j, cut(x))
            for i, j, x in side.brackets
            if i < j and not any(same(cut(x), d, pairs) for d in gone)
        ]
        for side in (one, two)
    ]
    used: set[int] = set()
    for i, j, label in real[0]:
        for k, (a, b, other) in enumerate(real[1]):
            if k not in used and (a, b) == (i, j) and same(label, other, pairs):
                used.add(k)
                break
    crossing = sum(any(a < i < b < j or i < a < j < b for a, b, _ in real[0]) for i, j, _ in real[1])
    tags = sum(same(a, b, pairs) for (a, _), (b, _) in zip(one.words, two.words))
    return one.length, 0, len(used), len(real[0]), len(real[1]), crossing, len(one.words), tags


def written(tree: Tree) -> str:
    label, inner = tree
    return f"({label} {inner})" if isinstance(inner, str) else f"({label} {' '.join(map(written, inner))})"


def random_tree(words: list[str], labels: list[str], tags: list[str], rng: random.Random) -> Tree:
    """A tree over the words, with unary chains."""
    if len(words) == 1 and rng.random() < 0.6:
        return rng.choice(tags), words[0]
    cuts = sorted(rng.sample(range(1, len(words)), min(len(words) - 1, rng.randint(0, 2))))
    parts = [words[a:b] for a, b in zip([0, *cuts], [*cuts, len(words)])]
    return rng.choice(labels), [random_tree(part, labels, tags, rng) for part in parts]
