"""Treebank files in, shards of whole trees out.

Where shards begin depends on the files alone, so that any number of workers sees the same ones.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from eigenparse.corpus.brackets import join_treebanks, parse_trees, tree_files
from eigenparse.corpus.cleaning import Normalisation
from eigenparse.corpus.columns import Treebank, Trees
from eigenparse.corpus.files import read_bytes, unpacker, url_of
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
    for path in tree_files(paths)[0]:
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


@dataclass(frozen=True, slots=True)
class Shards:
    """A treebank on disk, to be read shard by shard.  normalisation: how its trees are cleaned."""

    shards: tuple[Shard, ...]
    normalisation: Normalisation = Normalisation()

    def treebank(self) -> Treebank:
        """All trees in memory."""
        return join_treebanks(shard_treebank(shard, self.normalisation) for shard in self.shards)


def shard_treebank(shard: Shard, normalisation: Normalisation = Normalisation()) -> Treebank:
    """The normalised trees of a shard, with symbols of its own."""
    if shard.size < 0:
        content = read_bytes(shard.path)
    else:
        with open(shard.path, "rb") as stream:
            stream.seek(shard.start)
            content = stream.read(shard.size)
        content = content.removeprefix(b"\xef\xbb\xbf")
    return normalise(parse_trees(content, shard.path), options=normalisation)


def shard_trees(shard: Shard, options: Binarisation, normalisation: Normalisation = Normalisation()) -> Trees:
    """The same as binary trees."""
    return binarise(shard_treebank(shard, normalisation), options)
