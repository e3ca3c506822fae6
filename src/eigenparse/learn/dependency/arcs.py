"""Dependency trees in, a graph-based parser out: averaged margin-based training of arcs and relations."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.corpus.dependencies import Dependencies, projectivised
from eigenparse.errors import DataError, OptionError
from eigenparse.features.dependency.arc_columns import (
    arc_columns,
    compile_templates,
    label_templates,
    pruning_of,
    with_structure,
)
from eigenparse.features.dependency.templates import (
    ARC_TEMPLATES,
    CLASS_ARC_TEMPLATES,
    CLASS_LABEL_TEMPLATES,
    CLASS_PAIR_TEMPLATES,
    CLASS_PRUNE_TEMPLATES,
    LABEL_TEMPLATES,
    PAIR_TEMPLATES,
    PRUNE_TEMPLATES,
)
from eigenparse.features.dependency.word_classes import WordClasses
from eigenparse.kernels.dependency.arc_decoding import label_pass
from eigenparse.kernels.dependency.arc_features import Words
from eigenparse.kernels.dependency.arc_training import mira_pass
from eigenparse.kernels.dependency.margin import Averaged
from eigenparse.kernels.dependency.pruning import head_pass, open_all
from eigenparse.learn.dependency.arc_judge import FEWEST, learn_judge
from eigenparse.learn.dependency.morphology import learn_morphology
from eigenparse.learn.dependency.reading import TreeData, classes_of, trees_of
from eigenparse.learn.dependency.tags import jackknifed_tags
from eigenparse.learn.options import Options, option
from eigenparse.models.dependency.arcs import ArcModel, Pruner
from eigenparse.models.dependency.hashed import rounded
from eigenparse.models.dependency.labeller import Labeller
from eigenparse.work.kept import Part
from eigenparse.work.work import Work

PRUNE_PASSES, PRUNE_RATE = 2, 0.1  # of the pruner
NO_DELTA = np.zeros(0, dtype=np.int16)  # attributes that the labeller does not use
Pass = Callable[[AnyArray, float, dict[str, AnyArray]], tuple[int, float]]


@dataclass(frozen=True)
class ArcOptions(Options):
    """Learn a dependency parser with relations: averaged one-best MIRA over hashed features.

    Decoding in training adds the cost of wrong heads [mcdonald-2006].  Trees with crossing arcs are lifted to
    projective ones, and counted, unless ``crossing``, which trains for trees of any shape in the first order.
    """

    kind: ClassVar[str] = "dependency"
    examples: ClassVar[tuple[str, ...]] = (
        "eigenparse train dependency train.conllu --order 2 --tags predicted --dev dev.conllu --out my.model",
    )

    order: int = option(1, "2 also scores pairs of neighbouring children of a head.", low=1, high=2)
    tags: str = option(
        "gold",
        "Use the given tags, or tags predicted by taggers trained by ten-fold jack-knifing.",
        choices=("gold", "predicted"),
    )
    passes: int = option(10, "Passes over the sentences.", low=1)
    judge: bool = option(
        True, "With order 2, re-score likely arcs with a second model trained on jack-knifed charts."
    )
    crossing: bool = option(False, "Allow crossing arcs; needs order 1.")
    bits: int = option(22, "Logarithm of the number of hashed weights.", low=8, high=26)
    seed: int = option(0, "Seed of the order of sentences.", low=0)
    prune_bits: int = option(
        18, "Logarithm of the number of weights of the model that prunes arcs.", low=8, high=24, shown=False
    )
    label_passes: int = option(5, "Passes over the relations.", low=1, shown=False)
    label_bits: int = option(
        17, "Logarithm of the number of hashed rows of relations.", low=4, high=22, shown=False
    )
    ceiling: float = option(1.0, "Largest step of one update.", low=1e-9, shown=False)
    templates: tuple[str, ...] = option(ARC_TEMPLATES, "Features of an arc.", shown=False)
    pair_templates: tuple[str, ...] = option(
        PAIR_TEMPLATES, "Features of neighbouring children.", shown=False
    )
    label_templates: tuple[str, ...] = option(LABEL_TEMPLATES, "Features of a relation.", shown=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.crossing and self.order != 1:
            raise OptionError("crossing arcs need order 1; drop the option or use --order 1")

    def fit(self, data: TreeData | Dependencies, work: Work = Work()) -> ArcModel:
        """Learn from trees whose heads are all known."""
        trees, classes = trees_of(data), classes_of(data, seed=self.seed)
        check_complete(trees)
        taggers, accuracy, morphology = {}, {}, None
        if self.tags == "predicted":
            morphology = learn_morphology(trees)
            tagged = jackknifed_tags(trees, work, classes=classes, seed=self.seed)
            taggers, trees, accuracy = tagged.taggers, tagged.trees, tagged.accuracy
        model = self.learnt(trees, classes, work)
        if self.judge and self.order == 2 and len(trees) >= FEWEST:
            model = replace(model, judge=learn_judge(self.learnt, trees, classes, self.seed, work))
        about = {**model.about, "tag_accuracy": accuracy}
        return replace(model, taggers=taggers, morphology=morphology, about=about)

    def learnt(self, trees: Dependencies, classes: WordClasses | None, work: Work) -> ArcModel:
        """A parser with relations, without judge and taggers, of trees as they are tagged."""
        work.stage("arcs and relations")
        options = self if classes is None else self.with_classes()
        learn = partial(_learn_part, options, trees, classes, work.task())
        arcs, (labeller, wrong_relations) = work.map(learn, (learn_arcs, learn_labeller))
        weights, wrong_heads, n_lifted, pruner = arcs
        about = {
            "sentences": len(trees),
            "words": trees.n_words,
            "lifted": n_lifted,
            "wrong_heads": wrong_heads,
            "wrong_relations": wrong_relations,
        }
        pairs = options.pair_templates if self.order == 2 else ()
        given = (self.order, self.crossing, options.templates, pairs)
        return ArcModel(*given, weights, labeller, pruner, classes, about=about)

    def with_classes(self) -> "ArcOptions":
        """The same with templates that look at classes of words."""
        added = {
            "templates": CLASS_ARC_TEMPLATES,
            "pair_templates": CLASS_PAIR_TEMPLATES,
            "label_templates": CLASS_LABEL_TEMPLATES,
        }
        every: dict[str, Any] = {
            name: tuple(dict.fromkeys((*getattr(self, name), *more))) for name, more in added.items()
        }
        return replace(self, **every)


def check_complete(trees: Dependencies) -> None:
    """DataError if there are no trees, or if heads are unknown."""
    if trees.n_words == 0:
        raise DataError("there is no sentence to learn from; give a file with trees")
    if trees.head.min() < 0:
        raise DataError("some words have no head; train on complete trees")


def _learn_part(
    options: ArcOptions,
    trees: Dependencies,
    classes: WordClasses | None,
    work: Work,
    part: Callable[..., tuple[Any, ...]],
) -> tuple[Any, ...]:
    """Arcs or relations, in this process or on a worker."""
    return part(options, trees, arc_columns(trees, classes), work)


def learn_arcs(
    options: ArcOptions, trees: Dependencies, words: Words, work: Work
) -> tuple[AnyArray, list[float], int, Pruner | None]:
    """Weights of arcs and pairs, the share of wrong heads under score + cost per pass, trees lifted, and the pruner."""
    gold, n_lifted = (trees, 0) if options.crossing else projectivised(trees)
    second = options.order == 2
    compiled = compile_templates(
        options.templates, options.pair_templates if second else (), bits=options.bits
    )
    delta = np.zeros(1 << options.bits, dtype=np.int16)
    pruner = learn_pruner(options, gold, words, work) if second else None
    opened = open_all(words, gold.head, pruning_of(pruner))

    def one_pass(order: AnyArray, clock: float, arrays: dict[str, AnyArray]) -> tuple[int, float]:
        averaged = Averaged(arrays["weights"], arrays["drift"], delta, options.ceiling)
        _, n_wrong, clock = mira_pass(
            words, gold.head, order, (compiled, opened), second, options.crossing, clock, averaged
        )
        return n_wrong, clock

    streams = [work.random(options.seed, 0, number) for number in range(options.passes)]
    weights, figures = _averaged_passes(work, "arcs", streams, trees, (1 << options.bits,), one_pass)
    return weights, figures, n_lifted, pruner


def learn_pruner(options: ArcOptions, trees: Dependencies, words: Words, work: Work) -> Pruner:
    """A small first-order model of heads, by AdaGrad on their log-likelihood."""
    has_classes = set(CLASS_ARC_TEMPLATES) <= set(options.templates)
    templates = PRUNE_TEMPLATES + (CLASS_PRUNE_TEMPLATES if has_classes else ())

    def compute() -> Part:
        weights, squares = (np.full(1 << options.prune_bits, x, dtype=np.float32) for x in (0.0, 1e-6))
        pruning = pruning_of(Pruner(templates, weights))
        for number in range(PRUNE_PASSES):
            order = work.random(options.seed, 2, number).permutation(len(trees))
            head_pass(words, trees.head, order, pruning, squares, PRUNE_RATE)
        return {}, {"weights": rounded(weights, coded=True)}

    _, arrays = work.part("pruner", compute)
    return Pruner(templates, arrays["weights"])


def learn_labeller(
    options: ArcOptions, trees: Dependencies, words: Words, work: Work
) -> tuple[Labeller, list[float]]:
    """A labeller trained on gold arcs, and the share of wrong relations per pass."""
    relations = tuple(sorted(set(trees.symbols["relation"])))
    table = np.array([relations.index(name) for name in trees.symbols["relation"]], dtype=np.int32)
    gold = table[trees.relation]
    full = with_structure(words, trees.head)
    compiled = label_templates(options.label_templates, bits=options.label_bits)

    def one_pass(order: AnyArray, clock: float, arrays: dict[str, AnyArray]) -> tuple[int, float]:
        averaged = Averaged(arrays["weights"], arrays["drift"], NO_DELTA, options.ceiling)
        n_wrong, clock = label_pass(full, trees.head, gold, order, compiled, clock, averaged)
        return n_wrong, clock

    streams = [work.random(options.seed, 1, number) for number in range(options.label_passes)]
    shape = (1 << options.label_bits, len(relations))
    weights, figures = _averaged_passes(work, "relations", streams, trees, shape, one_pass)
    return Labeller(options.label_templates, weights, relations), figures


def _averaged_passes(
    work: Work,
    name: str,
    streams: list[np.random.Generator],
    trees: Dependencies,
    shape: tuple[int, ...],
    one_pass: Pass,
) -> tuple[AnyArray, list[float]]:
    """The mean of the weights over all steps of several passes, and the share of mistakes in each.

    streams: one for the order of sentences of each pass.
    """

    def first() -> Part:
        arrays = {key: np.zeros(shape, dtype=np.float32) for key in ("weights", "drift")}
        return {"clock": 0.0, "mistakes": []}, arrays

    def step(number: int, state: Part) -> Part:
        header, arrays = state
        order = streams[number].permutation(len(trees))
        n_wrong, clock = one_pass(order, header["clock"], arrays)
        return {"clock": float(clock), "mistakes": [*header["mistakes"], n_wrong / trees.n_words]}, arrays

    header, arrays = work.rounds(name, len(streams), first, step)
    return mean_weights(arrays["weights"], arrays["drift"], header["clock"], coded=True), header["mistakes"]


def mean_weights(weights: AnyArray, drift: AnyArray, clock: float, *, coded: bool = False) -> AnyArray:
    """Mean of the weights over all steps, as it is stored."""
    return rounded(weights - drift / np.float32(max(clock, 1.0)), coded=coded)


def options_of(model: ArcModel) -> ArcOptions:
    """The options of a trained parser, with one pass over relations."""
    return ArcOptions(
        order=model.order,
        crossing=model.crossing,
        bits=model.bits,
        label_passes=1,
        judge=model.judge is not None,
        tags="predicted" if model.taggers else "gold",
        templates=model.templates,
        pair_templates=model.pair_templates,
        label_templates=model.labeller.templates,
    )
