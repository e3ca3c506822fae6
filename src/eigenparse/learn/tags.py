"""Dependency trees in; taggers of their words, and the trees with jack-knifed tags, out."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.corpus.folds import folds
from eigenparse.inference.rhmm import tag_ids
from eigenparse.inference.tags import tagging_columns
from eigenparse.learn.rhmm import TaggerChoices, fit_tagger
from eigenparse.models.rhmm import RefinementHMM


@dataclass(frozen=True, slots=True)
class TagReport:
    """Share of words whose jack-knifed tag is the one in the file, by attribute."""

    accuracy: dict[str, float]


@dataclass(frozen=True, slots=True)
class TagLearner:
    """Taggers of the sequence family, with jack-knifing for the training sentences themselves."""

    method: str = "hmm"
    emission: str = "loglinear"
    n_folds: int = 10
    seed: int = 0

    def fit(self, trees: Dependencies) -> tuple[dict[str, RefinementHMM], Dependencies, TagReport]:
        """Taggers of every kind of tag that the file has, and the trees with jack-knifed tags."""
        taggers, predicted, accuracy = {}, {}, {}
        for attribute in ("upos", "xpos"):
            if set(np.unique(getattr(trees, attribute)).tolist()) <= {_blank(trees, attribute)}:
                continue
            taggers[attribute] = self._tagger(trees, attribute)
            predicted[attribute] = self._jackknifed(trees, attribute)
            accuracy[attribute] = float((predicted[attribute][0] == getattr(trees, attribute)).mean())
        return taggers, trees.with_tags(predicted), TagReport(accuracy)

    def _tagger(self, trees: Dependencies, attribute: str) -> RefinementHMM:
        choices = TaggerChoices(method=self.method, emission=self.emission, seed=self.seed)
        return fit_tagger(tagging_columns(trees, attribute), attribute, choices)[0]

    def _jackknifed(self, trees: Dependencies, attribute: str) -> tuple[AnyArray, tuple[str, ...]]:
        """(T,) predicted ids into the attribute's own symbols."""
        place = {name: i for i, name in enumerate(trees.symbols[attribute])}
        guess = np.zeros(trees.n_words, dtype=np.int32)
        for seen, rest in folds(len(trees), min(self.n_folds, len(trees))):
            tagger = self._tagger(trees.select(seen), attribute)
            table = np.array([place[name] for name in tagger.labels], dtype=np.int32)
            low, high = trees.offsets[rest[0]], trees.offsets[rest[-1] + 1]
            if high > low:
                guess[low:high] = table[tag_ids(tagger, tagging_columns(trees.select(rest)))]
        return guess, trees.symbols[attribute]


def _blank(trees: Dependencies, attribute: str) -> int:
    names = trees.symbols[attribute]
    return names.index("_") if "_" in names else -1
