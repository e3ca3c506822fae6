"""The experiments behind [cohen-etal-2014]: sizes in; errors, bounds and training times as a report out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from eigenparse.errors import OptionError
from eigenparse.experiments.consistency import Measured, measure, slope
from eigenparse.experiments.known import blurred, known_grammar
from eigenparse.experiments.published import COHEN_HOURS, COHEN_PASSES
from eigenparse.experiments.treebanks import Corpus, word_counts
from eigenparse.experiments.trials import Outcome, Trial
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.report import Cell, Curves, Report, Section, Series, Table

TITLE = "Spectral learning of latent-variable PCFGs: consistency, conditioning and time (Cohen et al. 2014)"
INTRO = (
    "The paper proves that its estimates converge to the truth and bounds how fast; its companion measured "
    "training times. Here the first is measured on a grammar whose every probability is known, with the "
    "bound beside it, and the second on a treebank."
)
SPECTRAL, CLUSTER, CLUSTER_EM, RANDOM_EM = "method of moments", "clusters", "clusters and EM", "EM"
SPLIT_MERGE = "split-merge EM"


@dataclass(frozen=True, slots=True)
class CohenPlan:
    """How much to measure.

    sizes: numbers of trees.  sharpness: how much the states of the known grammar differ.  size: trees
    where sharpness varies.  rounds: of EM.  treebank_states: of the grammars whose times are compared.
    """

    n_states: int = 2
    n_words: int = 6
    sizes: tuple[int, ...] = (1_000, 3_000, 10_000, 30_000, 100_000)
    sharpness: tuple[float, ...] = (1.0, 0.6, 0.35, 0.2, 0.1, 0.05)
    size: int = 30_000
    runs: int = 5
    rounds: tuple[int, ...] = (1, 2, 5, 10, 20, 40)
    treebank_states: int = 16
    seed: int = 0

    def __post_init__(self) -> None:
        if self.runs < 1 or not self.sizes or min(*self.sizes, self.size) < 10:
            raise OptionError("give at least one run and samples of at least ten trees")


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement on the known grammar, as a task for another process."""

    plan: CohenPlan
    sharpness: float
    n_trees: int


def points_of(plan: CohenPlan) -> list[Point]:
    """By sample size, then by sharpness."""
    by_size = [Point(plan, 1.0, n) for n in plan.sizes]
    return by_size + [Point(plan, sharpness, plan.size) for sharpness in plan.sharpness]


def run_point(point: Point) -> Measured:
    """Draw, learn, compare."""
    plan = point.plan
    grammar = blurred(known_grammar(plan.n_states, plan.n_words, plan.seed), point.sharpness)
    return measure(grammar, point.n_trees, runs=plan.runs, seed=plan.seed)


def time_trials(corpus: Corpus, plan: CohenPlan) -> list[Trial]:
    """The method of moments, clusters, split-merge EM, and EM with more and more rounds, on words alone."""
    train, test = (np.flatnonzero(word_counts(part) > 1) for part in (corpus.train, corpus.dev))
    usual = GrammarOptions(states=plan.treebank_states, seed=plan.seed)
    tasks = [
        (SPECTRAL, 0, replace(usual, method="tensor")),
        (CLUSTER, 0, replace(usual, em_rounds=0)),
        (CLUSTER_EM, usual.filled().em_rounds or 0, usual),
        (SPLIT_MERGE, 0, replace(usual, method="splitmerge")),
        *((RANDOM_EM, n, replace(usual, method="em", em_rounds=n)) for n in plan.rounds),
    ]
    return [
        Trial("time", name, n, 0, options, corpus.train, train, corpus.dev, test, tags="none")
        for name, n, options in tasks
    ]


def cohen_report(
    plan: CohenPlan, measured: Sequence[Measured], times: Sequence[tuple[Corpus, Sequence[Outcome]]]
) -> Report:
    """The report; ``measured`` in the order of ``points_of``."""
    cut = len(plan.sizes)
    sections = [rate_section(plan, measured[:cut]), sigma_section(plan, measured[cut:])]
    sections += [time_section(corpus, outcomes, plan) for corpus, outcomes in times]
    return Report(TITLE, INTRO, tuple(sections))


def rate_section(plan: CohenPlan, found: Sequence[Measured]) -> Section:
    """The error against the number of trees."""
    sizes, errors = [float(one.n_trees) for one in found], [one.error for one in found]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            one.n_trees,
            one.error,
            min(one.errors),
            max(one.errors),
            one.plain_error,
            one.single_error,
            one.bound,
            one.bound / one.error,
        )
        for one in found
    )
    header = (
        "trees", "error", "least", "most", "plain PCFG", "one node per tree", "theorem 8, constants 1",
        "theorem / error",
    )  # fmt: skip
    known = found[0].conditions
    text = (
        f"A known L-PCFG of {plan.n_states} states per label and {plan.n_words} words; error is the sum over all of "
        f"its trees of |p learnt − p|, the left side of theorem 8; means of {plan.runs} samples. Features are "
        "whole inside and outside trees, all nodes are used, nothing is smoothed. "
        f"σ = {known.sigma:.4f}, ξ = {known.xi:.4f}, γ = {known.gamma:.4f}.\n\n"
        f"The error falls as N to the power {slope(sizes, errors):.2f} (the theorem: −0.5). A plain PCFG, one state "
        "per label, stays wrong whatever the sample. With one node drawn from each tree, as figure 7 has it, the error "
        f"is {float(np.mean([one.single_error / one.error for one in found])):.1f} times that of all nodes and "
        f"falls as N to the power {slope(sizes, [one.single_error for one in found]):.2f}. "
        "The theorem only says that its constants exist; with "
        "all of them at 1 its figure has the right slope and a size that promises nothing for samples such as these."
    )
    series = (
        _error_series(sizes, found),
        Series("plain PCFG", tuple(sizes), tuple(one.plain_error for one in found)),
        Series("one node per tree", tuple(sizes), tuple(one.single_error for one in found)),
        Series("theorem 8, constants 1", tuple(sizes), tuple(one.bound for one in found)),
    )
    curves = Curves(
        "Error of tree probabilities", "trees", "sum of |p learnt − p|", series, x_log=True, y_log=True
    )
    return Section("Consistency: error against sample size", text, (Table("Error", header, rows), curves))


def sigma_section(plan: CohenPlan, found: Sequence[Measured]) -> Section:
    """The error against the smallest singular value."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            sharp,
            one.conditions.sigma,
            one.conditions.xi,
            one.error,
            one.plain_error,
            one.error / one.plain_error,
            one.bound,
        )
        for sharp, one in zip(plan.sharpness, found)
    )
    sigmas = [one.conditions.sigma for one in found]
    errors = [one.error for one in found]
    text = (
        f"The same grammar with the word distributions of a label's states drawn together, {plan.size:,} trees: the "
        "smallest singular value σ of the cross-moments falls and so does ξ, and the method divides by smaller "
        f"and smaller numbers. Over these points the error goes as σ to the power {slope(sigmas, errors):.2f}; beside "
        "the error of a plain PCFG, which is what there is to gain from states, it goes as σ to the power "
        f"{slope(sigmas, [one.error / one.plain_error for one in found]):.2f}. {_crossing(plan, found)}"
    )
    upwards = sorted(found, key=lambda one: one.conditions.sigma)
    xs = tuple(one.conditions.sigma for one in upwards)
    series = (_error_series(xs, upwards), Series("plain PCFG", xs, tuple(one.plain_error for one in upwards)))
    curves = Curves("Error and σ", "σ", "sum of |p learnt − p|", series, x_log=True, y_log=True)
    header = ("sharpness", "σ", "ξ", "error", "plain PCFG", "error / plain", "theorem 8, constants 1")
    return Section("Conditioning: error against σ", text, (Table("Error", header, rows), curves))


def _crossing(plan: CohenPlan, found: Sequence[Measured]) -> str:
    """The singular value below which latent states increase the error."""
    worse = [sharp for sharp, one in zip(plan.sharpness, found) if one.error >= one.plain_error]
    if not worse:
        return "States pay at every point."
    return (
        f"At sharpness {max(worse):g} the states differ too little for this sample: a plain PCFG is nearer."
    )


def _error_series(xs: Sequence[float], found: Sequence[Measured]) -> Series:
    """Errors of the method of moments, between those of the best and the worst run."""
    means, least, most = zip(*((one.error, min(one.errors), max(one.errors)) for one in found))
    return Series("method of moments", tuple(xs), means, least, most)


def time_section(corpus: Corpus, outcomes: Sequence[Outcome], plan: CohenPlan) -> Section:
    """Training time and F1 of the method of moments against EM."""
    spectral = next(one for one in outcomes if one.setting == SPECTRAL)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (one.setting, one.x, one.labelled, one.train_seconds, one.train_seconds / spectral.train_seconds)
        for one in outcomes
    )
    em = sorted((one for one in outcomes if one.setting == RANDOM_EM), key=lambda one: one.x)
    equal = next((one for one in em if one.labelled >= spectral.labelled), None)
    said = (
        f"EM from a random start reaches the F1 of the method of moments ({spectral.labelled:.2f}) after "
        f"{equal.x} rounds, in {equal.train_seconds / spectral.train_seconds:.1f} times the time."
        if equal
        else f"EM from a random start does not reach the F1 of the method of moments ({spectral.labelled:.2f}) "
        f"within {em[-1].x} rounds, {em[-1].train_seconds / spectral.train_seconds:.1f} times the time."
    )
    published: tuple[tuple[Cell, ...], ...] = tuple(
        (name, hours, hours / COHEN_HOURS["spectral"]) for name, hours in COHEN_HOURS.items()
    )
    text = (
        f"{len(corpus.train):,} trees, {plan.treebank_states} states, words only, labelled F1 of {len(corpus.dev):,} "
        f"development sentences, CPU seconds of one core; the same features, smoothing and inference for all. {said}"
    )
    line = Series("EM from a random start", tuple(o.train_seconds for o in em), tuple(o.labelled for o in em))
    dots = tuple(
        Series(one.setting, (one.train_seconds,), (one.labelled,))
        for one in outcomes
        if one.setting != RANDOM_EM
    )
    return Section(
        f"{corpus.name}: time to equal F1",
        text,
        (
            Table("Training", ("grammar", "EM rounds", "F1", "seconds", "times the moments'"), rows),
            Table(
                "As published (Penn WSJ)",
                ("grammar", "hours", "times the spectral one's"),
                published,
                note=f"EM took {COHEN_PASSES} passes over the data.",
            ),
            Curves("F1 and training time", "CPU seconds", "labelled F1", (line, *dots), x_log=True),
        ),
    )
