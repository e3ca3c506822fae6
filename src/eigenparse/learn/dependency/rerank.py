"""Jack-knifed candidate lists in, a re-ranker out: averaged margin-based training."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, IntMatrix, LongVector, generator
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.corpus.folds import folds
from eigenparse.errors import DataError, OptionError
from eigenparse.inference.dependency.rerank import (
    Candidates,
    compile_patterns,
    dense_scores,
    scored,
    tag_keys,
    word_keys,
)
from eigenparse.kernels.dependency.rerank import rerank_pass
from eigenparse.learn.checkpoint import NOTHING_KEPT, Checkpoint, Part
from eigenparse.learn.dependency.deptree_fit import DepTreeLearner
from eigenparse.learn.dependency.mira import ArcLearner
from eigenparse.learn.passes import after_pass, first_or_kept
from eigenparse.models.dependency.arcs import ArcModel
from eigenparse.models.dependency.deptree import TreeModel
from eigenparse.models.dependency.rerank import BASELINE, Reranker, check_patterns, family_flags
from eigenparse.run.local import LocalRun
from eigenparse.run.ordered import OrderedRun

UNDER_WAY = ("weights", "drift", "dense_weights", "dense_drift")
LISTED = ("heads", "scores", "found", "log_p", "positive")
Lists = tuple[IntMatrix, FloatArray, LongVector]
ListMaker = Callable[[ArcModel, Dependencies], Lists]


@dataclass(frozen=True, slots=True)
class RerankLearner:
    """Averaged margin-based training over lists [collins-2002, collins-koo-2005].

    patterns: features of one's own, as ``eigenparse.models.dependency.rerank`` describes them.
    The target of an update is the best candidate of the list, not the gold tree.  ``spread`` is what
    one standard deviation of a dense score inside its list is scaled to.
    """

    families: tuple[str, ...] = BASELINE
    patterns: tuple[str, ...] = ()
    passes: int = 10
    ceiling: float = 0.005
    bits: int = 20
    spread: float = 10.0
    seed: int = 0

    def fit(
        self,
        lists: Candidates,
        gold: AnyArray,
        tree_models: tuple[TreeModel, ...],
        *,
        checkpoint: Checkpoint = NOTHING_KEPT,
    ) -> Reranker:
        """Learn from lists and gold heads (T,); ``tree_models`` are kept for later lists."""
        if len(lists) == 0:
            raise DataError("there are no lists to learn from; give more sentences")
        if self.passes < 1 or not 8 <= self.bits <= 26 or not self.ceiling > 0:
            raise OptionError(
                "passes must be 1 or more, bits 8 to 26 and the ceiling above 0; change the option"
            )
        check_patterns(self.patterns)
        patterns, keys = compile_patterns(self.patterns), word_keys(lists.words, self.patterns)
        scale = self._scale(lists)
        dense = dense_scores(lists, scale)
        state = first_or_kept(checkpoint, self._start(scale.size))
        weights, drift, dense_weights, dense_drift = (state.arrays[name] for name in UNDER_WAY)
        delta, tags = np.zeros(weights.size, dtype=np.int16), tag_keys(lists.words)
        for number in range(state.done, self.passes):
            order = generator(self.seed, number).permutation(len(lists))
            clock, n_updates = rerank_pass(
                lists.heads, lists.words.offsets, lists.found, dense, tags, gold, order,
                family_flags(self.families), keys, patterns, np.uint64(64 - self.bits), self.ceiling, state.clock,
                weights, drift, delta, dense_weights, dense_drift,
            )  # fmt: skip
            state = after_pass(checkpoint, state, clock, float(n_updates), last=number + 1 == self.passes)
        clock = state.clock
        average = np.asarray(weights - drift / np.float32(clock), dtype=np.float32)
        mean = dense_weights - dense_drift / clock
        return Reranker(self.families, average, mean, scale, tree_models, self.patterns)

    def _start(self, n_dense: int) -> dict[str, AnyArray]:
        """Weights before the first pass: the base score alone counts."""
        sparse, dense = np.zeros((2, 1 << self.bits), dtype=np.float32), np.zeros((2, n_dense))
        dense[0, 0] = 1.0
        return dict(zip(UNDER_WAY, (*sparse, *dense), strict=True))

    def _scale(self, lists: Candidates) -> FloatArray:
        """Standard deviations of the dense scores inside their lists."""
        raw = dense_scores(lists, np.ones(1 + 2 * len(lists.log_p)))
        filled = np.arange(raw.shape[1])[None, :] < lists.found[:, None]
        deviation = np.sqrt(np.array([np.var(raw[:, :, d][filled]) for d in range(raw.shape[2])]))
        return np.where(deviation > 0, deviation, 1.0) / self.spread


def jackknifed_lists(
    trees: Dependencies,
    parser: ArcLearner,
    tree_learners: tuple[DepTreeLearner, ...],
    make_lists: ListMaker,
    *,
    n_folds: int = 3,
    run: OrderedRun = LocalRun(),
    checkpoint: Checkpoint = NOTHING_KEPT,
) -> Candidates:
    """Lists for every sentence from a parser and tree models that did not see it.

    run: where folds are done.  checkpoint: where folds, and passes of their parsers, are kept.
    """
    parts = (
        (trees.select(seen), trees.select(rest), checkpoint.at(f"fold{k}"))
        for k, (seen, rest) in enumerate(folds(len(trees), n_folds))
    )
    return joined(trees, list(run.map_ordered(partial(_fold, parser, tree_learners, make_lists), parts)))


def _fold(
    parser: ArcLearner,
    tree_learners: tuple[DepTreeLearner, ...],
    make_lists: ListMaker,
    part: tuple[Dependencies, Dependencies, Checkpoint],
) -> Candidates:
    """The lists of one fold."""
    seen, unseen, checkpoint = part

    def compute() -> Part:
        model, _ = parser.fit(seen, checkpoint=checkpoint)
        models = tuple(learner.fit(seen)[0] for learner in tree_learners)
        made = scored(unseen, *make_lists(model, unseen), models)
        return {}, {name: getattr(made, name) for name in LISTED}

    _, arrays = checkpoint.part("lists", compute)
    return Candidates(words=unseen, **arrays)


def joined(words: Dependencies, parts: list[Candidates]) -> Candidates:
    """Lists of consecutive parts as one."""
    return Candidates(
        words=words,
        heads=np.concatenate([p.heads for p in parts], axis=1),
        scores=np.concatenate([p.scores for p in parts]),
        found=np.concatenate([p.found for p in parts]),
        log_p=np.concatenate([p.log_p for p in parts], axis=1),
        positive=np.concatenate([p.positive for p in parts], axis=1),
    )
