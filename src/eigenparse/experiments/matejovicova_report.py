"""Outcomes of the thesis' experiments in, its figures 13 to 28 as tables and plots out, published ones beside."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from eigenparse.experiments.matejovicova import (
    COMPARED,
    OURS,
    PLAIN,
    SIZE_STATES,
    SIZES,
    STATES,
    TAGS,
    THESIS,
)
from eigenparse.experiments.published import THESIS_COMPARISON, THESIS_RUNS, THESIS_SIZES, THESIS_STATES
from eigenparse.experiments.treebanks import Corpus, word_counts
from eigenparse.experiments.trials import Outcome
from eigenparse.report import Cell, Curves, Report, Section, Series, Table

Value = Callable[[Outcome], float]
TITLE = "Spectral learning of latent-variable PCFGs by clustering: the experiments of Matejovičová (2018)"
INTRO = (
    "The thesis' experiments 4.1 to 4.3, repeated under its own settings (4 + 4 unscaled features, one and the same "
    "number of states for every label, no smoothing, no EM, words seen fewer than 5 times replaced by their tags, gold "
    "tags at parsing, chart items below 0.00005 pruned, Goodman's labelled recall) with "
    "the defaults of eigenparse beside them, and its published figures, which are for the "
    "Penn Treebank.\n\n"
    "F1 is in percent. As in the thesis, the main figure is the mean over sentences of the unlabelled F1 of trees "
    "in Chomsky normal form, whose extra nodes count as brackets (its section 3.6; F1 of the trees themselves "
    "differs, above all the labelled one). Beside it stands labelled F1 over all brackets of the trees "
    "themselves (EVALB, COLLINS), 'labelled, corpus'. Sentences have two words or more. Seconds are CPU "
    "time of one core, the thesis' hours are its own. Sentences that an unsmoothed latent grammar cannot derive "
    "are parsed by its plain PCFG; 'underivable' is their share, and 'strict' counts each as 0."
)
MEAN: Value = lambda one: one.binary_unlabelled  # noqa: E731
STRICT: Value = lambda one: one.strict_unlabelled  # noqa: E731
LABELLED: Value = lambda one: one.binary_labelled  # noqa: E731
CORPUS: Value = lambda one: one.labelled  # noqa: E731
SECONDS: Value = lambda one: one.train_seconds  # noqa: E731
LOST: Value = lambda one: one.underivable  # noqa: E731
LAST_OF_SIZES = 25  # figures 23 to 25 belong to experiment 4.1, 26 to 28 to 4.2
YES_NO = {True: "yes", False: "no"}
SLACK = 0.5  # points of F1 that seeds alone explain


class Results:
    """Outcomes of one treebank by experiment, setting and x."""

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        self._found: dict[tuple[str, str, int], list[Outcome]] = {}
        for one in outcomes:
            self._found.setdefault((one.part, one.setting, one.x), []).append(one)

    def xs(self, part: str) -> list[int]:
        """Sizes or numbers of states of an experiment."""
        return sorted(
            {x for p, setting, x in self._found if p == part and (p != COMPARED or setting != PLAIN)}
        )

    def settings(self, part: str) -> list[str]:
        """Settings of an experiment, as they were tried."""
        return list(dict.fromkeys(setting for p, setting, _ in self._found if p == part))

    def values(self, part: str, setting: str, x: int, value: Value) -> list[float]:
        """One value per run, in the order of the runs."""
        return [value(one) for one in sorted(self._found.get((part, setting, x), []), key=lambda o: o.run)]

    def mean(self, part: str, setting: str, x: int, value: Value) -> float:
        """Mean over the runs, not a number without any."""
        found = self.values(part, setting, x, value)
        return float(np.mean(found)) if found else float("nan")

    def line(self, part: str, setting: str, value: Value, name: str) -> Series:
        """Means over the runs with their extremes."""
        xs = [x for x in self.xs(part) if (part, setting, x) in self._found]
        runs = [self.values(part, setting, x, value) for x in xs]
        several = any(len(found) > 1 for found in runs)
        return Series(
            name,
            tuple(float(x) for x in xs),
            tuple(float(np.mean(found)) for found in runs),
            tuple(min(found) for found in runs) if several else (),
            tuple(max(found) for found in runs) if several else (),
        )

    def most(self, part: str, field: str) -> int:
        """The largest value of a field of an experiment's outcomes."""
        return max(
            int(getattr(one, field)) for some in self._found.values() for one in some if one.part == part
        )

    def has(self, part: str) -> bool:
        return any(p == part for p, _, _ in self._found)

    def lines(self, part: str, *wanted: tuple[str, str, Value]) -> tuple[Series, ...]:
        """A line for every (name, setting, value)."""
        return tuple(self.line(part, setting, value, name) for name, setting, value in wanted)


def thesis_report(found: Sequence[tuple[Corpus, Sequence[Outcome]]]) -> Report:
    """The report over one treebank or several."""
    sections = [_data_section(found)]
    for corpus, outcomes in found:
        results = Results(outcomes)
        makers = {SIZES: size_section, STATES: states_section, COMPARED: compared_section}
        sections += [make(corpus.name, results) for part, make in makers.items() if results.has(part)]
        sections.append(verdict_section(corpus.name, results))
    return Report(TITLE, INTRO, tuple(sections))


def _data_section(found: Sequence[tuple[Corpus, Sequence[Outcome]]]) -> Section:
    rows = tuple(
        (
            corpus.name,
            corpus.origin,
            len(corpus.train),
            int(word_counts(corpus.train).sum()),
            len(corpus.dev),
            len(outcomes),
            sum(one.train_seconds + one.parse_seconds for one in outcomes) / 60,
        )
        for corpus, outcomes in found
    )
    header = (
        "treebank",
        "from",
        "trees to learn from",
        "words",
        "trees to develop on",
        "trials",
        "CPU minutes",
    )
    return Section("Treebanks", "Test parts were not read.", (Table("Treebanks", header, rows),))


def size_section(name: str, results: Results) -> Section:
    """Figures 13 to 16 and 23 to 25."""
    xs = results.xs(SIZES)
    columns: tuple[tuple[str, str, Value], ...] = (
        (f"{SIZE_STATES} states, thesis", THESIS, MEAN),
        ("strict", THESIS, STRICT),
        ("no states", PLAIN, MEAN),
        ("eigenparse default", OURS, MEAN),
        ("labelled, corpus: thesis", THESIS, CORPUS),
        ("no states", PLAIN, CORPUS),
        ("eigenparse", OURS, CORPUS),
        ("seconds, thesis", THESIS, SECONDS),
        ("seconds, eigenparse", OURS, SECONDS),
    )
    rows = tuple((x, *(results.mean(SIZES, s, x, value) for _, s, value in columns)) for x in xs)
    items = (
        Table("Figure 13: size of the training corpus", ("trees", *(title for title, _, _ in columns)), rows),
        _as_published("Figure 13", ("trees", "8 states", "no states", "hours"), THESIS_SIZES),
        _curves(
            "Figures 14 and 15: size and accuracy",
            "trees",
            results.lines(
                SIZES,
                (f"{SIZE_STATES} states, thesis' settings", THESIS, MEAN),
                ("no states, thesis' settings", PLAIN, MEAN),
                ("eigenparse default", OURS, MEAN),
            ),
        ),
        _curves(
            "Figure 15 as published",
            "trees",
            tuple(_published(title, THESIS_SIZES, k) for k, title in enumerate(("8 states", "no states"))),
        ),
        _times("Figure 16: size and training time", "trees", results, SIZES),
        _hours("Figure 16 as published", "trees", THESIS_SIZES),
        *_runs(23, "runs, 8 states, unlabelled F1", results, THESIS, MEAN),
        *_runs(24, "runs, no states, unlabelled F1", results, PLAIN, MEAN),
        *_runs(25, "runs, training time (ours: seconds, published: hours)", results, THESIS, SECONDS),
    )
    return Section(f"{name}: 4.1 Size of the training corpus", "", items)


def states_section(name: str, results: Results) -> Section:
    """Figures 17 to 20 and 26 to 28."""
    accuracy: list[tuple[Cell, ...]] = []
    losses: list[tuple[Cell, ...]] = []
    for m in results.xs(STATES):
        thesis, ours = (
            [results.mean(STATES, s, m, value) for value in (MEAN, LABELLED)] for s in (THESIS, OURS)
        )
        published = THESIS_STATES.get(m, (None, None, None))
        accuracy.append((m, *thesis, thesis[0] - thesis[1], *published[:2], *ours))
        lost = (results.mean(STATES, THESIS, m, value) for value in (LOST, STRICT))
        seconds = (results.mean(STATES, s, m, SECONDS) for s in (THESIS, OURS))
        losses.append((m, *lost, *seconds, published[2]))
    header = (
        "states", "thesis: unlabelled", "labelled", "difference", "published: unlabelled", "labelled",
        "eigenparse: unlabelled", "labelled",
    )  # fmt: skip
    costs = (
        "states",
        "underivable %",
        "unlabelled, strict",
        "seconds",
        "eigenparse, seconds",
        "published, hours",
    )
    items = (
        Table("Figure 17: number of states", header, tuple(accuracy)),
        Table("Figure 17: losses and time", costs, tuple(losses)),
        _curves(
            "Figures 18 and 19: states and accuracy",
            "states",
            (
                *results.lines(
                    STATES,
                    ("thesis' settings, unlabelled", THESIS, MEAN),
                    ("thesis' settings, unlabelled, strict", THESIS, STRICT),
                    ("thesis' settings, labelled", THESIS, LABELLED),
                    ("eigenparse, unlabelled", OURS, MEAN),
                    ("eigenparse, labelled", OURS, LABELLED),
                ),
                _published("published, unlabelled", THESIS_STATES, 0),
                _published("published, labelled", THESIS_STATES, 1),
            ),
        ),
        _times("Figure 20: states and training time", "states", results, STATES),
        _hours("Figure 20 as published", "states", THESIS_STATES),
        *_runs(26, "runs, unlabelled F1", results, THESIS, MEAN),
        *_runs(27, "runs, labelled F1", results, THESIS, LABELLED),
        *_runs(28, "runs, training time (ours: seconds, published: hours)", results, THESIS, SECONDS),
    )
    note = (
        f"{results.most(STATES, 'n_trees'):,} trees to learn from (thesis: 10,000). The thesis' appendix "
        "(figures 26 to 28) and its figure 17 disagree on which of the rows 16 and 24 is which; figure 17 is quoted."
    )
    return Section(f"{name}: 4.2 Number of latent states", note, items)


def compared_section(name: str, results: Results) -> Section:
    """Figures 21 and 22, and the way from the thesis' settings to ours."""
    xs = results.xs(COMPARED)
    names = [setting for setting in results.settings(COMPARED) if setting != PLAIN]
    rows: list[tuple[Cell, ...]] = [
        (setting, *(results.mean(COMPARED, setting, x, value) for value in (MEAN, CORPUS) for x in xs))
        for setting in names
    ]
    empty: list[Cell] = [None] * (len(xs) - 1)
    plain = [results.mean(COMPARED, PLAIN, 1, MEAN), *empty, results.mean(COMPARED, PLAIN, 1, CORPUS), *empty]
    header = ("settings", *(f"unlabelled, {x}" for x in xs), *(f"labelled, corpus, {x}" for x in xs))
    items = (
        Table("Figure 21: settings and states", header, (("no states", *plain), *rows)),
        _as_published(
            "Figure 21", ("states", "Cohen et al. 2013", "thesis"), THESIS_COMPARISON, ", section 22"
        ),
        _curves(
            "Figure 22: states and accuracy",
            "states",
            (
                *(results.line(COMPARED, setting, MEAN, setting) for setting in names if setting not in TAGS),
                _published("published, thesis", THESIS_COMPARISON, 1),
                _published("published, Cohen et al. 2013", THESIS_COMPARISON, 0),
            ),
        ),
        Table(
            "CPU seconds of training",
            ("settings", *(f"{x} states" for x in xs)),
            tuple((s, *(results.mean(COMPARED, s, x, SECONDS) for x in xs)) for s in names),
        ),
    )
    text = (
        f"{results.most(COMPARED, 'n_trees'):,} trees to learn from, "
        f"{results.most(COMPARED, 'n_test'):,} sentences to parse. Each row adds to the "
        "one before, from the thesis' settings to smoothing and EM, all with the thesis' pruning and decoding; "
        "'eigenparse' is the default, which also cuts wide nodes from the head outward, knows words by their classes "
        "and decodes for brackets. Gold tags except where it says words only or predicted tags: those of a "
        "tagger (log-linear HMM) of the same training trees, in a pipeline."
    )
    return Section(f"{name}: 4.3 Comparison of settings", text, items)


def verdict_section(name: str, results: Results) -> Section:
    """Whether the thesis' findings hold here, by the numbers above."""
    rows: list[tuple[Cell, ...]] = []
    if results.has(SIZES):
        gains = [
            results.mean(SIZES, THESIS, x, MEAN) - results.mean(SIZES, PLAIN, x, MEAN)
            for x in results.xs(SIZES)
        ]
        least = min(gains)
        text = "thesis' settings: 8 states beat none at every size (least gain)"
        rows.append((text, least, YES_NO[least > 0]))
    for part in (STATES, COMPARED):
        if results.has(part):
            rows += _shape_rows(part, results)
    return Section(
        f"{name}: Does it have the thesis' shape?",
        f"Seeds alone move these means; a change within {SLACK} points counts as none.",
        (Table("Findings", ("finding", "F1", "holds"), tuple(rows)),),
    )


def _shape_rows(part: str, results: Results) -> list[tuple[Cell, ...]]:
    """How F1 at the most states compares with the best number of states."""
    xs = results.xs(part)
    rows: list[tuple[Cell, ...]] = []
    for setting, title, falls in (
        (THESIS, "thesis' settings degrade at many states", True),
        (OURS, "eigenparse does not", False),
    ):
        line = [results.mean(part, setting, x, MEAN) for x in xs]
        best = int(np.argmax(line))
        change = line[-1] - line[best]
        holds = change < -SLACK if falls else change >= -SLACK
        text = f"{part}: {title} ({xs[-1]} against the best, {xs[best]})"
        rows.append((text, change, YES_NO[holds]))
    return rows


def _curves(title: str, x_label: str, series: tuple[Series, ...]) -> Curves:
    drawn = tuple(line for line in series if line.x)
    note = "Bands reach from the worst to the best run." if any(line.low for line in drawn) else ""
    return Curves(title, x_label, "mean F1 of sentences", drawn, note=note)


def _as_published(
    figure: str, header: tuple[str, ...], table: Mapping[int, tuple[float, ...]], part: str = ""
) -> Table:
    """A table of the thesis as it is printed there."""
    rows = tuple((x, *values) for x, values in table.items())
    return Table(f"{figure} as published (Penn WSJ{part})", header, rows)


def _published(name: str, table: Mapping[int, tuple[float, ...]], column: int) -> Series:
    return Series(name, tuple(float(m) for m in table), tuple(values[column] for values in table.values()))


def _times(title: str, x_label: str, results: Results, part: str) -> Curves:
    lines = results.lines(part, ("thesis' settings", THESIS, SECONDS), ("eigenparse default", OURS, SECONDS))
    return Curves(title, x_label, "CPU seconds", lines)


def _hours(title: str, x_label: str, table: Mapping[int, tuple[float, ...]]) -> Curves:
    return Curves(title, x_label, "hours", (_published("published", table, 2),))


def _runs(figure: int, title: str, results: Results, setting: str, value: Value) -> tuple[Table, Table]:
    """Every run's figure and their mean, and the table of the thesis."""
    part, x_name = (SIZES, "trees") if figure <= LAST_OF_SIZES else (STATES, "states")
    found = {x: results.values(part, setting, x, value) for x in results.xs(part)}
    n = max(map(len, found.values()))
    rows = tuple((x, *values, float(np.mean(values))) for x, values in found.items())
    head = (x_name, *(f"run {k + 1}" for k in range(max(n, 3))), "mean")
    return (
        Table(f"Figure {figure}: {title}", (*head[: n + 1], "mean"), rows),
        _as_published(f"Figure {figure}", (*head[:4], "mean"), THESIS_RUNS[figure]),
    )
