"""What the latent tree models observe of a word: names of its values per channel, and rows of a table.

A channel is one such observation: the form or tag of a word, or something of its place in the tree.
"""

from collections import Counter
from typing import Protocol

import numpy as np

from eigenparse.arrays import AnyArray, IntMatrix
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.errors import OptionError

CHANNELS = {
    "form": "form in lower case; forms too rare in training are replaced by their tag",
    "tag": "language-specific tag, or the universal tag if there is none",
    "upos": "universal tag",
    "left": "number of left children, 0 to 3",
    "right": "number of right children, 0 to 3",
    "distance": "distance to the head: 1, 2, 3-5, 6-10, more, or the root",
}
SHAPES = ("left", "right", "distance")  # channels that depend on the tree
UNKNOWN = "<unknown>"
MOST_CHILDREN = 3
DISTANCES = (1, 2, 5, 10)
ROOT_BUCKET = len(DISTANCES) + 1


class Shapes(Protocol):
    """Trees without their words: head (T,), offsets (S + 1,)."""

    @property
    def head(self) -> AnyArray: ...

    @property
    def offsets(self) -> AnyArray: ...


def check_channels(channels: tuple[str, ...]) -> None:
    """Refuse channels that do not exist or repeat."""
    unknown = [name for name in channels if name not in CHANNELS]
    if unknown or not channels or len(set(channels)) != len(channels):
        raise OptionError(
            f"channels must be different names of {', '.join(CHANNELS)}, got {', '.join(channels)} instead"
        )


def parents(trees: Shapes) -> AnyArray:
    """(T,) row of every word's head, -1 at roots."""
    start = np.repeat(trees.offsets[:-1], np.diff(trees.offsets))
    return np.where(trees.head > 0, start + trees.head - 1, -1)


def child_numbers(trees: Dependencies) -> tuple[AnyArray, AnyArray]:
    """(T,) number of left and of right children of every word."""
    up, rows = parents(trees), np.arange(trees.n_words)
    left, right = up[up > rows], up[(up >= 0) & (up < rows)]
    return np.bincount(left, minlength=rows.size), np.bincount(right, minlength=rows.size)


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
        return shape_names(channel), np.minimum(number, MOST_CHILDREN)
    position = np.arange(trees.n_words) - np.repeat(trees.offsets[:-1], trees.lengths()) + 1
    bucket = np.searchsorted(DISTANCES, np.abs(position - trees.head))
    return shape_names(channel), np.where(trees.head == 0, ROOT_BUCKET, bucket)


def shape_names(channel: str) -> tuple[str, ...]:
    """Names of the values of a channel that depends on the tree."""
    if channel == "distance":
        return (*(f"to {d}" for d in DISTANCES), "more", "root")
    return tuple(map(str, range(MOST_CHILDREN + 1)))


def vocabulary(trees: Dependencies, channels: tuple[str, ...], rare: int) -> tuple[tuple[str, ...], ...]:
    """Symbols of every channel, the unknown one first; rare forms are replaced by their tags."""
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
