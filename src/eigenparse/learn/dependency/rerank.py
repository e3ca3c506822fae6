"""Trees and a parser in, a re-ranker out: jack-knifed candidate lists, then averaged margin-based training."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.corpus.pick import folds
from eigenparse.errors import DataError
from eigenparse.inference.dependency.arcs import kbest
from eigenparse.inference.dependency.rerank import (
    Candidates,
    compile_features,
    dense_scores,
    kernel_lists,
    scored,
)
from eigenparse.kernels.dependency.margin import Averaged
from eigenparse.kernels.dependency.rerank import DenseWeights, rerank_pass
from eigenparse.learn.dependency.arcs import ArcOptions, mean_weights, options_of
from eigenparse.learn.dependency.reading import TreeData
from eigenparse.learn.dependency.trees import DepTreeOptions, options_like
from eigenparse.learn.options import Options, option
from eigenparse.models.dependency.deptree import TreeModel
from eigenparse.models.dependency.rerank import BASELINE, Reranker, check_patterns, family_flags
from eigenparse.work.kept import Part
from eigenparse.work.work import Work

SPREAD = 10.0  # one standard deviation of a dense score inside its list is scaled to this
WEIGHTS = ("weights", "drift", "dense_weights", "dense_drift")
LISTED = ("heads", "scores", "found", "log_p", "positive")


@dataclass(frozen=True)
class RerankerOptions(Options):
    """Learn to choose from n-best lists that jack-knifed parsers make of the training sentences.

    Averaged margin-based training over lists [collins-2002, collins-koo-2005].  The target of an update is the best
    candidate of the list, not the gold tree.
    """

    kind: ClassVar[str] = "reranker"
    examples: ClassVar[tuple[str, ...]] = (
        "eigenparse train reranker train.conllu --parser my.model --deptree trees.model --out ranks.model",
    )

    best: int = option(50, "Number of trees per n-best list.", low=2)
    folds: int = option(3, "Folds of jack-knifing.", low=2)
    passes: int = option(10, "Passes over the lists.", low=1)
    families: str = option(
        ",".join(BASELINE), "Tag patterns to use, separated by commas: sides, grandparent, siblings."
    )
    feature: tuple[str, ...] = option((), "Additional pattern, such as 'm.w h.w g.t'.")
    seed: int = option(0, "Seed of the order of lists.", low=0)
    ceiling: float = option(0.005, "Largest step of one update.", low=1e-9, shown=False)
    bits: int = option(20, "Logarithm of the number of hashed weights.", low=8, high=26, shown=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        family_flags(self.family_names)
        check_patterns(self.feature)

    @property
    def family_names(self) -> tuple[str, ...]:
        """The families of tag patterns."""
        return tuple(name.strip() for name in self.families.split(",") if name.strip())

    def fit(self, data: TreeData, work: Work = Work()) -> Reranker:
        """Learn from lists that parsers with the options of ``data.parser`` make of sentences they did not see."""
        if data.parser is None:
            raise DataError("a re-ranker learns for a parser; give one")
        learners = tuple(options_like(model) for model in data.tree_models)
        lists = jackknifed_lists(data.trees, options_of(data.parser), learners, self, work)
        return self.fit_lists(lists, data.trees.head, data.tree_models, work)

    def fit_lists(
        self, lists: Candidates, gold: AnyArray, tree_models: tuple[TreeModel, ...], work: Work = Work()
    ) -> Reranker:
        """Learn from lists and gold heads (T,); ``tree_models`` are kept for later lists."""
        if len(lists) == 0:
            raise DataError("there are no lists to learn from; give more sentences")
        features = compile_features(self.family_names, self.feature, self.bits)
        scale = self._scale(lists)
        table = kernel_lists(lists, scale, self.feature)
        delta = np.zeros(1 << self.bits, dtype=np.int16)

        def step(number: int, state: Part) -> Part:
            header, arrays = state
            order = work.random(self.seed, number).permutation(len(lists))
            weights, drift, dense_weights, dense_drift = (arrays[name] for name in WEIGHTS)
            sparse = Averaged(weights, drift, delta, self.ceiling)
            dense = DenseWeights(dense_weights, dense_drift)
            clock, n_updates = rerank_pass(table, gold, order, features, header["clock"], sparse, dense)
            return {"clock": float(clock), "updates": [*header["updates"], int(n_updates)]}, arrays

        header, arrays = work.rounds("re-ranking", self.passes, partial(self._start, scale.size), step)
        weights, drift, dense_weights, dense_drift = (arrays[name] for name in WEIGHTS)
        return Reranker(
            self.family_names,
            mean_weights(weights, drift, header["clock"]),
            dense_weights - dense_drift / header["clock"],
            scale,
            tree_models,
            self.feature,
            {"lists": len(lists), "updates": header["updates"]},
        )

    def _start(self, n_dense: int) -> Part:
        """Weights before the first pass: only the base score counts."""
        sparse, dense = np.zeros((2, 1 << self.bits), dtype=np.float32), np.zeros((2, n_dense))
        dense[0, 0] = 1.0
        return {"clock": 0.0, "updates": []}, dict(zip(WEIGHTS, (*sparse, *dense), strict=True))

    def _scale(self, lists: Candidates) -> FloatArray:
        """Standard deviations of the dense scores inside their lists."""
        raw = dense_scores(lists, np.ones(1 + 2 * len(lists.log_p)))
        filled = np.arange(raw.shape[1])[None, :] < lists.found[:, None]
        deviation = np.sqrt(np.array([np.var(raw[:, :, d][filled]) for d in range(raw.shape[2])]))
        return np.where(deviation > 0, deviation, 1.0) / SPREAD


def jackknifed_lists(
    trees: Dependencies,
    parser: ArcOptions,
    tree_models: tuple[DepTreeOptions, ...],
    options: RerankerOptions,
    work: Work = Work(),
) -> Candidates:
    """Lists for every sentence from a parser and tree models that did not see it; each fold is one task."""
    work.stage("lists of trees")
    here = work.task()
    parts = (
        (trees.select(seen), trees.select(rest), here.at(f"fold{k}"))
        for k, (seen, rest) in enumerate(folds(len(trees), options.folds))
    )
    task = partial(_fold, parser, tree_models, options.best)
    return joined(trees, list(work.map(task, parts)))


def _fold(
    parser: ArcOptions,
    tree_models: tuple[DepTreeOptions, ...],
    n_best: int,
    part: tuple[Dependencies, Dependencies, Work],
) -> Candidates:
    """The lists of one fold."""
    seen, unseen, work = part

    def compute() -> Part:
        lists = kbest(parser.fit(seen, work), unseen, n_best)
        models = tuple(one.fit(seen, work.at(f"model{i}")) for i, one in enumerate(tree_models))
        made = scored(unseen, lists.heads, lists.scores, lists.found, models)
        return {}, {name: getattr(made, name) for name in LISTED}

    _, arrays = work.part("lists", compute, always=True)
    return Candidates(words=unseen, **arrays)


def joined(words: Dependencies, parts: list[Candidates]) -> Candidates:
    """Lists of consecutive parts as one."""
    axes = {"heads": 1, "scores": 0, "found": 0, "log_p": 1, "positive": 1}
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts], axis) for name, axis in axes.items()
    }
    return Candidates(words=words, **columns)
