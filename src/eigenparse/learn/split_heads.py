"""Dependency trees in, a latent PCFG over their split-head binarisation out."""

import numpy as np

from eigenparse.corpus.dependencies import Dependencies, projectivised
from eigenparse.corpus.split_heads import split_head_trees
from eigenparse.learn.lpcfg import LpcfgOptions, train_lpcfg
from eigenparse.learn.states import StateOptions
from eigenparse.models.split_heads import SplitHeads

FLOOR = 0.1  # counts that a rule or word never seen with a label is given
UNKNOWN_FLOOR = 1e-5  # the same for a label never seen


def fit_split_heads(
    trees: Dependencies, *, n_states: int, tags: str = "upos", members: int = 1, seed: int = 0
) -> SplitHeads:
    """Clusters and EM of the latent PCFG learner; crossing trees are lifted first."""
    filled = trees.select(np.flatnonzero(trees.lengths() > 0))
    binary = split_head_trees(projectivised(filled)[0], tags=tags)
    options = LpcfgOptions(states=StateOptions(states=n_states), coarse_states=0, ensemble=members, seed=seed)
    grammar = train_lpcfg(binary, options).grammar
    count = np.maximum(np.bincount(binary.label, minlength=len(binary.labels)), 1)
    return SplitHeads(tags, n_states, grammar, np.append(FLOOR / count, UNKNOWN_FLOOR))
