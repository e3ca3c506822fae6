"""The chain of tags over a sentence: posteriors of tags, and how well labels fit between their neighbours."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eigenparse.kernels.columns import widest_slice
from eigenparse.kernels.compiled import kernel

Array = npt.NDArray[Any]
FAINT = 1e-6  # smaller shares are skipped
TINY = 1e-300


class Choices(NamedTuple):
    """The possible readings of each word: word i owns [at[i], at[i + 1]) of the columns.

    symbol: (n,) of each word.  entry, label, probability: lexicon entries, their labels and their base
    probabilities.  emission: a factor on the latent weights of each entry, 1 unless tags are given softly.
    """

    symbol: Array
    at: Array
    entry: Array
    label: Array
    probability: Array
    emission: Array


@kernel
def lexicon_choices(symbol, entry_start, entry_label, entry_probability):
    """All lexicon entries of a sentence's symbols; symbol x owns [entry_start[x], entry_start[x + 1])."""
    n = symbol.size
    at = np.zeros(n + 1, dtype=np.int32)
    for i in range(n):
        at[i + 1] = at[i] + entry_start[symbol[i] + 1] - entry_start[symbol[i]]
    entry, label, chance = np.empty(at[-1], np.int32), np.empty(at[-1], np.int32), np.empty(at[-1])
    for i in range(n):
        for e in range(at[i], at[i + 1]):
            entry[e] = entry_start[symbol[i]] + e - at[i]
            label[e], chance[e] = entry_label[entry[e]], entry_probability[entry[e]]
    return Choices(symbol, at, entry, label, chance, np.ones(at[-1]))


class Readings(NamedTuple):
    """Posteriors of the chain of tags for a sentence.

    tag: (n, widest) posteriors, aligned with the choices of each word.  left_merit: (n + 1, A), chance
    of a label that starts at i given the tags before.  right_merit: (n + 1, A), chance of the tags
    from j on given a label that ends there.
    """

    tag: Array
    left_merit: Array
    right_merit: Array


@kernel
def normalise_row(row, size):
    """Divide the first values of a row by their sum."""
    total = 0.0
    for k in range(size):
        total += row[k]
    for k in range(size):
        row[k] /= max(total, TINY)


@kernel
def forward_pass(words, follow, forward):
    """forward[i, k]: chance of the k-th reading of word i given the words up to i.

    forward[i, k] is proportional to p(word i | reading) times the sum over the readings before of
    forward[i - 1, .] follow[., reading]; the last row of ``follow`` is the margin of the sentence.
    """
    at, label, margin = words.at, words.label, follow.shape[0] - 1
    for i in range(at.size - 1):
        for e in range(at[i], at[i + 1]):
            reach = follow[margin, label[e]] if i == 0 else 0.0
            if i > 0:
                for p in range(at[i - 1], at[i]):
                    reach += forward[i - 1, p - at[i - 1]] * follow[label[p], label[e]]
            forward[i, e - at[i]] = reach * words.probability[e]
        normalise_row(forward[i], at[i + 1] - at[i])


@kernel
def backward_pass(words, follow, backward):
    """backward[i, k]: proportional to the chance of the words after i given the k-th reading of word i."""
    at, label, margin = words.at, words.label, follow.shape[0] - 1
    n = at.size - 1
    for i in range(n - 1, -1, -1):
        for e in range(at[i], at[i + 1]):
            reach = follow[label[e], margin] if i == n - 1 else 0.0
            if i < n - 1:
                for q in range(at[i + 1], at[i + 2]):
                    reach += (
                        follow[label[e], label[q]] * words.probability[q] * backward[i + 1, q - at[i + 1]]
                    )
            backward[i, e - at[i]] = reach
        normalise_row(backward[i], at[i + 1] - at[i])


@kernel
def tag_posteriors(words, follow, forward, backward):
    """(n, widest) posteriors of all readings from the two passes, which are filled."""
    forward_pass(words, follow, forward)
    backward_pass(words, follow, backward)
    posterior = np.zeros(forward.shape)
    for i in range(forward.shape[0]):
        size = words.at[i + 1] - words.at[i]
        for k in range(size):
            posterior[i, k] = forward[i, k] * backward[i, k]
        normalise_row(posterior[i], size)
    return posterior


@kernel
def add_weighted(weight, table, label, out):
    """out += weight table[label], unless the weight is too small to matter."""
    if weight > FAINT:
        for a in range(out.size):
            out[a] += weight * table[label, a]


@kernel
def label_merits(words, before, after, forward, backward):
    """How well each label fits left of its start and right of its end (see ``Readings``).

    before, after: (A + 1, A) tables of neighbours, row A for the margin of the sentence.
    """
    at, n = words.at, words.at.size - 1
    margin = before.shape[1]
    left, right = np.zeros((n + 1, margin)), np.zeros((n + 1, margin))
    share = np.empty(forward.shape[1])
    add_weighted(1.0, before, margin, left[0])
    add_weighted(1.0, after, margin, right[n])
    for i in range(n):
        size = at[i + 1] - at[i]
        for k in range(size):
            share[k] = words.probability[at[i] + k] * backward[i, k]
        normalise_row(share, size)
        for k in range(size):
            add_weighted(forward[i, k], before, words.label[at[i] + k], left[i + 1])
            add_weighted(share[k], after, words.label[at[i] + k], right[i])
    return left, right


@kernel
def read_tags(words, follow, before, after):
    """The readings of a sentence under the tables of neighbours."""
    shape = (words.at.size - 1, max(widest_slice(words.at), 1))
    forward, backward = np.zeros(shape), np.zeros(shape)
    posterior = tag_posteriors(words, follow, forward, backward)
    left, right = label_merits(words, before, after, forward, backward)
    return Readings(posterior, left, right)


@kernel
def likeliest_labels(words, posterior):
    """The likeliest label of each word, the first of equals: (n,)."""
    n = words.at.size - 1
    best = np.empty(n, dtype=np.int32)
    for i in range(n):
        top = 0
        for k in range(1, words.at[i + 1] - words.at[i]):
            if posterior[i, k] > posterior[i, top]:
                top = k
        best[i] = words.label[words.at[i] + top]
    return best
