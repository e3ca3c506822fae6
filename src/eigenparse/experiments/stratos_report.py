"""Trials of phoneme recognition in, the report with figures 5, 7 and 8 of [stratos-2013] out."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, LongMatrix
from eigenparse.evaluate.compare import Comparison, paired_bootstrap, percent_of_sums
from eigenparse.experiments.stratos import SPECTRAL, SpeechData, StratosPlan, Trial, correct, emission_note
from eigenparse.report import Cell, Curves, Report, Section, Series, Table

# Figures 7 and 8 of the paper, TIMIT, 39 phones, 10,000 codes: development and test accuracy.
PAPER_DEV = {"EM(4)": 56.80, "EM(24)": 56.23, "figure 6": 56.94, "no pos": 56.56, "no np, pp, pos": 55.45}
PAPER_TEST = {"unigram": 48.04, "HMM": 54.08, "EM": 55.49, "spectral": 55.82, "three segments": 55.70}


@dataclass(frozen=True, slots=True)
class Tested:
    """A chosen model on the test set.  hits: (T,) frames right."""

    name: str
    trial: Trial
    hits: AnyArray


ESTIMATOR = {"cluster": "clusters", "spectral": "tensors"}


def best_of(trials: list[Trial], method: str, start: str = "") -> Trial:
    """The best trial of a row on development data: the one that kept its model."""
    return next(t for t in trials if t.model is not None and t.task.row == (method, start))


def score_test(data: SpeechData, trials: list[Trial]) -> list[Tested]:
    """Score the chosen models on the test set; ``spectral`` is the estimator that development data prefer."""
    ours, other = sorted((best_of(trials, method) for method in SPECTRAL), key=lambda t: -t.dev)
    chosen = [
        ("unigram", best_of(trials, "unigram")),
        ("HMM", best_of(trials, "hmm")),
        ("three segments", best_of(trials, "three-segment")),
        ("EM", best_of(trials, "em", "random")),
        ("EM from clusters", best_of(trials, "em", "clusters")),
        ("spectral", ours),
        (f"spectral, {ESTIMATOR[other.task.method]}", other),
    ]
    return [
        Tested(name, trial, correct(trial.model, data.test))
        for name, trial in chosen
        if trial.model is not None
    ]


def figure_five(trials: list[Trial]) -> Curves:
    """Development accuracy by number of states."""
    ours = [t for t in trials if t.task.method == "spectral" and t.task.features is None]
    groups = {
        "spectral, tensors": [t for t in ours if t.task.smoothing == "pairs"],
        "tensors smoothed by runs": [t for t in ours if t.task.smoothing == "runs"],
        "EM, random start": [t for t in trials if t.task.method == "em" and t.task.start == "random"],
        "EM from clusters": [t for t in trials if t.task.method == "em" and t.task.start == "clusters"],
    }
    made = [t for t in trials if t.task.method == "cluster"]
    for d in sorted({t.task.dimensions for t in made}):
        groups[f"spectral, clusters in {d} coordinates"] = [t for t in made if t.task.dimensions == d]
    lines = []
    for name, group in groups.items():
        points = sorted((t.task.states, t.dev) for t in group)
        lines.append(Series(name, tuple(float(m) for m, _ in points), tuple(y for _, y in points)))
    return Curves(
        "Figure 5",
        "hidden states m",
        "frame accuracy, dev",
        tuple(lines),
        "EM: the best round is shown, as in the paper. One state is the HMM.",
    )


def finding(trials: list[Trial]) -> Table:
    """What the paper reads off figure 5, and what can be read off ours."""
    rows = [
        (name, max(points)[1], max(points)[0], paper)
        for name, points, paper in (
            ("EM, random start", _points(trials, "em", "random"), "peaks at 4, then degrades"),
            ("spectral, tensors", _points(trials, "spectral"), "improves until 24"),
            ("spectral, clusters", _points(trials, "cluster"), None),
        )
        if points
    ]
    return Table(
        "Figure 5: the best number of states", ("method", "best m", "accuracy, dev", "paper"), tuple(rows)
    )


def _points(trials: list[Trial], method: str, start: str = "") -> list[tuple[float, int]]:
    """Accuracy and states of the trials of a row of figure 8."""
    return [(t.dev, t.task.states) for t in trials if t.task.row == (method, start)]


def same_states(trials: list[Trial]) -> Table:
    """Every method at the same number of states, with its training time."""
    rows: list[tuple[str | int | float | None, ...]] = []
    kinds = (("spectral", ""), ("cluster", ""), ("em", "random"), ("em", "clusters"))
    for m in sorted({t.task.states for t in trials if t.task.row in kinds}):
        best = [
            max(
                (t for t in trials if t.task.row == kind and t.task.states == m),
                key=lambda t: t.dev,
                default=None,
            )
            for kind in kinds
        ]
        if sum(t is not None for t in best) > 1:
            rows.append((m, *(x for t in best for x in ((None, None) if t is None else (t.dev, t.seconds)))))
    names = ("tensors", "clusters", "EM", "EM from clusters")
    header = ("m", *(x for name in names for x in (name, f"{name}: CPU s")))
    note = "Figure 7 compares at m = 24. EM with more than 32 states runs 20 rounds at most; the best round is shown."
    return Table("The same number of states, dev", header, tuple(rows), note)


def conditioning(trials: list[Trial]) -> Table:
    """Section 7: informative features yield greater singular values."""
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (t.task.note, *t.singular, t.dev)
        for t in sorted((t for t in trials if t.singular), key=lambda t: -len(t.task.note))
    )
    header = ("templates", "Ω1 first", "Ω1 last", "Ω2 first", "Ω2 last", "accuracy, dev")
    note = (
        "Means over frames of the first and the last kept singular value of the two cross-moments of a phone. The "
        "paper: informative features yield greater singular values, which need fewer samples."
    )
    return Table("Section 7: templates and singular values", header, rows, note)


def figure_seven(trials: list[Trial]) -> Table:
    """Ablation of the templates on development data."""
    shown = [t for t in trials if t.task.features is not None and t.task.method == "spectral"]
    top = shown[0].task.states
    rows: list[tuple[str | int | float | None, ...]] = []
    best = best_of(trials, "em", "random")
    same = [t for t in trials if t.task.note in ("EM(4)", f"EM({top})")]
    for trial in [best, *(t for t in same if t is not best)]:
        rows.append((trial.task.note, trial.dev, PAPER_DEV.get(trial.task.note)))
    for trial in sorted(shown, key=lambda t: -len(t.task.note)):
        key = trial.task.note.split("figure 6, ")[-1] if "figure 6, " in trial.task.note else "figure 6"
        rows.append((trial.task.note, trial.dev, PAPER_DEV.get(key)))
    ours = [t for t in trials if t.task.note == f"spectral({top})"]
    rows += [(f"spectral({top}), with durations", t.dev, None) for t in ours]
    rows += [(t.task.note, t.dev, None) for t in trials if t.task.note.startswith(f"clusters({top})")]
    note = (
        "With durations, clusters: our templates, which also look at phones 2, 4 and 8 frames away. "
        "Paper: TIMIT, m = 24; its best EM has 4 states."
    )
    return Table("Figure 7: templates, dev", ("method", "accuracy", "paper (TIMIT)"), tuple(rows), note)


def by_utterance(hits: AnyArray, offsets: AnyArray) -> LongMatrix:
    """(S, 2) frames and frames right of every utterance."""
    return np.stack([np.diff(offsets), np.add.reduceat(hits.astype(np.int64), offsets[:-1])], axis=1)


def compare_hits(one: AnyArray, other: AnyArray, offsets: AnyArray, *, seed: int) -> Comparison:
    """How far ``other`` is ahead of ``one``, from 2,000 resampled sets of utterances."""
    ours, theirs = (by_utterance(hits, offsets) for hits in (one, other))
    return paired_bootstrap(ours, theirs, percent_of_sums, n_resamples=2000, seed=seed)


def figure_eight(data: SpeechData, tested: list[Tested], seed: int) -> Table:
    """Test accuracy of the models that development data chose."""
    by_name = {entry.name: entry for entry in tested}
    offsets = data.test.offsets
    rows: list[tuple[str | int | float | None, ...]] = []
    for entry in tested:
        task = entry.trial.task
        found = compare_hits(entry.hits, by_name["spectral"].hits, offsets, seed=seed)
        itself = entry.name == "spectral"
        rows.append(
            (
                entry.name,
                task.states,
                entry.trial.round or None,
                entry.trial.dev,
                float(100.0 * entry.hits.mean()),
                None if itself else found.difference,
                None if itself else found.not_ahead,
                None if task.method == "cluster" else PAPER_TEST.get(entry.name.split(",")[0]),
                entry.trial.seconds,
            )
        )
    header = ("method", "m", "round", "dev", "test", "spectral ahead by", "p", "paper (TIMIT)", "train CPU s")
    ours = by_name["spectral"].trial.task
    note = (
        f"The spectral row is {ours.note}: of the two estimators from the same singular vectors, clusters of the "
        "projected views and tensors of their moments (the paper's), the better on dev; the other has the last row. "
        "m, the coordinates, EM's round and the smoothing of the tensors (by pairs or by runs of phones) chosen on "
        "dev, test "
        "scored once. p: share of 2,000 resampled sets of test utterances in "
        "which spectral is not ahead. Three segments stand in the place of the paper's HTK system."
    )
    return Table("Figure 8: test", header, tuple(rows), note)


def stratos_section(data: SpeechData, trials: list[Trial], plan: StratosPlan) -> Section:
    """All figures of one corpus."""
    facts = Table(
        "Data", ("", "value"), tuple((name, value) for name, value in data.facts.items()), emission_note()
    )
    tested = score_test(data, trials)
    unseen = {t.task.note: t.trace for t in trials if t.trace and t.task.start == "random"}
    rounds = Curves(
        "EM round by round",
        "round",
        "frame accuracy, dev",
        tuple(
            Series(note, tuple(float(r) for r, _ in trace), tuple(value for _, value in trace))
            for note, trace in sorted(unseen.items())
        ),
    )
    items = (
        figure_eight(data, tested, plan.seed),
        figure_five(trials),
        finding(trials),
        figure_seven(trials),
        same_states(trials),
        conditioning(trials),
        rounds,
        facts,
    )
    return Section(data.name, "", items)


def stratos_report(sections: list[Section], plan: StratosPlan, seconds: float) -> Report:
    """The whole report."""
    intro = (
        "Phoneme recognition with refinement HMMs, as in Stratos et al. (2013): 25 ms frames every 10 ms, 39 cepstral "
        f"values, k-means to {plan.n_codes:,} codes, the phone with the largest marginal at every frame. Accuracies "
        "are percentages of frames. The paper's figures are for TIMIT with 10,000 codes and are comparable only when "
        f"this ran on TIMIT.\n\nFrom recordings to report: {seconds:.0f} s on {plan.jobs} processes."
    )
    return Report("Refinement HMMs for phonemes (stratos2013)", intro, tuple(sections))
