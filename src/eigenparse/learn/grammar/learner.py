"""Latent-variable PCFGs from binary trees, by any of the four methods: trees in, grammar out."""

import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from eigenparse.arrays import AnyArray, FloatArray
from eigenparse.corpus.columns import Treebank, Trees, check_trees
from eigenparse.corpus.transform import Binarisation, binarise
from eigenparse.errors import DataError, OptionError
from eigenparse.features.grammar.tree import THESIS_INSIDE, THESIS_OUTSIDE, NodeView, node_view
from eigenparse.learn.checkpoint import NOTHING_KEPT, Checkpoint, Rounds
from eigenparse.learn.grammar.context import tag_context
from eigenparse.learn.grammar.counts import estimate, hard_counts
from eigenparse.learn.grammar.em import Expectation, expected_counts
from eigenparse.learn.grammar.encode import Encoded, encode, fold_rare
from eigenparse.learn.grammar.lexicon import LexiconOptions, TokenValues, shrunk, with_lexicon
from eigenparse.learn.grammar.span_filter import learn_span_filter
from eigenparse.learn.grammar.states import (
    NODES_PER_STATE,
    Annotation,
    NodeFeatures,
    StateOptions,
    cluster_states,
    node_features,
    random_states,
)
from eigenparse.learn.grammar.tensor import project, row_places, tensor_weights
from eigenparse.learn.stages import Once, Progress, Stages
from eigenparse.models.grammar.pcfg import LatentGrammar, TagContext, Weights, plain_weights
from eigenparse.models.grammar.span_filter import SpanFilter

METHODS = ("cluster", "tensor", "em", "pcfg")
MEMBER_STREAM = 1_000_003  # seeds of ensemble members lie this far apart
FACTOR_STREAM = 7_919
ENSEMBLE_FACTORS = ("head", "left", "right")
Features = Callable[[], NodeFeatures]
OrderedMap = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class LpcfgOptions:
    """What to learn and how.

    method: "cluster" (k-means of projected features, then EM), "tensor" (method of moments), "em"
    (random start) or "pcfg" (no latent states).  em_rounds: None takes the method's own number.
    rule_smoothing: constant of the back-off, None for the method's own.  state_mixing: share of a
    state's lexical weight that goes to the label's other states.  word_shrinkage: constant of the
    back-off from a word's mean state values to its label's, None for the method's own.  rare: words
    seen at most so often are learnt as their class.  coarse_states: of the small grammar that prunes,
    0 for none.
    ensemble: number of members, each with its own seed.  binarisation: how wide nodes are cut.
    span_loss: share of held-out trees' spans that the filter of spans may close, 0 for no filter.
    """

    method: str = "cluster"
    states: StateOptions = StateOptions()
    em_rounds: int | None = None
    rule_smoothing: float | None = None
    state_mixing: float = 0.1
    word_shrinkage: float | None = None
    rare: int = 5
    lexicon: LexiconOptions = LexiconOptions()
    coarse_states: int = 4
    ensemble: int = 1
    seed: int = 0
    binarisation: Binarisation = Binarisation(factor="head")
    span_loss: float = 0.008

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise OptionError(f"method must be one of {', '.join(METHODS)}, got {self.method!r} instead")
        if not 1 <= self.ensemble <= 64:
            raise OptionError(f"ensemble must be between 1 and 64, got {self.ensemble} instead")
        if self.em_rounds is not None and self.em_rounds < 0:
            raise OptionError(f"em_rounds must be 0 or more, got {self.em_rounds} instead")
        if not 0 <= self.span_loss < 1:
            raise OptionError(f"span_loss must be from 0 to 1, got {self.span_loss} instead")

    @property
    def rounds(self) -> int:
        if self.em_rounds is not None:
            return self.em_rounds
        return {"cluster": 3, "em": 40}.get(self.method, 0)

    @property
    def nodes_per_state(self) -> int:
        if self.states.nodes_per_state is not None:
            return self.states.nodes_per_state
        return 30 if self.method == "tensor" else NODES_PER_STATE

    @property
    def shrinkage(self) -> float:
        if self.word_shrinkage is not None:
            return self.word_shrinkage
        return 5.0 if self.method == "tensor" else 1.0

    @property
    def smoothing(self) -> float:
        if self.rule_smoothing is not None:
            return self.rule_smoothing
        return 30.0 if self.method == "tensor" else 10.0


# The settings of [matejovicova-2018]: its 4 + 4 unscaled features, the same number of states for all
# labels, no smoothing, no EM, rare words replaced by their tags (so that input must be tagged).
THESIS = LpcfgOptions(
    states=StateOptions(
        states=8, nodes_per_state=1, inside=THESIS_INSIDE, outside=THESIS_OUTSIDE, kappa=None
    ),
    em_rounds=0,
    rule_smoothing=0.0,
    state_mixing=0.0,
    word_shrinkage=0.0,
    lexicon=LexiconOptions(by_tag=True, word_weight=0.0, tag_weight=0.0),
    coarse_states=0,
    binarisation=Binarisation(factor="right"),
    span_loss=0.0,
)
PRESETS = {"default": LpcfgOptions(), "thesis": THESIS}


@dataclass(frozen=True, slots=True)
class Learned:
    """A grammar and how its learning went: CPU seconds and peak megabytes by stage."""

    grammar: LatentGrammar
    seconds: dict[str, float]
    megabytes: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Member:
    """Weights over the training skeleton, values for the lexicon, and what to report."""

    weights: Weights
    tokens: TokenValues
    report: dict[str, Any] = field(default_factory=dict)


def train_treebank(
    treebank: Treebank,
    options: LpcfgOptions = LpcfgOptions(),
    *,
    progress: Progress | None = None,
    run: OrderedMap | None = None,
    checkpoint: Checkpoint = NOTHING_KEPT,
    once: Once | None = None,
) -> Learned:
    """Learn a grammar, or an ensemble over several binarisations, from normalised trees.

    Member k of an ensemble is learnt over factoring k of ``ENSEMBLE_FACTORS``, round and round:
    grammars that cut the same phrases differently err differently.  run: an ordered map that learns
    the factorings elsewhere, and silently; the result is the same.  once: shared with other runs over
    the very same trees, so that what does not depend on their settings is made once; the result is the same.
    """
    factor = options.binarisation.factor
    order = (factor, *(other for other in ENSEMBLE_FACTORS if other != factor))
    tasks = []
    for k in range(min(options.ensemble, len(order))):
        size = (options.ensemble - k + len(order) - 1) // len(order)
        binarisation = replace(options.binarisation, factor=order[k])
        chosen = replace(
            options, binarisation=binarisation, ensemble=size, seed=options.seed + k * FACTOR_STREAM
        )
        tasks.append((treebank, chosen, checkpoint.at(f"part{k}")))
    learn = partial(_train_part, progress=progress, once=once)
    parts = list(map(learn, tasks) if run is None else run(_train_part, tasks))
    grammar = replace(parts[0].grammar, others=tuple(part.grammar for part in parts[1:]))
    seconds = {name: sum(p.seconds.get(name, 0.0) for p in parts) for name in parts[0].seconds}
    megabytes = {name: max(p.megabytes.get(name, 0) for p in parts) for name in parts[0].megabytes}
    stages = (
        Stages(seconds=seconds, megabytes=megabytes)
        if progress is None
        else Stages(progress, seconds, megabytes)
    )
    grammar = replace(grammar, span_filter=_span_filter(grammar, treebank, tasks, stages))
    return Learned(grammar, seconds, megabytes)


def _span_filter(
    grammar: LatentGrammar,
    treebank: Treebank,
    tasks: list[tuple[Treebank, LpcfgOptions, Checkpoint]],
    stages: Stages,
) -> SpanFilter | None:
    """One filter for all parts of an ensemble; none if none is wanted or the words have no chain of tags."""
    options = tasks[0][1]
    if options.span_loss == 0 or grammar.context is None:
        return None
    stages.start("filter of spans")
    trees = [binarise(treebank, task.binarisation) for _, task, _ in tasks]
    found = learn_span_filter(grammar.skeleton, grammar.context, trees, options.span_loss)
    stages.stop()
    return found


def _train_part(
    task: tuple[Treebank, LpcfgOptions, Checkpoint],
    progress: Progress | None = None,
    once: Once | None = None,
) -> Learned:
    """One factoring's part of an ensemble."""
    treebank, options, checkpoint = task
    once = Once() if once is None else once
    trees = once.get(options.binarisation, lambda: binarise(treebank, options.binarisation))
    return train_lpcfg(trees, options, progress=progress, checkpoint=checkpoint, once=once)


def train_lpcfg(
    trees: Trees,
    options: LpcfgOptions = LpcfgOptions(),
    *,
    progress: Progress | None = None,
    checkpoint: Checkpoint = NOTHING_KEPT,
    once: Once | None = None,
) -> Learned:
    """Learn a grammar from binary trees (see ``binarise``); the same input gives the same bytes.

    checkpoint: where finished members, and EM under way, are kept and looked for.  once: as in ``train_treebank``.
    """
    if len(trees) == 0:
        raise DataError("there are no trees to learn from; check the corpus files")
    with threadpool_limits(limits=1):  # sums of several threads arrive in any order
        return _train(trees, options, progress, checkpoint, Once() if once is None else once)


def _train(
    trees: Trees, options: LpcfgOptions, progress: Progress | None, checkpoint: Checkpoint, once: Once
) -> Learned:
    stages = Stages() if progress is None else Stages(progress)
    options = replace(options, states=replace(options.states, nodes_per_state=options.nodes_per_state))
    stages.start("reading the grammar off the trees")
    at = (options.binarisation, options.rare, options.lexicon.by_tag)
    encoded, view, context = once.get(at, partial(_ground, trees, options))
    of = options.states
    named = (*at, tuple(of.inside), tuple(of.outside), of.kappa, of.precision)
    features = cache(lambda: once.get(named, lambda: node_features(encoded, view, of)))  # for all members
    members: list[Weights] = []
    reports, skeleton = [], encoded.skeleton
    for number in range(options.ensemble):
        place = checkpoint.at(f"member{number}")
        found = place.grammar("done", partial(_finished, encoded, features, options, number, stages, place))
        skeleton = found.skeleton
        members.extend(found.members)
        reports.append(found.report)
    small, coarse = _small(options), None
    if small is not None:
        stages.start("small grammar for pruning")
        coarse = once.get(small, partial(_coarse, encoded, features, small))
    stages.stop()
    grammar = LatentGrammar(
        skeleton, tuple(members), context, coarse, _report(trees, options, members, reports)
    )
    return Learned(grammar, dict(stages.seconds), dict(stages.megabytes))


def _ground(trees: Trees, options: LpcfgOptions) -> tuple[Encoded, NodeView, TagContext]:
    """What all settings with the same treatment of rare words build upon."""
    encoded = encode(check_trees(trees), fold_rare(trees, options.rare, by_tag=options.lexicon.by_tag))
    view = node_view(trees, encoded.symbol)
    return encoded, view, tag_context(trees, view)


def _finished(
    encoded: Encoded,
    features: Features,
    options: LpcfgOptions,
    number: int,
    stages: Stages,
    place: Checkpoint,
) -> LatentGrammar:
    """One member of an ensemble with its lexicon, as a grammar of its own."""
    member = _member(encoded, features, options, options.seed + number * MEMBER_STREAM, stages, place)
    stages.start("lexicon")
    tokens = shrunk(encoded.trees, member.tokens, options.shrinkage)
    skeleton, weights = with_lexicon(encoded.skeleton, member.weights, encoded.trees, tokens, options.lexicon)
    return LatentGrammar(skeleton, (single(weights),), report=member.report)


def single(weights: Weights) -> Weights:
    """Weights as stored: single precision."""
    return replace(
        weights,
        rule_weight=weights.rule_weight.astype(np.float32, copy=False),
        entry_weight=weights.entry_weight.astype(np.float32, copy=False),
        root_weight=weights.root_weight.astype(np.float32, copy=False),
    )


def _member(
    encoded: Encoded, features: Features, options: LpcfgOptions, seed: int, stages: Stages, place: Checkpoint
) -> _Member:
    """One set of weights by the method asked for."""
    if options.method == "pcfg":
        weights = plain_weights(encoded.skeleton)
        return _Member(weights, _plain_tokens(encoded, weights))
    if options.method == "tensor":
        stages.start("features and projections")
        projected = project(encoded, features(), options.states, seed)
        stages.start("moments")
        weights = tensor_weights(encoded, projected, options.smoothing)
        count = np.bincount(encoded.trees.label, minlength=projected.states.size)
        tokens = TokenValues(
            projected.outside, projected.at, np.repeat(count, projected.states).astype(float)
        )
        return _Member(weights, tokens, {"singular": _singular(projected.singular)})
    rounds = place.rounds(encoded.skeleton)
    if rounds is None:
        if options.method == "em":
            annotation = random_states(encoded, options.states, seed)
        else:
            stages.start("features, projections and clusters")
            annotation = cluster_states(encoded, features(), options.states, seed)
        rounds = _by_counts(encoded, annotation, options, stages)
    return _by_rounds(encoded, rounds, options, stages, place)


def _by_counts(encoded: Encoded, annotation: Annotation, options: LpcfgOptions, stages: Stages) -> Rounds:
    """Relative frequencies of annotated trees: where EM starts."""
    stages.start("counts")
    counts = hard_counts(encoded, annotation.state, annotation.states, dtype=np.float32)
    weights = estimate(
        encoded.skeleton, counts, rule_smoothing=options.smoothing, state_mixing=options.state_mixing
    )
    return Rounds(weights, (), annotation.singular)


def _by_rounds(
    encoded: Encoded, rounds: Rounds, options: LpcfgOptions, stages: Stages, place: Checkpoint
) -> _Member:
    """The rounds of EM that are left, and the posteriors of words."""
    weights, log_likelihoods, since = rounds.weights, list(rounds.log_likelihoods), time.monotonic()
    expectation = None
    while len(log_likelihoods) < options.rounds:
        stages.start("EM rounds")
        expectation = expected_counts(encoded, single(weights))
        log_likelihoods.append(expectation.log_likelihood)
        weights = estimate(
            encoded.skeleton,
            expectation.counts,
            rule_smoothing=options.smoothing,
            state_mixing=options.state_mixing,
        )
        if len(log_likelihoods) < options.rounds:  # the last round's posteriors are needed below
            done = Rounds(weights, tuple(log_likelihoods), rounds.singular)
            since = place.keep_rounds(done, since)
    if expectation is None:
        stages.start("posteriors of words")
        expectation = expected_counts(encoded, single(weights))
        log_likelihoods.append(expectation.log_likelihood)
    report = {"singular": _singular(rounds.singular), "log_likelihood": log_likelihoods}
    return _Member(weights, _posterior_tokens(encoded, weights, expectation), report)


def _posterior_tokens(encoded: Encoded, weights: Weights, expectation: Expectation) -> TokenValues:
    """Posteriors of states at every row, and their totals by label-state."""
    place = row_places(encoded.trees.label, weights.states, expectation.at, weights.state_at)
    total: AnyArray = np.bincount(place, weights=expectation.posterior, minlength=int(weights.state_at[-1]))
    return TokenValues(expectation.posterior, expectation.at, total)


def _plain_tokens(encoded: Encoded, weights: Weights) -> TokenValues:
    n = encoded.trees.label.size
    count = np.bincount(encoded.trees.label, minlength=weights.states.size)
    return TokenValues(np.ones(n), np.arange(n + 1, dtype=np.int64), count.astype(np.float64))


def _small(options: LpcfgOptions) -> LpcfgOptions | None:
    """Settings of the small clustered grammar whose posteriors prune for the members; none for small members."""
    if (
        options.coarse_states == 0
        or options.method == "pcfg"
        or options.states.states <= options.coarse_states
    ):
        return None
    of = options.states
    states = replace(of, states=options.coarse_states, noise="none", by_label=())
    states = replace(states, inside=tuple(of.inside), outside=tuple(of.outside))
    return replace(options, method="cluster", em_rounds=1, rule_smoothing=None, ensemble=1, states=states)


def _coarse(encoded: Encoded, features: Features, small: LpcfgOptions) -> Weights:
    """The small grammar."""
    quiet = Stages()
    rounds = _by_counts(encoded, cluster_states(encoded, features(), small.states, small.seed), small, quiet)
    member = _by_rounds(encoded, rounds, small, quiet, NOTHING_KEPT)
    _, weights = with_lexicon(encoded.skeleton, member.weights, encoded.trees, member.tokens, small.lexicon)
    return single(weights)


def _singular(values: dict[int, FloatArray]) -> dict[str, list[float]]:
    return {str(a): [float(f"{v:.6g}") for v in sigma] for a, sigma in sorted(values.items())}


def _report(
    trees: Trees, options: LpcfgOptions, members: list[Weights], reports: list[dict[str, Any]]
) -> dict[str, Any]:
    """What the model file says about its learning; nothing in it depends on clock or machine."""
    first = members[0]
    weights = np.concatenate([first.rule_weight, first.entry_weight])
    count = np.bincount(trees.label, minlength=len(trees.labels))
    return {
        "method": options.method,
        "binarisation": asdict(options.binarisation),
        "seed": options.seed,
        "n_trees": len(trees),
        "n_words": int(np.sum(trees.word >= 0)),
        "label_counts": count.tolist(),
        "em_rounds": options.rounds if options.method in ("cluster", "em") else 0,
        "negative_share": float(np.mean(weights < 0)),
        "members": reports,
    }
