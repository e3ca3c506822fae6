"""Dependency trees in; taggers of their words, and the trees with jack-knifed tags, out."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.corpus.folds import folds
from eigenparse.inference.grammar.tags import tagging_columns
from eigenparse.inference.tagger.chain import tag_ids
from eigenparse.learn.checkpoint import NOTHING_KEPT, Checkpoint, Part
from eigenparse.learn.tagger.base import labelled
from eigenparse.learn.tagger.learner import TaggerOptions
from eigenparse.models.tagger.rhmm import RefinementHMM, parts_below
from eigenparse.run.local import LocalRun
from eigenparse.run.ordered import OrderedRun


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

    def fit(
        self,
        trees: Dependencies,
        *,
        run: OrderedRun = LocalRun(),
        checkpoint: Checkpoint = NOTHING_KEPT,
    ) -> tuple[dict[str, RefinementHMM], Dependencies, TagReport]:
        """Taggers of every kind of tag that the file has, and the trees with jack-knifed tags.

        run: where taggers are learnt, one of the whole and one a fold for each kind of tag.
        checkpoint: where taggers and jack-knifed tags are kept and looked for when all are done.
        """
        header, arrays = checkpoint.part("tags", lambda: self._learn(trees, run))
        taggers = {
            name: RefinementHMM.from_parts(header["taggers"][name], parts_below(arrays, f"{name}."))
            for name in header["kinds"]
        }
        predicted = {name: (arrays[f"ids-{name}"], trees.symbols[name]) for name in header["kinds"]}
        accuracy = {name: float((ids == getattr(trees, name)).mean()) for name, (ids, _) in predicted.items()}
        return taggers, trees.with_tags(predicted), TagReport(accuracy)

    def _learn(self, trees: Dependencies, run: OrderedRun) -> Part:
        """Header and arrays of the taggers, and the jack-knifed ids (T,) of every kind of tag."""
        kinds = [
            name
            for name in ("upos", "xpos")
            if set(np.unique(getattr(trees, name)).tolist()) - {_blank(trees, name)}
        ]
        n_folds = min(self.n_folds, len(trees))
        made = run.map_ordered(partial(tag_task, self), self._tasks(trees, kinds, n_folds))
        header: dict[str, Any] = {"kinds": kinds, "taggers": {}}
        arrays: dict[str, AnyArray] = {}
        for name in kinds:
            header["taggers"][name], own = next(made).to_parts()
            arrays |= {f"{name}.{key}": array for key, array in own.items()}
            arrays[f"ids-{name}"] = np.concatenate([next(made) for _ in range(n_folds)])
        return header, arrays

    def _tasks(self, trees: Dependencies, kinds: list[str], n_folds: int) -> Iterator["TagTask"]:
        """Of every kind of tag: all sentences, then the folds."""
        for name in kinds:
            yield TagTask(name, trees, None)
            for seen, rest in folds(len(trees), n_folds):
                yield TagTask(name, trees.select(seen), trees.select(rest))

    def tagger(self, trees: Dependencies, attribute: str) -> RefinementHMM:
        """A tagger of all the sentences."""
        options = TaggerOptions(method=self.method, emission=self.emission, seed=self.seed)
        return options.fit(labelled(tagging_columns(trees, attribute), attribute)).first


@dataclass(frozen=True, slots=True)
class TagTask:
    """Sentences to learn an attribute from, and those to tag with it, if any."""

    attribute: str
    seen: Dependencies
    rest: Dependencies | None


def tag_task(learner: TagLearner, task: TagTask) -> Any:
    """A tagger, or the ids (T,) that it gives to the other sentences, into the attribute's own symbols."""
    tagger = learner.tagger(task.seen, task.attribute)
    if task.rest is None:
        return tagger
    place = {name: i for i, name in enumerate(task.rest.symbols[task.attribute])}
    table = np.array([place[name] for name in tagger.labels], dtype=np.int32)
    return table[tag_ids(tagger, tagging_columns(task.rest))] if task.rest.n_words else table[:0]


def _blank(trees: Dependencies, attribute: str) -> int:
    names = trees.symbols[attribute]
    return names.index("_") if "_" in names else -1
