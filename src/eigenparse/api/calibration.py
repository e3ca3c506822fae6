"""A grammar and gold trees in, how well its posteriors of constituents and tags are calibrated out."""

from pathlib import Path

import numpy as np

from eigenparse.api.grammar import Grammar
from eigenparse.corpus.brackets import read_trees
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.normalise import ROOT, normalise
from eigenparse.corpus.pick import tokens_of
from eigenparse.draw.layout import shape_of
from eigenparse.learn.grammar.judge_cases import gold_brackets, tags_of
from eigenparse.plot.calibration import Calibration, calibrate

LEAST = 0.01  # smaller posteriors are ignored


def calibrations(
    grammar: Grammar, gold: str | Path | Treebank, *, most: int = 300, bins: int = 10
) -> dict[str, Calibration]:
    """Calibration of all constituents of posterior 0.01 or more, and of the tags in the best tree."""
    trees = gold if isinstance(gold, Treebank) else normalise(read_trees(gold))
    spans: list[tuple[float, bool]] = []
    tags: list[tuple[float, bool]] = []
    for i in range(min(len(trees), most)):
        shape = shape_of(trees, i)
        words = [word for word in shape.word if word]
        if len(words) > grammar.options.max_length:
            continue
        rows = range(len(shape.label))
        true = {(shape.label[r], *shape.span[r]) for r in rows if not shape.word[r]}
        true_tags = [shape.label[r] for r in rows if shape.word[r]]
        found = grammar.posteriors(words, least=LEAST)
        spans += [(b.posterior, (b.label, b.start, b.end) in true) for b in found if b.label != ROOT]
        best = grammar.parse(words).tags
        tags += [
            (t.posterior, t.tag == name) for t, name in zip(best, true_tags) if t.posterior == t.posterior
        ]
    return {
        name: calibrate(np.array([p for p, _ in pairs]), np.array([t for _, t in pairs]), bins=bins)
        for name, pairs in (("constituents", spans), ("tags", tags))
    }


def chosen_calibrations(grammar: Grammar, gold: str | Path | Treebank) -> dict[str, Calibration]:
    """Of the best trees, of their constituents and of their tags: the posteriors that users see beside their trees.

    A tree is right if it has the constituents of the gold tree and no others.
    """
    trees = gold if isinstance(gold, Treebank) else normalise(read_trees(gold))
    brackets: list[tuple[float, bool]] = []
    tags: list[tuple[float, bool]] = []
    whole: list[tuple[float, bool]] = []
    found = grammar.parse_many(tokens_of(trees))
    for parse, true, true_tags in zip(found, gold_brackets(trees), tags_of(trees), strict=True):
        if parse.status not in ("ok", "relaxed"):  # pieces glued together have no posterior
            continue
        own = {(b.start, b.end, b.label) for b in parse.brackets}
        whole.append((parse.probability, own == {one for one in true if one[2] != ROOT}))
        brackets += [(b.posterior, (b.start, b.end, b.label) in true) for b in parse.brackets]
        tags += [(one.posterior, one.tag == name) for one, name in zip(parse.tags, true_tags)]
    return {
        name: calibrate(np.array([p for p, _ in pairs]), np.array([t for _, t in pairs]))
        for name, pairs in (("brackets", brackets), ("tags", tags), ("trees", whole))
    }
