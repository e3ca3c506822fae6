"""A treebank in, a grammar's judge of brackets and tags out: jack-knifed posteriors, then a logistic model of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from eigenparse.arrays import AnyArray, LongVector, as_offsets
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.pick import in_proportion, pick_trees, tokens_of
from eigenparse.errors import OptionError
from eigenparse.features.grammar.judge import Charts, WordKeys
from eigenparse.learn.grammar.again import learn_again
from eigenparse.learn.grammar.judge_cases import (
    Part,
    believe_brackets,
    believe_tags,
    bracket_cases,
    frequent_words,
    make_court,
    tag_cases,
)
from eigenparse.learn.grammar.judge_fit import Fit, sureness
from eigenparse.learn.grammar.learner import fit_grammar
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.learn.grammar.shards import Shards
from eigenparse.models.grammar.judge import Judge, Look, look_of
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.models.registry import named
from eigenparse.work.work import Work

CHARTS = (
    "eigenparse.decode.grammar.held_out:charts_of"  # a grammar and sentences in, what it says of them out
)
SURE = 0.5  # weight of trees that a judge may learn from
BLOCK = 200  # sentences of a task


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """How a judge is learnt.

    folds: parts of the treebank, each made of ``blocks`` blocks of consecutive trees from all over it, so
    that every part has something of every genre and few documents are in two parts.  Each part is parsed
    by a grammar of the others.
    sentences: at most so many are parsed, evenly spread; max_length: none longer.  looks: at brackets; each
    sees the tree that the one before believes in.  ridge, tag_ridge: penalties on squared weights of features
    of brackets and of tags.  rare: words seen at most so often are known by their endings.  bits: features are
    hashed to 2 ** bits.  passes: over the candidates.  low, high: posteriors between are judged.
    """

    folds: int = 3
    blocks: int = 8
    sentences: int = 15_000
    max_length: int = 60
    looks: int = 2
    ridge: float = 30.0
    tag_ridge: float = 15.0
    rare: int = 5
    bits: int = 21
    passes: int = 3
    low: float = 0.01
    high: float = 0.995

    def __post_init__(self) -> None:
        if self.folds < 2 or self.sentences < 1 or not 1 <= self.looks <= 4:
            raise OptionError("a judge needs 2 folds or more, a sentence or more, and 1 to 4 looks")


def learn_judge(
    grammar: LatentGrammar,
    data: Treebank | Shards,
    options: GrammarOptions,
    work: Work = Work(),
    judge: JudgeOptions = JudgeOptions(),
) -> Judge:
    """The judge of a grammar that ``options`` learnt; OptionError if there are too few trees to hold any out."""
    work.stage("jack-knifed charts for the judge")
    without = Without(grammar, options)
    if isinstance(data, Shards) and len(data.shards) > 1:
        treebank, parts = _from_shards(without, data, work, judge)
    else:
        treebank = data.treebank() if isinstance(data, Shards) else data
        if len(treebank) < (least := judge.folds * judge.blocks):
            raise OptionError(f"a judge needs {least} trees or more, got {len(treebank)}; leave out --judge")
        parts = held_out(without, treebank, work, judge)
    work.stage("judge of brackets and tags")
    found = fit_judge(treebank, parts, judge)
    work.stages.stop()
    return found


@dataclass(frozen=True, slots=True)
class Without:
    """What a grammar would be without some of its trees.  options: those that it was learnt by."""

    grammar: LatentGrammar
    options: GrammarOptions

    def learnt(self, rest: Treebank | Shards, work: Work) -> LatentGrammar:
        """The grammar of the rest: from the states of the whole one where that can be, else from nothing."""
        options = self.options.filled()
        if options.method in ("cluster", "em"):
            return learn_again(self.grammar, rest, options, work)
        return fit_grammar(rest, replace(options, judge=False), work)

    def charts(self, task: tuple[Treebank, list[list[str]], Work]) -> Charts:
        """Learn from trees, parse other sentences."""
        rest, sentences, work = task
        found: Charts = named(CHARTS)(self.learnt(rest, work), sentences)
        return found


def held_out(without: Without, treebank: Treebank, work: Work, judge: JudgeOptions) -> list[Part]:
    """Numbers of sentences, and what grammars that have not seen them say about them, part by part."""
    cuts = held_parts(treebank, judge)
    tasks = [
        (pick_trees(treebank, rest), tokens_of(pick_trees(treebank, some)), work.at(f"{f}").here())
        for f, (rest, some) in enumerate(cuts)
    ]
    return [(some, charts) for (_, some), charts in zip(cuts, work.map(without.charts, tasks))]


def _from_shards(
    without: Without, data: Shards, work: Work, judge: JudgeOptions
) -> tuple[Treebank, list[Part]]:
    """Trees of some shards, and what a grammar of the others says about them."""
    held = data.shards[judge.folds - 1 :: judge.folds] or data.shards[-1:]
    rest = tuple(shard for shard in data.shards if shard not in held)
    treebank = replace(data, shards=held).treebank()
    some = _spread(treebank, np.arange(len(treebank)), judge, judge.sentences)
    words = tokens_of(pick_trees(treebank, some))
    grammar = without.learnt(replace(data, shards=rest), work)
    blocks = [words[k : k + BLOCK] for k in range(0, len(words), BLOCK)]
    found = list(work.map(partial(named(CHARTS), grammar), blocks))
    every = [one for charts in found for one in charts.found]
    return treebank, [(some, replace(found[0], found=every))]


def held_parts(treebank: Treebank, judge: JudgeOptions) -> list[tuple[LongVector, LongVector]]:
    """Numbers of the trees to learn from and of the sentences to parse, part by part."""
    n = len(treebank)
    part = np.arange(n) * (judge.folds * judge.blocks) // n % judge.folds
    return [
        (
            as_offsets(np.flatnonzero(part != number)),
            _spread(treebank, np.flatnonzero(part == number), judge, -(-judge.sentences // judge.folds)),
        )
        for number in range(judge.folds)
    ]


def _spread(treebank: Treebank, numbers: AnyArray, judge: JudgeOptions, most: int) -> LongVector:
    """At most so many sentences, none too long, from all over the numbers given, in proportion to their weights.

    Trees that count less than half are doubtful, so that a judge is not to learn from them.
    """
    length = np.diff(np.searchsorted(np.flatnonzero(treebank.word >= 0), treebank.offsets))
    short = numbers[length[numbers] <= judge.max_length]
    if treebank.weight is not None and (treebank.weight[short] >= SURE).any():
        sure = short[treebank.weight[short] >= SURE]
        return as_offsets(np.unique(sure[in_proportion(treebank.weight[sure], most)]))
    count = min(short.size, most)
    return as_offsets(short[np.arange(count) * short.size // max(count, 1)])


def fit_judge(treebank: Treebank, parts: Sequence[Part], options: JudgeOptions) -> Judge:
    """The judge of held-out charts: tags first, then brackets, one look after the other."""
    words = frequent_words(treebank, options.rare)
    court = make_court(treebank, parts, WordKeys(frozenset(words.tolist())), (options.low, options.high))
    of_tags, fit = (Fit(ridge, options.bits, options.passes) for ridge in (options.tag_ridge, options.ridge))
    *tags, belief = of_tags.crossed(tag_cases(court, options.bits), court.tag_at)
    believe_tags(court, belief)
    looks: list[Look] = []
    for number in range(options.looks):
        cases = bracket_cases(court, options.bits)
        *weights, belief = fit.crossed(cases, court.at)
        if number + 1 < options.looks:
            believe_brackets(court, belief)
        else:  # what is believed of trees
            scale = sureness(belief, cases.right)
            weights = [scale * part for part in weights]
        looks.append(look_of(*weights))
    return Judge(look_of(*tags), tuple(looks), words, options.bits, options.low, options.high)
