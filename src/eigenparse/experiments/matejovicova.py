"""The plan of [matejovicova-2018], sections 4.1 to 4.3: a treebank and a size in, trials out."""

from dataclasses import dataclass, replace

import numpy as np

from eigenparse.arrays import LongVector, generator
from eigenparse.corpus.columns import Treebank
from eigenparse.decode.grammar.objective import Objective
from eigenparse.decode.grammar.parser import ParserOptions
from eigenparse.errors import OptionError
from eigenparse.experiments.treebanks import Corpus, random_split, word_counts
from eigenparse.experiments.trials import LONGEST, Trial
from eigenparse.inference.grammar.forest import NO_PRUNING
from eigenparse.learn.grammar.options import THESIS as THESIS_SETTINGS
from eigenparse.learn.grammar.options import GrammarOptions

SIZES, STATES, COMPARED = "4.1", "4.2", "4.3"
SIZE_STATES = 8
STATE_NUMBERS = (1, 2, 4, 8, 16, 24, 32)
COMPARED_STATES = (8, 16, 24, 32)
FEWEST_TEST = 500
TEST_SENTENCES, STATES_TREES, SIZE_STEP, N_SIZES = 1000, 10_000, 5_000, 6
SPLIT_STREAM = 0x5A17

THESIS, PLAIN, OURS = "thesis", "no states", "eigenparse"
FEATURES, SMOOTH, EM = "+ all features, scaled", "+ smoothing", "+ EM"
WORDS, MOMENTS = "eigenparse, words only", "method of moments"
TAGGED, OURS_TAGGED = "thesis, predicted tags", "eigenparse, predicted tags"
TAGS = {WORDS: "none", TAGGED: "predicted", OURS_TAGGED: "predicted"}
# Section 3.4 of the thesis, the parser of [cohen-etal-2013]: chart items of a posterior below 0.00005 under the
# grammar without states are left out, nothing else is; the tree has the largest sum of marginals [goodman-1996].
THESIS_SEARCH = ParserOptions(
    pruning=replace(NO_PRUNING, item=0.00005), objective=Objective("labelled-recall"), max_length=LONGEST
)
BY_THESIS = (THESIS, PLAIN, TAGGED, FEATURES, SMOOTH, EM)

Data = tuple[Treebank, LongVector, Treebank, LongVector]


@dataclass(frozen=True, slots=True)
class Plan:
    """How much to do.  states: of experiment 4.2; n_test: sentences that samples are judged on."""

    runs: int = 3
    n_test: int = TEST_SENTENCES
    states: tuple[int, ...] = STATE_NUMBERS
    compared: tuple[int, ...] = COMPARED_STATES
    n_sizes: int = N_SIZES
    parts: tuple[str, ...] = (SIZES, STATES, COMPARED)
    seed: int = 0

    def __post_init__(self) -> None:
        for name, low in (("runs", 1), ("n_test", 2), ("n_sizes", 1)):
            if getattr(self, name) < low:
                raise OptionError(f"{name} must be {low} or more, got {getattr(self, name)} instead")
        unknown = set(self.parts) - {SIZES, STATES, COMPARED}
        if unknown or not self.parts:
            raise OptionError(f"experiments are 4.1, 4.2 and 4.3, got {', '.join(sorted(unknown)) or 'none'}")
        if not self.states or not self.compared:
            raise OptionError("there is no number of states to try; give at least one")


def settings(seed: int) -> dict[str, GrammarOptions]:
    """From the thesis' settings to ours, one step after another."""
    thesis, usual = GrammarOptions(preset="thesis", seed=seed), GrammarOptions(seed=seed)
    left = {
        name: value
        for name, value in THESIS_SETTINGS.items()
        if name not in ("states", "features", "scaling")
    }
    features = GrammarOptions(seed=seed, **left)
    for name in ("nodes_per_state", "rule_smoothing", "state_mixing", "word_shrinkage"):
        del left[name]
    smooth = GrammarOptions(seed=seed, **left)
    return {
        THESIS: thesis,
        PLAIN: replace(thesis, method="pcfg"),
        FEATURES: features,
        SMOOTH: smooth,
        EM: replace(smooth, em_rounds=None),
        OURS: usual,
        WORDS: usual,
        MOMENTS: replace(usual, method="tensor"),
        TAGGED: thesis,
        OURS_TAGGED: usual,
    }


def _trial(part: str, name: str, x: int, run: int, options: GrammarOptions, data: Data) -> Trial:
    """A trial that parses as the thesis does, or as we do."""
    search = THESIS_SEARCH if name in BY_THESIS else ParserOptions(max_length=LONGEST)
    return Trial(part, name, x, run, options, *data, TAGS.get(name, "gold"), search)


def judged_on(corpus: Corpus, plan: Plan) -> int:
    """Sentences to judge samples on: those asked for, fewer where a treebank is small."""
    n = int(np.sum(word_counts(corpus.pool) > 1))
    return max(min(plan.n_test, max(n // 18, min(FEWEST_TEST, n // 6))), 2)


def training_sizes(corpus: Corpus, plan: Plan) -> tuple[int, ...]:
    """Sizes of experiment 4.1: the thesis' own where the treebank is large enough, else equal steps."""
    room = int(np.sum(word_counts(corpus.pool) > 1)) - judged_on(corpus, plan)
    step = min(SIZE_STEP, max(room // plan.n_sizes, 1))
    return tuple(step * k for k in range(1, plan.n_sizes + 1))


def states_size(corpus: Corpus, plan: Plan) -> int:
    """Trees that experiment 4.2 learns from: the thesis' 10,000, or two thirds of what there is."""
    return min(STATES_TREES, max(training_sizes(corpus, replace(plan, n_sizes=N_SIZES))[-1] * 2 // 3, 1))


def trials_of(corpus: Corpus, plan: Plan) -> list[Trial]:
    """Every trial of the experiments asked for."""
    makers = {SIZES: _size_trials, STATES: _state_trials, COMPARED: _compared_trials}
    return [trial for part in plan.parts for trial in makers[part](corpus, plan)]


def _splits(corpus: Corpus, plan: Plan) -> list[tuple[LongVector, LongVector]]:
    """The random split of each run."""
    size = judged_on(corpus, plan)
    return [
        random_split(corpus.pool, size, generator(plan.seed, SPLIT_STREAM, run)) for run in range(plan.runs)
    ]


def _size_trials(corpus: Corpus, plan: Plan) -> list[Trial]:
    """Corpus size by {8 states, none} and our default."""
    found = []
    for run, (train, test) in enumerate(_splits(corpus, plan)):
        chosen = settings(plan.seed + run)
        chosen[THESIS] = replace(chosen[THESIS], states=SIZE_STATES)
        found += [
            _trial(SIZES, name, n, run, chosen[name], (corpus.pool, train[:n], corpus.pool, test))
            for n in training_sizes(corpus, plan)
            for name in (THESIS, PLAIN, OURS)
        ]
    return found


def _state_trials(corpus: Corpus, plan: Plan) -> list[Trial]:
    """Number of states, the thesis' settings and ours."""
    found, size = [], states_size(corpus, plan)
    for run, (train, test) in enumerate(_splits(corpus, plan)):
        chosen = settings(plan.seed + run)
        found += [
            _trial(
                STATES,
                name,
                m,
                run,
                replace(chosen[name], states=m),
                (corpus.pool, train[:size], corpus.pool, test),
            )
            for m in plan.states
            for name in (THESIS, OURS)
        ]
    return found


def _compared_trials(corpus: Corpus, plan: Plan) -> list[Trial]:
    """All settings on the treebank's own cut; other tags at the most states only."""
    source, gold = corpus.wide_train, corpus.dev
    train, test = (np.flatnonzero(word_counts(part) > 1) for part in (source, gold))
    test = test[: judged_on(corpus, plan) * 4 // 3]  # the thesis: 1,000 and 1,334
    states = {PLAIN: (1,), WORDS: (max(plan.compared),)}
    return [
        _trial(COMPARED, name, m, 0, replace(options, states=m), (source, train, gold, test))
        for name, options in settings(plan.seed).items()
        for m in states.get(name, plan.compared)
    ]
