"""Trees in any form that users have them in, normalised columns and probabilities out."""

from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from eigenparse.corpus.brackets import parse_trees, read_trees
from eigenparse.corpus.cleaning import NAMED, Normalisation
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.normalise import normalise_report
from eigenparse.corpus.transform import Binarisation, binarise
from eigenparse.errors import DataError
from eigenparse.inference.grammar.probability import tree_log_p
from eigenparse.inference.grammar.proper import is_signed, proper_parts
from eigenparse.inference.grammar.tree import TreeScores, score_trees
from eigenparse.models.grammar.pcfg import LatentGrammar


def treebank_of(trees: Any, *, skip_broken: bool = False) -> Treebank:
    """Columns of paths, a Treebank, ``nltk.Tree`` objects or strings of brackets."""
    if isinstance(trees, Treebank):
        return trees
    if isinstance(trees, bytes | bytearray):
        raise DataError("the trees are bytes; decode them first, as trees.decode('utf-8')")
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

    if not all(hasattr(item, "label") for item in items):
        name = next(type(item).__name__ for item in items if not hasattr(item, "label"))
        raise DataError(
            f"trees of type {name}; give paths, a Treebank, nltk trees or brackets, as in parse.tree"
        )
    return from_nltk(items)


def binarisation_of(grammar: LatentGrammar) -> Binarisation:
    """How the trees that a grammar was learnt from were made binary."""
    said = grammar.report.get("binarisation", {})
    known = {f.name for f in fields(Binarisation)}
    return Binarisation(**{name: value for name, value in said.items() if name in known})


def normalisation_of(grammar: LatentGrammar) -> Normalisation:
    """How the trees that a grammar was learnt from were cleaned; the default if the model does not say."""
    said, usual = grammar.report.get("normalisation"), Normalisation()
    if not isinstance(said, dict):
        return usual
    names = {name: tuple(map(str, said[name])) for name in NAMED if isinstance(said.get(name), list)}
    return replace(usual, keep_tag_suffix=said.get("keep_tag_suffix") is True, **names)


def score_treebank(grammar: LatentGrammar, treebank: Treebank, *, project: bool = False) -> TreeScores:
    """Probability of each tree, one entry per tree given; trees without words have sign 0.

    By the grammar's proper distribution; with negative weights, which are none, by the weights themselves, the mean of
    the members' logs and the smallest sign.  project: by the nearest proper distribution even then.
    """
    cleaned = normalise_report(treebank, options=normalisation_of(grammar))
    log, sign = np.full(len(treebank), -np.inf), np.zeros(len(treebank))
    if not len(cleaned.treebank):
        return TreeScores(log, sign)
    if project or not is_signed(grammar):
        log[cleaned.kept], sign[cleaned.kept] = tree_log_p(proper_parts(grammar), cleaned.treebank), 1.0
        return TreeScores(log, sign)
    trees = binarise(cleaned.treebank, binarisation_of(grammar))
    found = [score_trees(grammar, trees, member=m) for m in range(len(grammar.members))]
    log[cleaned.kept] = np.mean([one.log_probability for one in found], axis=0)
    sign[cleaned.kept] = np.min([one.sign for one in found], axis=0)
    return TreeScores(log, sign)
