"""Train a tagger: labelled sequences and choices in, a refinement HMM and a report of the learning out."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from threadpoolctl import threadpool_limits

from eigenparse.corpus.sequences import Sequences
from eigenparse.errors import OptionError
from eigenparse.features.tagger.sequence import ChainFeatures, default_features
from eigenparse.features.tagger.templates import Template, parse_template
from eigenparse.learn.checkpoint import NOTHING_KEPT, Checkpoint
from eigenparse.learn.rounds import Tell, silent
from eigenparse.learn.tagger.base import (
    Bigram,
    Labelled,
    fit_bigram,
    independent,
    labelled,
    no_observations,
    one_state,
)
from eigenparse.learn.tagger.emission import (
    BackoffEmission,
    EmissionLearner,
    LogLinearEmission,
    default_templates,
    fit_emission,
)
from eigenparse.learn.tagger.kept import TaggerReport, kept_emission, kept_smoothing, kept_tagger
from eigenparse.learn.tagger.latent import LatentChoices, Start, cluster_states, em, random_states
from eigenparse.learn.tagger.spectral import ChainViews, SpectralChoices, chain_views
from eigenparse.learn.tagger.trust import LatentTask, Trial, choose_smoothing, spectral_parts
from eigenparse.models.tagger.rhmm import Emission, Observations, Operators, Product, RefinementHMM
from eigenparse.run.local import LocalRun
from eigenparse.run.ordered import OrderedRun

METHODS = ("spectral", "cluster", "em", "hmm", "unigram")
EMISSIONS = ("loglinear", "class", "backoff")


@dataclass(frozen=True, slots=True)
class TaggerChoices:
    """Everything a training run can choose; None means: what suits the method or the columns.

    method: spectral, cluster, em (``start``: clusters or random), hmm, unigram.
    emission: loglinear (window templates), class (one symbol a token, rare words by class) or backoff.
    strength, weight: smoothing of transitions and of observation vectors; where neither is given, the method
    spectral chooses on the last tenth of the training sequences, with the bigram HMM as the limit.
    runs: labels come in runs; the method spectral then backs off to how runs begin and end.
    dimensions: coordinates of the views that are clustered; None means as many as states.
    """

    method: str = "spectral"
    states: int = 8
    emission: str | EmissionLearner = "loglinear"
    features: ChainFeatures | None = None
    symbols: tuple[str, ...] | None = None
    start: str = "clusters"
    rounds: int | None = None
    strength: float | None = None
    weight: float | None = None
    runs: bool = False
    dimensions: int | None = None
    seed: int = 0


def check_choices(choices: TaggerChoices) -> None:
    """OptionError if a choice is outside its range."""
    if choices.method not in METHODS:
        raise OptionError(f"method must be one of {', '.join(METHODS)}, got {choices.method!r} instead")
    if isinstance(choices.emission, str) and choices.emission not in EMISSIONS:
        raise OptionError(f"emission must be one of {', '.join(EMISSIONS)}, got {choices.emission!r} instead")
    if choices.start not in ("clusters", "random"):
        raise OptionError(f"start must be clusters or random, got {choices.start!r} instead")
    if not 1 <= choices.states <= 256:
        raise OptionError(f"states must be 1 to 256, got {choices.states} instead")
    if choices.dimensions is not None and choices.dimensions < 1:
        raise OptionError(f"dimensions must be 1 or more, got {choices.dimensions} instead")
    if choices.rounds is not None and choices.rounds < 0:
        raise OptionError(f"rounds must be 0 or more, got {choices.rounds} instead")


def fit_tagger(
    corpus: Sequences,
    label: str,
    choices: TaggerChoices,
    *,
    run: OrderedRun = LocalRun(),
    checkpoint: Checkpoint = NOTHING_KEPT,
    tell: Tell = silent,
) -> tuple[RefinementHMM, TaggerReport]:
    """Learn a tagger of the column ``label`` from the other columns.

    run: where emission and states are learnt, each apart.  checkpoint: where the emission and rounds of EM are
    kept and looked for.  tell: is told the stage under way.
    """
    check_choices(choices)
    data = labelled(corpus, label)
    learn = partial(_learn_part, data, label, choices, checkpoint, tell if run == LocalRun() else silent)
    (emission, *clock), (latent, *other) = run.map_ordered(learn, (_learn_emission, _learn_states))
    operators, observations, report = latent
    model = _tagger(data, label, operators, emission, observations, choices)
    seconds = {"emission": clock[0], "states": other[0]}
    return model, replace(report, seconds=seconds, states=_by_label(data, operators))


def _learn_part(
    data: Labelled,
    label: str,
    choices: TaggerChoices,
    checkpoint: Checkpoint,
    tell: Tell,
    part: Callable[..., Any],
) -> tuple[Any, float]:
    """One of the two and its seconds, here or on a worker."""
    clock = time.perf_counter()
    with threadpool_limits(limits=1):  # thread sums would arrive in any order
        return part(data, label, choices, checkpoint, tell), time.perf_counter() - clock


def _learn_emission(
    data: Labelled, label: str, choices: TaggerChoices, checkpoint: Checkpoint, tell: Tell
) -> Emission:
    """The emission of labels, which states have no part in."""
    learner, A = _emission(choices, data), len(data.names)
    return kept_emission(
        checkpoint,
        lambda: fit_emission(learner, data.sequences, data.labels, A, seed=choices.seed, tell=tell),
    )


def fit_product(
    corpus: Sequences,
    label: str,
    choices: TaggerChoices,
    members: int,
    *,
    run: OrderedRun = LocalRun(),
    checkpoint: Checkpoint = NOTHING_KEPT,
    tell: Tell = silent,
) -> tuple[Product, TaggerReport]:
    """Several taggers that differ in their seeds, applied as one; ``run``: where they, or parts of one, are learnt.

    checkpoint: where finished taggers, and those under way, are kept and looked for.
    """
    if members < 1:
        raise OptionError(f"a product needs 1 member or more, got {members} instead")
    if members == 1:
        model, report = fit_tagger(corpus, label, choices, run=run, checkpoint=checkpoint, tell=tell)
        return Product((model,)), report
    tasks = [(replace(choices, seed=choices.seed + k), checkpoint.at(f"member{k}")) for k in range(members)]
    learn = partial(fit_member, corpus, label, tell=tell if run == LocalRun() else silent)
    made = []
    for found in run.map_ordered(learn, tasks):
        made.append(found)
        tell(f"{len(made)} of {members} taggers are done")
    return Product(tuple(model for model, _ in made)), made[0][1]


def fit_member(
    corpus: Sequences, label: str, task: tuple[TaggerChoices, Checkpoint], *, tell: Tell
) -> tuple[RefinementHMM, TaggerReport]:
    """One tagger of a product, here or on a worker; kept when it is done."""
    choices, checkpoint = task
    return kept_tagger(
        checkpoint, partial(fit_tagger, corpus, label, choices, checkpoint=checkpoint, tell=tell)
    )


def _emission(choices: TaggerChoices, data: Labelled) -> EmissionLearner:
    if not isinstance(choices.emission, str):
        return choices.emission
    templates = default_templates(data.sequences.names, choices.emission)
    return LogLinearEmission(templates) if choices.emission == "loglinear" else BackoffEmission(templates)


def symbol_templates(choices: TaggerChoices, data: Labelled) -> tuple[Template, ...]:
    """Templates of the symbols whose observation vectors are learnt, from coarse to fine."""
    texts = choices.symbols or default_templates(data.sequences.names, "class")
    return tuple(parse_template(text) for text in texts)


def _learn_states(
    data: Labelled, label: str, choices: TaggerChoices, checkpoint: Checkpoint, tell: Tell
) -> tuple[Operators, Observations, TaggerReport]:
    """The latent chain and its observation vectors."""
    if choices.method == "unigram":
        return independent(data), no_observations(), TaggerReport()
    bigram = fit_bigram(data)
    if choices.method == "hmm" or choices.states == 1:
        return one_state(bigram), no_observations(), TaggerReport()
    symbols = symbol_templates(choices, data)
    features = choices.features or default_features(data.sequences.names, label)
    if choices.method == "spectral":
        task = LatentTask(label, _emission(choices, data), features, symbols, choices.seed)
        return _by_moments(data, task, choices, bigram, checkpoint, tell)
    latent = _latent_choices(choices)

    def first() -> Start:
        if choices.method == "em" and choices.start == "random":
            return random_states(data, latent, choices.seed), {}
        tell("states: clusters")
        wide = replace(_spectral_choices(choices), states=choices.dimensions or choices.states)
        views = chain_views(data, label, features, wide, choices.seed)
        return cluster_states(data, views, latent, choices.seed), {"singular": _spectra(data, views)}

    operators, observations, underway = em(
        data, first, bigram, symbols, latent, checkpoint=checkpoint, tell=tell
    )
    report = TaggerReport(**underway.about, log_likelihood=list(underway.trace))
    return operators, observations, report


def _by_moments(
    data: Labelled,
    task: LatentTask,
    choices: TaggerChoices,
    bigram: Bigram,
    checkpoint: Checkpoint,
    tell: Tell,
) -> tuple[Operators, Observations, TaggerReport]:
    """Operators of the smoothing that was asked for, or else of the one that held-out text prefers."""
    usual = _spectral_choices(choices)
    best: SpectralChoices | None = usual
    trials: list[Trial] = []
    if choices.strength is None and choices.weight is None:
        tell("states: smoothing by held-out text")
        best, trials = kept_smoothing(checkpoint, usual, lambda: choose_smoothing(data, task, usual))
    if best is None:
        return one_state(bigram), no_observations(), TaggerReport(trials=trials)
    tell("states: moments")
    parts, singular = spectral_parts(data, task, [best], bigram)
    return *parts[0], TaggerReport(singular=dict(zip(data.names, singular)), trials=trials)


def _spectral_choices(choices: TaggerChoices) -> SpectralChoices:
    made = SpectralChoices(states=choices.states)
    if choices.runs:
        made = replace(made, runs=True, fewest=1)  # the back-off is good enough for pairs seen once
    if choices.emission not in ("class", "backoff"):
        # a window emission has seen the neighbours already: trust tensors and symbols' own vectors less
        made = replace(made, strength=150.0, weight=300.0)
    if choices.strength is not None:
        made = replace(made, strength=choices.strength)
    return made if choices.weight is None else replace(made, weight=choices.weight)


def _latent_choices(choices: TaggerChoices) -> LatentChoices:
    usual = 0 if choices.method == "cluster" else 10 if choices.start == "clusters" else 30
    made = LatentChoices(states=choices.states, rounds=usual if choices.rounds is None else choices.rounds)
    if choices.strength is not None:
        made = replace(made, strength=choices.strength)
    return made if choices.weight is None else replace(made, weight=choices.weight)


def _spectra(data: Labelled, views: ChainViews) -> dict[str, list[float]]:
    return {name: [round(float(v), 6) for v in views.along[a]] for a, name in enumerate(data.names)}


def _by_label(data: Labelled, operators: Operators) -> dict[str, int]:
    return dict(zip(data.names, operators.states.tolist()))


def _tagger(
    data: Labelled,
    label: str,
    operators: Operators,
    emission: Emission,
    observations: Observations,
    choices: TaggerChoices,
) -> RefinementHMM:
    about: dict[str, Any] = {
        "method": choices.method,
        "states": choices.states,
        "seed": choices.seed,
        "tokens": int(data.labels.size),
        "sequences": len(data.sequences),
    }
    if isinstance(choices.emission, str):
        about["emission"] = choices.emission
    else:
        about["emission"] = {"kind": type(choices.emission).__name__, **_plain(asdict(choices.emission))}
    words = data.sequences.columns[0].symbols
    return RefinementHMM(
        data.sequences.names,
        label,
        data.names,
        operators,
        emission,
        observations,
        tuple(sorted(words)),
        about,
    )


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
