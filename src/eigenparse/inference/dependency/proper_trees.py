"""A latent tree model with visible states as one distribution over projective trees of what is observed of words.

Numbers of children are among the channels, so the states generate the tree: the root's state comes from the start
distribution; each state generates its symbol, its number of children on each side and their states.  The value three
means three or more, with a geometric number of further ones; distances to heads are left out, and unseen symbols are
spelt.
"""

from dataclasses import dataclass, replace

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray
from eigenparse.corpus.dependencies import Dependencies, projectivised
from eigenparse.errors import DataError
from eigenparse.features.dependency.channels import MOST_CHILDREN, channel_names, child_numbers, encode
from eigenparse.inference.dependency.deptree import score_symbols
from eigenparse.inference.dependency.proper_heads import MORE
from eigenparse.inference.grammar.sample import picked
from eigenparse.inference.spelling import NO_WORD, Spelling, learn_spelling
from eigenparse.models.dependency.deptree import DepTree

SIDES = ("left", "right")


@dataclass(frozen=True, slots=True)
class ProperTrees:
    """model: of one channel of words and the numbers of children, each a distribution.  spelling: of other words."""

    model: DepTree
    spelling: Spelling

    def rows(self, channel: str) -> FloatArray:
        """(symbols, k) the part of the observations that belongs to a channel."""
        q = self.model.channels.index(channel)
        low = sum(map(len, self.model.symbols[:q]))
        return self.model.observation[low : low + len(self.model.symbols[q])]

    def symbol(self, state: int, rng: np.random.Generator) -> str:
        """The symbol that a state generates; an unseen symbol is spelt."""
        names = self.model.symbols[0]
        number = picked(self.rows(self.model.channels[0])[:, state], rng)
        if number:
            return names[number]
        while (drawn := self.spelling.draw(0, rng)) in names or drawn == "_":
            pass
        return drawn

    def children(self, side: int, state: int, rng: np.random.Generator) -> int:
        """The number of children of a state on one side."""
        names = self.model.symbols[1 + side]
        number = int(names[picked(self.rows(SIDES[side])[:, state], rng)])
        while number >= MOST_CHILDREN and rng.random() < MORE:
            number += 1
        return number


def is_whole(model: DepTree) -> bool:
    """Whether a model is a distribution over trees: visible states, tags, and numbers of children on both sides."""
    return model.is_proper and model.channels[0] in ("tag", "upos") and set(SIDES) <= set(model.channels)


def proper_trees(model: DepTree) -> ProperTrees:
    """The distribution of a model; DataError if its channels do not determine the tree."""
    if not is_whole(model):
        raise DataError(
            "this model is a distribution only given the shapes of trees; train with --estimator em, cluster, "
            "recovered or lpcfg and the channels tag,left,right,distance"
        )
    first = model.symbols[0]
    parts, names = [_normalised(model, model.channels[0], first)], [first]
    for side in SIDES:
        names.append(tuple(map(str, range(MOST_CHILDREN + 1))))
        parts.append(_normalised(model, side, names[-1]))
    made = replace(
        model,
        channels=(model.channels[0], *SIDES),
        symbols=tuple(names),
        observation=np.concatenate(parts),
        start=model.start / model.start.sum(),
        transition=model.transition / np.maximum(model.transition.sum(axis=1, keepdims=True), 1e-300),
    )
    known = [name for name in first[1:] if name] or ["a"]
    return ProperTrees(made, learn_spelling(known, np.zeros(len(known)), 1, NO_WORD))


def _normalised(model: DepTree, channel: str, names: tuple[str, ...]) -> FloatArray:
    """(names, k) the rows of some symbols of a channel; one that training never saw has the row of unknown ones."""
    q = model.channels.index(channel)
    low, place = sum(map(len, model.symbols[:q])), {name: i for i, name in enumerate(model.symbols[q])}
    rows: FloatArray = model.observation[[low + place.get(name, 0) for name in names]]
    return rows / np.maximum(rows.sum(axis=0), 1e-300)


def tree_logs(trees: ProperTrees, given: Dependencies) -> FloatArray:
    """(S,) log p of every tree; crossing trees count as the projective ones closest to them."""
    logs = np.zeros(len(given))
    rows = np.flatnonzero(given.lengths() > 0)
    if not rows.size:
        return logs
    part, _ = projectivised(given.select(rows))
    model = trees.model
    symbols = encode(part, model.channels, model.symbols)
    each = sum(_further(number) for number in child_numbers(part))
    names, value = channel_names(part, model.channels[0])
    each = each + np.where(symbols[:, 0] == 0, trees.spelling.logs(names)[:, 0][value], 0.0)
    found = score_symbols(model, part.head, part.offsets, symbols).log_abs
    logs[rows] = found + np.add.reduceat(each, part.offsets[:-1])
    return logs


def _further(number: AnyArray) -> FloatArray:
    """log p(this number of children | at least three)."""
    more = np.maximum(number - MOST_CHILDREN, 0)
    return np.where(number >= MOST_CHILDREN, more * np.log(MORE) + np.log1p(-MORE), 0.0)
