"""Weights of lexicon entries in, rows that several entries share and rows of one entry alone out.

A row is the weights of an entry divided by the largest of them, in steps of a scale.  Rare words of a class have
similar weights, so most rows occur many times: each is stored once, and an entry has the number of its row among the
shared rows of its label, the most frequent first.  Number 0 is the next unshared row.
"""

from typing import NamedTuple

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.kernels.grammar.counts import copy_blocks
from eigenparse.kernels.grammar.pack import number_rows


class EntryRows(NamedTuple):
    """number: (E,) of entries.  shared: (A,) number of shared rows per label.  share: flat rows, shared ones first."""

    number: AnyArray
    shared: AnyArray
    share: AnyArray


def rows_of(label: AnyArray, states: AnyArray, share: AnyArray) -> EntryRows:
    """Each row once.  label: (E,) of entries.  states: (A,) of labels.  share: a byte per state of every entry."""
    at = np.concatenate(([0], np.cumsum(states[label], dtype=np.int64)))
    group, first = np.empty(label.size, dtype=np.int32), np.empty(label.size, dtype=np.int32)
    first = first[: number_rows(label, at, share, group, first)]
    count, of = np.bincount(group, minlength=first.size), label[first]
    common = np.flatnonzero(count > 1)
    common = common[np.lexsort((-count[common], of[common]))]
    shared = np.bincount(of[common], minlength=states.size)
    number = np.zeros(first.size, dtype=np.int64)
    number[common] = np.arange(common.size) - (np.cumsum(shared) - shared)[of[common]] + 1
    kept = np.concatenate([first[common], first[count == 1]])
    kept_at = np.concatenate(([0], np.cumsum(states[label[kept]], dtype=np.int64)))
    rows = np.empty(kept_at[-1], dtype=np.uint8)
    copy_blocks(share, at, kept, kept_at, rows)
    return EntryRows(number[group], shared, rows)
