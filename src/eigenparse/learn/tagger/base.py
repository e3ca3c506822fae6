"""What all learners of taggers share: checked labels, the bigram model, and the one-state operators."""

from dataclasses import dataclass, replace

import numpy as np

from eigenparse.arrays import AnyArray, IntVector, LongVector, as_offsets
from eigenparse.corpus.sequences import Column, Sequences, map_symbols
from eigenparse.errors import DataError
from eigenparse.models.tagger.rhmm import Observations, Operators


@dataclass(frozen=True, slots=True)
class Labelled:
    """Sequences with their labels apart: what taggers learn from.

    sequences: the other columns.  label: name of the label column.  labels: (T,) ids into ``names``.
    weights: (T,) how much each token counts in moments.
    """

    sequences: Sequences
    label: str
    labels: IntVector
    names: tuple[str, ...]
    weights: AnyArray

    @property
    def corpus(self) -> Sequences:
        """The sequences with their labels as the last column."""
        return self.sequences.with_column(Column(self.label, self.labels, self.names))

    @property
    def first(self) -> LongVector:
        """First token of every sequence."""
        return self.sequences.offsets[:-1]

    @property
    def last(self) -> LongVector:
        """Last token of every sequence."""
        return self.sequences.offsets[1:] - 1

    @property
    def inner(self) -> LongVector:
        """Tokens that have a successor."""
        has_next = np.ones(self.labels.size, dtype=bool)
        has_next[self.last] = False
        return np.flatnonzero(has_next)

    def part(self, start: int, stop: int) -> "Labelled":
        """Sequences ``start`` up to ``stop``."""
        low, high = int(self.sequences.offsets[start]), int(self.sequences.offsets[stop])
        inside, labels = self.sequences.take(start, stop), self.labels[low:high]
        return replace(self, sequences=inside, labels=labels, weights=self.weights[low:high])

    def numbered(self, names: tuple[str, ...]) -> "Labelled":
        """The same with labels that are numbered as in ``names``."""
        ids = map_symbols(
            Column(self.label, self.labels, self.names), {name: k for k, name in enumerate(names)}
        )
        if np.any(ids < 0):
            strange = self.names[int(self.labels[int(np.argmax(ids < 0))])]
            raise DataError(
                f"label {strange!r} is not in the dictionary; begin with a corpus that has all labels"
            )
        return replace(self, labels=ids.astype(np.int32), names=names)


def labelled(corpus: Sequences, label: str) -> Labelled:
    """Training input; DataError if there is nothing to learn from."""
    column = corpus.column(label)
    lengths = np.diff(corpus.offsets)
    if not lengths.size or not corpus.n_tokens:
        raise DataError("the training corpus has no labelled token; give a file with at least one sequence")
    if len(corpus.columns) < 2:
        raise DataError(f"the corpus has only the column {label!r}; a tagger needs a column to read as well")
    kept = corpus if lengths.min() > 0 else _without_empty(corpus)
    return Labelled(kept.without(label), label, column.ids, column.symbols, np.ones(column.ids.size))


def _without_empty(corpus: Sequences) -> Sequences:
    keep = np.diff(corpus.offsets) > 0
    offsets = np.concatenate([[0], corpus.offsets[1:][keep]])
    return Sequences(corpus.columns, as_offsets(offsets), corpus.line[keep])


@dataclass(frozen=True, slots=True)
class Bigram:
    """first: (A,) p(a first); base: (A, A) p(b | a) as [b, a]; last: (A,) p(stop | a); counts alike."""

    first: AnyArray
    base: AnyArray
    last: AnyArray
    pairs: AnyArray
    starts: AnyArray
    stops: AnyArray


def fit_bigram(data: Labelled, *, strength: float = 1.0) -> Bigram:
    """Label bigrams, interpolated with unigrams so that no transition is impossible."""
    A = len(data.names)
    pairs = np.zeros((A, A))
    np.add.at(pairs, (data.labels[data.inner + 1], data.labels[data.inner]), data.weights[data.inner])
    labels = _counts(data, np.arange(data.labels.size), A)
    return bigram_of(labels, pairs, _counts(data, data.first, A), _counts(data, data.last, A), strength)


def bigram_of(
    labels: AnyArray, pairs: AnyArray, starts: AnyArray, stops: AnyArray, strength: float
) -> Bigram:
    """The model of counts: of labels (A,), of pairs [b, a], and of labels at the ends."""
    unigram = labels + 0.5
    unigram /= unigram.sum()
    total = pairs.sum(axis=0) + stops + strength
    average = stops.sum() / labels.sum()
    base = (pairs + strength * (1.0 - average) * unigram[:, None]) / total
    last = (stops + strength * average) / total
    first = (starts + strength * unigram) / (starts.sum() + strength)
    return Bigram(first, base, last, pairs, starts, stops)


def _counts(data: Labelled, rows: LongVector, n_labels: int) -> AnyArray:
    """Weight of every label among the rows."""
    return np.bincount(data.labels[rows], weights=data.weights[rows], minlength=n_labels)


def one_state(bigram: Bigram) -> Operators:
    """The bigram HMM as a refinement HMM with one state per label."""
    A = bigram.first.size
    return Operators(
        states=np.ones(A, dtype=np.int32),
        diagonal=True,
        start=bigram.first,
        stop=bigram.last,
        block=np.full(A * A, -1, dtype=np.int64),
        values=np.zeros(0),
        first=bigram.first,
        base=bigram.base,
        last=bigram.last,
    )


def independent(data: Labelled) -> Operators:
    """The unigram model: labels are independent, and their number has the mean length of sentences."""
    A = len(data.names)
    share = np.bincount(data.labels, minlength=A) + 0.5
    share /= share.sum()
    end = len(data.sequences) / data.labels.size
    base = np.repeat((1.0 - end) * share[:, None], A, axis=1)
    return one_state(Bigram(share, base, np.full(A, end), base, share, share))


def no_observations() -> Observations:
    """Observation vectors that say nothing about the state."""
    return Observations(
        (),
        np.zeros(0, dtype=np.uint64),
        np.ones(1, dtype=np.int64),
        np.zeros(1, dtype=np.int32),
        np.ones((1, 1)),
    )
