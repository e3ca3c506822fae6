"""Dependency trees in; taggers of their words, and the trees with jack-knifed tags, out."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.corpus.pick import folds
from eigenparse.features.dependency.word_classes import WordClasses
from eigenparse.inference.dependency.tags import tagging_columns
from eigenparse.inference.tagger.chain import tag_ids
from eigenparse.learn.tagger.base import labelled
from eigenparse.learn.tagger.emission import LogLinearEmission, default_templates
from eigenparse.learn.tagger.learner import TaggerOptions, fit_plan
from eigenparse.models.dependency.packed_tagger import packed_parts, packed_tagger, unpacked
from eigenparse.models.tagger.rhmm import RefinementHMM, parts_below
from eigenparse.work.kept import Part
from eigenparse.work.work import Work

N_FOLDS = 5
RATE, FEWEST = 0.07, 3  # passes of the log-linear emission; few are enough, as there are many templates
CLASS_TEMPLATES = (
    *(f"fine[{k}]" for k in (-2, -1, 0, 1, 2)), *(f"coarse[{k}]" for k in (-1, 0, 1)), "fine[-1]&fine",
    "fine&fine[1]", "fine[-1]&fine[1]", "coarse[-1]&coarse&coarse[1]", "coarse[-2]&coarse[-1]&coarse",
    "coarse&coarse[1]&coarse[2]", "fine&suffix2(word)", "fine&shape(word)", "lower(word)&fine[-1]",
    "lower(word)&fine[1]",
)  # fmt: skip
How = tuple[int, WordClasses | None]  # seed, and classes of words


@dataclass(frozen=True, slots=True)
class Tagged:
    """Taggers of every kind of tag that the trees have, and the trees with jack-knifed tags.

    accuracy: share of words whose jack-knifed tag is the one in the file, by kind of tag.
    """

    taggers: dict[str, RefinementHMM]
    trees: Dependencies
    accuracy: dict[str, float]


def jackknifed_tags(
    trees: Dependencies,
    work: Work = Work(),
    *,
    classes: WordClasses | None = None,
    seed: int = 0,
    n_folds: int = N_FOLDS,
) -> Tagged:
    """Tag every sentence with a tagger that did not see it; taggers of all sentences are for later use.

    For each kind of tag, one tagger of all sentences and one per fold are learnt, each as one task.
    """
    header, arrays = work.part(
        "tags", partial(_learn, trees, work, (seed, classes), min(n_folds, len(trees))), always=True
    )
    kinds: list[str] = header["kinds"]
    taggers = {name: unpacked(header["taggers"][name], parts_below(arrays, f"{name}.")) for name in kinds}
    predicted = {name: (arrays[f"ids-{name}"], trees.symbols[name]) for name in kinds}
    accuracy = {name: float((ids == getattr(trees, name)).mean()) for name, (ids, _) in predicted.items()}
    return Tagged(taggers, trees.with_tags(predicted), accuracy)


def _learn(trees: Dependencies, work: Work, how: How, n_folds: int) -> Part:
    """Header and arrays of the taggers, and the jack-knifed ids (T,) of every kind of tag."""
    work.stage("taggers")
    kinds = [
        name
        for name in ("upos", "xpos")
        if set(np.unique(getattr(trees, name)).tolist()) - {_blank(trees, name)}
    ]
    made = work.map(partial(_tag, how), _tasks(trees, kinds, n_folds))
    header: dict[str, Any] = {"kinds": kinds, "taggers": {}}
    arrays: dict[str, AnyArray] = {}
    for name in kinds:
        header["taggers"][name], own = packed_parts(next(made))
        arrays |= {f"{name}.{key}": array for key, array in own.items()}
        arrays[f"ids-{name}"] = np.concatenate([next(made) for _ in range(n_folds)])
    return header, arrays


@dataclass(frozen=True, slots=True)
class TagTask:
    """Sentences to learn a kind of tag from, and those to tag with it, if any."""

    kind: str
    seen: Dependencies
    rest: Dependencies | None


def _tasks(trees: Dependencies, kinds: list[str], n_folds: int) -> Iterator[TagTask]:
    """For every kind of tag: all sentences, then the folds."""
    for name in kinds:
        yield TagTask(name, trees, None)
        for seen, rest in folds(len(trees), n_folds):
            yield TagTask(name, trees.select(seen), trees.select(rest))


def _tag(how: How, task: TagTask) -> Any:
    """A tagger, or the ids (T,) that it gives to the other sentences, into the symbols of the kind of tag."""
    tagger = packed_tagger(fit_tagger(task.seen, task.kind, *how))
    if task.rest is None:
        return tagger
    classes = how[1]
    place = {name: i for i, name in enumerate(task.rest.symbols[task.kind])}
    table = np.array([place[name] for name in tagger.labels], dtype=np.int32)
    words = tagging_columns(task.rest, classes=classes)
    return table[tag_ids(tagger, words)] if task.rest.n_words else table[:0]


def fit_tagger(trees: Dependencies, kind: str, seed: int, classes: WordClasses | None) -> RefinementHMM:
    """A tagger of one kind of tag."""
    data = labelled(tagging_columns(trees, kind, classes), kind)
    texts = default_templates(("word",), "loglinear") + (CLASS_TEMPLATES if classes is not None else ())
    emission = LogLinearEmission(texts, rate=RATE, fewest=FEWEST)
    plan = TaggerOptions(method="hmm", emission="loglinear", seed=seed).plan(data)
    return fit_plan(data, replace(plan, emission=emission))


def _blank(trees: Dependencies, kind: str) -> int:
    names = trees.symbols[kind]
    return names.index("_") if "_" in names else -1
