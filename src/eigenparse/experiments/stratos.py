"""Phoneme recognition as in [stratos-2013]: a speech corpus in, frame accuracies of every method out.

Two spectral estimators share one set of singular vectors: tensors of moments, as in the paper, and clusters of
the projected views.  Development data choose between them, the number of states and EM's best round; the test
set is scored once, by the chosen.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.corpus.phones import SpeechCorpus
from eigenparse.corpus.sequences import Sequences
from eigenparse.errors import DataError, OptionError
from eigenparse.features.codes import CodeChoices, codes_of, learn_codebook
from eigenparse.features.speech.mfcc import MfccChoices
from eigenparse.features.speech.phones import CODE, PHONE, duration_features, figure_six
from eigenparse.features.tagger.sequence import ChainFeatures
from eigenparse.features.tagger.templates import parse_template
from eigenparse.inference.tagger.chain import tag_ids
from eigenparse.learn.speech.frames import frame_sequences, read_frames
from eigenparse.learn.speech.learner import DIMENSIONS, EMISSION, PhoneOptions
from eigenparse.learn.tagger.base import Labelled, fit_bigram, labelled
from eigenparse.learn.tagger.latent import LatentChoices, cluster_states, expect, maximise, random_states
from eigenparse.learn.tagger.learner import fit_plan
from eigenparse.learn.tagger.spectral import SpectralChoices, chain_views
from eigenparse.models.tagger.rhmm import RefinementHMM
from eigenparse.run.local import on_this_machine
from eigenparse.threads import one_thread

ROUNDS = (1, 2, 3, 4, 6, 8, 10, 13, 16, 20, 25, 30, 40, 50, 60, 80, 100, 125, 150, 175, 200)
BY_RUNS = ", smoothed by runs"
MANY_STATES, FEW_ROUNDS = 32, 20
SPECTRAL = ("cluster", "spectral")


@dataclass(frozen=True, slots=True)
class StratosPlan:
    """What is run: codes, numbers of states, rounds of EM (the paper: 10,000, 1 to 32, 200), restarts, jobs.

    states: of the tensors; cluster_states: of the clusters, in ``dimensions`` coordinates; em_states: of EM.
    """

    n_codes: int = 1000
    states: tuple[int, ...] = (1, 2, 4, 8, 16, 24, 40)
    cluster_states: tuple[int, ...] = (8, 24, 64, 128)
    dimensions: tuple[int, ...] = (8, 24)
    em_states: tuple[int, ...] = (2, 4, 8, 16, 24, 64, 128)
    rounds: int = 60
    seed: int = 0
    jobs: int = 1

    def __post_init__(self) -> None:
        if any(not 1 <= m <= 256 for m in (*self.states, *self.cluster_states, *self.em_states)):
            raise OptionError("numbers of states must be between 1 and 256; change --states and the like")


@dataclass(frozen=True, slots=True)
class SpeechData:
    """Codes and phones of the three parts; ``facts`` are shown in the report."""

    name: str
    train: Sequences
    dev: Sequences
    test: Sequences
    facts: dict[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Task:
    """One model to train: a method, its states, its templates, its smoothing, where EM starts."""

    method: str
    states: int
    note: str = ""
    features: ChainFeatures | None = None
    start: str = "random"
    rounds: int = 0
    smoothing: str = "pairs"
    dimensions: int = DIMENSIONS
    seed: int = 0

    @property
    def row(self) -> tuple[str, str]:
        """The row of figure 8 that the task competes for; nothing for a task of other figures."""
        other = self.method == "spectral" and self.features is not None
        return ("", "") if other else (self.method, self.start if self.method == "em" else "")


@dataclass(frozen=True, slots=True)
class Trial:
    """A task's best model on development data, with its accuracy there, its round and its CPU seconds.

    model: None where a better one of the same row was found.  singular: means over frames of the leading and of the
    last singular value of the two cross-moments of their phones, for tasks with templates of their own.
    """

    task: Task
    model: RefinementHMM | None
    dev: float
    round: int
    seconds: float
    trace: tuple[tuple[int, float], ...] = ()
    singular: tuple[float, ...] = ()


def singular_values(train: Labelled, features: ChainFeatures, task: Task) -> tuple[float, ...]:
    """First and last singular value of future with past, and of present with destiny; means over frames."""
    views = chain_views(train, features, SpectralChoices(states=task.states), task.seed)
    share = np.bincount(train.labels, minlength=len(train.names)) / train.labels.size
    found = []
    for values in (views.along, views.across):
        for which in (0, -1):
            found.append(float(sum(w * s[which] for w, s in zip(share, values, strict=True) if s.size)))
    return tuple(found)


def prepare(
    corpus: SpeechCorpus, name: str, plan: StratosPlan, tell: Callable[[str], None] | None = None
) -> SpeechData:
    """Read all recordings and map frames to codes that the training part alone decides."""
    if not corpus.dev or not corpus.test:
        raise DataError(f"{name}: the folders dev and test must hold recordings too; cut the corpus in three")
    clock = time.process_time()
    mfcc, fold = MfccChoices(), corpus.is_timit
    read = {part: read_frames(corpus.part(part), mfcc, fold=fold) for part in ("train", "dev", "test")}
    spent = {"features": time.process_time() - clock}
    if tell is not None:
        tell(f"{name}: {sum(len(found.phones) for found in read.values())} frames read")
    clock = time.process_time()
    book = learn_codebook(read["train"].rows, CodeChoices(n_codes=plan.n_codes, seed=plan.seed))
    names = tuple(sorted(set(read["train"].phones)))
    made = {
        part: frame_sequences(found, codes_of(book, found.rows), len(book), names)
        for part, found in read.items()
    }
    spent["codes"] = time.process_time() - clock
    facts: dict[str, str | int | float] = {"phones": len(names), "codes": len(book)}
    for part, found in read.items():
        facts[f"{part} recordings"] = len(found.lengths)
        facts[f"{part} frames"] = len(found.phones)
    facts |= {f"CPU seconds, {stage}": round(value, 1) for stage, value in spent.items()}
    return SpeechData(name, made["train"], made["dev"], made["test"], facts)


def correct(model: RefinementHMM, gold: Sequences) -> AnyArray:
    """Whether each frame gets its phone, (T,)."""
    return tag_ids(model, gold.without(PHONE)) == gold.column(PHONE).ids


def accuracy(model: RefinementHMM, gold: Sequences) -> float:
    """Percentage of frames that get their phone."""
    return float(100.0 * np.mean(correct(model, gold)))


def run_task(item: tuple[Task, SpeechData]) -> Trial:
    """Train one model; EM's best round is chosen on development data, as in the paper."""
    task, data = item
    clock = time.process_time()
    with one_thread():
        if task.method == "em":
            return _run_em(task, data, clock)
        options = PhoneOptions(
            method=task.method,
            states=task.states,
            dimensions=task.dimensions,
            smoothing=task.smoothing,
            seed=task.seed,
        )
        if task.features is None:
            model = options.fit_frames(data.train)
        else:
            model = fit_plan(labelled(data.train, PHONE), replace(options.plan(), features=task.features))
        seconds = time.process_time() - clock
        dev = accuracy(model, data.dev)
        given = task.features
        singular = () if given is None else singular_values(labelled(data.train, PHONE), given, task)
        return Trial(task, model if task.row[0] else None, dev, 0, seconds, singular=singular)


def _run_em(task: Task, data: SpeechData, clock: float) -> Trial:
    train = labelled(data.train, PHONE)
    base = PhoneOptions(method="hmm").fit_frames(data.train)
    bigram, templates = fit_bigram(train), (parse_template(CODE),)
    choices = LatentChoices(states=task.states)
    if task.start == "random":
        counts = random_states(train, choices, task.seed)
    else:
        spectral = SpectralChoices(states=DIMENSIONS)
        views = chain_views(train, duration_features(), spectral, task.seed)
        counts = cluster_states(train, views, choices, task.seed)
    trace: list[tuple[int, float]] = []
    best, best_round, spent = base, 0, 0.0
    for step in range(1, task.rounds + 1):
        operators, observations = maximise(train, counts, bigram, templates, choices)
        counts, _ = expect(train, operators, observations)
        if step in ROUNDS or step == task.rounds:
            pause = time.process_time()
            model = replace(base, operators=operators, observations=observations)
            trace.append((step, accuracy(model, data.dev)))
            if trace[-1][1] >= max(value for _, value in trace):
                best, best_round = model, step
            spent += time.process_time() - pause
    seconds = time.process_time() - clock - spent
    return Trial(task, best, max(value for _, value in trace), best_round, seconds, tuple(trace))


def rounds_of(states: int, plan: StratosPlan) -> int:
    """Rounds of EM; fewer where a round is long."""
    return plan.rounds if states <= MANY_STATES else min(plan.rounds, FEW_ROUNDS)


def tasks_of(plan: StratosPlan) -> list[Task]:
    """Every model of figures 5, 7 and 8, those that take longest first."""
    made = [
        Task("em", m, f"EM({m})", start="random", rounds=rounds_of(m, plan), seed=plan.seed)
        for m in sorted(plan.em_states, reverse=True)
    ]
    made += [
        Task("em", m, f"EM({m}) from clusters", start="clusters", rounds=plan.rounds, seed=plan.seed)
        for m in sorted({min(plan.em_states, key=lambda m: abs(m - near)) for near in (24, 8)}, reverse=True)
    ]
    made += [
        Task("cluster", m, f"clusters({m}), {d} coordinates", dimensions=d, seed=plan.seed)
        for m in sorted(plan.cluster_states, reverse=True)
        for d in plan.dimensions
    ]
    made += [
        Task("spectral", m, f"spectral({m}){note}", smoothing=smoothing, seed=plan.seed)
        for m in sorted(plan.states, reverse=True)
        for smoothing, note in (("runs", BY_RUNS), ("pairs", ""))
        if m > 1 or not note
    ]
    top = max(plan.states)
    shown = 24 if 24 in plan.states else top
    ablated = {
        "figure 6": figure_six(),
        "figure 6, no pos": figure_six(place=False),
        "figure 6, no np, pp, pos": figure_six(neighbours=False, place=False),
    }
    made += [
        Task("spectral", shown, f"spectral({shown}), {name}", features, seed=plan.seed)
        for name, features in ablated.items()
    ]
    return [
        *made,
        Task("three-segment", 3, "three segments"),
        Task("hmm", 1, "HMM"),
        Task("unigram", 1, "unigram"),
    ]


def run_tasks(data: SpeechData, plan: StratosPlan) -> list[Trial]:
    """All trials, in processes of their own if there are several jobs; only the best of a row keeps its model."""
    tasks = tasks_of(plan)
    best: dict[tuple[str, str], int] = {}
    trials: list[Trial] = []
    with on_this_machine(min(plan.jobs, len(tasks))) as run:
        for trial in run.map_ordered(run_task, ((task, data) for task in tasks)):
            trials.append(trial)
            row = trial.task.row
            if row in best and trial.dev <= trials[best[row]].dev:
                trials[-1] = replace(trial, model=None)
            else:
                if row in best:
                    trials[best[row]] = replace(trials[best[row]], model=None)
                best[row] = len(trials) - 1
    return trials


def emission_note() -> str:
    """How all models emit codes."""
    return f"emission of every model: p(code | phone), interpolated with strength {EMISSION.strength:g}"
