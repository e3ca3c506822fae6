"""One learning and parsing run: trees and settings in, scores and times out, in a process of its own."""

import functools
import math
import multiprocessing
import time
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import pairwise

import numpy as np

from eigenparse.arrays import LongVector
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.label_sources import preterminals
from eigenparse.corpus.pick import pick_trees
from eigenparse.corpus.transform import Binarisation, as_treebank, binarise, unbinarise
from eigenparse.decode.grammar.parser import (
    Parser,
    ParserOptions,
    Search,
    as_trees,
    best_trees,
    chart_of,
    glued,
    make_parser,
    search,
)
from eigenparse.decode.grammar.request import Request, space_of
from eigenparse.evaluate.brackets import score_brackets
from eigenparse.inference.grammar.forest import Choices, Constraints
from eigenparse.inference.tagger.chain import tag_ids
from eigenparse.learn.grammar.learner import fit_grammar
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.learn.once import Once
from eigenparse.learn.tagger.base import labelled
from eigenparse.learn.tagger.learner import TaggerOptions
from eigenparse.models.grammar.pcfg import LatentGrammar, Skeleton, TagContext
from eigenparse.run.ordered import blocks
from eigenparse.synthetic import sample_treebank
from eigenparse.threads import one_thread
from eigenparse.work.kept import Part, fingerprint
from eigenparse.work.work import Work

LONGEST, WARM_TREES, MOST_TOGETHER = 10_000, 60, 8


@dataclass(frozen=True, slots=True)
class Trial:
    """What to learn from which trees of ``source``, and which trees of ``gold`` to parse.

    part, setting, x, run: where the result belongs.  tags: words are parsed with their "gold" tags, as in the
    thesis, with tags "predicted" by a tagger of the training trees, or with "none".  search: how to parse.
    """

    part: str
    setting: str
    x: int
    run: int
    options: GrammarOptions
    source: Treebank
    train: LongVector
    gold: Treebank
    test: LongVector
    tags: str = "gold"
    search: ParserOptions = ParserOptions(max_length=LONGEST)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Percentages and CPU seconds of one trial.

    labelled, unlabelled: F1 over all brackets.  mean_labelled, mean_unlabelled: means of the sentences'
    F1.  binary_labelled, binary_unlabelled: the same of right-factored trees in Chomsky normal form, which
    is what the thesis scored.  strict_unlabelled: binary_unlabelled with 0 for sentences that the latent
    grammar cannot derive and that were parsed without it.  underivable: their share.  tags: of words tagged right.
    """

    part: str
    setting: str
    x: int
    run: int
    n_trees: int
    n_test: int
    labelled: float
    unlabelled: float
    mean_labelled: float
    mean_unlabelled: float
    binary_labelled: float
    binary_unlabelled: float
    strict_unlabelled: float
    underivable: float
    tags: float
    train_seconds: float
    parse_seconds: float


def requests_of(treebank: Treebank, tags: str = "gold", train: Treebank | None = None) -> list[Request]:
    """The words of every tree with the kind of tags that a trial asks for; ``train``: what a tagger learns from."""
    leaves = preterminals(treebank)
    words, given = leaves.column("word").strings(), leaves.column("label").strings()
    if tags == "predicted" and train is not None:
        tagger = TaggerOptions(method="hmm", emission="loglinear").fit(labelled(preterminals(train), "label"))
        given = [tagger.first.labels[a] for a in tag_ids(tagger.first, leaves.without("label")).tolist()]
    bounds = pairwise(leaves.offsets.tolist())
    return [Request(tuple(words[i:j]), None if tags == "none" else tuple(given[i:j])) for i, j in bounds]


def run_trial(trial: Trial) -> Outcome:
    """Learn, parse, score."""
    return run_together((trial,))[0]


def run_together(trials: Sequence[Trial]) -> list[Outcome]:
    """The outcomes of trials that learn from the same trees and parse the same sentences.

    What they have in common is done once and charged to each: what does not depend on the settings, grammars of the
    same settings, and searches of the same tags.  Trials that differ in name alone are run once.
    """
    warm()
    first, once = trials[0], Once()
    train, gold = pick_trees(first.source, first.train), pick_trees(first.gold, first.test)
    searches = {t: Searches(requests_of(gold, t, train), first.search) for t in {t.tags: 0 for t in trials}}
    binary, outcomes = as_binary(gold), dict[tuple[GrammarOptions, str], Outcome]()
    for options, some in _by_options(trials).items():
        grammar, seconds = _learnt(train, options, once)
        for trial in some:
            if (options, trial.tags) not in outcomes:
                scored = _outcome(trial, grammar, gold, binary, searches[trial.tags])
                outcomes[options, trial.tags] = replace(scored, n_trees=len(train), train_seconds=seconds)
    found = [outcomes[t.options, t.tags] for t in trials]
    return [replace(one, part=t.part, setting=t.setting, x=t.x, run=t.run) for t, one in zip(trials, found)]


def _by_options(trials: Sequence[Trial]) -> dict[GrammarOptions, list[Trial]]:
    """The trials of each set of options, in the order in which these come up."""
    found: dict[GrammarOptions, list[Trial]] = {}
    for trial in trials:
        found.setdefault(trial.options, []).append(trial)
    return found


def _learnt(train: Treebank, options: GrammarOptions, once: Once) -> tuple[LatentGrammar, float]:
    """A grammar without a judge (grammars alone are compared), and the CPU seconds that learning takes by itself."""
    started, spared = time.process_time(), once.spared
    grammar = fit_grammar(train, replace(options, judge=False), once=once)
    return grammar, time.process_time() - started + once.spared - spared


def _outcome(
    trial: Trial, grammar: LatentGrammar, gold: Treebank, binary_gold: Treebank, searches: "Searches"
) -> Outcome:
    """Parse and score."""
    started = time.process_time()
    guess, derived, searched = searches.parse(grammar)
    parsed = time.process_time()
    counts = score_brackets(gold, guess).all
    scores = score_brackets(binary_gold, as_binary(guess))
    binary = scores.all
    return Outcome(
        trial.part,
        trial.setting,
        trial.x,
        trial.run,
        0,
        len(gold),
        counts.f1,
        counts.unlabelled_f1,
        counts.mean_f1,
        counts.mean_unlabelled_f1,
        binary.mean_f1,
        binary.mean_unlabelled_f1,
        100 * float(np.mean(np.where(derived, scores.sentence_f1(labelled=False), 0.0))),
        100 * float(1 - np.mean(derived)),
        counts.tagging,
        0.0,
        parsed - started + searched,
    )


def as_binary(treebank: Treebank) -> Treebank:
    """The same trees with wide nodes cut from the right and chains made one node."""
    return as_treebank(binarise(treebank, Binarisation(factor="right")))


@dataclass(frozen=True, slots=True)
class _Base:
    """A plain PCFG, what it leaves over of every sentence, and the CPU seconds that this took."""

    grammar: LatentGrammar
    found: list[tuple[Choices, Constraints, Search | None]]
    seconds: float


@dataclass(frozen=True, slots=True)
class Searches:
    """Sentences, how to parse them, and where their trees lie under each plain PCFG that was asked for."""

    requests: list[Request]
    options: ParserOptions = ParserOptions(max_length=LONGEST)
    bases: list[_Base] = field(default_factory=list)

    def parse(self, grammar: LatentGrammar) -> tuple[Treebank, LongVector, float]:
        """The best tree of every sentence, whether the latent grammar gave it any probability, seconds spared."""
        parser = make_parser(grammar, self.options)
        base = next((base for base in self.bases if same_base(base.grammar, grammar)), None)
        spared = 0.0 if base is None else base.seconds
        if base is None:
            since = time.process_time()
            found = [_searched(parser, request) for request in self.requests]
            base = _Base(replace(grammar, members=(), coarse=None), found, time.process_time() - since)
            self.bases.append(base)
        best = [
            glued(parser, words, limits) if place is None else best_trees(parser, chart_of(parser, place), 1)
            for words, limits, place in base.found
        ]
        tokens = [request.tokens for request in self.requests]
        trees = as_trees(parser, tokens, [one.derivations[0] for one in best])
        return unbinarise(trees), np.array([math.isfinite(one.log_total) for one in best]), spared


def _searched(parser: Parser, request: Request) -> tuple[Choices, Constraints, Search | None]:
    words, limits, _ = space_of(parser, request)
    return words, limits, search(parser, words, limits, free=request.tags is None)


def same_base(one: LatentGrammar, other: LatentGrammar) -> bool:
    """Whether two grammars have the same plain PCFG, lexicon and neighbours of tags."""
    return _same(one.skeleton, other.skeleton) and _same(one.context, other.context)


def _same(one: Skeleton | TagContext | None, other: Skeleton | TagContext | None) -> bool:
    if one is None or other is None:
        return one is other
    pairs = ((getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    return all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in pairs)


def run_trials(trials: Sequence[Trial], work: Work) -> list[Outcome]:
    """The outcome of every trial; those that share most work run together, the longest first.

    A finished group is kept, so that an interrupted run can continue.
    """
    groups = sorted(groups_of(trials), key=lambda group: -sum(_size(trials[i]) for i in group))
    tasks = [(work.task(), [trials[i] for i in group]) for group in groups]
    found: dict[int, Outcome] = {}
    for group, outcomes in zip(groups, work.map(_run_group, tasks)):
        found.update(zip(group, outcomes))
        work.progress("trials", len(found), len(trials))
    return [found[i] for i in range(len(trials))]


def _run_group(task: tuple[Work, Sequence[Trial]]) -> list[Outcome]:
    """The outcomes of a group, found finished or computed now."""
    work, trials = task

    def compute() -> Part:
        return {"outcomes": [asdict(outcome) for outcome in run_together(trials)]}, {}

    header, _ = work.part(group_name(trials), compute, always=True)
    return [Outcome(**content) for content in header["outcomes"]]


def group_name(trials: Sequence[Trial]) -> str:
    """A digest of everything that the outcomes of a group depend on."""
    first = trials[0]
    places = [(t.part, t.setting, t.x, t.run, t.tags, repr(t.search)) for t in trials]
    data = (first.source, first.train, first.gold, first.test)
    return fingerprint(places, [t.options for t in trials], *data)


def groups_of(trials: Sequence[Trial]) -> list[list[int]]:
    """Numbers of trials over the same trees, sentences and plain PCFG, MOST_TOGETHER different options at most."""
    found: dict[Hashable, dict[GrammarOptions, list[int]]] = {}
    for i, trial in enumerate(trials):
        of = trial.options.filled()
        data = (id(trial.source), trial.train.tobytes(), id(trial.gold), trial.test.tobytes())
        same = found.setdefault((*data, trial.search, of.binarisation, of.of_lexicon), {})
        same.setdefault(trial.options, []).append(i)
    return [
        [i for part in some for i in part]
        for same in found.values()
        for some in blocks(same.values(), MOST_TOGETHER)
    ]


def _size(trial: Trial) -> int:
    """About how long a trial takes, in no particular unit."""
    states = 1 if trial.options.method == "pcfg" else trial.options.filled().states or 1
    return trial.train.size * (4 + states)


@functools.cache
def warm() -> None:
    """Learn and parse a little, once per process, so that no trial is charged for compiling or loading kernels."""
    if multiprocessing.parent_process() is not None:
        one_thread()
    few = sample_treebank(WARM_TREES, 0)
    for method in ("cluster", "tensor"):
        grammar = GrammarOptions(method=method, em_rounds=1).fit(few)
        for tags in ("none", "gold"):
            Searches(requests_of(few, tags)[:2]).parse(grammar)
