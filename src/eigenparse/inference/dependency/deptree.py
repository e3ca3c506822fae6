"""A latent tree model and dependency trees in; log-probabilities, expected counts and samples out."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, IntMatrix
from eigenparse.corpus.dependencies import Dependencies, columns_of
from eigenparse.errors import DataError, OptionError
from eigenparse.inference.dependency.split_heads import score_split_heads
from eigenparse.kernels.dependency.deptree import expected_counts, tree_totals
from eigenparse.models.dependency.deptree import UNKNOWN, DepTree, TreeModel
from eigenparse.models.dependency.split_heads import SplitHeads

MOST_CHILDREN = 3
DISTANCES = (1, 2, 5, 10)
ROOT_BUCKET = len(DISTANCES) + 1


@dataclass(frozen=True, slots=True)
class TreeTotals:
    """log|p| and sign(p) of every tree: (S,) each."""

    log_abs: FloatArray
    sign: FloatArray

    @property
    def n_not_positive(self) -> int:
        """Trees whose total is zero or negative: no probability, only a number."""
        return int((self.sign <= 0).sum())


@dataclass(frozen=True, slots=True)
class TreeCounts:
    """Expected counts of a proper model; they add.  Shapes as the parameters."""

    start: FloatArray
    transition: FloatArray
    observation: FloatArray
    log_likelihood: float

    def __add__(self, other: "TreeCounts") -> "TreeCounts":
        return TreeCounts(
            self.start + other.start,
            self.transition + other.transition,
            self.observation + other.observation,
            self.log_likelihood + other.log_likelihood,
        )


def child_numbers(trees: Dependencies) -> tuple[AnyArray, AnyArray]:
    """(T,) number of left and of right children of every word."""
    n = trees.n_words
    start = np.repeat(trees.offsets[:-1], trees.lengths())
    parent = np.where(trees.head > 0, start + trees.head - 1, n)
    is_left = parent > np.arange(n)
    inner = parent < n
    return (
        np.bincount(parent[inner & is_left], minlength=n),
        np.bincount(parent[inner & ~is_left], minlength=n),
    )


def channel_names(trees: Dependencies, channel: str) -> tuple[tuple[str, ...], AnyArray]:
    """Names of a channel's values and (T,) the value of every word."""
    symbols = trees.symbols
    if channel == "form":
        return tuple(form.lower() for form in symbols["form"]), trees.form
    if channel == "upos":
        return symbols["upos"], trees.upos
    if channel == "tag":
        n_fine = len(symbols["xpos"])
        names = (*symbols["xpos"], *symbols["upos"])
        missing = np.array([tag == "_" for tag in symbols["xpos"]], dtype=bool)[trees.xpos]
        return names, np.where(missing, trees.upos + np.int32(n_fine), trees.xpos)
    if channel in ("left", "right"):
        number = child_numbers(trees)[channel == "right"]
        return tuple(map(str, range(MOST_CHILDREN + 1))), np.minimum(number, MOST_CHILDREN)
    position = np.arange(trees.n_words) - np.repeat(trees.offsets[:-1], trees.lengths()) + 1
    bucket = np.searchsorted(DISTANCES, np.abs(position - trees.head))
    names = (*(f"to {d}" for d in DISTANCES), "more", "root")
    return names, np.where(trees.head == 0, ROOT_BUCKET, bucket)


def vocabulary(trees: Dependencies, channels: tuple[str, ...], rare: int) -> tuple[tuple[str, ...], ...]:
    """Symbols of every channel, the unknown one first; rare forms give way to their tags."""
    found = []
    for channel in channels:
        names, value = channel_names(trees, channel)
        counts: Counter[str] = Counter()
        for i, number in enumerate(np.bincount(value, minlength=len(names)).tolist()):
            counts[names[i]] += number
        kept = [name for name, number in counts.items() if number > (rare if channel == "form" else 0)]
        if channel == "form":
            kept += [f"<{tag}>" for tag in dict.fromkeys(channel_names(trees, "tag")[0])]
        found.append((UNKNOWN, *dict.fromkeys(kept)))
    return tuple(found)


def encode(trees: Dependencies, channels: tuple[str, ...], symbols: tuple[tuple[str, ...], ...]) -> IntMatrix:
    """(T, Q) row of the observation table for every word and channel."""
    columns, base = [], 0
    for channel, known in zip(channels, symbols):
        place = {name: i for i, name in enumerate(known)}
        names, value = channel_names(trees, channel)
        table = np.array([place.get(name, 0) for name in names] or [0], dtype=np.int64)
        row = table[value]
        if channel == "form":
            tags, tag = channel_names(trees, "tag")
            classes = np.array([place.get(f"<{name}>", 0) for name in tags] or [0], dtype=np.int64)
            row = np.where(row == 0, classes[tag], row)
        columns.append(row + base)
        base += len(known)
    return np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.int32)


def score_trees(model: TreeModel, trees: Dependencies) -> TreeTotals:
    """Algorithm 1 on every tree, whatever its topology; split heads lift crossing trees first."""
    if trees.n_words and trees.head.min() < 0:
        raise DataError("some words have no head; score complete trees")
    if isinstance(model, SplitHeads):
        return TreeTotals(score_split_heads(model, trees), np.ones(len(trees)))
    return score_symbols(model, trees.head, trees.offsets, encode(trees, model.channels, model.symbols))


def score_symbols(model: DepTree, head: AnyArray, offsets: AnyArray, symbols: AnyArray) -> TreeTotals:
    """Algorithm 1 on trees whose observations are already rows of the model's table."""
    log_abs, sign = np.zeros(offsets.size - 1), np.zeros(offsets.size - 1)
    tree_totals(
        head, offsets, symbols, model.start, model.transition, model.observation, model.product, log_abs, sign
    )
    return TreeTotals(log_abs, sign)


def count_trees(model: DepTree, trees: Dependencies, symbols: AnyArray) -> TreeCounts:
    """Expected counts of a proper model on trees."""
    return count_symbols(model, trees.head, trees.offsets, symbols)


def count_symbols(model: DepTree, head: AnyArray, offsets: AnyArray, symbols: AnyArray) -> TreeCounts:
    """The same on trees without their words."""
    if not model.is_proper:
        raise OptionError("expected counts need visible states; use a cluster, recovered or em model")
    start, transition = np.zeros_like(model.start), np.zeros_like(model.transition)
    observation = np.zeros_like(model.observation)
    log_likelihood = expected_counts(
        head, offsets, symbols, model.start, model.transition, model.observation,
        start, transition, observation,
    )  # fmt: skip
    return TreeCounts(start, transition, observation, float(log_likelihood))


def sample_trees(model: DepTree, like: Dependencies, *, rng: np.random.Generator) -> Dependencies:
    """New words for the shapes of given trees, drawn from a proper model's first channel.

    Each word's form is the symbol drawn for it; tags repeat it.
    """
    if not model.is_proper:
        raise OptionError("sampling needs visible states; use a cluster, recovered or em model")
    names = model.symbols[0]
    table = model.observation[: len(names)]
    state = np.zeros(like.n_words, dtype=np.int64)
    depth = _depths(like)
    start = np.repeat(like.offsets[:-1], like.lengths())
    rows = np.arange(like.n_words)
    parent = start + like.head - 1
    for level in range(int(depth.max(initial=-1)) + 1):
        here = rows[depth == level]
        if level == 0:
            weights = np.tile(model.start, (here.size, 1))
        else:
            side = (here > parent[here]).astype(np.int64)
            weights = model.transition[side, :, state[parent[here]]]
        state[here] = _draw(weights, rng)
    drawn = [names[i] for i in _draw(table.T[state], rng)]
    blank = ["_"] * len(drawn)
    columns = dict.fromkeys(("lemma", "feats", "relation"), blank) | dict.fromkeys(
        ("form", "upos", "xpos"), drawn
    )
    return columns_of(columns, like.head.tolist(), like.lengths().tolist(), [0] * len(drawn))


def _draw(weights: FloatArray, rng: np.random.Generator) -> AnyArray:
    """One index a row of unnormalised weights (n, k)."""
    steps = np.cumsum(weights, axis=1)
    point = rng.random((weights.shape[0], 1)) * steps[:, -1:]
    return np.asarray(np.minimum((steps <= point).sum(axis=1), weights.shape[1] - 1))


def _depths(trees: Dependencies) -> AnyArray:
    """(T,) arcs between every word and its root."""
    start = np.repeat(trees.offsets[:-1], trees.lengths())
    above = np.where(trees.head > 0, start + trees.head - 1, -1)
    depth = np.zeros(trees.n_words, dtype=np.int64)
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, np.where(trees.head[above] > 0, start + trees.head[above] - 1, -1), -1)
    return depth
