"""Treebank files in, shards of whole trees out, and their binary trees under one set of symbols.

Where shards begin depends on the files alone, so that any number of workers sees the same ones.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from eigenparse.arrays import IntVector, LongVector, as_ids
from eigenparse.corpus.brackets import parse_trees
from eigenparse.corpus.columns import Label, Trees
from eigenparse.corpus.files import find_files, read_bytes, unpacker, url_of
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.transform import Binarisation, binarise

SHARD_BYTES = 4 << 20
_READ = 1 << 20
_OPEN, _CLOSE, _LINE = ord("("), ord(")"), ord("\n")


@dataclass(frozen=True, slots=True)
class Shard:
    """Whole trees of a file: ``size`` bytes from ``start``; -1 for all of a packed file."""

    path: str
    start: int
    size: int
    number: int


def cut_shards(
    paths: str | Path | Iterable[str | Path], *, shard_bytes: int = SHARD_BYTES
) -> Iterator[Shard]:
    """Shards of about ``shard_bytes``, cut between trees; a packed file, or one behind a URL, is one shard."""
    number = 0
    for path in find_files(paths):
        if (url := url_of(path)) and not path.exists():  # workers read it themselves, whole
            yield Shard(url, 0, -1, number)
            number += 1
            continue
        place = str(path.resolve())
        with path.open("rb") as stream:
            head = stream.read(6)
            stream.seek(0)
            cuts = [(0, -1)] if unpacker(head) else _joined(_cuts(stream, shard_bytes), shard_bytes // 2)
            for start, size in cuts:
                yield Shard(place, start, size, number)
                number += 1


def _joined(cuts: Iterable[tuple[int, int, int]], least: int) -> Iterator[tuple[int, int]]:
    """The same blocks without their number of brackets; small and blank ones join the one before."""
    held: tuple[int, int] | None = None
    for start, size, n_open in cuts:
        if held is not None and (size < least or not n_open):
            start, size = held[0], held[1] + size
        elif held is not None:
            yield held
        held = (start, size)
    if held is not None:
        yield held


def _cuts(stream: IO[bytes], shard_bytes: int) -> Iterator[tuple[int, int, int]]:
    """Start, size and opening brackets of blocks that end at a line end outside all brackets."""
    start = at = depth = opened = before = 0
    while block := stream.read(_READ):
        data = np.frombuffer(block, dtype=np.uint8)
        opens = opened + np.cumsum(data == _OPEN)
        inside = depth + np.cumsum((data == _OPEN).astype(np.int32) - (data == _CLOSE))
        ends = np.flatnonzero((data == _LINE) & (inside == 0)) + 1
        while True:
            k = int(np.searchsorted(ends, start + shard_bytes - at))
            if k == ends.size:
                break
            end, count = at + int(ends[k]), int(opens[ends[k] - 1])
            yield start, end - start, count - before
            start, before = end, count
        depth, at, opened = int(inside[-1]), at + data.size, int(opens[-1])
    if at > start:
        yield start, at - start, opened - before


def shard_trees(shard: Shard, options: Binarisation) -> Trees:
    """The normalised binary trees of a shard, with symbols of its own."""
    if shard.size < 0:
        content = read_bytes(shard.path)
    else:
        with open(shard.path, "rb") as stream:
            stream.seek(shard.start)
            content = stream.read(shard.size)
        content = content.removeprefix(b"\xef\xbb\xbf")
    return binarise(normalise(parse_trees(content, shard.path)), options)


def renumbered(trees: Trees, labels: Mapping[Label, int], words: Mapping[str, int]) -> Trees:
    """The same trees with the ids of a whole corpus; the symbols' names are left out."""
    label_to = as_ids([labels[label] for label in trees.labels])
    word_to = as_ids([*(words[word] for word in trees.words), -1])
    return Trees(
        label_to[trees.label],
        trees.left,
        trees.right,
        word_to[trees.word],
        trees.offsets,
        trees.labels,
        trees.words,
    )


@dataclass(frozen=True, slots=True)
class ShardCounts:
    """What a first look at a shard finds, under ids of its own.

    rules: (R, 3); roots: (A,); tokens: (K, 3) word, label, whether first; their counts.
    """

    labels: tuple[Label, ...]
    words: tuple[str, ...]
    rules: IntVector
    rule_count: LongVector
    roots: LongVector
    tokens: IntVector
    token_count: LongVector
    n_trees: int


def count_shard(trees: Trees) -> ShardCounts:
    """Rules, roots and tokens of a shard."""
    inner, leaf = np.flatnonzero(trees.left >= 0), np.flatnonzero(trees.word >= 0)
    label = trees.label
    triples = np.column_stack([label[inner], label[trees.left[inner]], label[trees.right[inner]]])
    first = np.zeros(label.size, dtype=np.int32)
    first[trees.offsets[:-1]] = 1
    seen = np.column_stack([trees.word[leaf], label[leaf], first[leaf]])
    rules, rule_count = _distinct(triples, len(trees.labels))
    tokens, token_count = _distinct(seen, max(len(trees.words), len(trees.labels), 2))
    roots = np.bincount(label[trees.root], minlength=len(trees.labels))
    return ShardCounts(trees.labels, trees.words, rules, rule_count, roots, tokens, token_count, len(trees))


def _distinct(rows: IntVector, base: int) -> tuple[IntVector, LongVector]:
    """Distinct rows of three ids below ``base``, sorted, and how often each occurs."""
    wide = rows.astype(np.int64)
    code, count = np.unique((wide[:, 0] * base + wide[:, 1]) * base + wide[:, 2], return_counts=True)
    found = np.column_stack([code // base // base, code // base % base, code % base])
    return as_ids(found.reshape(-1, 3)), count
