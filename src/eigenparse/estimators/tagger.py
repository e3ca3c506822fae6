"""Refinement HMM as a scikit-learn classifier of tokens in sequences."""

# ruff: noqa: N803  X is the name that scikit-learn gives it

import itertools
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from eigenparse.arrays import AnyArray
from eigenparse.corpus.sequences import Column
from eigenparse.errors import DataError, OptionError
from eigenparse.estimators.inputs import as_sequences, cut, flat_labels, is_nested
from eigenparse.inference.tagger.chain import label_marginals
from eigenparse.learn.estimator import OptionsEstimator
from eigenparse.learn.tagger.base import Labelled, labelled
from eigenparse.learn.tagger.learner import TaggerOptions
from eigenparse.learn.tagger.statistics import first_dictionary
from eigenparse.learn.tagger.stream import (
    TaggerMoments,
    same_dictionary,
    streamed_tagger,
    tagger_moments,
)
from eigenparse.models.tagger.rhmm import Tagger


def _moments_add(estimator: Any) -> bool:
    """Whether an estimator learns from sums over batches."""
    sums = estimator.method == "spectral" and estimator.emission in ("class", "backoff")
    if not sums or estimator.ensemble != 1:
        raise OptionError(
            "only one model of the method spectral with the emission class or backoff adds up; use fit for others"
        )
    return True


class RefinementHMMTagger(
    ClassifierMixin,  # type: ignore[misc]
    OptionsEstimator,
    record=TaggerOptions,
    leave_out=("keep_statistics", "dictionary"),
):
    """Label every token of a sequence [stratos-2013].

    ``fit(X, y, lengths)`` takes a list of sequences with a list of label lists (then ``predict`` returns
    such lists, and cross-validation splits whole sequences), or one array of tokens with ``lengths``.
    Its parameters are the fields of ``eigenparse.learn.tagger.learner.TaggerOptions``.
    """

    def fit(self, X: Any, y: Any, lengths: Any = None) -> "RefinementHMMTagger":
        """Learn from tokens and their labels; a second fit starts afresh."""
        tokens = as_sequences(X, lengths)
        labels = flat_labels(y)
        if len(labels) != tokens.n_tokens:
            raise DataError(f"{len(labels)} labels for {tokens.n_tokens} tokens; give one per token")
        self.classes_, ids = np.unique(np.asarray(labels), return_inverse=True)
        names = tuple(str(k) for k in range(self.classes_.size))
        corpus = tokens.with_column(Column("label", ids.astype(np.int32), names))
        self.model_: Tagger = self.options().fit(labelled(corpus, "label"))
        self.n_features_in_ = len(tokens.columns)
        for name in ("dictionary_", "moments_"):
            self.__dict__.pop(name, None)
        return self

    @available_if(_moments_add)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, lengths: Any = None, classes: Any = None) -> "RefinementHMMTagger":
        """Add a batch.  The first one fixes labels and projections; then any split of the rest is the same.

        For the method spectral with the emission class or backoff, whose counts are sums.  ``classes``: all labels,
        if the first batch lacks some; a label that it lacks has one state.  Smoothing is ``strength`` or the
        default, because nothing is held out of a stream.
        """
        tokens, labels = as_sequences(X, lengths), np.asarray(flat_labels(y))
        if labels.size != tokens.n_tokens:
            raise DataError(f"{labels.size} labels for {tokens.n_tokens} tokens; give one per token")
        if not hasattr(self, "dictionary_"):
            self.classes_ = np.unique(labels if classes is None else np.asarray(classes))
        strange = labels[~np.isin(labels, self.classes_)]
        if strange.size:
            raise DataError(f"label {strange[0]!r} is not in the first batch; give it all labels as classes")
        names = tuple(str(k) for k in range(self.classes_.size))
        ids = np.searchsorted(self.classes_, labels).astype(np.int32)
        data = labelled(tokens.with_column(Column("label", ids, names)), "label")
        if not hasattr(self, "dictionary_"):
            self._begin(data)
        batch = tagger_moments(self.dictionary_, data)
        self.moments_: TaggerMoments = self.moments_ + batch if hasattr(self, "moments_") else batch
        self.model_ = Tagger((streamed_tagger(self.dictionary_, self.moments_),))
        return self

    def _begin(self, data: Labelled) -> None:
        self.dictionary_ = first_dictionary(data, self.options().plan(data))
        self.n_features_in_ = len(data.sequences.columns)

    @available_if(_moments_add)  # type: ignore[untyped-decorator]
    def start_of(self, other: "RefinementHMMTagger") -> "RefinementHMMTagger":
        """Take over the labels and projections of another estimator, with no batch added yet."""
        check_is_fitted(other, "dictionary_")
        self.dictionary_, self.classes_ = other.dictionary_, other.classes_
        self.n_features_in_ = other.n_features_in_
        self.__dict__.pop("moments_", None)
        return self

    @available_if(_moments_add)  # type: ignore[untyped-decorator]
    def merge(self, other: "RefinementHMMTagger") -> "RefinementHMMTagger":
        """Add what another estimator saw; exact if both have the same first batch (see ``start_of``)."""
        for one in (self, other):
            check_is_fitted(one, "moments_", msg="merge needs estimators that learnt by partial_fit")
        same = np.array_equal(self.classes_, other.classes_)
        if not same or not same_dictionary(self.dictionary_, other.dictionary_):
            raise DataError("the estimators have different first batches; begin one with start_of(the other)")
        self.moments_ = self.moments_ + other.moments_
        self.model_ = Tagger((streamed_tagger(self.dictionary_, self.moments_),))
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
