"""Re-estimate a grammar without some of its training trees: one round of EM over the remaining trees.

A judge learns from sentences that a grammar was not trained on.  Training a grammar on the remaining trees from the
beginning costs as much as the grammar itself.  Starting from its states, one round of EM over the remaining trees is
enough: no weight then depends on the held-out trees, and rules and words that occur only in them are gone.
"""

from dataclasses import replace

import numpy as np

from eigenparse.arrays import AnyArray, LongVector, as_ids
from eigenparse.corpus.columns import Treebank, Trees
from eigenparse.corpus.transform import binarise
from eigenparse.kernels.grammar.counts import copy_blocks
from eigenparse.learn.grammar.corpus import open_corpus
from eigenparse.learn.grammar.learner import factorings, filter_of
from eigenparse.learn.grammar.members import Rounds, look_at_nodes, single
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.learn.grammar.shards import Shards
from eigenparse.models.grammar.pcfg import LatentGrammar, Skeleton, Weights, layout
from eigenparse.threads import one_thread
from eigenparse.work.work import Work

FILTER_PASSES = 1  # the threshold is chosen on trees that it did not learn from, so it loses no more spans


def learn_again(
    grammar: LatentGrammar, data: Treebank | Shards, options: GrammarOptions, work: Work = Work()
) -> LatentGrammar:
    """The grammar, or ensemble, after one round of EM over other trees alone.

    options: those that the grammar was learnt with, filled; the method must be cluster or em.
    """
    parts = []
    with one_thread():
        for own, chosen in zip((grammar, *grammar.others), factorings(options)):
            source = binarise(data, chosen.binarisation) if isinstance(data, Treebank) else data
            parts.append(_part_again(own, source, chosen, work))
    found = replace(parts[0], others=tuple(parts[1:]))
    if not isinstance(data, Treebank):
        return found
    return replace(found, span_filter=filter_of(found, data, options, FILTER_PASSES))


def _part_again(
    grammar: LatentGrammar, source: Trees | Shards, options: GrammarOptions, work: Work
) -> LatentGrammar:
    """One factoring's part, its members and the small grammar in the same pass."""
    one_round = replace(options, em_rounds=1)
    coarse = [] if grammar.coarse is None else [grammar.coarse]
    corpus = open_corpus(source, options, work.run)
    context = look_at_nodes(corpus, options, features=False)[1]
    start = [carried_over(grammar.skeleton, one, corpus.plan.skeleton) for one in (*grammar.members, *coarse)]
    small = [one for one in [options.small()] if one is not None and coarse]
    rounds = Rounds(corpus, lambda: ({}, context), [one_round] * len(grammar.members) + small, work)
    found = rounds.finished(rounds.step(0, rounds.state_of([{} for _ in start], start, context)))
    members = [one.members[0] for one in found]
    n = len(grammar.members)
    return replace(found[0], members=tuple(members[:n]), coarse=members[n] if coarse else None)


def carried_over(source: Skeleton, weights: Weights, target: Skeleton) -> Weights:
    """Weights over one skeleton as weights over another, whose labels and rules the first one has.

    Entries that are not in the first one are uniform over the states of their label.
    """
    ids = {name: a for a, name in enumerate(source.labels)}
    label = as_ids([ids[name] for name in target.labels])
    symbols = {name: x for x, name in reversed(list(enumerate(source.symbols)))}
    symbol = as_ids([symbols.get(name, len(source.symbols)) for name in target.symbols])
    n = len(source.labels)
    rule = _places(_codes(source.rules.T, n), _codes(label[target.rules].T, n))
    own = (source.entry_symbol, source.entry_label)
    entry = _places(_codes(own, n), _codes((symbol[target.entry_symbol], label[target.entry_label]), n))
    states = weights.states[label]
    at = layout(target, states)
    return single(
        Weights(
            states, *at,
            _blocks(weights.rule_weight, weights.rule_at, rule, at[0]),
            _blocks(weights.entry_weight, weights.entry_at, entry, at[1]),
            _blocks(weights.root_weight, weights.state_at, label, at[2]),
        )
    )  # fmt: skip


def _codes(columns: AnyArray | tuple[AnyArray, ...], n: int) -> LongVector:
    """Rows of numbers as single numbers; all columns but the first are below n."""
    code = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        code = code * n + column
    return code


def _places(codes: LongVector, wanted: LongVector) -> LongVector:
    """Position of each wanted code among sorted ones; -1 if it is absent."""
    place = np.minimum(np.searchsorted(codes, wanted), codes.size - 1)
    return np.where(codes[place] == wanted, place, -1)


def _blocks(values: AnyArray, source_at: LongVector, chosen: AnyArray, at: LongVector) -> AnyArray:
    """Blocks of values one after the other; ones for those that are missing."""
    out = np.ones(int(at[-1]), dtype=values.dtype)
    copy_blocks(values, source_at, chosen, at, out)
    return out
