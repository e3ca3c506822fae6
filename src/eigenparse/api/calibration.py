"""A grammar and gold trees in, how well its posteriors of constituents and tags are calibrated out."""

from itertools import islice
from math import isnan
from pathlib import Path

import numpy as np

from eigenparse.api.grammar import Grammar
from eigenparse.corpus.brackets import read_trees
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.normalise import ROOT, normalise
from eigenparse.corpus.pick import tokens_of
from eigenparse.learn.grammar.judge_cases import gold_brackets, tags_of
from eigenparse.plot.calibration import Calibration, calibrate

LEAST = 0.01  # smaller posteriors are ignored
Pairs = list[tuple[float, bool]]  # a posterior, and whether what it is of is right


def calibrations(
    grammar: Grammar, gold: str | Path | Treebank, *, most: int = 300, bins: int = 10
) -> dict[str, Calibration]:
    """Calibration of all constituents of posterior 0.01 or more, and of the tags in the best tree."""
    trees = gold if isinstance(gold, Treebank) else normalise(read_trees(gold))
    spans: Pairs = []
    tags: Pairs = []
    sentences = zip(tokens_of(trees), gold_brackets(trees), tags_of(trees))
    for words, true, true_tags in islice(sentences, most):
        if len(words) > grammar.options.max_length:
            continue
        found = grammar.posteriors(words, least=LEAST)
        spans += [(b.posterior, (b.start, b.end, b.label) in true) for b in found if b.label != ROOT]
        best = zip(grammar.parse(words).tags, true_tags)
        tags += [(one.posterior, one.tag == name) for one, name in best if not isnan(one.posterior)]
    return _calibrated({"constituents": spans, "tags": tags}, bins)


def _calibrated(pairs: dict[str, Pairs], bins: int = 10) -> dict[str, Calibration]:
    """The calibration of posteriors by name, each with whether what it is of is right."""
    return {
        name: calibrate(np.array([p for p, _ in own]), np.array([t for _, t in own]), bins=bins)
        for name, own in pairs.items()
    }


def chosen_calibrations(grammar: Grammar, gold: str | Path | Treebank) -> dict[str, Calibration]:
    """Of the best trees, of their constituents and of their tags: the posteriors that users see beside their trees.

    A tree is right if it has the constituents of the gold tree and no others.
    """
    trees = gold if isinstance(gold, Treebank) else normalise(read_trees(gold))
    brackets: Pairs = []
    tags: Pairs = []
    whole: Pairs = []
    found = grammar.parse_many(tokens_of(trees))
    for parse, true, true_tags in zip(found, gold_brackets(trees), tags_of(trees), strict=True):
        if parse.status not in ("ok", "relaxed"):  # pieces glued together have no posterior
            continue
        own = {(b.start, b.end, b.label) for b in parse.brackets}
        whole.append((parse.probability, own == {one for one in true if one[2] != ROOT}))
        brackets += [(b.posterior, (b.start, b.end, b.label) in true) for b in parse.brackets]
        tags += [(one.posterior, one.tag == name) for one, name in zip(parse.tags, true_tags)]
    return _calibrated({"brackets": brackets, "tags": tags, "trees": whole})
