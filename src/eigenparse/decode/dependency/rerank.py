"""N-best CoNLL-U in, the best tree of each list out; and log p of given trees."""

from collections.abc import Iterable
from typing import TextIO

import numpy as np

from eigenparse.corpus.conllu import RANK, SCORE, Conllu, read_lines
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.errors import FormatError
from eigenparse.inference.dependency import proper_heads, proper_trees
from eigenparse.inference.dependency.deptree import TreeTotals, score_trees
from eigenparse.inference.dependency.rerank import Candidates, choose, scored
from eigenparse.models.dependency.deptree import DepTree, TreeModel
from eigenparse.models.dependency.rerank import Reranker
from eigenparse.models.dependency.split_heads import SplitHeads


def _note(lines: tuple[str, ...], prefix: str, source: str, line: int) -> float:
    """The number after a comment's prefix."""
    for text in lines:
        if text.startswith(prefix):
            try:
                return float(text[len(prefix) :])
            except ValueError:
                break
    raise FormatError(
        f"a tree without a comment {prefix.strip()!r}",
        source=source,
        line=line,
        remedy="write lists with parse --kbest",
    )


def read_nbest(lines: Iterable[str], *, source: str) -> tuple[Conllu, list[list[int]], list[float]]:
    """A file of lists as ``parse --kbest`` writes them: all trees, the rows of each list, the scores."""
    corpus = read_lines(lines, source=source)
    groups: list[list[int]] = []
    scores = []
    for s, text in enumerate(corpus.text):
        row = int(corpus.trees.offsets[s])
        line = int(corpus.trees.line[row]) if row < corpus.trees.n_words else 1
        if _note(text, RANK, source, line) == 1:
            groups.append([])
        if not groups:
            raise FormatError(
                "a list does not start with rank 1", source=source, line=line, remedy="keep lists whole"
            )
        groups[-1].append(s)
        scores.append(_note(text, SCORE, source, line))
    return corpus, groups, scores


def candidates(
    trees: Dependencies,
    groups: list[list[int]],
    scores: list[float],
    models: tuple[TreeModel, ...],
    *,
    source: str = "lists",
) -> Candidates:
    """Lists as columns; all trees of a list must have the same words."""
    first = trees.select([group[0] for group in groups])
    n_best = max((len(group) for group in groups), default=1)
    heads = np.zeros((n_best, first.n_words), dtype=np.int32)
    table = np.zeros((len(groups), n_best))
    for g, group in enumerate(groups):
        low, high = int(first.offsets[g]), int(first.offsets[g + 1])
        for rank, s in enumerate(group):
            part = slice(int(trees.offsets[s]), int(trees.offsets[s + 1]))
            if not np.array_equal(trees.form[part], first.form[low:high]):
                raise FormatError(
                    f"tree {rank + 1} of list {g + 1} has other words than the first",
                    source=source,
                    line=int(trees.line[part.start]) if part.start < part.stop else 1,
                    remedy="keep lists whole",
                )
            heads[rank, low:high] = trees.head[part]
            table[g, rank] = scores[s]
    found = np.array([len(group) for group in groups], dtype=np.int64)
    return scored(first, heads, table, found, models)


def rerank_conllu(model: Reranker, lines: Iterable[str], out: TextIO, *, source: str = "input") -> int:
    """Write the best tree of every list, without its rank and score; return the number of lists."""
    corpus, groups, scores = read_nbest(lines, source=source)
    if not groups:
        return 0
    choice, _ = choose(model, candidates(corpus.trees, groups, scores, model.tree_models, source=source))
    for group, pick in zip(groups, choice.tolist()):
        text = corpus.text[group[pick]]
        out.write("\n".join(line for line in text if not line.startswith((RANK, SCORE))) + "\n\n")
    return len(groups)


def tree_totals(model: TreeModel, trees: Dependencies) -> TreeTotals:
    """log p of trees and the observations of their words, if the model is a distribution over them.

    Otherwise log p of the observations given the tree shape.
    """
    is_complete = not trees.n_words or trees.head.min() >= 0
    if is_complete and isinstance(model, SplitHeads) and model.is_proper:
        return TreeTotals(
            proper_heads.tree_logs(proper_heads.proper_heads(model), trees), np.ones(len(trees))
        )
    if is_complete and isinstance(model, DepTree) and proper_trees.is_whole(model):
        return TreeTotals(
            proper_trees.tree_logs(proper_trees.proper_trees(model), trees), np.ones(len(trees))
        )
    return score_trees(model, trees)
