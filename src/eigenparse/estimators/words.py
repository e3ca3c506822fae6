"""Word vectors as a scikit-learn transformer that learns in batches."""

# ruff: noqa: N803  X is the name that scikit-learn gives it

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from eigenparse.arrays import AnyArray
from eigenparse.errors import DataError
from eigenparse.learn.estimator import OptionsEstimator
from eigenparse.learn.vectors.learner import VectorOptions, count_pairs
from eigenparse.learn.vectors.words import Vocabulary, choose_vocabulary, count_words
from eigenparse.models.vectors.vectors import UNKNOWN, nearest, rows_of
from eigenparse.spectral.pairs import PairCounts


class WordEmbedding(
    TransformerMixin,  # type: ignore[misc]
    OptionsEstimator,
    record=VectorOptions,
    leave_out=("keep_statistics",),
    min_count=1,
    words=None,
):
    """Vectors of words from sentences: strings, or lists of words.

    ``partial_fit`` and ``merge`` add counts; the vocabulary is that given as ``words``, else that of the
    first batch.  Its other parameters are the fields of ``eigenparse.learn.vectors.learner.VectorOptions``.
    """

    def fit(self, X: Iterable[Any], y: Any = None) -> "WordEmbedding":
        """Learn from sentences; a second fit starts afresh."""
        for name in ("vocabulary_", "pairs_"):
            self.__dict__.pop(name, None)
        return self.partial_fit(X)

    def partial_fit(self, X: Iterable[Any], y: Any = None) -> "WordEmbedding":
        """Add sentences; any split into batches gives the same vectors, once the words are fixed."""
        text = _lines(X)
        if not hasattr(self, "vocabulary_"):
            self.vocabulary_ = self._words(text)
        elif self.words is not None:
            self.vocabulary_ = _counted(self.vocabulary_, text)
        batch = count_pairs([text], self.vocabulary_, self.options().distance)
        self.pairs_: PairCounts = self.pairs_ + batch if hasattr(self, "pairs_") else batch
        return self._learn()

    def _words(self, text: bytes) -> Vocabulary:
        if self.words is None:
            found = count_words([text], lower=self.lower)
            return choose_vocabulary(found, self.vocabulary, min_count=self.min_count, lower=self.lower)
        names = (UNKNOWN, *self.words)
        return _counted(Vocabulary.of(names, np.zeros(len(names), dtype=np.int64), self.lower), text)

    def _learn(self) -> "WordEmbedding":
        self.vectors_ = self.options().fit_counts(self.vocabulary_, self.pairs_)
        return self

    def merge(self, other: "WordEmbedding") -> "WordEmbedding":
        """Add what another estimator with the same ``words`` counted."""
        for one in (self, other):
            check_is_fitted(one, "pairs_")
        if self.words is None or self.vocabulary_.words != other.vocabulary_.words:
            raise DataError("the estimators have different vocabularies; give both the same words")
        total = self.vocabulary_.counts + other.vocabulary_.counts
        self.vocabulary_ = Vocabulary.of(self.vocabulary_.words, total)
        self.pairs_ = self.pairs_ + other.pairs_
        return self._learn()

    def transform(self, X: Iterable[str]) -> AnyArray:
        """Vectors of words, (n, dim); unknown words share one."""
        check_is_fitted(self, "vectors_")
        return rows_of(self.vectors_, list(X))

    def nearest(self, word: str, n: int = 10) -> list[tuple[str, float]]:
        """The n words most like a word, with their cosines."""
        check_is_fitted(self, "vectors_")
        return nearest(self.vectors_, word, n)


def _lines(X: Iterable[Any]) -> bytes:
    """Sentences as lines of text."""
    return "\n".join(line if isinstance(line, str) else " ".join(map(str, line)) for line in X).encode()


def _counted(vocabulary: Vocabulary, text: bytes) -> Vocabulary:
    """The vocabulary with the words of a text counted too."""
    found = count_words([text], lower=vocabulary.lower)
    counts = vocabulary.counts.copy()
    counts[1:] += [found.counts.get(word.encode(), 0) for word in vocabulary.words[1:]]
    counts[0] += found.n_tokens - (counts[1:] - vocabulary.counts[1:]).sum()
    return Vocabulary.of(vocabulary.words, counts, vocabulary.lower)
