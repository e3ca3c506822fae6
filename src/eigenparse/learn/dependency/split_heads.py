"""Dependency trees in, a latent PCFG over their split-head binarisation out, with a labeller of its arcs."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from eigenparse.arrays import frozen
from eigenparse.corpus.columns import Trees
from eigenparse.corpus.dependencies import Dependencies, projectivised
from eigenparse.corpus.split_heads import split_head_trees, word_tags
from eigenparse.features.dependency.arc_columns import arc_columns
from eigenparse.inference.dependency.split_heads import score_split_heads
from eigenparse.learn.dependency.arcs import ArcOptions, learn_labeller
from eigenparse.learn.grammar.learner import MEMBER_STREAM, fit_trees
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.models.dependency.labeller import Labeller
from eigenparse.models.dependency.split_heads import ESTIMATOR, FLOOR, TENSOR, SplitHeads
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.work.work import Work

UNKNOWN_FLOOR = 1e-5  # the same for a label never seen
LABEL_PASSES = 3  # over relations, of twice as many sentences as there are


def fit_split_heads(
    trees: Dependencies,
    tags: str,
    states: int,
    work: Work = Work(),
    *,
    members: int = 1,
    relations: bool = False,
    seed: int = 0,
    estimator: str = ESTIMATOR,
) -> SplitHeads:
    """Clusters and EM of the latent PCFG learner, or its method of moments; crossing trees are lifted first.

    tags: "upos" or "tag", what labels are made of.  relations: learn a labeller of arcs too.  The members and the
    labeller are tasks of their own.
    """
    filled = trees.select(np.flatnonzero(trees.lengths() > 0))
    lifted, n_lifted = projectivised(filled)
    binary = split_head_trees(lifted, tags=tags)
    method = "tensor" if estimator == TENSOR else "cluster"
    options = GrammarOptions(method=method, states=states, coarse_states=0, level=True)
    todo: list[Callable[[Work], Any]] = [
        partial(_grammar, binary, replace(options, seed=seed + k * MEMBER_STREAM), f"grammar{k}")
        for k in range(members)
    ]
    if relations and set(filled.strings("relation")) - {"_"}:
        todo.append(partial(_labeller, filled, tags, seed))
    made = list(work.map(partial(_done, work.task()), todo))
    first: LatentGrammar = made[0]
    grammar = replace(first, members=tuple(one.members[0] for one in made[:members]))
    count = np.maximum(np.bincount(binary.label, minlength=len(binary.labels)), 1)
    floor = np.append(FLOOR / count, UNKNOWN_FLOOR)
    labeller = made[members] if len(made) > members else None
    about = {"trees": len(trees), "lifted": n_lifted}
    model = SplitHeads(tags, states, grammar, floor, labeller, about, estimator)
    if model.is_proper:
        return model
    n_bad = int((score_split_heads(model, filled)[1] <= 0).sum())
    return replace(model, about=about | {"not_positive": n_bad})


def _done(work: Work, task: Callable[[Work], Any]) -> Any:
    return task(work)


def _grammar(trees: Trees, options: GrammarOptions, name: str, work: Work) -> LatentGrammar:
    return fit_trees(trees, options, work.at(name))


def _labeller(trees: Dependencies, tags: str, seed: int, work: Work) -> Labeller:
    """A labeller of gold arcs as in the graph-based parser, from words with all and with few known attributes."""
    options = ArcOptions(seed=seed, label_passes=LABEL_PASSES)
    less = with_less(trees, tags)
    return learn_labeller(options, less, arc_columns(less), work)[0]


def with_less(trees: Dependencies, tags: str) -> Dependencies:
    """All sentences, and all of them again with only the form and the tag that the grammar uses."""
    name = "upos" if tags == "upos" else "xpos"
    names, ids = word_tags(trees, tags)
    less = trees.with_tags({name: (ids, names)})
    columns, symbols = {}, dict(trees.symbols)
    for own in ("upos", "xpos", "feats"):
        more = getattr(less, own) + len(symbols[own])
        columns[own] = frozen(np.concatenate([getattr(trees, own), more]).astype(np.int32))
        symbols[own] = (*symbols[own], *less.symbols[own])
    for own in ("form", "lemma", "relation", "head", "line"):
        columns[own] = frozen(np.concatenate([getattr(trees, own)] * 2))
    offsets = np.concatenate([trees.offsets, trees.offsets[1:] + trees.n_words])
    return Dependencies(**columns, offsets=frozen(offsets), symbols=symbols)
