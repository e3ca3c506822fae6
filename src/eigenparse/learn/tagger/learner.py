"""Taggers: a record of options and labelled sequences in, one refinement HMM or several applied as one out."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from eigenparse.corpus.tagged import text_lines
from eigenparse.errors import OptionError
from eigenparse.features.tagger.sequence import default_features, read_features
from eigenparse.features.tagger.templates import parse_template
from eigenparse.learn.options import Options, option
from eigenparse.learn.tagger.base import (
    Bigram,
    Labelled,
    fit_bigram,
    independent,
    no_observations,
    one_state,
)
from eigenparse.learn.tagger.emission import (
    BackoffEmission,
    LogLinearEmission,
    default_templates,
    fit_emission,
)
from eigenparse.learn.tagger.latent import (
    LatentChoices,
    Parameters,
    Start,
    cluster_states,
    em,
    maximise,
    random_states,
)
from eigenparse.learn.tagger.plan import TaggerPlan
from eigenparse.learn.tagger.spectral import SpectralChoices, chain_views
from eigenparse.learn.tagger.statistics import fit_statistics
from eigenparse.learn.tagger.trust import choose_smoothing, spectral_parts
from eigenparse.models.tagger.rhmm import Emission, RefinementHMM, Tagger
from eigenparse.threads import one_thread
from eigenparse.work.kept import Part
from eigenparse.work.work import Work

METHODS = ("spectral", "cluster", "em", "hmm", "unigram")
EMISSIONS = ("loglinear", "class", "backoff")
STARTS = ("clusters", "random")
Report = dict[str, Any]


@dataclass(frozen=True)
class TaggerOptions(Options):
    """Learn a tagger or chunker: a refinement HMM, a bigram HMM or a unigram model.

    strength, weight: smoothing of transitions and of observation vectors.  Where neither is given, the method spectral
    chooses both on the last tenth of the training sequences, and learns the bigram HMM if states do not help there.
    """

    kind: ClassVar[str] = "rhmm"
    examples: ClassVar[tuple[str, ...]] = (
        "eigenparse train rhmm train.txt --columns word,pos,chunk --dev dev.txt --out chunker.model",
    )
    method: str = option(
        "spectral", "How hidden states are learnt; hmm and unigram have none.", choices=METHODS
    )
    states: int = option(
        8, "Maximum number of hidden states per label.", low=1, high=256, idle={"method": ("hmm", "unigram")}
    )
    emission: str = option(
        "loglinear",
        "How tokens are emitted: loglinear uses a window of tokens, class and backoff only the token itself.",
        choices=EMISSIONS,
    )
    templates: Path | None = option(None, "File with feature templates of phi, psi, xi and upsilon.")
    start: str = option(
        "clusters", "Where the method em starts.", choices=STARTS,
        idle={"method": tuple(name for name in METHODS if name != "em")},
    )  # fmt: skip
    em_rounds: int | None = option(
        None, "Rounds of EM. Default: 10 for em from clusters, 30 from random states, 0 for cluster.", low=0,
        idle={"method": ("spectral", "hmm", "unigram")},
    )  # fmt: skip
    ensemble: int = option(1, "Number of taggers with different seeds that are combined.", low=1)
    strength: float | None = option(None, "Smoothing of transitions.", low=0, shown=False)
    weight: float | None = option(None, "Smoothing of observation vectors.", low=0, shown=False)
    seed: int = option(0, "Random seed.", low=0)
    keep_statistics: bool = option(False, "Keep the sums in the file, so that `merge` is exact.")
    dictionary: Path | None = option(
        None, "Model whose labels and projections are reused; implies --keep-statistics."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.adds_up and (self.method != "spectral" or self.emission == "loglinear" or self.ensemble > 1):
            raise OptionError(
                "only one tagger of the method spectral with the emission class or backoff adds up; "
                "use --emission class without --ensemble, or leave out --keep-statistics and --dictionary"
            )

    @property
    def adds_up(self) -> bool:
        """Whether sums are kept."""
        return self.keep_statistics or self.dictionary is not None

    def fit(self, data: Labelled, work: Work = Work()) -> Tagger:
        """Learn a tagger from labelled sequences."""
        if self.adds_up:
            return fit_statistics(data, self.plan(data), self.dictionary, work)
        if self.ensemble == 1:
            return Tagger((fit_plan(data, self.plan(data), work),))
        plans = [replace(self.plan(data), seed=self.seed + k) for k in range(self.ensemble)]
        tasks = [(plan, work.task().at(f"member{k}")) for k, plan in enumerate(plans)]
        members = []
        for member in work.map(partial(_member, data), tasks):
            members.append(member)
            work.progress("taggers", len(members), self.ensemble)
        return Tagger(tuple(members))

    def plan(self, data: Labelled) -> TaggerPlan:
        """What the options mean for the columns at hand."""
        columns, label = data.sequences.names, data.label
        texts = default_templates(columns, self.emission)
        features = default_features(columns, label)
        if self.templates is not None:
            features = read_features(text_lines(self.templates), label=label, source=str(self.templates))
        usual = 0 if self.method == "cluster" else 10 if self.start == "clusters" else 30
        given = {"strength": self.strength, "weight": self.weight}
        chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        return TaggerPlan(
            method=self.method,
            emission=LogLinearEmission(texts) if self.emission == "loglinear" else BackoffEmission(texts),
            features=features,
            symbols=tuple(parse_template(text) for text in default_templates(columns, "class")),
            spectral=self.spectral(),
            latent=LatentChoices(self.states, usual if self.em_rounds is None else self.em_rounds, **chosen),
            is_random=self.start == "random",
            is_tried=not chosen,
            seed=self.seed,
            emission_name=self.emission,
        )

    def spectral(self) -> SpectralChoices:
        """Smoothing of the method spectral."""
        usual = SpectralChoices(states=self.states)
        if self.emission == "loglinear":
            # a window emission uses the neighbours already, so tensors and symbols' own vectors are smoothed more
            usual = replace(usual, strength=150.0, weight=300.0)
        if self.strength is not None:
            usual = replace(usual, strength=self.strength)
        return usual if self.weight is None else replace(usual, weight=self.weight)


def fit_plan(data: Labelled, plan: TaggerPlan, work: Work = Work()) -> RefinementHMM:
    """Learn one refinement HMM; its emission and its states are two tasks."""
    learn = partial(_learn_part, data, plan, work.task())
    emission, (parameters, report) = work.map(learn, (_learn_emission, _learn_states))
    words = tuple(sorted(data.sequences.columns[0].symbols))
    given = (data.sequences.names, data.label, data.names)
    operators, observations = parameters
    about = plan.about(data) | report
    return RefinementHMM(*given, operators, emission, observations, words, about)


def _learn_part(data: Labelled, plan: TaggerPlan, work: Work, part: Callable[..., Any]) -> Any:
    """The emission or the states, here or on a worker."""
    with one_thread():  # several threads would add up sums in varying order
        return part(data, plan, work)


def _member(data: Labelled, task: tuple[TaggerPlan, Work]) -> RefinementHMM:
    """One tagger of several, here or on a worker; kept when it is done."""
    plan, work = task
    return RefinementHMM.from_parts(
        *work.part("tagger", lambda: fit_plan(data, plan, work).to_parts(), always=True)
    )


def _learn_emission(data: Labelled, plan: TaggerPlan, work: Work) -> Emission:
    """The emission of labels, which does not depend on states; kept if it took long."""

    def compute() -> Part:
        made = fit_emission(plan.emission, data, plan.seed, work)
        header = {"templates": made.templates, "combine": made.combine}
        return header, {"keys": made.keys, "rows": made.rows, "offset": made.offset}

    work.stage("emission")
    header, arrays = work.part("emission", compute)
    own: dict[str, Any] = dict(arrays)
    return Emission(tuple(header["templates"]), combine=header["combine"], **own)


def _learn_states(data: Labelled, plan: TaggerPlan, work: Work) -> tuple[Parameters, Report]:
    """The latent chain and its observation vectors, and facts about the training."""
    work.stage("states")
    if plan.method == "unigram":
        return (independent(data), no_observations()), {}
    bigram = fit_bigram(data)
    if plan.method == "hmm" or plan.spectral.states == 1:
        return (one_state(bigram), no_observations()), {}
    if plan.method == "spectral":
        return _by_moments(data, plan, bigram, work)

    def first() -> Start:
        if plan.method == "em" and plan.is_random:
            return random_states(data, plan.latent, plan.seed), {}
        wide = replace(plan.spectral, states=plan.dimensions or plan.spectral.states)
        views = chain_views(data, plan.features, wide, plan.seed)
        singular = {name: _rounded(views.along[a]) for a, name in enumerate(data.names)}
        return cluster_states(data, views, plan.latent, plan.seed), {"singular": singular}

    maximised = partial(maximise, data, bigram=bigram, templates=plan.symbols, choices=plan.latent)
    return em(data, first, maximised, plan.latent.rounds, work)


def _by_moments(data: Labelled, plan: TaggerPlan, bigram: Bigram, work: Work) -> tuple[Parameters, Report]:
    """Operators with the given smoothing, or with the smoothing that is best on held-out text."""
    usual, report = plan.spectral, dict[str, Any]()

    def trials() -> Part:
        best, tried = choose_smoothing(data, plan)
        chosen = None if best is None else {"strength": best.strength, "weight": best.weight}
        return {"best": chosen, "trials": [asdict(trial) for trial in tried]}, {}

    if plan.is_tried:
        found, _ = work.part("smoothing", trials)
        report = {"trials": found["trials"]}
        if found["best"] is None:
            return (one_state(bigram), no_observations()), report
        usual = replace(usual, **found["best"])
    (parameters,), singular = spectral_parts(data, plan, [usual], bigram)
    return parameters, report | {"singular": dict(zip(data.names, map(_rounded, singular)))}


def _rounded(values: Any) -> list[float]:
    return [round(float(value), 6) for value in values]
