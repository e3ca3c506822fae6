"""HMM over discrete symbols as a scikit-learn density estimator."""

# ruff: noqa: N803  X is the name that scikit-learn gives it

from typing import Any

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from eigenparse.arrays import AnyArray, IntVector, LongVector
from eigenparse.corpus.sequences import Column, Sequences
from eigenparse.errors import DataError, OptionError
from eigenparse.estimators.inputs import as_sequences
from eigenparse.inference.hmm.chain import (
    Filtered,
    filtered,
    next_symbol,
    posterior_states,
    sample,
    sequence_scores,
)
from eigenparse.learn.estimator import OptionsEstimator
from eigenparse.learn.hmm.learner import HmmOptions
from eigenparse.learn.hmm.reading import SymbolText
from eigenparse.learn.hmm.spectral import symbol_table
from eigenparse.learn.hmm.stream import (
    ChainMoments,
    chain_dictionary,
    chain_moments,
    encoded,
    same_dictionary,
    streamed_hmm,
)


def _moments_add(estimator: Any) -> bool:
    """Whether an estimator learns from sums over batches."""
    if (estimator.method, estimator.form) != ("spectral", "hsu"):
        raise OptionError("only moments of the method spectral, form hsu, add up; use fit for the others")
    return True


class HMMDensity(
    DensityMixin,  # type: ignore[misc]
    OptionsEstimator,
    record=HmmOptions,
    leave_out=("keep_statistics", "dictionary"),
):
    """Probability of symbol sequences: spectral (floored predictions), or a proper HMM by cluster or em.

    X is a list of sequences, or hmmlearn's array of symbols with ``lengths``; a row of several columns
    is one symbol.  Its parameters are the fields of ``eigenparse.learn.hmm.learner.HmmOptions``.
    """

    def fit(self, X: Any, y: Any = None, lengths: Any = None) -> "HMMDensity":
        """Learn from unlabelled sequences; a second fit starts afresh."""
        corpus = as_sequences(X, lengths)
        self.n_features_in_ = len(corpus.columns)
        self.model_ = self.options().fit(SymbolText(_single(corpus), "word"))
        self.trace_ = self.model_.about.get("log_likelihood", [])
        for name in ("dictionary_", "moments_"):
            self.__dict__.pop(name, None)
        return self

    @available_if(_moments_add)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any = None, lengths: Any = None) -> "HMMDensity":
        """Add a batch.  The first one fixes symbols and projections; then any split of the rest is the same.

        For the method ``spectral`` in the form ``hsu``.
        """
        corpus = _single(as_sequences(X, lengths))
        if not hasattr(self, "dictionary_"):
            self.n_features_in_, self.trace_ = 1, []
            self.dictionary_ = chain_dictionary(symbol_table(corpus, self.min_count), self.options().chain())
        batch = chain_moments(self.dictionary_, encoded(self.dictionary_, corpus.columns[0], corpus.offsets))
        self.moments_: ChainMoments = self.moments_ + batch if hasattr(self, "moments_") else batch
        self.model_ = streamed_hmm(self.dictionary_, self.moments_, "word")
        return self

    def start_of(self, other: "HMMDensity") -> "HMMDensity":
        """Take over the symbols and projections of another estimator, with no batch added yet."""
        check_is_fitted(other, "dictionary_")
        self.dictionary_ = other.dictionary_
        self.n_features_in_, self.trace_ = 1, []
        self.__dict__.pop("moments_", None)
        return self

    def merge(self, other: "HMMDensity") -> "HMMDensity":
        """Add what another estimator saw; exact if both have the same first batch (see ``start_of``)."""
        for one in (self, other):
            check_is_fitted(one, "moments_", msg="merge needs estimators that learnt by partial_fit")
        if not same_dictionary(self.dictionary_, other.dictionary_):
            raise DataError("the estimators have different first batches; begin one with start_of(the other)")
        self.moments_ = self.moments_ + other.moments_
        self.model_ = streamed_hmm(self.dictionary_, self.moments_, "word")
        return self

    def _encode(self, X: Any, lengths: Any) -> tuple[IntVector, LongVector]:
        check_is_fitted(self, "model_")
        corpus = _single(as_sequences(X, lengths))
        return self.model_.encode(corpus.columns[0]), corpus.offsets

    def _filtered(self, X: Any, lengths: Any) -> Filtered:
        encoded = self._encode(X, lengths)
        return filtered(self.model_, *encoded)

    def score_samples(self, X: Any, lengths: Any = None) -> AnyArray:
        """Log probability of every sequence."""
        ids, offsets = self._encode(X, lengths)
        return sequence_scores(self.model_, ids, offsets)

    def score(self, X: Any, y: Any = None, lengths: Any = None) -> float:
        """Mean log probability per symbol: larger is better."""
        found = self._filtered(X, lengths)
        return float(found.log_p.mean()) if found.log_p.size else 0.0

    def perplexity(self, X: Any, lengths: Any = None) -> float:
        """exp(-score)."""
        return self._filtered(X, lengths).perplexity

    def next_symbol(self, prefix: Any) -> dict[str, float]:
        """Distribution of the symbol after one sequence."""
        ids, _ = self._encode([list(prefix)] if len(prefix) else np.zeros(0), None)
        values = next_symbol(self.model_, ids)
        return dict(zip(self.model_.symbols, values.tolist(), strict=True))

    def predict(self, X: Any, lengths: Any = None) -> IntVector:
        """The likeliest state of every symbol (methods cluster and em)."""
        return self.predict_proba(X, lengths).argmax(axis=1)

    def predict_proba(self, X: Any, lengths: Any = None) -> AnyArray:
        """Posterior of every state at every symbol (methods cluster and em)."""
        encoded = self._encode(X, lengths)
        return posterior_states(self.model_, *encoded)

    def sample(self, n_samples: int = 1, length: int = 20, seed: int = 0) -> list[list[str]]:
        """Sequences drawn from the model (methods cluster and em)."""
        check_is_fitted(self, "model_")
        symbols, _ = sample(self.model_, np.full(n_samples, length), seed=seed)
        names = [self.model_.symbols[k] for k in symbols.tolist()]
        return [names[k * length : (k + 1) * length] for k in range(n_samples)]


def _single(corpus: Sequences) -> Sequences:
    """The corpus with one column: a row of several values is one symbol."""
    if len(corpus.columns) == 1:
        return corpus
    columns = [column.strings() for column in corpus.columns]
    joined = ["\x1f".join(row) for row in zip(*columns, strict=True)]
    return Sequences((Column.of("x0", joined),), corpus.offsets, corpus.line)
