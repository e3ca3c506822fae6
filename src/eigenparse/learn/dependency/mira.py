"""Dependency trees in, a graph-based parser out: averaged margin-based training of arcs and relations."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, generator
from eigenparse.corpus.dependencies import Dependencies, projectivised
from eigenparse.errors import DataError, OptionError
from eigenparse.features.dependency.arc_columns import (
    ArcColumns,
    arc_columns,
    compile_templates,
    label_templates,
    with_structure,
)
from eigenparse.features.dependency.templates import ARC_TEMPLATES, LABEL_TEMPLATES, PAIR_TEMPLATES
from eigenparse.kernels.dependency.arc_decoding import label_pass
from eigenparse.kernels.dependency.arc_training import mira_pass
from eigenparse.learn.checkpoint import NOTHING_KEPT, Checkpoint
from eigenparse.learn.dependency.tags import TagLearner
from eigenparse.learn.passes import after_pass, first_or_kept
from eigenparse.models.dependency.arcs import ArcModel, check_order
from eigenparse.models.tagger.rhmm import RefinementHMM
from eigenparse.run.local import LocalRun
from eigenparse.run.ordered import OrderedRun

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class ArcReport:
    """What training saw.  wrong_heads: share of wrong heads under score + cost, per pass.

    tag_accuracy: of jack-knifed tags, if tags were predicted.
    """

    n_sentences: int
    n_words: int
    n_lifted: int
    wrong_heads: tuple[float, ...]
    wrong_relations: tuple[float, ...]
    tag_accuracy: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ArcLearner:
    """Averaged one-best MIRA with cost-augmented decoding [mcdonald-2006].

    order 2 adds neighbouring children.  Trees with crossing arcs are lifted to projective ones
    (and counted) unless ``crossing``, which trains for trees of any shape in the first order.
    tags: "gold", or "predicted", which learns taggers too and trains on jack-knifed tags.
    """

    order: int = 1
    crossing: bool = False
    passes: int = 10
    label_passes: int = 5
    ceiling: float = 1.0
    bits: int = 22
    label_bits: int = 17
    seed: int = 0
    tags: str = "gold"
    templates: tuple[str, ...] = ARC_TEMPLATES
    pair_templates: tuple[str, ...] = PAIR_TEMPLATES
    label_templates: tuple[str, ...] = LABEL_TEMPLATES

    def fit(
        self,
        trees: Dependencies,
        *,
        progress: Progress | None = None,
        run: OrderedRun | None = None,
        checkpoint: Checkpoint = NOTHING_KEPT,
    ) -> tuple[ArcModel, ArcReport]:
        """Learn from trees whose heads are all known.

        run: where jack-knifed taggers, arcs and relations are learnt, silently; the result is the same.
        checkpoint: where taggers and passes are kept and looked for.
        """
        self._check(trees)
        taggers: dict[str, RefinementHMM] = {}
        accuracy: dict[str, float] = {}
        if self.tags == "predicted":
            learner = TagLearner(seed=self.seed)
            taggers, trees, tagging = learner.fit(trees, run=run or LocalRun(), checkpoint=checkpoint)
            accuracy = tagging.accuracy
        where, shown = (LocalRun(), progress) if run is None else (run, None)
        arcs, labels = where.map_ordered(
            partial(_learn_part, self, trees, progress=shown, checkpoint=checkpoint),
            (_learn_arcs, learn_relations),
        )
        weights, wrong_heads, n_lifted = arcs
        label_weights, wrong_relations, relations = labels
        model = ArcModel(
            order=self.order,
            crossing=self.crossing,
            templates=self.templates,
            pair_templates=self.pair_templates if self.order == 2 else (),
            label_templates=self.label_templates,
            weights=weights,
            label_weights=label_weights,
            relations=relations,
            taggers=taggers,
        )
        return model, ArcReport(len(trees), trees.n_words, n_lifted, wrong_heads, wrong_relations, accuracy)

    def _check(self, trees: Dependencies) -> None:
        check_order(self.order, self.crossing)
        if self.tags not in ("gold", "predicted"):
            raise OptionError(f"tags must be gold or predicted, got {self.tags!r} instead")
        if self.passes < 1 or self.label_passes < 1 or not 8 <= self.bits <= 26 or not self.ceiling > 0:
            raise OptionError(
                "passes must be 1 or more, bits 8 to 26 and the ceiling above 0; change the option"
            )
        if trees.n_words == 0:
            raise DataError("there is no sentence to learn from; give a file with trees")
        if trees.head.min() < 0:
            raise DataError("some words have no head; train on complete trees")

    def fit_arcs(
        self,
        columns: ArcColumns,
        gold: AnyArray,
        progress: Progress | None,
        checkpoint: Checkpoint = NOTHING_KEPT,
    ) -> tuple[AnyArray, tuple[float, ...]]:
        """Averaged weights of arc and pair features."""
        second = self.order == 2
        compiled = compile_templates(self.templates, self.pair_templates if second else (), bits=self.bits)
        state = first_or_kept(checkpoint, _zeros((1 << self.bits,)))
        weights, drift = state.arrays["weights"], state.arrays["drift"]
        delta = np.zeros(weights.size, dtype=np.int16)
        for number in range(state.done, self.passes):
            order = generator(self.seed, 0, number).permutation(columns.offsets.size - 1)
            _, n_wrong, clock = mira_pass(
                columns.keys, columns.tags, columns.classes, gold, columns.offsets, order, compiled,
                second, self.crossing, self.ceiling, state.clock, weights, drift, delta,
            )  # fmt: skip
            share, last = n_wrong / columns.tags.size, number + 1 == self.passes
            state = after_pass(checkpoint, state, clock, share, last=last)
            if progress is not None:
                progress("arcs", number + 1, self.passes)
        return averaged(weights, drift, state.clock), state.figures

    def fit_labels(
        self,
        columns: ArcColumns,
        head: AnyArray,
        gold: AnyArray,
        n_relations: int,
        progress: Progress | None,
        checkpoint: Checkpoint = NOTHING_KEPT,
    ) -> tuple[AnyArray, tuple[float, ...]]:
        """Averaged weights (2^label_bits, L) of the labeller, trained on gold arcs."""
        compiled = label_templates(self.label_templates, bits=self.label_bits)
        state = first_or_kept(checkpoint, _zeros((1 << self.label_bits, n_relations)))
        weights, drift = state.arrays["weights"], state.arrays["drift"]
        for number in range(state.done, self.label_passes):
            order = generator(self.seed, 1, number).permutation(columns.offsets.size - 1)
            n_wrong, clock = label_pass(
                columns.keys, columns.tags, columns.classes, columns.offsets, head, gold, order, compiled,
                state.clock, self.ceiling, weights, drift,
            )  # fmt: skip
            share, last = n_wrong / columns.tags.size, number + 1 == self.label_passes
            state = after_pass(checkpoint, state, clock, share, last=last)
            if progress is not None:
                progress("relations", number + 1, self.label_passes)
        return averaged(weights, drift, state.clock), state.figures


def _zeros(shape: tuple[int, ...]) -> dict[str, AnyArray]:
    """Weights and their drift before the first pass."""
    return {name: np.zeros(shape, dtype=np.float32) for name in ("weights", "drift")}


def _learn_arcs(
    learner: ArcLearner, trees: Dependencies, progress: Progress | None, checkpoint: Checkpoint
) -> tuple[Any, ...]:
    """Weights of arcs, wrong heads of each pass, and trees that were lifted."""
    gold, n_lifted = (trees, 0) if learner.crossing else projectivised(trees)
    return *learner.fit_arcs(arc_columns(trees), gold.head, progress, checkpoint.at("arcs")), n_lifted


def learn_relations(
    learner: ArcLearner, trees: Dependencies, progress: Progress | None, checkpoint: Checkpoint
) -> tuple[Any, ...]:
    """Weights of relations, wrong ones of each pass, and their names."""
    relations = tuple(sorted(set(trees.symbols["relation"])))
    table = np.array([relations.index(name) for name in trees.symbols["relation"]], dtype=np.int32)
    columns = with_structure(arc_columns(trees), trees.head)
    gold, place = table[trees.relation], checkpoint.at("relations")
    return *learner.fit_labels(columns, trees.head, gold, len(relations), progress, place), relations


def _learn_part(
    learner: ArcLearner,
    trees: Dependencies,
    part: Callable[..., tuple[Any, ...]],
    progress: Progress | None,
    checkpoint: Checkpoint,
) -> tuple[Any, ...]:
    """One of the two, here or on a worker."""
    return part(learner, trees, progress, checkpoint)


def learner_of(model: ArcModel, *, seed: int = 0) -> ArcLearner:
    """A learner with the settings of a trained parser, relations passed over once."""
    return ArcLearner(
        order=model.order,
        crossing=model.crossing,
        bits=model.bits,
        label_passes=1,
        seed=seed,
        tags="predicted" if model.taggers else "gold",
        templates=model.templates,
        pair_templates=model.pair_templates,
        label_templates=model.label_templates,
    )


def averaged(weights: AnyArray, drift: AnyArray, clock: float) -> AnyArray:
    """Mean of the weights over all steps."""
    return np.asarray(weights - drift / np.float32(max(clock, 1.0)), dtype=np.float32)
