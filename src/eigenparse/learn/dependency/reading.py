"""How training data of dependency models is read: CoNLL-U files in, trees out, with what else a learner needs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from eigenparse.corpus.conllu import read_many
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.errors import OptionError
from eigenparse.features.dependency.word_classes import WordClasses
from eigenparse.learn.dependency.word_classes import word_classes
from eigenparse.learn.options import option
from eigenparse.models.dependency.arcs import ArcModel
from eigenparse.models.dependency.deptree import TreeModel
from eigenparse.models.registry import load_model
from eigenparse.models.vectors.vectors import WordVectors
from eigenparse.models.vectors.word2vec import load_vectors


@dataclass(frozen=True, slots=True)
class TreeData:
    """Trees to learn from.

    vectors: of words, for models that take them.  classes: of words, made from vectors if there are none.
    parser, tree_models: the models that a re-ranker works with.
    notes: what was left out while reading.
    """

    trees: Dependencies
    vectors: WordVectors | None = None
    classes: WordClasses | None = None
    parser: ArcModel | None = None
    tree_models: tuple[TreeModel, ...] = ()
    notes: tuple[str, ...] = field(default=(), metadata={"fingerprint": False})


@dataclass(frozen=True)
class DependencyReading:
    """How CoNLL-U files with trees are read."""

    sources: ClassVar[tuple[str, str]] = ("TRAIN...", "CoNLL-U or CoNLL-X files with trees.")
    skip_broken: bool = option(False, "Skip sentences that are not trees, and list them.")

    def read(self, sources: Sequence[str | Path]) -> TreeData:
        """The trees of all files as one corpus."""
        corpus = read_many(list(sources), skip_broken=self.skip_broken)
        return TreeData(corpus.trees, notes=tuple(f"skipped {sentence}" for sentence in corpus.skipped))


@dataclass(frozen=True)
class TreeReading(DependencyReading):
    """The same, with word vectors if they are given."""

    vectors: Path | None = option(
        None,
        "Word vectors written by embed: dictionary of a spectral estimator, word classes for a parser.",
    )

    def read(self, sources: Sequence[str | Path]) -> TreeData:
        """The trees of all files as one corpus, and the vectors."""
        found = DependencyReading.read(self, sources)
        vectors = None if self.vectors is None else load_vectors(self.vectors)
        return TreeData(found.trees, vectors=vectors, notes=found.notes)


@dataclass(frozen=True)
class RerankerReading(DependencyReading):
    """The same, with the models that the re-ranker works with."""

    sources: ClassVar[tuple[str, str]] = ("TRAIN...", "The trees that the parser was trained on.")
    parser: Path | None = option(
        None,
        "The dependency parser whose trees are re-ranked; each fold trains one with the same options. Required.",
    )
    deptree: tuple[Path, ...] = option((), "A latent tree model whose log-probability is used as a feature.")

    def read(self, sources: Sequence[str | Path]) -> TreeData:
        """The trees of all files as one corpus, and the models."""
        if self.parser is None:
            raise OptionError("a re-ranker needs a parser; give --parser FILE, which train dependency wrote")
        parser = load_model(self.parser, "dependency")
        models = tuple(load_model(path, "deptree") for path in self.deptree)
        found = DependencyReading.read(self, sources)
        return TreeData(found.trees, parser=parser, tree_models=models, notes=found.notes)


def classes_of(data: TreeData | Dependencies, *, seed: int = 0) -> WordClasses | None:
    """The given classes of words, or classes made from the given vectors."""
    if isinstance(data, Dependencies) or (data.classes is None and data.vectors is None):
        return None
    if data.classes is not None or data.vectors is None:
        return data.classes
    return word_classes(data.vectors.words, data.vectors.vectors, data.vectors.counts, seed=seed)


def trees_of(data: TreeData | Dependencies) -> Dependencies:
    """The trees of what a learner was given."""
    return data if isinstance(data, Dependencies) else data.trees
