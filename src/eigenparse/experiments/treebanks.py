"""Where experiments get their trees: a folder, a file or nothing in; training and development trees out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eigenparse.arrays import LongVector, as_offsets
from eigenparse.corpus.brackets import join_treebanks, read_trees, take_trees
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.files import PACKED_SUFFIXES, TREE_SUFFIXES, find_files
from eigenparse.corpus.normalise import normalise
from eigenparse.errors import DataError, OptionError
from eigenparse.synthetic import sample_treebank

SYNTHETIC_TRAIN, SYNTHETIC_DEV, DEV_SEED = 4000, 500, 1_000_000
TRAIN_SECTIONS, DEV_SECTIONS, POOL_SECTIONS = range(2, 22), (22, 24), range(23)
WIDE_SECTIONS = range(1, 22)
DEV_SHARE = 10  # of a single file, one tree in this many is for development
MIN_TREES = 20
_FILE = re.compile(r"wsj_(\d\d)\d\d\.", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Corpus:
    """Normalised trees of one treebank.

    pool: what random samples are drawn from.  wide_train: what experiment 4.3 of [matejovicova-2018] learns from, one
    section more than usual of the Penn Treebank.  Test parts stay unread.
    """

    name: str
    origin: str
    train: Treebank
    dev: Treebank
    pool: Treebank
    wide_train: Treebank


def synthetic_corpus(seed: int = 0, *, n_train: int = SYNTHETIC_TRAIN, n_dev: int = SYNTHETIC_DEV) -> Corpus:
    """The bundled treebank, whose hidden states are known."""
    train = normalise(sample_treebank(n_train, seed))
    dev = normalise(sample_treebank(n_dev, DEV_SEED + seed))
    return Corpus(
        "synthetic", "sampled from the bundled grammar", train, dev, join_treebanks([train, dev]), train
    )


def load_corpus(path: str | Path) -> Corpus:
    """The treebank of a folder or file.

    A folder with Penn Treebank sections (folders 00 to 24, or files wsj_SSNN) is cut as usual: train
    02-21, dev 22 or else 24, and the samples' pool is 00-22.  A folder with train.* and dev.* is taken
    as cut.  Anything else is cut one tenth at its end for development.  Test parts are never read.
    """
    path = Path(path)
    if not path.exists():
        raise DataError(f"{path}: no such file or directory; check the path")
    name = path.resolve().name
    if path.is_dir():
        sections = penn_sections(path)
        if sections:
            return _penn(name, sections)
        cut = {part: _part(path, part) for part in ("train", "dev")}
        if cut["train"] and cut["dev"]:
            train, dev = (normalise(read_trees(cut[part])) for part in ("train", "dev"))
            return _checked(
                Corpus(name, "train and dev files", train, dev, join_treebanks([train, dev]), train)
            )
    every = normalise(read_trees(path))
    at = len(every) - len(every) // DEV_SHARE
    train, dev = take_trees(every, 0, at), take_trees(every, at, len(every))
    return _checked(Corpus(name, "one file, its last tenth for development", train, dev, every, train))


def _part(folder: Path, part: str) -> list[Path]:
    """The files of a folder that are called train.* or dev.*."""
    endings = [tree + packed for tree in TREE_SUFFIXES for packed in ("", *PACKED_SUFFIXES)]
    return [folder / (part + ending) for ending in endings if (folder / (part + ending)).is_file()][:1]


def penn_sections(folder: Path) -> dict[int, list[Path]]:
    """Tree files by section, if there are sections to train on and to develop on; else nothing."""
    found: dict[int, list[Path]] = {}
    try:
        files = find_files(folder)
    except DataError:
        return {}
    merged = [path for path in files if ".mrg" in path.name.lower()]
    inner = [path for path in merged or files if "wsj" in (part.lower() for part in path.parts)]
    for path in inner or merged or files:
        section = section_of(path)
        if section is not None:
            found.setdefault(section, []).append(path)
    usable = any(s in found for s in TRAIN_SECTIONS) and any(s in found for s in DEV_SECTIONS)
    return dict(sorted(found.items())) if usable else {}


def section_of(path: Path) -> int | None:
    """The section of a Penn Treebank file, by its folder or else by its name."""
    if re.fullmatch(r"[01]\d|2[0-4]", path.parent.name):
        return int(path.parent.name)
    named = _FILE.match(path.name)
    return int(named[1]) if named and int(named[1]) <= 24 else None


def _penn(name: str, sections: dict[int, list[Path]]) -> Corpus:
    """Sections as the literature cuts them."""

    def read(wanted: Sequence[int] | range) -> Treebank:
        return normalise(read_trees([path for s in wanted for path in sections.get(s, ())]))

    dev = next(s for s in DEV_SECTIONS if s in sections)
    origin = f"Penn Treebank sections: train 02-21 (4.3: 01-21), dev {dev:02d}; samples from 00-22"
    parts = [read(wanted) for wanted in (TRAIN_SECTIONS, (dev,), POOL_SECTIONS, WIDE_SECTIONS)]
    return _checked(Corpus(name, origin, *parts))


def _checked(corpus: Corpus) -> Corpus:
    if len(corpus.train) < MIN_TREES or len(corpus.dev) < 2:
        raise DataError(
            f"{corpus.name}: {len(corpus.train)} trees to learn from and {len(corpus.dev)} to parse are too few;"
            f" give {MIN_TREES} and 2 at least"
        )
    return corpus


def word_counts(treebank: Treebank) -> LongVector:
    """Number of words of every tree: (S,)."""
    return as_offsets(np.add.reduceat(treebank.word >= 0, treebank.offsets[:-1]))


def random_split(treebank: Treebank, n_test: int, rng: np.random.Generator) -> tuple[LongVector, LongVector]:
    """Numbers of trees of two words or more in random order: those to learn from, and ``n_test`` to parse."""
    order = rng.permutation(np.flatnonzero(word_counts(treebank) > 1))
    if not 1 <= n_test < order.size:
        raise OptionError(
            f"{n_test} test sentences of {order.size} leave nothing to learn from; ask for fewer"
        )
    return as_offsets(order[n_test:]), as_offsets(order[:n_test])
