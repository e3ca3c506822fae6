"""The latent tree model as a parser of its own: sentences in, dependency trees out."""

from dataclasses import dataclass
from typing import TextIO

import numpy as np

from eigenparse.corpus.conllu import Conllu, write_lists
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.decode.dependency.arcs import BLOCK
from eigenparse.decode.dependency.split_heads import DEPENDENT, ROOT, parse_split_heads, tree_parser
from eigenparse.decode.grammar.parser import ParserOptions
from eigenparse.errors import OptionError
from eigenparse.inference.dependency.latent_chart import chart_bytes, latent_lists
from eigenparse.models.dependency.deptree import DepTree, TreeModel
from eigenparse.models.dependency.split_heads import SplitHeads


@dataclass(frozen=True, slots=True)
class LatentParser:
    """A model with visible states, and the limits on sentences."""

    model: DepTree
    limits: ParserOptions

    def too_long(self, n_words: int) -> bool:
        """Whether a sentence is longer than the parser takes."""
        return n_words > self.limits.max_length or chart_bytes(self.model, n_words) > self.limits.memory

    def parse_corpus(self, corpus: Conllu, out: TextIO, *, n_best: int = 1) -> int:
        """Parse a file that has been read and write CoNLL-U; return how many sentences were too long."""
        for start in range(0, len(corpus), BLOCK):
            part = corpus.part(start, start + BLOCK)
            lists = latent_lists(self.model, part.trees, n_best, self.too_long)
            called = [[DEPENDENT if head else ROOT for head in row] for row in lists.heads.tolist()]
            write_lists(out, part, lists, called, ranked=n_best > 1)
        return sum(self.too_long(n) for n in corpus.trees.lengths().tolist())


def latent_parser(model: DepTree, limits: ParserOptions | None = None) -> LatentParser:
    """Prepare a model for parsing; OptionError for spectral ones, whose products depend on the order of children."""
    if not model.is_proper:
        raise OptionError(
            f"the estimator {model.estimator} scores trees but finds none; "
            "train with --estimator em, cluster, recovered or lpcfg"
        )
    return LatentParser(model, limits or ParserOptions())


def parse_latent(model: DepTree, trees: Dependencies) -> Dependencies:
    """The same sentences with predicted heads; the root is called root and all other words dep."""
    lists = latent_lists(model, trees, 1, latent_parser(model).too_long)
    return trees.with_heads(lists.heads[0], (lists.heads[0] > 0).astype(np.int32), (ROOT, DEPENDENT))


def parse_trees(model: TreeModel, trees: Dependencies) -> Dependencies:
    """The same sentences with heads by a latent tree model or a split-head grammar."""
    if isinstance(model, SplitHeads):
        return parse_split_heads(tree_parser(model), trees)
    return parse_latent(model, trees)
