"""Refinement HMM as a scikit-learn classifier of tokens in sequences."""

# ruff: noqa: N803  X is the name that scikit-learn gives it

import itertools
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from eigenparse.arrays import AnyArray
from eigenparse.corpus.sequences import Column
from eigenparse.errors import DataError
from eigenparse.estimators.inputs import as_sequences, cut, flat_labels, is_nested
from eigenparse.inference.rhmm import label_marginals
from eigenparse.learn.rhmm import TaggerChoices, fit_product
from eigenparse.models.rhmm import Product, RefinementHMM


class RefinementHMMTagger(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Label every token of a sequence [stratos-2013].

    ``fit(X, y, lengths)`` takes a list of sequences with a list of label lists (then ``predict`` returns
    such lists, and cross-validation splits whole sequences), or one array of tokens with ``lengths``.
    """

    def __init__(
        self,
        method: str = "spectral",
        states: int = 8,
        emission: str = "loglinear",
        rounds: int | None = None,
        strength: float | None = None,
        members: int = 1,
        seed: int = 0,
    ) -> None:
        self.method = method
        self.states = states
        self.emission = emission
        self.rounds = rounds
        self.strength = strength
        self.members = members
        self.seed = seed

    def fit(self, X: Any, y: Any, lengths: Any = None) -> "RefinementHMMTagger":
        """Learn from tokens and their labels; refitting forgets."""
        tokens = as_sequences(X, lengths)
        labels = flat_labels(y)
        if len(labels) != tokens.n_tokens:
            raise DataError(f"{len(labels)} labels for {tokens.n_tokens} tokens; give one a token")
        self.classes_, ids = np.unique(np.asarray(labels), return_inverse=True)
        names = tuple(str(k) for k in range(self.classes_.size))
        corpus = tokens.with_column(Column("label", ids.astype(np.int32), names))
        choices = TaggerChoices(
            method=self.method,
            states=self.states,
            emission=self.emission,
            rounds=self.rounds,
            strength=self.strength,
            seed=self.seed,
        )
        product, self.report_ = fit_product(corpus, "label", choices, self.members)
        self.model_: RefinementHMM | Product = product if self.members > 1 else product.members[0]
        self.n_features_in_ = len(tokens.columns)
        return self

    def _marginals(self, X: Any, lengths: Any) -> tuple[AnyArray, Any]:
        check_is_fitted(self, "model_")
        tokens = as_sequences(X, lengths)
        if tokens.n_tokens and len(tokens.columns) != self.n_features_in_:
            raise DataError(f"X has {len(tokens.columns)} columns and the model reads {self.n_features_in_}")
        return label_marginals(self.model_, tokens), tokens.offsets

    def predict(self, X: Any, lengths: Any = None) -> Any:
        """The label with the largest posterior at every token: an array, or lists if X is lists."""
        mu, offsets = self._marginals(X, lengths)
        labels = self.classes_[mu.argmax(axis=1)]
        return cut(labels, offsets) if is_nested(X) and lengths is None else labels

    def predict_proba(self, X: Any, lengths: Any = None) -> Any:
        """Posteriors (T, classes), or a list of such arrays if X is lists."""
        mu, offsets = self._marginals(X, lengths)
        mu = np.maximum(mu, 0.0)
        mu /= mu.sum(axis=1, keepdims=True)
        if is_nested(X) and lengths is None:
            return [mu[i:j] for i, j in itertools.pairwise(offsets)]
        return mu

    def score(self, X: Any, y: Any, lengths: Any = None) -> float:
        """Share of tokens with the right label."""
        mu, _ = self._marginals(X, lengths)
        guess = self.classes_[mu.argmax(axis=1)]
        return float(np.mean(guess == np.asarray(flat_labels(y))))
