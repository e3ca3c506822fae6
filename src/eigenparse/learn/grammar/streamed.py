"""Latent PCFGs by clustering from more trees than fit into memory: shards in, sums over them, a grammar out.

Passes: (1) labels, words, rules and tokens are counted; (2) a seeded sample of each label's nodes gives its
projection and its cluster centres; (3) every node joins a centre, counts are added; (4) rounds of EM, whose
expected counts are added, too.  Each pass is an ordered map with a sum in shard order, so the result does not
depend on where it ran.  Memory depends on labels, rules, words and states, and on the size of one shard.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from eigenparse.arrays import AnyArray, FloatArray, IntVector, LongVector, as_ids, as_offsets, generator
from eigenparse.corpus.columns import Label
from eigenparse.corpus.transform import Binarisation
from eigenparse.corpus.word_classes import class_levels
from eigenparse.errors import DataError, OptionError
from eigenparse.features.grammar.tree import feature_keys, node_view
from eigenparse.kernels.columns import heights
from eigenparse.learn.checkpoint import NOTHING_KEPT, Checkpoint, mark_of
from eigenparse.learn.grammar.context import context_counts, smoothed_context
from eigenparse.learn.grammar.counts import LatentCounts, estimate, hard_counts
from eigenparse.learn.grammar.em import expected_counts
from eigenparse.learn.grammar.encode import ENOUGH, Encoded, starts
from eigenparse.learn.grammar.learner import Learned, LpcfgOptions, single
from eigenparse.learn.grammar.lexicon import TokenValues, lexicon_of_sums, token_sums
from eigenparse.learn.grammar.shards import Shard, ShardCounts, count_shard, renumbered, shard_trees
from eigenparse.learn.grammar.states import states_by_rule
from eigenparse.learn.grammar.streamed_kept import (
    Begun,
    Round,
    Rounds,
    add_counts,
    add_rounds,
    keep_rounds,
    kept_beginning,
    kept_rounds,
)
from eigenparse.learn.grammar.streamed_states import (
    NodeSample,
    StateTable,
    assign_states,
    join_samples,
    state_table,
)
from eigenparse.learn.grammar.streamed_sums import shrunk_sums
from eigenparse.learn.grammar.tensor import row_places
from eigenparse.learn.stages import Progress, Stages
from eigenparse.models.grammar.pcfg import LatentGrammar, Skeleton, Weights
from eigenparse.run.local import LocalRun
from eigenparse.run.ordered import OrderedRun, reduce_grouped

SAMPLE_NODES = 20_000  # of a label, for its projection and its centres


@dataclass(frozen=True, slots=True)
class CorpusCounts:
    """The first pass' sums under the ids of the whole corpus; see ShardCounts."""

    labels: tuple[Label, ...]
    words: tuple[str, ...]
    rules: IntVector
    rule_count: LongVector
    roots: LongVector
    tokens: IntVector
    token_count: LongVector
    n_trees: int

    def label_count(self) -> LongVector:
        """(A,) nodes of each label."""
        n = len(self.labels)
        over = np.bincount(self.rules[:, 0], weights=self.rule_count, minlength=n)
        under = np.bincount(self.tokens[:, 1], weights=self.token_count, minlength=n)
        return as_offsets(over + under)


@dataclass(slots=True)
class _Growing:
    """Sums of shards so far; ids are given in the order of first occurrence."""

    labels: dict[Label, int]
    words: dict[str, int]
    rules: Counter[tuple[int, ...]]
    roots: Counter[int]
    tokens: Counter[tuple[int, ...]]
    n_trees: int = 0

    def take(self, part: ShardCounts) -> "_Growing":
        label = as_ids([self.labels.setdefault(name, len(self.labels)) for name in part.labels])
        word = as_ids([self.words.setdefault(name, len(self.words)) for name in part.words])
        for row, n in zip(label[part.rules].tolist(), part.rule_count.tolist()):
            self.rules[tuple(row)] += n
        for a, n in zip(label.tolist(), part.roots.tolist()):
            self.roots[a] += n
        seen = np.column_stack([word[part.tokens[:, 0]], label[part.tokens[:, 1]], part.tokens[:, 2]])
        for row, n in zip(seen.tolist(), part.token_count.tolist()):
            self.tokens[tuple(row)] += n
        self.n_trees += part.n_trees
        return self

    def counts(self) -> CorpusCounts:
        rules, tokens = sorted(self.rules.items()), sorted(self.tokens.items())
        return CorpusCounts(
            tuple(self.labels),
            tuple(self.words),
            as_ids([row for row, _ in rules]).reshape(-1, 3),
            as_offsets([n for _, n in rules]),
            as_offsets([self.roots[a] for a in range(len(self.labels))]),
            as_ids([row for row, _ in tokens]).reshape(-1, 3),
            as_offsets([n for _, n in tokens]),
            self.n_trees,
        )


def first_look(shard: Shard, *, options: Binarisation) -> ShardCounts:
    """Read and count one shard."""
    return count_shard(shard_trees(shard, options))


def count_corpus(run: OrderedRun, shards: Sequence[Shard], options: Binarisation) -> CorpusCounts:
    """The first pass."""
    growing = _Growing({}, {}, Counter(), Counter(), Counter())
    for part in run.map_ordered(partial(first_look, options=options), shards):
        growing.take(part)
    if not growing.n_trees:
        raise DataError("there are no trees to learn from; check the corpus files")
    return growing.counts()


@dataclass(frozen=True, slots=True)
class Plan:
    """What a worker needs to read a shard as the whole corpus is read.

    symbol_of: (2, words), the symbol of a word inside and at the start of a sentence.
    """

    labels: dict[Label, int]
    words: dict[str, int]
    word_names: tuple[str, ...]
    symbol_of: IntVector
    skeleton: Skeleton
    rule_codes: LongVector
    entry_codes: LongVector
    binarisation: Binarisation


def make_plan(counts: CorpusCounts, options: LpcfgOptions) -> Plan:
    """Symbols and the skeleton with its plain PCFG, from counts alone."""
    names, symbol_of = _symbols(counts, options.rare)
    n_labels = len(counts.labels)
    word, label, first = counts.tokens.T
    pairs = symbol_of[first, word].astype(np.int64) * n_labels + label
    entry_codes, entry_of = np.unique(pairs, return_inverse=True)
    entry_count = np.bincount(entry_of, weights=counts.token_count)
    entry_symbol, entry_label = as_ids(entry_codes // n_labels), as_ids(entry_codes % n_labels)
    label_count = np.maximum(counts.label_count(), 1)
    wide = counts.rules.astype(np.int64)
    skeleton = Skeleton(
        labels=counts.labels,
        rules=counts.rules,
        symbols=names,
        entry_label=entry_label,
        entry_symbol=entry_symbol,
        entry_start=starts(entry_symbol, len(names)),
        rule_probability=counts.rule_count / label_count[counts.rules[:, 0]],
        entry_probability=entry_count / label_count[entry_label],
        root_probability=counts.roots / counts.n_trees,
    )
    return Plan(
        labels={name: a for a, name in enumerate(counts.labels)},
        words={name: w for w, name in enumerate(counts.words)},
        word_names=counts.words,
        symbol_of=symbol_of,
        skeleton=skeleton,
        rule_codes=(wide[:, 0] * n_labels + wide[:, 1]) * n_labels + wide[:, 2],
        entry_codes=entry_codes,
        binarisation=options.binarisation,
    )


def _symbols(counts: CorpusCounts, rare: int) -> tuple[tuple[str, ...], IntVector]:
    """Names of frequent words and of the classes that stand for the others, and the symbol of each word."""
    n_words = len(counts.words)
    seen = np.zeros((2, n_words), dtype=np.int64)
    np.add.at(seen, (counts.tokens[:, 2], counts.tokens[:, 0]), counts.token_count)
    kept = np.flatnonzero(seen.sum(axis=0) > rare)
    symbol_of = np.full((2, n_words), -1, dtype=np.int32)
    symbol_of[:, kept] = np.arange(kept.size)
    pairs = [(w, i) for w in np.flatnonzero(symbol_of[0] < 0).tolist() for i in (0, 1) if seen[i, w]]
    levels = [class_levels(counts.words[w], bool(i)) for w, i in pairs]
    size: Counter[str] = Counter()
    for (w, i), names in zip(pairs, levels):
        for name in names:
            size[name] += int(seen[i, w])
    ids: dict[str, int] = {}
    for (w, i), names in zip(pairs, levels):
        chosen = next((name for name in names if size[name] >= ENOUGH), names[-1])
        symbol_of[i, w] = kept.size + ids.setdefault(chosen, len(ids))
    return tuple(counts.words[w] for w in kept) + tuple(ids), symbol_of


def encode_shard(shard: Shard, plan: Plan) -> Encoded:
    """A shard's trees with the rules, entries and symbols of the whole corpus."""
    own = renumbered(shard_trees(shard, plan.binarisation), plan.labels, plan.words)
    trees = replace(own, labels=plan.skeleton.labels, words=plan.word_names)
    n_labels, label = len(trees.labels), trees.label.astype(np.int64)
    inner, leaf = np.flatnonzero(trees.left >= 0), np.flatnonzero(trees.left < 0)
    first = np.zeros(label.size, dtype=np.int32)
    first[trees.offsets[:-1]] = 1
    symbol, rule, entry = (np.full(label.size, -1, dtype=np.int32) for _ in range(3))
    symbol[leaf] = plan.symbol_of[first[leaf], trees.word[leaf]]
    codes = (label[inner] * n_labels + label[trees.left[inner]]) * n_labels + label[trees.right[inner]]
    rule[inner] = np.searchsorted(plan.rule_codes, codes)
    entry[leaf] = np.searchsorted(plan.entry_codes, symbol[leaf].astype(np.int64) * n_labels + label[leaf])
    height = np.empty(label.size, dtype=np.int32)
    heights(trees.left, trees.right, height)
    return Encoded(trees, plan.skeleton, rule, entry, symbol, as_ids(np.lexsort((rule, height))), height)


@dataclass(frozen=True, slots=True)
class SampleTask:
    """Which share of each label's nodes to look at closely.  rate: (A,)."""

    plan: Plan
    rate: FloatArray
    seed: int
    inside: tuple[str, ...]
    outside: tuple[str, ...]


def sample_shard(shard: Shard, *, task: SampleTask) -> NodeSample:
    """Feature keys of the sampled nodes, and the shard's neighbours of spans."""
    encoded = encode_shard(shard, task.plan)
    view = node_view(encoded.trees, encoded.symbol)
    draw = generator(task.seed, 3, shard.number).random(encoded.trees.label.size)
    rows = np.flatnonzero(draw < task.rate[encoded.trees.label])
    return NodeSample(
        (encoded.trees.label[rows],),
        (feature_keys(view, task.inside, rows),),
        (feature_keys(view, task.outside, rows),),
        context_counts(encoded.trees, view),
    )


@dataclass(frozen=True, slots=True)
class StatesTask:
    """Centres of each variant of the grammar, and the features they are about."""

    plan: Plan
    tables: tuple[StateTable, ...]
    inside: tuple[str, ...]
    outside: tuple[str, ...]


def count_states(shard: Shard, *, task: StatesTask) -> tuple[LatentCounts, ...]:
    """Hard counts of one shard, for each variant."""
    encoded = encode_shard(shard, task.plan)
    view = node_view(encoded.trees, encoded.symbol)
    rows = np.arange(encoded.trees.label.size)
    inside, outside = (feature_keys(view, names, rows) for names in (task.inside, task.outside))
    found = []
    for table in task.tables:
        state = assign_states(table, encoded.trees.label, inside, outside)
        found.append(hard_counts(encoded, state, table.states, dtype=np.float32))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class RoundTask:
    """Weights of each variant, and whether its words' posteriors are wanted; None where it is finished."""

    plan: Plan
    weights: tuple[Weights | None, ...]
    last: tuple[bool, ...]


def expect_shard(shard: Shard, *, task: RoundTask) -> tuple[Round | None, ...]:
    """Expected counts of one shard, for each variant that goes on."""
    encoded = encode_shard(shard, task.plan)
    return tuple(
        None if weights is None else _expect(encoded, weights, last)
        for weights, last in zip(task.weights, task.last, strict=True)
    )


def _expect(encoded: Encoded, weights: Weights, last: bool) -> Round:
    found = expected_counts(encoded, weights)
    place = row_places(encoded.trees.label, weights.states, found.at, weights.state_at)
    total: AnyArray = np.bincount(place, weights=found.posterior, minlength=int(weights.state_at[-1]))
    tokens = None
    if last:
        tokens = token_sums(encoded.trees, TokenValues(found.posterior, found.at, total), weights.state_at)
    return Round(found.counts, found.log_likelihood, total, tokens)


def check_streamed(options: LpcfgOptions) -> None:
    """OptionError for what needs all trees at once."""
    for fine, what in (
        (options.method == "cluster", f"method {options.method!r}"),
        (options.ensemble == 1, "an ensemble"),
        (options.states.noise == "none", "noise"),
        (not options.lexicon.by_tag, "rare words known by their tags"),
    ):
        if not fine:
            raise OptionError(f"{what} cannot be learnt out of core; leave it out or learn in memory")


def train_shards(
    shards: Sequence[Shard],
    options: LpcfgOptions = LpcfgOptions(),
    *,
    run: OrderedRun = LocalRun(),
    progress: Progress | None = None,
    checkpoint: Checkpoint = NOTHING_KEPT,
) -> Learned:
    """Learn a grammar by clustering and EM from shards of trees; the same shards give the same bytes.

    checkpoint: where counts of states, and rounds of EM, are kept and looked for.
    """
    check_streamed(options)
    options = replace(options, states=replace(options.states, nodes_per_state=options.nodes_per_state))
    with threadpool_limits(limits=1):
        stages = Stages() if progress is None else Stages(progress)
        return _train(shards, options, run, stages, checkpoint)


def _train(
    shards: Sequence[Shard], options: LpcfgOptions, run: OrderedRun, stages: Stages, checkpoint: Checkpoint
) -> Learned:
    stages.start("reading the grammar off the trees")
    counts = count_corpus(run, shards, options.binarisation)
    plan = make_plan(counts, options)

    def begin() -> Begun:
        stages.start("features, projections and clusters")
        tables, context = _tables(counts, plan, options, run, shards)
        stages.start("counts")
        names = (tuple(map(str, options.states.inside)), tuple(map(str, options.states.outside)))
        task = partial(count_states, task=StatesTask(plan, tables, *names))
        return Begun(reduce_grouped(run, task, shards, add_counts), context, tables[0].singular)

    columns = (counts.rules, counts.rule_count, counts.roots, counts.tokens, counts.token_count)
    mark = mark_of([*columns, counts.words, list(map(str, counts.labels))])
    begun = kept_beginning(checkpoint, mark, begin)
    kept = (checkpoint, mark)
    members, log_likelihoods = _rounds(plan, begun.hard, options, run, shards, stages, kept)
    stages.start("lexicon")
    finished = []
    for number, (weights, last) in enumerate(members):
        tokens = last.tokens
        if tokens is not None and number == 0:
            tokens = shrunk_sums(tokens, weights, options.shrinkage)
        finished.append(
            lexicon_of_sums(plan.skeleton, weights, plan.word_names, tokens, last.total, options.lexicon)  # type: ignore[arg-type]
        )
    stages.stop()
    skeleton, weights = finished[0]
    coarse = single(finished[1][1]) if len(finished) > 1 else None
    report = _report(counts, options, single(weights), begun.singular, log_likelihoods, len(shards))
    grammar = LatentGrammar(skeleton, (single(weights),), begun.context, coarse, report)
    return Learned(grammar, dict(stages.seconds), dict(stages.megabytes))


def _tables(
    counts: CorpusCounts, plan: Plan, options: LpcfgOptions, run: OrderedRun, shards: Sequence[Shard]
) -> tuple[tuple[StateTable, ...], Any]:
    """Projections and centres of the grammar and of the small one that prunes; the tables of neighbours."""
    states = options.states
    count = counts.label_count()
    wanted = [states_by_rule(count, counts.labels, states)]
    if 0 < options.coarse_states < states.states:
        small = replace(states, states=options.coarse_states, by_label=())
        wanted.append(states_by_rule(count, counts.labels, small))
    rate = np.where(wanted[0] > 1, np.minimum(SAMPLE_NODES / np.maximum(count, 1), 1.0), 0.0)
    names = (tuple(map(str, states.inside)), tuple(map(str, states.outside)))
    task = partial(sample_shard, task=SampleTask(plan, rate, options.seed, *names))
    sample: NodeSample = join_samples(run.map_ordered(task, shards))
    tables = tuple(state_table(sample, count, one, kappa=states.kappa, seed=options.seed) for one in wanted)
    return tables, smoothed_context(*sample.context)


def _rounds(
    plan: Plan,
    hard: Sequence[LatentCounts],
    options: LpcfgOptions,
    run: OrderedRun,
    shards: Sequence[Shard],
    stages: Stages,
    kept: tuple[Checkpoint, str],
) -> tuple[list[tuple[Weights, Round]], tuple[float, ...]]:
    """EM of all variants at once: the grammar's rounds, one for the small grammar."""
    make: Callable[..., Weights] = partial(estimate, plan.skeleton, state_mixing=options.state_mixing)
    smoothing = [options.smoothing, replace(options, rule_smoothing=None).smoothing][: len(hard)]
    first = tuple(make(one, rule_smoothing=s) for one, s in zip(hard, smoothing))
    last = [max(options.rounds, 1), 1][: len(hard)]
    state = kept_rounds(*kept, plan.skeleton, Rounds(0, first, (None,) * len(hard), ()))
    since = time.monotonic()
    for number in range(state.number + 1, last[0] + 1):
        stages.start("EM rounds" if options.rounds else "posteriors of words")
        task = RoundTask(
            plan,
            tuple(single(w) if number <= n else None for w, n in zip(state.weights, last)),
            tuple(number == n for n in last),
        )
        found = reduce_grouped(run, partial(expect_shard, task=task), shards, add_rounds)
        weights, done = list(state.weights), list(state.done)
        for k, one in enumerate(found):
            if one is not None:
                done[k] = one
                if options.rounds or k > 0:
                    weights[k] = make(one.counts, rule_smoothing=smoothing[k])
        told = (*state.log_likelihoods, found[0].log_likelihood)
        state = Rounds(number, tuple(weights), tuple(done), told)
        since = keep_rounds(*kept, state, since)
    members = [(w, one) for w, one in zip(state.weights, state.done) if one is not None]
    return members, state.log_likelihoods


def _report(
    counts: CorpusCounts,
    options: LpcfgOptions,
    weights: Weights,
    singular_values: dict[int, FloatArray],
    log_likelihoods: Sequence[float],
    n_shards: int,
) -> dict[str, Any]:
    """What the model file says about its learning; nothing in it depends on clock or machine."""
    values = np.concatenate([weights.rule_weight, weights.entry_weight])
    singular = {str(a): [float(f"{v:.6g}") for v in sigma] for a, sigma in sorted(singular_values.items())}
    return {
        "method": options.method,
        "binarisation": asdict(options.binarisation),
        "seed": options.seed,
        "n_trees": counts.n_trees,
        "n_words": int(counts.token_count.sum()),
        "label_counts": counts.label_count().tolist(),
        "em_rounds": options.rounds,
        "negative_share": float(np.mean(values < 0)),
        "members": [{"singular": singular, "log_likelihood": list(log_likelihoods)}],
        "shards": n_shards,
    }
