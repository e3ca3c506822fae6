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
from eigenparse.learn.checkpoint import NOTHING_KEPT, Checkpoint
from eigenparse.learn.dependency.mira import ArcLearner, learn_relations
from eigenparse.learn.grammar.learner import MEMBER_STREAM, fit_trees
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.learn.rounds import Tell, silent
from eigenparse.models.dependency.labeller import Labeller
from eigenparse.models.dependency.split_heads import SplitHeads
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.run.local import LocalRun
from eigenparse.run.ordered import OrderedRun
from eigenparse.work.kept import Kept
from eigenparse.work.work import Work

FLOOR = 0.1  # counts that a rule or word never seen with a label is given
LABEL_PASSES = 3  # over relations, of twice as many sentences as there are
UNKNOWN_FLOOR = 1e-5  # the same for a label never seen


def fit_split_heads(
    trees: Dependencies,
    *,
    n_states: int,
    tags: str = "upos",
    members: int = 1,
    relations: bool = False,
    seed: int = 0,
    run: OrderedRun = LocalRun(),
    checkpoint: Checkpoint = NOTHING_KEPT,
    tell: Tell = silent,
) -> SplitHeads:
    """Clusters and EM of the latent PCFG learner; crossing trees are lifted first.

    relations: learn a labeller of arcs too.  run: where the members and the labeller are learnt, each apart;
    the result is the same.  checkpoint: where they are kept and looked for, finished or under way.
    """
    filled = trees.select(np.flatnonzero(trees.lengths() > 0))
    binary = split_head_trees(projectivised(filled)[0], tags=tags)
    options = GrammarOptions(states=n_states, coarse_states=0)
    told = tell if run == LocalRun() else silent
    work: list[Callable[[], Any]] = [
        partial(
            _grammar,
            binary,
            replace(options, seed=seed + k * MEMBER_STREAM),
            told,
            checkpoint.at(f"grammar{k}"),
        )
        for k in range(members)
    ]
    if relations and set(filled.strings("relation")) - {"_"}:
        work.append(partial(_labeller, filled, tags, seed, told, checkpoint))
    made = list(run.map_ordered(_done, work))
    first: LatentGrammar = made[0]
    grammar = replace(first, members=tuple(one.members[0] for one in made[:members]))
    count = np.maximum(np.bincount(binary.label, minlength=len(binary.labels)), 1)
    floor = np.append(FLOOR / count, UNKNOWN_FLOOR)
    return SplitHeads(tags, n_states, grammar, floor, made[members] if len(made) > members else None)


def _done(work: Callable[[], Any]) -> Any:
    return work()


def _grammar(trees: Trees, options: GrammarOptions, tell: Tell, checkpoint: Checkpoint) -> LatentGrammar:
    kept = Kept(checkpoint.folder, checkpoint.seconds, checkpoint.name)
    return fit_trees(
        trees, options, Work(kept=kept, progress=lambda stage, done=None, total=None: tell(stage))
    )


def _labeller(trees: Dependencies, tags: str, seed: int, tell: Tell, checkpoint: Checkpoint) -> Labeller:
    """Relations of gold arcs, as the graph-based parser learns them, of words with all and with less known."""

    def shown(what: str, done: int, total: int) -> None:
        tell(f"{what}: pass {done} of {total}")

    learner = ArcLearner(seed=seed, label_passes=LABEL_PASSES)
    weights, _, names = learn_relations(learner, with_less(trees, tags), shown, checkpoint)
    return Labeller(learner.label_templates, weights, names)


def with_less(trees: Dependencies, tags: str) -> Dependencies:
    """All sentences, and all of them again with nothing but the form and the tag that the grammar knows."""
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
