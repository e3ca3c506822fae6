"""A grammar small enough to enumerate all its trees of a sentence, and one that is worth parsing with."""

import functools
import math
from collections.abc import Sequence

from eigenparse.api.grammar import Grammar
from eigenparse.api.learner import LatentPCFG
from eigenparse.corpus.brackets import parse_trees
from eigenparse.decode.grammar.parser import ParserOptions
from eigenparse.decode.grammar.results import Parse, log_probabilities
from eigenparse.inference.grammar.forest import NO_PRUNING
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.synthetic import sample_treebank

TREES = """
(TOP (S (NP (NNS dogs)) (VP (VBD saw) (NP (NNS men)) (PP (IN with) (NP (NNS dogs))))))
(TOP (S (NP (NNS men)) (VP (VBD saw) (NP (NP (NNS dogs)) (PP (IN with) (NP (NNS men)))))))
(TOP (S (NP (NNS men)) (VP (VBD saw) (NP (NP (DT the) (NN saw)) (PP (IN with) (NP (NNS men)))))))
(TOP (S (NP (NP (NNS men)) (PP (IN with) (NP (NNS dogs)))) (VP (VBD slept))))
(TOP (NP (NP (DT the) (NNS dogs)) (PP (IN with) (NP (DT the) (NN saw)))))
(TOP (S (NP (DT the) (NN saw)) (VP (VP (VBD saw)) (PP (IN with) (NP (NNS men))))))
(TOP (S (NP (NNS dogs)) (VP (VP (VBD saw) (NP (NNS men))) (PP (IN with) (NP (NNS dogs))))))
(TOP (NP (NNS dogs)))
"""
SENTENCE = "men saw dogs with dogs with men"


@functools.cache
def tiny(factor: str = "right", method: str = "pcfg", vertical: int = 1) -> Grammar:
    """A grammar of eight trees whose words have the tags they were seen with and no others."""
    latent = small_options(factor, method, vertical).fit(parse_trees(TREES.strip()))
    return Grammar.of(latent, options=ParserOptions(pruning=NO_PRUNING))


def small_options(factor: str, method: str, vertical: int) -> GrammarOptions:
    """How to learn from so few trees."""
    return GrammarOptions(
        method=method,
        rare=0,
        states=2,
        nodes_per_state=3,
        word_weight=0.0,
        tag_weight=0.0,
        factor=factor,
        vertical=vertical,
    )


@functools.cache
def english(n_trees: int = 600, **settings: object) -> Grammar:
    """A grammar of the bundled treebank."""
    return LatentPCFG(**({"states": 4} | settings)).fit(sample_treebank(n_trees, 0))  # type: ignore[arg-type]


def own_logs(trees: Sequence[Parse]) -> tuple[list[float], float]:
    """log p of all trees of a list, and of the sentence, by the weights as they were learnt."""
    likelihood = trees[0].likelihood
    assert likelihood is not None
    decoded, parser = likelihood.found.decoded, likelihood.tables.parser
    return log_probabilities(parser, trees[0].tokens, decoded).tolist(), decoded.log_total


def own_shares(trees: Sequence[Parse]) -> list[float]:
    """p(tree | tokens) by the weights as they were learnt, which posteriors are made of."""
    logs, total = own_logs(trees)
    return [math.exp(log - total) for log in logs]
