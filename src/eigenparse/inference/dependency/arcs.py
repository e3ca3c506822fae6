"""A graph-based parser and sentences in; trees, k-best lists, arc posteriors and relations out, as columns."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, IntMatrix, LongVector
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.errors import OptionError
from eigenparse.features.dependency.arc_columns import (
    arc_columns,
    compile_templates,
    judge_templates,
    label_templates,
    pruning_of,
    with_relations,
    with_structure,
)
from eigenparse.inference.dependency.tags import with_predicted_tags
from eigenparse.kernels.dependency.arc_decoding import label_all, parse_all, parse_kbest
from eigenparse.kernels.dependency.arc_features import Templates, Words
from eigenparse.kernels.dependency.arc_judge import (
    MOST,
    Candidates,
    JudgeWeights,
    chart_all,
    judge_all,
    judged_trees,
)
from eigenparse.kernels.dependency.pruning import Pruning
from eigenparse.models.dependency.arcs import ArcJudge, ArcModel
from eigenparse.models.dependency.labeller import Labeller


@dataclass(frozen=True, slots=True)
class TreeLists:
    """The best trees of every sentence, best first.

    heads: (k, T); rows of sentence s beyond found[s] are not filled.  scores: (S, k).
    """

    heads: IntMatrix
    scores: FloatArray
    found: LongVector

    @classmethod
    def empty(cls, n_best: int, n_words: int, n_sentences: int) -> "TreeLists":
        """Lists to fill: one tree per sentence, in which all words depend on the root."""
        heads = np.zeros((n_best, n_words), dtype=np.int32)
        return cls(heads, np.zeros((n_sentences, n_best)), np.ones(n_sentences, dtype=np.int64))


def tagged_for(model: ArcModel, trees: Dependencies) -> Dependencies:
    """The same words with the tags that the parser predicts, if it was trained on predicted ones."""
    return with_predicted_tags(model.taggers, trees, model.classes) if model.taggers else trees


def columns_for(model: ArcModel, trees: Dependencies) -> Words:
    """What the parser reads: tags as given, or predicted if it was trained on predicted ones."""
    return arc_columns(tagged_for(model, trees), model.classes)


def compiled_for(model: ArcModel) -> tuple[Templates, Pruning]:
    """Templates and pruning as the kernels take them."""
    compiled = compile_templates(model.templates, model.pair_templates, bits=model.bits)
    return compiled, pruning_of(model.pruner)


def parse(model: ArcModel, trees: Dependencies) -> Dependencies:
    """The same sentences with predicted heads and relations; given heads are ignored.

    A parser that has taggers gives words its own tags, features and lemmas, too.
    """
    trees = tagged_for(model, trees)
    columns = arc_columns(trees, model.classes)
    head, _ = _best(model, columns)
    if model.morphology is not None:
        trees = model.morphology.applied(trees)
    return trees.with_heads(head, relations_of(model.labeller, columns, head), model.labeller.relations)


def _best(model: ArcModel, columns: Words) -> tuple[AnyArray, AnyArray]:
    if model.judge is not None:
        lists = _judged_lists(model, columns, 1)
        return lists.heads[0], lists.scores[:, 0]
    compiled = compiled_for(model)
    head = np.zeros(columns.tags.size, dtype=np.int32)
    scores = np.zeros(columns.offsets.size - 1)
    parse_all(columns, compiled, model.weights, model.order == 2, model.crossing, head, scores)
    return head, scores


def relations_of(labeller: Labeller, columns: Words, head: AnyArray) -> AnyArray:
    """(T,) best relation of every arc."""
    compiled = label_templates(labeller.templates, bits=labeller.bits)
    full = with_structure(columns, head)
    relation = np.zeros(head.size, dtype=np.int32)
    label_all(full, head, compiled, labeller.weights, relation)
    return relation


def believed(model: ArcModel, columns: Words, scale: float) -> tuple[Words, Candidates]:
    """Columns with the relations of the best trees, and candidate heads with their log posteriors."""
    heads = np.full((columns.tags.size, MOST), -1, dtype=np.int32)
    found = Candidates(heads, np.zeros(heads.shape, dtype=np.float32), np.zeros(len(heads), dtype=np.int32))
    chart_all(columns, compiled_for(model), model.weights, model.order == 2, scale, found)
    relation = relations_of(model.labeller, columns, found.tree)
    return with_relations(columns, relation, model.labeller.relations), found


def judge_weights(judge: ArcJudge) -> JudgeWeights:
    """The judge as kernels take it."""
    compiled = judge_templates(judge.templates, bits=judge.bits)
    return JudgeWeights(compiled, judge.weights, np.array([judge.trust]))


def judged(model: ArcModel, judge: ArcJudge, columns: Words) -> Candidates:
    """Candidate heads of every word with the judge's log-probabilities."""
    full, found = believed(model, columns, judge.scale)
    judge_all(full, judge_weights(judge), found)
    return found


def _judged_lists(model: ArcModel, columns: Words, n_best: int) -> TreeLists:
    assert model.judge is not None
    found = judged(model, model.judge, columns)
    lists = TreeLists.empty(n_best, columns.tags.size, columns.offsets.size - 1)
    judged_trees(columns.offsets, found, lists.heads, lists.scores, lists.found)
    return lists


def kbest(model: ArcModel, trees: Dependencies, n_best: int) -> TreeLists:
    """The ``n_best`` best projective trees of every sentence, all different."""
    if n_best < 1:
        raise OptionError(f"the number of trees must be 1 or more, got {n_best} instead")
    columns = columns_for(model, trees)
    if model.judge is not None:
        return _judged_lists(model, columns, n_best)
    compiled = compiled_for(model)
    lists = TreeLists.empty(n_best, columns.tags.size, len(trees))
    parse_kbest(columns, compiled, model.weights, model.order == 2, lists.heads, lists.scores, lists.found)
    return lists
