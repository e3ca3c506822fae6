"""Annotated trees in, trees for training and scoring out: no traces, no function tags, one root."""

from dataclasses import dataclass, replace

import numpy as np

from eigenparse.arrays import BoolVector, IntVector, LongVector, as_ids, as_offsets
from eigenparse.corpus.cleaning import DEFAULT, strip_label
from eigenparse.corpus.cleaning import ROOT as ROOT
from eigenparse.corpus.cleaning import Normalisation as Normalisation
from eigenparse.corpus.columns import Treebank
from eigenparse.kernels.grammar import transform as kernel
from eigenparse.kernels.intern import intern_keys


@dataclass(frozen=True, slots=True)
class Normalised:
    """Normalised trees.  kept: (S,) number of each in the input."""

    treebank: Treebank
    kept: LongVector
    n_removed: int


def normalise(treebank: Treebank, *, options: Normalisation = DEFAULT) -> Treebank:
    """The normalised trees; trees of which nothing is left are dropped."""
    return normalise_report(treebank, options=options).treebank


def normalise_report(treebank: Treebank, *, options: Normalisation = DEFAULT) -> Normalised:
    """The normalised trees and their numbers in the input.

    Removed: empty elements and what they leave empty, editorial nodes, function tags and indices, X over X.
    Added: exactly one root TOP.
    """
    symbols: dict[str, int] = {ROOT: 0}
    names = tuple(map(strip_label, treebank.labels))
    bare = [symbols.setdefault(name, len(symbols)) for name in names]
    kept_whole = [symbols.setdefault(name, len(symbols)) for name in treebank.labels]
    n = treebank.label.size
    clean, into = np.zeros(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    cleaning = kernel.Cleaning(
        _marked(names, options.dropped),
        _marked(names, options.marginal),
        _marked(names, options.roots),
        as_ids(kept_whole if options.keep_tag_suffix else bare),
        as_ids(bare),
        0,
    )
    kernel.keep_rows(treebank.label, treebank.parent, treebank.word, cleaning, clean, into)
    return _kept(treebank, clean, into, tuple(symbols))


def _marked(labels: tuple[str, ...], names: tuple[str, ...]) -> BoolVector:
    return np.array([label in names for label in labels], dtype=np.bool_)


def _kept(treebank: Treebank, clean: IntVector, into: IntVector, symbols: tuple[str, ...]) -> Normalised:
    """The kept rows as columns, with the symbols that are left in order of first occurrence."""
    room = treebank.label.size + len(treebank)
    label, parent, word = (np.empty(room, dtype=np.int32) for _ in range(3))
    stop = np.empty(len(treebank), dtype=np.int64)
    new = kernel.Rows(label, parent, word)
    n = kernel.write_kept(treebank.parent, treebank.word, treebank.offsets, clean, into, 0, new, stop)
    kept = np.flatnonzero(np.diff(stop, prepend=0) > 0)
    label_ids, labels = compact(label[:n], symbols)
    word_ids, words = compact(word[:n], treebank.words)
    offsets = as_offsets(np.append(0, stop[kept]))
    weight = None if treebank.weight is None else treebank.weight[kept]
    clean_trees = Treebank(
        label_ids, parent[:n].copy(), word_ids, offsets, treebank.line[kept], labels, words, weight
    )
    return Normalised(clean_trees, kept, len(treebank) - kept.size)


def without_editorial(treebank: Treebank, options: Normalisation = DEFAULT) -> Treebank:
    """The same rows, in which words below nodes that normalisation removes are empty elements."""
    names = tuple(map(strip_label, treebank.labels))
    gone = _marked(names, options.dropped)[treebank.label]
    marginal = _marked(names, options.marginal)[treebank.label]
    if not (gone | marginal).any():
        return treebank
    top = treebank.parent < 0
    above = np.where(top, np.arange(top.size), treebank.parent)
    root = _marked(names, options.roots)[treebank.label]
    for _ in range(int(np.diff(treebank.offsets).max())):  # a step is a generation
        before = (int(gone.sum()), int(top.sum()))
        top = top | (top & root)[above]
        gone = gone | gone[above] | (marginal & top)
        if before == (int(gone.sum()), int(top.sum())):
            break
    symbols = {label: k for k, label in enumerate(treebank.labels)}
    empty = symbols.setdefault("-NONE-", len(symbols))
    label = np.where(gone & (treebank.word >= 0), empty, treebank.label).astype(np.int32)
    return replace(treebank, label=label, labels=tuple(symbols))


def without_tag_suffix(treebank: Treebank) -> tuple[Treebank, str]:
    """The same trees with tags cut as phrase labels are, and the most frequent tag that was cut ("" for none)."""
    tags = np.flatnonzero(treebank.word >= 0)
    count = np.bincount(treebank.label[tags], minlength=len(treebank.labels))
    symbols = {label: k for k, label in enumerate(treebank.labels)}
    short = as_ids([symbols.setdefault(strip_label(name), len(symbols)) for name in treebank.labels])
    is_cut = count * (short != np.arange(short.size))
    if not is_cut.any():
        return treebank, ""
    label = treebank.label.copy()
    label[tags] = short[label[tags]]
    return replace(treebank, label=label, labels=tuple(symbols)), treebank.labels[int(is_cut.argmax())]


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
