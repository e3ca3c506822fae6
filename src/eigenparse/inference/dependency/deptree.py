"""A latent tree model and dependency trees in; log-probabilities, expected counts and samples out."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, Sums
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.errors import DataError, OptionError
from eigenparse.features.dependency.channels import encode
from eigenparse.inference.dependency.split_heads import score_split_heads
from eigenparse.kernels.dependency.deptree import ObservedTrees, Parameters, expected_counts, tree_totals
from eigenparse.models.dependency.deptree import DepTree, TreeModel
from eigenparse.models.dependency.split_heads import SplitHeads


@dataclass(frozen=True, slots=True)
class TreeTotals:
    """log|p| and sign(p) of every tree: (S,) each."""

    log_abs: FloatArray
    sign: FloatArray

    @property
    def n_not_positive(self) -> int:
        """Number of trees whose total is zero or negative, and so not a probability."""
        return int((self.sign <= 0).sum())


@dataclass(frozen=True, slots=True)
class TreeCounts(Sums):
    """Expected counts of a proper model; they add.  Shapes as the parameters."""

    start: FloatArray
    transition: FloatArray
    observation: FloatArray
    log_likelihood: float


def score_trees(model: TreeModel, trees: Dependencies) -> TreeTotals:
    """Algorithm 1 on every tree, whatever its topology; split heads lift crossing trees first."""
    if trees.n_words and trees.head.min() < 0:
        raise DataError("some words have no head; score complete trees")
    if isinstance(model, SplitHeads):
        return TreeTotals(*score_split_heads(model, trees))
    return score_symbols(model, trees.head, trees.offsets, encode(trees, model.channels, model.symbols))


def score_symbols(model: DepTree, head: AnyArray, offsets: AnyArray, symbols: AnyArray) -> TreeTotals:
    """Algorithm 1 on trees whose observations are already rows of the model's table."""
    log_abs, sign = np.zeros(offsets.size - 1), np.zeros(offsets.size - 1)
    tree_totals(ObservedTrees(head, offsets, symbols), _parameters(model), log_abs, sign)
    return TreeTotals(log_abs, sign)


def count_symbols(model: DepTree, head: AnyArray, offsets: AnyArray, symbols: AnyArray) -> TreeCounts:
    """Expected counts of a proper model on trees whose observations are rows of its table."""
    if not model.is_proper:
        raise OptionError("expected counts need visible states; use a cluster, recovered or em model")
    counts = Parameters(*map(np.zeros_like, _parameters(model)))
    log_likelihood = expected_counts(ObservedTrees(head, offsets, symbols), _parameters(model), counts)
    return TreeCounts(counts.start, counts.transition, counts.observation, float(log_likelihood))


def _parameters(model: DepTree) -> Parameters:
    return Parameters(model.start, model.transition, model.observation, model.product)
