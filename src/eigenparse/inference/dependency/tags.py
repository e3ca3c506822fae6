"""Taggers and sentences in, the same sentences with predicted tags out."""

from collections.abc import Mapping

import numpy as np

from eigenparse.arrays import frozen
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.corpus.sequences import Column, Sequences
from eigenparse.features.dependency.word_classes import WordClasses
from eigenparse.inference.tagger.chain import tag_ids
from eigenparse.models.tagger.rhmm import RefinementHMM

CLASS_COLUMNS = ("fine", "coarse")


def tagging_columns(
    trees: Dependencies, attribute: str | None = None, classes: WordClasses | None = None
) -> Sequences:
    """Forms, their classes if given, and one attribute if named, of all sentences that have words."""
    columns = [Column("word", trees.form, trees.symbols["form"])]
    if classes is not None:
        found = zip(CLASS_COLUMNS, classes.of(trees.symbols["form"]), classes.sizes)
        columns += [Column(name, ids[trees.form], tuple(map(str, range(size)))) for name, ids, size in found]
    if attribute is not None:
        columns.append(Column(attribute, getattr(trees, attribute), trees.symbols[attribute]))
    offsets = frozen(np.unique(trees.offsets))
    return Sequences(tuple(columns), offsets, frozen(np.arange(1, offsets.size, dtype=np.int64)))


def with_predicted_tags(
    taggers: Mapping[str, RefinementHMM], trees: Dependencies, classes: WordClasses | None = None
) -> Dependencies:
    """The same trees with the tags that the taggers predict, and no other attributes of words but their forms."""
    if not trees.n_words:
        return trees
    words = tagging_columns(trees, classes=classes)
    found = {name: (tag_ids(tagger, words), tagger.labels) for name, tagger in taggers.items()}
    return trees.with_tags(found)
