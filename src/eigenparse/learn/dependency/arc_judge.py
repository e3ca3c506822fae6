"""Jack-knifed charts of a parser in, a judge of its arcs out."""

from collections.abc import Callable
from functools import partial

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.features.dependency.arc_columns import arc_columns
from eigenparse.features.dependency.templates import CLASS_JUDGE_TEMPLATES, JUDGE_TEMPLATES
from eigenparse.features.dependency.word_classes import WordClasses
from eigenparse.inference.dependency.arcs import believed, judge_weights
from eigenparse.kernels.dependency.arc_judge import Candidates, judge_pass
from eigenparse.models.dependency.arcs import ArcJudge, ArcModel
from eigenparse.models.dependency.hashed import rounded
from eigenparse.work.kept import Part
from eigenparse.work.work import Work

FOLDS, BLOCK = 3, 20  # folds take blocks of consecutive sentences in turn, so that each has all kinds of text
FEWEST = 100  # sentences that a judge is learnt from
SCALE = 2.5  # of the chart's scores; it maximises the log posterior of heads of unseen sentences
BITS, PASSES, RATE = 21, 3, 0.02
SMALL = 0.02  # smaller weights are left out
Learn = Callable[[Dependencies, WordClasses | None, Work], ArcModel]


def learn_judge(
    learn: Learn, trees: Dependencies, classes: WordClasses | None, seed: int, work: Work
) -> ArcJudge:
    """A judge learnt from charts of sentences that their parser was not trained on; each fold is one task.

    learn: trains a parser on trees.
    """
    work.stage("charts of unseen sentences")
    here = work.task()
    fold = np.arange(len(trees)) // BLOCK % FOLDS
    parts = ((fold == k, here.at(f"fold{k}")) for k in range(FOLDS))
    charts = list(work.map(partial(_chart, learn, trees, classes), parts))
    place = np.repeat(fold, trees.lengths())
    names = tuple(charts[0])
    joined = {
        name: np.empty((trees.n_words, *charts[0][name].shape[1:]), charts[0][name].dtype) for name in names
    }
    for k, chart in enumerate(charts):
        for name in names:
            joined[name][place == k] = chart[name]
    work.stage("judge of arcs")
    return _fit(trees, classes, joined, seed, work)


def _chart(
    learn: Learn, trees: Dependencies, classes: WordClasses | None, part: tuple[AnyArray, Work]
) -> dict[str, AnyArray]:
    """Candidates for the sentences of a fold, from a parser trained on the other folds."""
    unseen, work = part

    def compute() -> Part:
        model = learn(trees.select(np.flatnonzero(~unseen)), classes, work)
        rest = trees.select(np.flatnonzero(unseen))
        full, found = believed(model, arc_columns(rest, classes), SCALE)
        return {}, {**found._asdict(), "relation": full.keys[-1]}

    return work.part("chart", compute, always=True)[1]


def _fit(
    trees: Dependencies, classes: WordClasses | None, charts: dict[str, AnyArray], seed: int, work: Work
) -> ArcJudge:
    """Weights by AdaGrad: the mean of the weights after each pass but the first."""
    columns = arc_columns(trees, classes)
    words = columns._replace(keys=np.concatenate([columns.keys, charts["relation"][None]]))
    found = Candidates(*(charts[name] for name in Candidates._fields))
    templates = JUDGE_TEMPLATES + (CLASS_JUDGE_TEMPLATES if classes is not None else ())
    judge = ArcJudge(templates, np.zeros(1 << BITS, dtype=np.float32), SCALE, 1.0)
    under_way = judge_weights(judge)
    squares, total = np.zeros((2, 1 << BITS), dtype=np.float32)
    squares = np.append(squares, np.float32(0.0))
    for number in range(PASSES):
        order = work.random(seed, 3, number).permutation(len(trees))
        judge_pass(words, trees.head, order, under_way, found, squares, RATE)
        total += under_way.weights if number else 0
        work.stage("judge of arcs", number + 1, PASSES)
    mean = total / np.float32(PASSES - 1)
    weights = rounded(np.where(np.abs(mean) < SMALL, np.float32(0.0), mean), coded=True)
    return ArcJudge(templates, weights, SCALE, float(under_way.trust[0]))
