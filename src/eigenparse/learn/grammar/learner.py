"""Latent-variable PCFGs by any of the methods: trees in, a grammar out.

One program learns from trees in memory and from shards on disk.  (1) Labels, words, rules and tokens are counted.
(2) Features of nodes, of all of them or of a seeded sample, give each label's projection and clusters.  (3) Nodes
get states, and states are counted.  (4) Rounds of EM.  (5) The lexicon.  Steps 1 to 4 are sums over shards in their
order; trees in memory are one shard, which is read and encoded once.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cache, partial
from typing import Any

import numpy as np

from eigenparse.corpus.cleaning import Normalisation
from eigenparse.corpus.columns import Treebank, Trees
from eigenparse.corpus.heads import ENOUGH, HeadRules, kept_rules, rules_for
from eigenparse.corpus.transform import binarise
from eigenparse.errors import DataError, OptionError
from eigenparse.learn.grammar.corpus import Corpus, open_corpus
from eigenparse.learn.grammar.examples import with_examples
from eigenparse.learn.grammar.members import Ground, learn_members, look_at_nodes
from eigenparse.learn.grammar.options import PRESETS, GrammarOptions
from eigenparse.learn.grammar.shards import Shards, shard_treebank
from eigenparse.learn.grammar.span_filter import PASSES, learn_span_filter
from eigenparse.learn.once import Once
from eigenparse.models.grammar.pcfg import LatentGrammar, Weights
from eigenparse.models.grammar.span_filter import SpanFilter
from eigenparse.models.registry import named
from eigenparse.threads import one_thread
from eigenparse.work.kept import fingerprint
from eigenparse.work.progress import Stages
from eigenparse.work.work import Work

MEMBER_STREAM = 1_000_003  # seeds of ensemble members lie this far apart
FACTOR_STREAM = 7_919
ENSEMBLE_FACTORS = ("head", "left", "right")


def fit_grammar(
    data: Treebank | Shards, options: GrammarOptions, work: Work = Work(), once: Once | None = None
) -> LatentGrammar:
    """Learn a grammar, or an ensemble over several binarisations, from normalised trees.

    Member k of an ensemble is learnt over factoring k of ``ENSEMBLE_FACTORS``, in turn: grammars with
    different binarisations make different errors.  once: shared with other runs over the same trees, so that what
    does not depend on the options is computed once; the result is the same.
    """
    rules, share = head_rules(data)
    options = with_factor(options, share)
    grammar = _fit_members(data, options.filled(), work, once)
    if not isinstance(data, Shards):
        work.stage("examples of states")
        grammar = with_examples(grammar, data, options.filled().binarisation)
        work.stages.stop()
    cleaning = getattr(data, "normalisation", Normalisation())
    plain = {
        name: list(value) if isinstance(value, tuple) else value for name, value in asdict(cleaning).items()
    }  # as it is after writing and reading a file
    heads = {"head_rules_know": round(share, 4)} | kept_rules(rules)
    grammar = replace(grammar, report=grammar.report | {"normalisation": plain} | heads)
    judges = bool(options.judge) if isinstance(data, Shards) else options.judges(len(data))
    if not judges:
        return grammar
    judge = named("eigenparse.learn.grammar.judge:learn_judge")(grammar, data, options, work.at("judge"))
    return replace(grammar, judge=judge)


def head_rules(data: Treebank | Shards) -> tuple[HeadRules, float]:
    """Head rules that fit the trees (the first shard of many), and the share of phrases that English rules know."""
    return rules_for(
        data if isinstance(data, Treebank) else shard_treebank(data.shards[0], data.normalisation)
    )


def with_factor(options: GrammarOptions, share: float) -> GrammarOptions:
    """The options with a factor: head, or right where the English head rules know too small a share of the phrases."""
    if options.factor is not None or "factor" in PRESETS[options.preset]:
        return options
    return replace(options, factor="head" if share >= ENOUGH else "right")


def _fit_members(
    data: Treebank | Shards, options: GrammarOptions, work: Work, once: Once | None
) -> LatentGrammar:
    """The grammar without a judge, from filled options."""
    if isinstance(data, Shards):
        _check_streamed(options)
        return _learn(data, options, work, Once())
    tasks = [(data, chosen, work.at(f"part{k}").task()) for k, chosen in enumerate(factorings(options))]
    if work.is_here:
        parts = [_learn_part(task, once)[0] for task in tasks]
    else:
        learnt = list(work.map(_learn_part, tasks))
        parts = [grammar for grammar, _ in learnt]
        _add_stages(work.stages, [stages for _, stages in learnt])
    grammar = replace(parts[0], others=tuple(parts[1:]))
    work.stage("filter of spans")
    cuts = [one.binarisation for one in factorings(options)]
    key = fingerprint("filter", cuts, options.span_loss, grammar.skeleton, grammar.context)
    span_filter = (once or Once()).get(key, partial(filter_of, grammar, data, options))
    grammar = replace(grammar, span_filter=span_filter)
    work.stages.stop()
    return grammar


def filter_of(
    grammar: LatentGrammar, treebank: Treebank, options: GrammarOptions, passes: int = PASSES
) -> SpanFilter | None:
    """One filter for all parts of an ensemble; None if it is switched off or there is no chain of tags.

    passes: over the trees that it learns from.
    """
    if not options.span_loss or grammar.context is None:
        return None
    trees = [binarise(treebank, one.binarisation) for one in factorings(options)]
    return learn_span_filter(grammar.skeleton, grammar.context, trees, options.span_loss, passes)


def factorings(options: GrammarOptions) -> list[GrammarOptions]:
    """The options of each factoring's part of an ensemble."""
    order = (options.factor, *(other for other in ENSEMBLE_FACTORS if other != options.factor))
    return [
        replace(
            options,
            factor=factor,
            ensemble=(options.ensemble - k + len(order) - 1) // len(order),
            seed=options.seed + k * FACTOR_STREAM,
        )
        for k, factor in enumerate(order[: options.ensemble])
    ]


def _learn_part(
    task: tuple[Treebank, GrammarOptions, Work], once: Once | None = None
) -> tuple[LatentGrammar, Stages]:
    """One factoring's part of an ensemble, and the time of its stages."""
    treebank, options, work = task
    once = Once() if once is None else once
    trees = once.get(options.binarisation, lambda: binarise(treebank, options.binarisation))
    return fit_trees(trees, options, work, once), work.stages


def _add_stages(total: Stages, parts: Sequence[Stages]) -> None:
    """Add the time of stages in other processes to that of this one."""
    for part in parts:
        for name, seconds in part.seconds.items():
            total.seconds[name] = total.seconds.get(name, 0.0) + seconds
            total.megabytes[name] = max(total.megabytes.get(name, 0), part.megabytes.get(name, 0))


def fit_trees(
    trees: Trees, options: GrammarOptions, work: Work = Work(), once: Once | None = None
) -> LatentGrammar:
    """Learn from trees that are binary already; all members of an ensemble have their binarisation."""
    if len(trees) == 0:
        raise DataError("there are no trees to learn from; check the corpus files")
    return _learn(trees, options.filled(), work, Once() if once is None else once)


def _check_streamed(options: GrammarOptions) -> None:
    """OptionError for options that need all trees in memory."""
    for fine, what in (
        (options.method in ("cluster", "pcfg"), f"method {options.method!r}"),
        (options.ensemble == 1, "an ensemble"),
        (options.noise == "none", "noise"),
    ):
        if not fine:
            raise OptionError(f"{what} cannot be learnt out of core; leave it out or learn in memory")


def _learn(source: Trees | Shards, options: GrammarOptions, work: Work, once: Once) -> LatentGrammar:
    """One grammar with its members, from filled options."""
    with one_thread():  # several threads would add up sums in varying order
        work.stage("reading the grammar off the trees")
        key = (options.binarisation, options.rare, options.rare_words)
        corpus: Corpus = once.get(("corpus", *key), partial(open_corpus, source, options, work.run))
        small = options.small()
        features = options.method in ("cluster", "tensor") or small is not None
        looked = (*key, options.features, options.scaling, options.precision, features)
        ground = cache(lambda: once.get(looked, partial(look_at_nodes, corpus, options, features=features)))
        members = [replace(options, seed=options.seed + k * MEMBER_STREAM) for k in range(options.ensemble)]
        if corpus.held is None:  # all members share the passes over the shards
            work = work.at(fingerprint(corpus.counts)[:16])
            learnt = learn_members(corpus, ground, [*members, *([small] if small else [])], work)
        else:
            learnt = [
                _kept(corpus, ground, one, work.at(f"member{k}"), options.ensemble > 1)
                for k, one in enumerate(members)
            ]
            if small is not None:
                learnt.append(once.get(small, partial(_coarse, corpus, ground, small, work)))
        work.stages.stop()
    own, coarse = learnt[: len(members)], learnt[len(members) :]
    return replace(
        own[-1],
        members=tuple(one.members[0] for one in own),
        coarse=coarse[0].members[0] if coarse else None,
        report=_report(corpus, options, own),
    )


def _kept(corpus: Corpus, ground: Ground, options: GrammarOptions, work: Work, always: bool) -> LatentGrammar:
    """One member, from an interrupted run if it was finished there."""
    found = work.part(
        "done", lambda: learn_members(corpus, ground, [options], work)[0].to_parts(), always=always
    )
    return LatentGrammar.from_parts(*found)


def _coarse(corpus: Corpus, ground: Ground, options: GrammarOptions, work: Work) -> LatentGrammar:
    """The small grammar used for pruning; it is learnt quickly, so no checkpoint is kept."""
    work.stage("small grammar for pruning")
    return learn_members(corpus, ground, [options], Work())[0]


def _report(corpus: Corpus, options: GrammarOptions, members: Sequence[LatentGrammar]) -> dict[str, Any]:
    """The training report in the model file; it does not depend on time or machine."""
    first: Weights = members[0].members[0]
    weights = (first.rule_weight, first.entry_weight)
    counts = corpus.counts
    report = {
        "method": options.method,
        "binarisation": asdict(options.binarisation),
        "seed": options.seed,
        "n_trees": counts.n_trees,
        "n_words": int(counts.token_count.sum()),
        "label_counts": np.rint(counts.label_count()).astype(np.int64).tolist(),
        "em_rounds": options.em_rounds if options.method in ("cluster", "em", "splitmerge") else 0,
        "negative_share": sum(np.count_nonzero(one < 0) for one in weights)
        / sum(one.size for one in weights),
        "members": [one.report for one in members],
    }
    return report if corpus.held is not None else report | {"shards": len(corpus.shards.shards)}
