"""Trees as annotated in, trees as trained on and scored out: no traces, no function tags, one root."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import BoolVector, IntVector, LongVector, as_ids, as_offsets
from eigenparse.corpus.columns import Treebank
from eigenparse.kernels.grammar import transform as kernel
from eigenparse.kernels.intern import intern_keys

ROOT = "TOP"
ROOT_NAMES = ("", "ROOT", "TOP", "S1", "VROOT")


@dataclass(frozen=True, slots=True)
class Normalisation:
    """What cleaning does.

    keep_tag_suffix: leave tags as they are (``N-D``), strip phrase labels only.
    dropped: labels that go with all they hold.  marginal: labels that go where nothing but roots
    is above them.  roots: names of the outermost node, all of which become TOP.
    """

    keep_tag_suffix: bool = False
    dropped: tuple[str, ...] = ("-NONE-", "CODE", "METADATA")
    marginal: tuple[str, ...] = ("ID",)
    roots: tuple[str, ...] = ROOT_NAMES


@dataclass(frozen=True, slots=True)
class Normalised:
    """Clean trees, and which of the trees given they are.  kept: (S,)."""

    treebank: Treebank
    kept: LongVector
    n_removed: int


DEFAULT = Normalisation()


def normalise(treebank: Treebank, *, options: Normalisation = DEFAULT) -> Treebank:
    """The clean trees; those of which nothing is left are missing."""
    return normalise_report(treebank, options=options).treebank


def normalise_report(treebank: Treebank, *, options: Normalisation = DEFAULT) -> Normalised:
    """The clean trees and which they are.

    Goes: empty elements and what they leave empty, editorial nodes, function tags and indices,
    X over X.  Comes: exactly one root TOP.
    """
    symbols: dict[str, int] = {ROOT: 0}
    names = tuple(map(strip_label, treebank.labels))
    bare = [symbols.setdefault(name, len(symbols)) for name in names]
    kept_whole = [symbols.setdefault(name, len(symbols)) for name in treebank.labels]
    n = treebank.label.size
    clean, into = np.zeros(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    kernel.keep_rows(
        treebank.label,
        treebank.parent,
        treebank.word,
        kernel.Cleaning(
            _marked(names, options.dropped),
            _marked(names, options.marginal),
            _marked(names, options.roots),
            as_ids(kept_whole if options.keep_tag_suffix else bare),
            as_ids(bare),
        ),
        0,
        clean,
        into,
    )
    return _kept(treebank, clean, into, tuple(symbols))


def _marked(labels: tuple[str, ...], names: tuple[str, ...]) -> BoolVector:
    return np.array([label in names for label in labels], dtype=np.bool_)


def _kept(treebank: Treebank, clean: IntVector, into: IntVector, symbols: tuple[str, ...]) -> Normalised:
    """The kept rows as columns, with the symbols that are left in order of first occurrence."""
    room = treebank.label.size + len(treebank)
    label, parent, word = (np.empty(room, dtype=np.int32) for _ in range(3))
    stop = np.empty(len(treebank), dtype=np.int64)
    out = kernel.Written(label, parent, word, stop)
    n = kernel.write_kept(treebank.parent, treebank.word, treebank.offsets, clean, into, 0, out)
    kept = np.flatnonzero(np.diff(stop, prepend=0) > 0)
    label_ids, labels = compact(label[:n], symbols)
    word_ids, words = compact(word[:n], treebank.words)
    offsets = as_offsets(np.append(0, stop[kept]))
    clean_trees = Treebank(
        label_ids, parent[:n].copy(), word_ids, offsets, treebank.line[kept], labels, words
    )
    return Normalised(clean_trees, kept, len(treebank) - kept.size)


def strip_label(label: str) -> str:
    """A label without function tags and indices: up to the first ``-``, ``=`` or ``|`` after its start.

    >>> [strip_label(label) for label in ("NP-SBJ-1", "NP=2", "ADVP|PRT", "-LRB-")]
    ['NP', 'NP', 'ADVP', '-LRB-']
    """
    if label.startswith("-"):
        return label
    cuts = [cut for cut in (label.find(mark, 1) for mark in "-=|") if cut > 0]
    return label[: min(cuts)] if cuts else label


def compact(ids: IntVector, symbols: tuple[str, ...]) -> tuple[IntVector, tuple[str, ...]]:
    """Ids renumbered in order of first occurrence, and the symbols that occur; -1 stays -1."""
    present = np.flatnonzero(ids >= 0)
    new, distinct = intern(ids[present].astype(np.int64))
    result = np.full(ids.size, -1, dtype=np.int32)
    result[present] = new
    return result, tuple(symbols[k] for k in distinct.tolist())


def intern(key: LongVector) -> tuple[IntVector, LongVector]:
    """Dense ids of numbers in order of first occurrence, and the distinct numbers."""
    ids, first = np.empty(key.size, dtype=np.int32), np.empty(key.size, dtype=np.int64)
    n = intern_keys(key, ids, first)
    return ids, key[first[:n]]
