"""Trees in any form that users have them in, normalised columns and probabilities out."""

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from eigenparse.corpus.brackets import parse_trees, read_trees
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.transform import Binarisation, binarise
from eigenparse.errors import DataError
from eigenparse.inference.grammar.tree import TreeScores, score_trees
from eigenparse.models.grammar.pcfg import LatentGrammar


def treebank_of(trees: Any, *, skip_broken: bool = False) -> Treebank:
    """Columns of paths, a Treebank, ``nltk.Tree`` objects or strings of brackets."""
    if isinstance(trees, Treebank):
        return trees
    if isinstance(trees, str) and trees.lstrip().startswith("("):
        return parse_trees(trees, skip_broken=skip_broken)
    if isinstance(trees, str | Path):
        return read_trees(trees, skip_broken=skip_broken)
    if not isinstance(trees, Iterable):
        raise DataError(
            f"trees of type {type(trees).__name__}; give paths, a Treebank, nltk trees or brackets"
        )
    items: list[Any] = (
        [trees] if hasattr(trees, "label") else list(trees)
    )  # an nltk.Tree is a list of its children
    if not items:
        raise DataError("there are no trees; give at least one")
    if all(isinstance(item, str) and item.lstrip().startswith("(") for item in items):
        return parse_trees("\n".join(items), skip_broken=skip_broken)
    if all(isinstance(item, str | Path) for item in items):
        return read_trees(items, skip_broken=skip_broken)
    from eigenparse.corpus.nltk_trees import from_nltk

    return from_nltk(items)


def binarisation_of(grammar: LatentGrammar) -> Binarisation:
    """How the trees that a grammar was learnt from were made binary."""
    said = grammar.report.get("binarisation", {})
    known = {f.name for f in fields(Binarisation)}
    return Binarisation(**{name: value for name, value in said.items() if name in known})


def score_treebank(grammar: LatentGrammar, treebank: Treebank) -> TreeScores:
    """Probability of each tree, one entry a tree given; trees without words have sign 0."""
    from eigenparse.corpus.normalise import normalise_report

    cleaned = normalise_report(treebank)
    log, sign = np.full(len(treebank), -np.inf), np.zeros(len(treebank))
    if len(cleaned.treebank):
        trees = binarise(cleaned.treebank, binarisation_of(grammar))
        found = [score_trees(grammar, trees, member=m) for m in range(len(grammar.members))]
        log[cleaned.kept] = np.mean([one.log_probability for one in found], axis=0)
        sign[cleaned.kept] = np.min([one.sign for one in found], axis=0)
    return TreeScores(log, sign)
