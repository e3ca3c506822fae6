"""One learning and parsing run: trees and settings in, scores and times out, in a process of its own."""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from eigenparse.arrays import LongVector
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.transform import Binarisation, as_treebank, binarise, unbinarise
from eigenparse.decode.parser import ParserOptions, as_trees, make_parser
from eigenparse.decode.request import Request, answer
from eigenparse.decode.results import make_tables
from eigenparse.evaluate.brackets import score_brackets
from eigenparse.experiments.treebanks import pick_trees
from eigenparse.learn.lpcfg import LpcfgOptions, train_treebank
from eigenparse.models.pcfg import LatentGrammar
from eigenparse.run.local import on_this_machine
from eigenparse.synthetic import sample_treebank

S = TypeVar("S")
T = TypeVar("T")
LONGEST, WARM_TREES = 10_000, 60


@dataclass(frozen=True, slots=True)
class Trial:
    """What to learn from which trees of ``source``, and which trees of ``gold`` to parse.

    part, setting, x, run: where the result belongs.  tagged: parse words with their gold tags, as the
    thesis does, or words alone.
    """

    part: str
    setting: str
    x: int
    run: int
    options: LpcfgOptions
    source: Treebank
    train: LongVector
    gold: Treebank
    test: LongVector
    tagged: bool = True


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


def requests_of(treebank: Treebank, *, tagged: bool) -> list[Request]:
    """The words of every tree, with their tags or without."""
    leaf = np.flatnonzero(treebank.word >= 0)
    cuts = np.searchsorted(leaf, treebank.offsets)
    words = [treebank.words[w] for w in treebank.word[leaf].tolist()]
    tags = [treebank.labels[a] for a in treebank.label[leaf].tolist()]
    bounds = zip(cuts[:-1].tolist(), cuts[1:].tolist())
    return [Request(tuple(words[i:j]), tuple(tags[i:j]) if tagged else None) for i, j in bounds]


def run_trial(trial: Trial) -> Outcome:
    """Learn, parse, score."""
    train, gold = pick_trees(trial.source, trial.train), pick_trees(trial.gold, trial.test)
    started = time.process_time()
    grammar = train_treebank(train, trial.options).grammar
    learnt = time.process_time()
    guess, derived = parse_all(grammar, requests_of(gold, tagged=trial.tagged))
    parsed = time.process_time()
    counts = score_brackets(gold, guess).all
    scores = score_brackets(as_binary(gold), as_binary(guess))
    binary = scores.all
    return Outcome(
        trial.part,
        trial.setting,
        trial.x,
        trial.run,
        len(train),
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
        learnt - started,
        parsed - learnt,
    )


def as_binary(treebank: Treebank) -> Treebank:
    """The same trees with wide nodes cut from the right and chains made one node."""
    return as_treebank(binarise(treebank, Binarisation(factor="right")))


def parse_all(grammar: LatentGrammar, requests: list[Request]) -> tuple[Treebank, LongVector]:
    """The best tree of every sentence, and whether the latent grammar itself gave it any probability."""
    parser = make_parser(grammar, ParserOptions(max_length=LONGEST))
    tables = make_tables(parser)
    found = [answer(parser, tables.symbols, request).decoded for request in requests]
    trees = as_trees(parser, [request.tokens for request in requests], [one.derivations[0] for one in found])
    return unbinarise(trees), np.array([math.isfinite(one.log_total) for one in found])


def run_all(task: Callable[[S], T], items: Iterable[S], *, jobs: int = 1) -> Iterator[T]:
    """Results in the order of the items, each as soon as it and all before it are there."""
    items = list(items)
    workers = max(1, min(jobs, len(items)))
    with on_this_machine(workers, prepare=_warm if workers == 1 else _warm_alone) as run:
        yield from run.map_ordered(task, items)


def _warm() -> None:
    """Learn and parse a little, so that no trial is charged for compiling or loading kernels."""
    few = sample_treebank(WARM_TREES, 0)
    for method in ("cluster", "tensor"):
        grammar = train_treebank(few, LpcfgOptions(method=method, em_rounds=1)).grammar
        for tagged in (False, True):
            parse_all(grammar, requests_of(few, tagged=tagged)[:2])


def _warm_alone() -> None:
    """The same in a process of its own, with one thread for linear algebra."""
    threadpool_limits(limits=1)
    _warm()
