"""HMM over discrete symbols as a scikit-learn density estimator."""

# ruff: noqa: N803  X is the name that scikit-learn gives it

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted

from eigenparse.arrays import AnyArray, IntVector, LongVector
from eigenparse.corpus.sequences import Column, Sequences
from eigenparse.estimators.inputs import as_sequences
from eigenparse.inference.chain import Filtered, filtered, next_symbol, posterior_states, sample
from eigenparse.learn.chain import HmmChoices, fit_hmm, symbol_table


class HMMDensity(DensityMixin, BaseEstimator):  # type: ignore[misc]
    """Probability of symbol sequences: spectral (floored predictions), or a proper HMM by cluster or em.

    X is a list of sequences, or hmmlearn's array of symbols with ``lengths``; a row of several columns
    is one symbol.
    """

    def __init__(
        self,
        method: str = "spectral",
        states: int = 20,
        window: int = 2,
        form: str = "hsu",
        rounds: int | None = None,
        seed: int = 0,
    ) -> None:
        self.method = method
        self.states = states
        self.window = window
        self.form = form
        self.rounds = rounds
        self.seed = seed

    def fit(self, X: Any, y: Any = None, lengths: Any = None) -> "HMMDensity":
        """Learn from unlabelled sequences; refitting forgets."""
        corpus = as_sequences(X, lengths)
        self.n_features_in_ = len(corpus.columns)
        choices = HmmChoices(self.method, self.states, self.window, self.form, self.rounds, self.seed)
        self.model_, self.trace_ = fit_hmm(symbol_table(_single(corpus)), "word", choices)
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
        ends = np.concatenate([[0.0], np.cumsum(filtered(self.model_, ids, offsets).log_p)])
        totals: AnyArray = ends[offsets[1:]] - ends[offsets[:-1]]
        return totals

    def score(self, X: Any, y: Any = None, lengths: Any = None) -> float:
        """Mean log probability a symbol: larger is better."""
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
        states: IntVector = self.predict_proba(X, lengths).argmax(axis=1)
        return states

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
