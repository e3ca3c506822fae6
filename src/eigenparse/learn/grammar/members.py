"""The members of a grammar: an encoded corpus and options in, weights with their lexicon out."""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, IntVector
from eigenparse.kernels.grammar.tree import add_by_label
from eigenparse.learn.grammar.context import tag_context
from eigenparse.learn.grammar.corpus import Corpus
from eigenparse.learn.grammar.counts import LatentCounts, estimate, hard_counts
from eigenparse.learn.grammar.em import expected_counts
from eigenparse.learn.grammar.encode import Encoded
from eigenparse.learn.grammar.lexicon import TokenSums, shrunk, token_sums, with_lexicon
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.learn.grammar.split_merge import split_merge
from eigenparse.learn.grammar.states import (
    NodeFeatures,
    StateOptions,
    StateTable,
    assign_states,
    cluster_states,
    node_features,
    random_states,
    sample_nodes,
    state_table,
    wanted_states,
)
from eigenparse.learn.grammar.tensor import project, tensor_weights
from eigenparse.models.grammar.pcfg import (
    LatentGrammar,
    TagContext,
    Weights,
    context_arrays,
    context_of,
    plain_weights,
    weight_arrays,
    weights_of,
)
from eigenparse.work.kept import Part
from eigenparse.work.work import Work

SAMPLE_NODES = 20_000  # sampled nodes per label of a corpus in shards, for its projection and centres
Ground = Callable[[], tuple[NodeFeatures, TagContext]]
Singular = dict[str, list[float]]


def single(weights: Weights) -> Weights:
    """Weights as stored: single precision."""
    return replace(
        weights,
        rule_weight=weights.rule_weight.astype(np.float32, copy=False),
        entry_weight=weights.entry_weight.astype(np.float32, copy=False),
        root_weight=weights.root_weight.astype(np.float32, copy=False),
    )


def look_at_nodes(
    corpus: Corpus, options: GrammarOptions, *, features: bool
) -> tuple[NodeFeatures, TagContext]:
    """Features of the nodes, if wanted, of all in memory or of a sample of shards; and the tables of neighbours."""
    of, count = options.of_states, corpus.counts.label_count()
    of = of if features else replace(of, inside=(), outside=())
    rate = None
    if corpus.held is None:
        wanted = wanted_states(count, corpus.counts.labels, of)
        rate = np.where(wanted > 1, np.minimum(SAMPLE_NODES / np.maximum(count, 1), 1.0), 0.0)
    samples = list(corpus.each(partial(sample_nodes, options=of, rate=rate, seed=options.seed)))
    context = tag_context(one.context for one in samples)
    return node_features(samples, count, of) if features else {}, context


def learn_members(
    corpus: Corpus, ground: Ground, members: Sequence[GrammarOptions], work: Work
) -> list[LatentGrammar]:
    """Learn several sets of weights in the same passes, each as a grammar of its own.  members: filled options."""
    plain = {"pcfg": _plain, "tensor": _by_moments}.get(str(members[0].method))
    if plain is not None:
        return [plain(corpus, ground, one, work) for one in members]
    em = Rounds(corpus, ground, members, work)
    return em.finished(work.rounds("rounds", max(em.last), em.first, em.step))


def _plain(corpus: Corpus, ground: Ground, options: GrammarOptions, work: Work) -> LatentGrammar:
    """The plain PCFG: one state per label."""
    context = ground()[1]
    work.stage("lexicon")
    tokens = corpus.add_up(plain_tokens, operator.add)
    return _with_lexicon(corpus, plain_weights(corpus.plan.skeleton), tokens, options, context, {})


def plain_tokens(encoded: Encoded) -> TokenSums:
    """Sums over words whose labels have one state."""
    trees = encoded.trees
    n, n_labels = trees.label.size, len(trees.labels)
    weight = trees.row_weight()
    total: AnyArray = np.bincount(trees.label, weights=weight, minlength=n_labels)
    return token_sums(trees, weight, np.arange(n + 1), total, np.arange(n_labels + 1))


def _by_moments(corpus: Corpus, ground: Ground, options: GrammarOptions, work: Work) -> LatentGrammar:
    """The tensors of the method of moments."""
    encoded, of = _held(corpus), options.of_states
    work.stage("features and projections")
    features, context = ground()
    projected = project(encoded, features, _wanted(corpus, of), of, options.seed)
    work.stage("moments")
    weights = tensor_weights(encoded, projected, options.rule_smoothing or 0.0)
    work.stage("lexicon")
    total = np.repeat(corpus.counts.label_count(), weights.states).astype(np.float64)
    tokens = token_sums(encoded.trees, projected.weighted_outside, projected.at, total, weights.state_at)
    report = {"singular": _singular(projected.singular)}
    return _with_lexicon(corpus, weights, tokens, options, context, report)


def _held(corpus: Corpus) -> Encoded:
    if corpus.held is None:
        raise TypeError("this method needs all trees in memory")
    return corpus.held


def _wanted(corpus: Corpus, options: StateOptions) -> IntVector:
    return wanted_states(corpus.counts.label_count(), corpus.counts.labels, options)


def _singular(values: dict[int, FloatArray]) -> Singular:
    """Singular values in the form of reports."""
    return {str(a): [float(f"{v:.6g}") for v in sigma] for a, sigma in sorted(values.items())}


def _with_lexicon(
    corpus: Corpus,
    weights: Weights,
    tokens: TokenSums,
    options: GrammarOptions,
    context: TagContext | None,
    report: dict[str, Any],
) -> LatentGrammar:
    """Weights with the lexicon of their words, as a grammar of one member."""
    if options.word_shrinkage is not None:
        tokens = shrunk(tokens, weights.state_at, options.word_shrinkage)
    words = tuple(corpus.plan.words)
    skeleton, full = with_lexicon(corpus.plan.skeleton, weights, words, tokens, options.of_lexicon)
    return LatentGrammar(skeleton, (single(full),), context, report=report)


@dataclass(frozen=True, slots=True)
class RoundSums:
    """One member's sums of a pass of EM; they add over shards.  tokens: only of the last pass."""

    counts: LatentCounts
    log_likelihood: float
    tokens: TokenSums | None

    def __add__(self, other: "RoundSums") -> "RoundSums":
        both = self.tokens is not None and other.tokens is not None
        return RoundSums(
            self.counts + other.counts,
            self.log_likelihood + other.log_likelihood,
            self.tokens + other.tokens if both else None,  # type: ignore[operator]
        )


def add_each(total: Sequence[Any], part: Sequence[Any]) -> tuple[Any, ...]:
    """Sums of members so far, and of one shard more."""
    return tuple(one + two for one, two in zip(total, part, strict=True))


def count_states(
    encoded: Encoded, tables: Sequence[StateTable], options: StateOptions
) -> tuple[LatentCounts, ...]:
    """Counts of the states that each member's centres give to the nodes of a shard."""
    sample = sample_nodes(encoded, options)
    return tuple(
        hard_counts(encoded, assign_states(one, sample), one.states, dtype=np.float32) for one in tables
    )


def expect(encoded: Encoded, weights: Sequence[Weights], last: Sequence[bool]) -> tuple[RoundSums, ...]:
    """Expected counts of a shard under the weights of each member; sums over its words in the last pass."""
    return tuple(_expect(encoded, one, is_last) for one, is_last in zip(weights, last, strict=True))


def _expect(encoded: Encoded, weights: Weights, is_last: bool) -> RoundSums:
    nodes = encoded.distinct
    found, tokens = expected_counts(encoded, weights, nodes), None
    if is_last:
        total = np.zeros(int(weights.state_at[-1]))
        add_by_label(nodes.label, found.at, found.posterior, weights.state_at, total)
        tokens = token_sums(encoded.trees, found.posterior, found.at, total, weights.state_at, nodes)
    return RoundSums(found.counts, found.log_likelihood, tokens)


@dataclass(frozen=True, slots=True)
class Rounds:
    """EM of several members in the same passes, each with its own number of rounds.

    The state between rounds is a header and arrays, so that it can be saved: weights of unfinished members, grammars
    of finished ones, singular values, log-likelihoods and the tables of neighbours.
    """

    corpus: Corpus
    ground: Ground
    members: Sequence[GrammarOptions]
    work: Work

    @property
    def last(self) -> list[int]:
        """Passes of each member; one without rounds needs a pass for the posteriors of its words."""
        return [max(one.em_rounds or 0, 1) for one in self.members]

    def first(self) -> Part:
        """Counts of states, and the weights that they give."""
        hard, singular, context = self._counted()
        weights = [self._estimate(counts, one) for counts, one in zip(hard, self.members, strict=True)]
        return self.state_of(singular, weights, context)

    def state_of(
        self, singular: Sequence[Singular], weights: Sequence[Weights], context: TagContext | None
    ) -> Part:
        """The state before the first round from these weights of the members."""
        header = {"singular": list(singular), "log_likelihood": [[] for _ in self.members], "finished": {}}
        arrays = context_arrays(context)
        for k, one in enumerate(weights):
            arrays |= weight_arrays(one, f"{k}.")
        return header, arrays

    def _counted(self) -> tuple[Sequence[LatentCounts], list[Singular], TagContext]:
        """Counts of states, singular values of each member, and the tables of neighbours."""
        self.work.stage("features, projections and clusters")
        features, context = self.ground()
        if self.corpus.held is None:
            tables = [
                state_table(features, _wanted(self.corpus, one.of_states), one.of_states, one.seed)
                for one in self.members
            ]
            self.work.stage("counts")
            task = partial(count_states, tables=tables, options=self.members[0].of_states)
            return self.corpus.add_up(task, add_each), [_singular(one.singular) for one in tables], context
        if self.members[0].method == "splitmerge":
            self.work.stage("splitting and merging")
            return [self._split_merged(one) for one in self.members], [{} for _ in self.members], context
        encoded, found = self.corpus.held, []
        for one in self.members:
            of, wanted = one.of_states, _wanted(self.corpus, one.of_states)
            found.append(
                random_states(encoded, wanted, one.seed)
                if one.method == "em"
                else cluster_states(encoded, features, wanted, of, one.seed)
            )
        self.work.stage("counts")
        hard = [hard_counts(encoded, one.state, one.states, dtype=np.float32) for one in found]
        return hard, [_singular(one.singular) for one in found], context

    def _split_merged(self, options: GrammarOptions) -> LatentCounts:
        wanted = _wanted(self.corpus, options.of_states)
        estimated = partial(self._estimate, options=options)
        return split_merge(_held(self.corpus), wanted, lambda counts: single(estimated(counts)), options.seed)

    def _estimate(self, counts: LatentCounts, options: GrammarOptions) -> Weights:
        return estimate(
            self.corpus.plan.skeleton,
            counts,
            rule_smoothing=options.rule_smoothing or 0.0,
            state_mixing=options.state_mixing or 0.0,
            in_place=True,
        )

    def step(self, number: int, state: Part) -> Part:
        """One pass over the trees for all members that are not finished."""
        header, arrays = state
        going = [k for k, last in enumerate(self.last) if number < last]
        self.work.stage("EM rounds" if self.members[0].em_rounds else "posteriors of words")
        skeleton = self.corpus.plan.skeleton
        weights = {k: weights_of(skeleton, arrays, f"{k}.") for k in going}
        task = partial(
            expect,
            weights=[single(one) for one in weights.values()],
            last=[number + 1 == self.last[k] for k in going],
        )
        sums: tuple[RoundSums, ...] = self.corpus.add_up(task, add_each)
        logs = [list(told) for told in header["log_likelihood"]]
        finished, arrays = dict(header["finished"]), dict(arrays)
        for k, one in zip(going, sums, strict=True):
            logs[k].append(one.log_likelihood)
            better = self._estimate(one.counts, self.members[k]) if self.members[k].em_rounds else weights[k]
            arrays |= weight_arrays(better, f"{k}.")
            if one.tokens is not None:
                self.work.stage("lexicon")
                report = {"singular": header["singular"][k], "log_likelihood": logs[k]}
                made = _with_lexicon(
                    self.corpus, better, one.tokens, self.members[k], context_of(arrays), report
                )
                finished[str(k)], own = made.to_parts()
                arrays = {name: a for name, a in arrays.items() if not name.startswith(f"{k}.")}
                arrays |= {f"finished{k}.{name}": array for name, array in own.items()}
        return header | {"log_likelihood": logs, "finished": finished}, arrays

    def finished(self, state: Part) -> list[LatentGrammar]:
        """The grammars after the last pass."""
        header, arrays = state
        found = []
        for k in range(len(self.members)):
            place = f"finished{k}."
            own = {name.removeprefix(place): a for name, a in arrays.items() if name.startswith(place)}
            found.append(LatentGrammar.from_parts(header["finished"][str(k)], own))
        return found
