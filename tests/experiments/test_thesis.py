"""The thesis' experiments: the plan is its plan, the settings are its settings, and one small run."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from eigenparse.corpus.brackets import parse_trees
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.pick import pick_trees
from eigenparse.corpus.transform import Binarisation, binarise
from eigenparse.errors import OptionError
from eigenparse.evaluate.brackets import score_brackets
from eigenparse.experiments.cohen import CohenPlan, cohen_report, points_of, run_point, time_trials
from eigenparse.experiments.matejovicova import (
    BY_THESIS,
    COMPARED,
    EM,
    FEATURES,
    OURS,
    PLAIN,
    SIZES,
    SMOOTH,
    STATES,
    TAGS,
    THESIS,
    THESIS_SEARCH,
    Plan,
    judged_on,
    settings,
    states_size,
    training_sizes,
    trials_of,
)
from eigenparse.experiments.matejovicova_report import thesis_report
from eigenparse.experiments.published import THESIS_COMPARISON, THESIS_RUNS, THESIS_SIZES, THESIS_STATES
from eigenparse.experiments.treebanks import Corpus, synthetic_corpus
from eigenparse.experiments.trials import (
    Outcome,
    as_binary,
    group_name,
    groups_of,
    requests_of,
    run_trial,
    run_trials,
    same_base,
)
from eigenparse.features.grammar.tree import THESIS_INSIDE, THESIS_OUTSIDE, feature_keys, node_view
from eigenparse.inference.grammar.forest import NO_PRUNING
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.learn.once import Once
from eigenparse.report import Curves, Report, Table, read_report, write_report
from eigenparse.work.kept import kept_beside
from eigenparse.work.work import Where, Work, open_work

SMALL = Plan(runs=2, n_test=20, states=(1, 3), compared=(3,), n_sizes=2)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return synthetic_corpus(0, n_train=150, n_dev=30)


@pytest.fixture(scope="module")
def outcomes(corpus: Corpus) -> list[Outcome]:
    return [run_trial(trial) for trial in trials_of(corpus, SMALL)]


def test_the_plan_is_the_thesis_where_the_treebank_allows(corpus: Corpus) -> None:
    class Long:
        """Looks like 37,000 trees of two words."""

        word = np.zeros(74_000)
        offsets = np.arange(0, 74_001, 2)

    large = replace(corpus, pool=Long())  # type: ignore[arg-type]
    plan = Plan()
    assert judged_on(large, plan) == 1000
    assert training_sizes(large, plan) == tuple(THESIS_SIZES)
    assert states_size(large, plan) == 10_000
    assert plan.states == tuple(THESIS_STATES)
    assert plan.compared == tuple(THESIS_COMPARISON)


def test_trials_are_complete_and_never_parse_what_they_learnt(corpus: Corpus) -> None:
    trials = trials_of(corpus, SMALL)
    assert Counter(t.part for t in trials) == {SIZES: 2 * 2 * 3, STATES: 2 * 2 * 2, COMPARED: 10}
    for trial in trials:
        if trial.source is trial.gold:
            assert not set(trial.train) & set(trial.test)
    first = [t for t in trials if t.part == SIZES and t.run == 0]
    assert len({tuple(t.test) for t in first}) == 1
    assert [len(t.train) for t in first if t.setting == THESIS] == list(training_sizes(corpus, SMALL))
    assert {tuple(t.test) for t in trials if t.run == 1 and t.part == STATES} != {tuple(first[0].test)}


def test_settings_go_from_the_thesis_to_the_default() -> None:
    chosen = settings(0)
    assert chosen[THESIS] == GrammarOptions(preset="thesis")
    assert chosen[OURS] == GrammarOptions()
    assert chosen[PLAIN].method == "pcfg"
    features, smooth, em = (chosen[name].filled() for name in (FEATURES, SMOOTH, EM))
    assert (features.scaling, features.rule_smoothing) == ("counts", 0)
    assert smooth.rule_smoothing is not None
    assert smooth.rule_smoothing > 0
    assert smooth.em_rounds == 0
    assert em.em_rounds


def test_the_preset_is_the_text_of_the_thesis() -> None:
    """Sections 2.2, 3.1, 3.4 and 3.6, sentence by sentence."""
    of = GrammarOptions(preset="thesis").filled()
    # 3.1: four inside and four outside features, each an indicator of one ("set to one"), so without scaling
    assert (of.features, of.scaling) == ("thesis", "none")
    assert THESIS_INSIDE == ("rule", "left-label", "right-label", "words")
    assert THESIS_OUTSIDE == ("parent", "grandparent", "rule-above", "second-rule-above")
    # 3.4: "those that have a count lower than the threshold [5] are replaced by corresponding POS tags"
    assert (of.rare, of.rare_words) == (4, "tag")
    # 2.2: relative frequencies of the annotated corpus, nothing else; k-means to m clusters for all a in N
    assert (of.method, of.em_rounds, of.nodes_per_state) == ("cluster", 0, 1)
    assert of.rule_smoothing == of.state_mixing == of.word_shrinkage == of.word_weight == of.tag_weight == 0
    assert (of.coarse_states, of.span_loss, of.judges(10**6)) == (0, 0, False)
    # 3.3: intermediate nodes are called @VP and remember nothing else
    assert (of.factor, of.horizontal, of.vertical) == ("right", 0, 1)


def test_words_seen_fewer_than_five_times_are_rare() -> None:
    text = "".join(f"(S (A {word}) (B b))\n" * n for word, n in (("four", 4), ("five", 5)))
    grammar = GrammarOptions(preset="thesis", states=1).fit(normalise(parse_trees(text)))
    assert {"four", "five"} & set(grammar.skeleton.symbols) == {"five"}


def test_features_of_children_are_empty_at_tags() -> None:
    trees = binarise(normalise(parse_trees("(S (A x) (B y))\n(S (A z) (B y))")), Binarisation(factor="right"))
    view = node_view(trees, trees.word)
    rows = np.flatnonzero(trees.left < 0)
    keys = feature_keys(view, THESIS_INSIDE, rows)
    a = trees.label[rows] == trees.label[rows[0]]
    assert [np.unique(keys[a, t]).size for t in range(4)] == [2, 1, 1, 1]  # the rule alone knows the word
    phrases = np.flatnonzero(trees.left >= 0)
    assert [np.unique(feature_keys(view, THESIS_INSIDE, phrases)[:, t]).size for t in range(4)] == [1] * 4


def test_the_thesis_rows_are_pruned_and_decoded_as_in_the_thesis(corpus: Corpus) -> None:
    for trial in trials_of(corpus, SMALL):
        by_thesis = trial.setting in BY_THESIS
        assert (trial.search == THESIS_SEARCH) == by_thesis
        assert (trial.search.objective.decoder == "labelled-recall") == by_thesis
    assert THESIS_SEARCH.pruning == replace(NO_PRUNING, item=0.00005)
    compared = {t.setting: t for t in trials_of(corpus, SMALL) if t.part == COMPARED}
    assert {name: t.tags for name, t in compared.items() if t.tags != "gold"} == TAGS
    assert all(t.source is corpus.wide_train for t in compared.values())


def test_predicted_tags_come_from_a_tagger_of_the_training_trees(corpus: Corpus) -> None:
    gold, guess = (requests_of(corpus.dev, tags, corpus.train) for tags in ("gold", "predicted"))
    assert [r.tokens for r in gold] == [r.tokens for r in guess]
    same = [a == b for one, two in zip(gold, guess) for a, b in zip(one.tags or (), two.tags or ())]
    assert 0.8 < np.mean(same) < 1
    assert all(r.tags is None for r in requests_of(corpus.dev, "none"))


def test_one_state_is_the_plain_grammar(corpus: Corpus) -> None:
    trial = next(t for t in trials_of(corpus, SMALL) if t.setting == THESIS and t.part == STATES and t.x == 1)
    one, plain = (run_trial(t) for t in (trial, replace(trial, options=settings(0)[PLAIN])))
    assert (one.labelled, one.binary_unlabelled) == (plain.labelled, plain.binary_unlabelled)


def test_scores_are_in_order(outcomes: list[Outcome]) -> None:
    for o in outcomes:
        assert 0 <= o.strict_unlabelled <= o.binary_unlabelled + 1e-9 <= 100 + 1e-9
        assert o.mean_labelled <= o.mean_unlabelled
        assert o.binary_labelled <= o.binary_unlabelled
        assert (o.underivable == 0) == (o.strict_unlabelled == pytest.approx(o.binary_unlabelled))


def test_trees_in_normal_form_have_as_many_brackets_whatever_they_are() -> None:
    """The thesis' remark: precision equals recall; here n - 2 brackets below the root of n words."""
    gold, guess = (
        parse_trees(text)
        for text in (
            "(TOP (S (NP (A a) (A b) (A c)) (VP (A d) (X (A e)))))",
            "(TOP (S (A a) (A b) (A c) (A d) (A e)))",
        )
    )
    counts = score_brackets(as_binary(gold), as_binary(guess)).all
    assert counts.gold == counts.guess == 4
    assert counts.unlabelled == 2  # the whole sentence, and d with e


def test_two_processes_give_the_same_scores(corpus: Corpus, outcomes: list[Outcome]) -> None:
    trials = trials_of(corpus, SMALL)[:3]
    with open_work("trials", Where(jobs=2), show=False) as work:
        again = list(work.map(run_trial, trials))
    assert [(o.setting, o.labelled, o.mean_unlabelled) for o in again] == [
        (o.setting, o.labelled, o.mean_unlabelled) for o in outcomes[:3]
    ]


def test_trials_that_share_work_come_out_as_alone(corpus: Corpus, outcomes: list[Outcome]) -> None:
    trials = trials_of(corpus, SMALL)
    groups = groups_of(trials)
    assert sorted(place for group in groups for place in group) == list(range(len(trials)))
    assert len(groups) < len(trials) * 2 / 3
    together = run_trials(trials, Work())
    for place, alone in enumerate(outcomes):
        same = replace(together[place], train_seconds=alone.train_seconds, parse_seconds=alone.parse_seconds)
        assert same == alone


def test_grammars_of_another_lexicon_do_not_share_a_search(corpus: Corpus) -> None:
    trials = [t for t in trials_of(corpus, SMALL) if t.part == COMPARED]
    one, other = (
        t.options.fit(pick_trees(t.source, t.train))
        for t in (next(t for t in trials if t.setting == name) for name in (PLAIN, OURS))
    )
    assert same_base(one, one)
    assert not same_base(one, other)


def test_shared_work_is_charged_to_every_run() -> None:
    once, made = Once(), []

    def busy() -> int:
        made.append(sum(range(300_000)))
        return 7

    assert [once.get("seven", busy), once.spared, once.get("seven", busy)] == [7, 0.0, 7]
    assert len(made) == 1
    assert once.spared > 0


def test_finished_groups_are_not_run_again(corpus: Corpus, outcomes: list[Outcome], tmp_path) -> None:
    trials, out = trials_of(corpus, SMALL)[:3], tmp_path / "r.html"
    first: list[Outcome] = []

    def interrupted() -> None:
        with kept_beside(out, "mark", resume=False) as kept:
            first.extend(run_trials(trials[:2], Work(kept=kept)))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [o.labelled for o in first] == [o.labelled for o in outcomes[:2]]
    with kept_beside(out, "mark", resume=True) as kept:
        again = run_trials(trials, Work(kept=kept))
    shared = [group for group in groups_of(trials) if 2 not in group]
    assert all(again[place] == first[place] for group in shared for place in group)  # the seconds too
    names = {group_name([trial]) for trial in trials_of(corpus, SMALL)}
    assert len(names) == len(trials_of(corpus, SMALL))
    assert group_name([replace(trials[0], train=trials[0].train[1:])]) != group_name(trials[:1])


def titles(report: Report) -> str:
    return " ".join(item.title for section in report.sections for item in section.items)


def test_the_report_holds_every_figure(corpus: Corpus, outcomes: list[Outcome], tmp_path) -> None:
    report = thesis_report([(corpus, outcomes)])
    named = titles(report)
    for pair in (
        "13",
        "14 and 15",
        "16",
        "17",
        "18 and 19",
        "20",
        "21",
        "22",
        "23",
        "24",
        "25",
        "26",
        "27",
        "28",
    ):
        assert pair in named
    table = next(i for s in report.sections for i in s.items if i.title.startswith("Figure 17"))
    assert isinstance(table, Table)
    mean = np.mean([o.binary_unlabelled for o in outcomes if (o.part, o.setting, o.x) == (STATES, THESIS, 3)])
    assert table.rows[1][:2] == (3, pytest.approx(mean))
    assert table.rows[0][4] == 68.38  # published beside ours
    assert repr(read_report(write_report(report, tmp_path)[1])) == repr(report)


def test_only_the_parts_asked_for(corpus: Corpus, outcomes: list[Outcome]) -> None:
    report = thesis_report([(corpus, [o for o in outcomes if o.part == SIZES])])
    assert "Figure 13" in titles(report)
    assert "Figure 17" not in titles(report)


@pytest.mark.parametrize(
    ("figure", "summary", "column"),
    [(25, THESIS_SIZES, 2), (26, THESIS_STATES, 0), (27, THESIS_STATES, 1), (28, THESIS_STATES, 2)],
)
def test_runs_as_published_have_the_published_means(figure: int, summary: Any, column: int) -> None:
    """Figures 26 to 28 call 24 what figure 17 calls 16.  Figures 23 and 24 contradict figure 13: shown as printed."""
    swap = {16: 24, 24: 16} if summary is THESIS_STATES else {}
    for x, values in summary.items():
        runs = THESIS_RUNS[figure][swap.get(x, x)]
        assert runs[3] == pytest.approx(values[column])
        assert np.mean(runs[:3]) == pytest.approx(runs[3], abs=0.02)


@pytest.mark.parametrize("change", [{"runs": 0}, {"parts": ("4.4",)}, {"parts": ()}, {"states": ()}])
def test_plans_that_make_no_sense_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        Plan(**change)  # type: ignore[arg-type]


def test_cohen_report(corpus: Corpus) -> None:
    plan = CohenPlan(
        sizes=(500, 2_000), sharpness=(1.0, 0.3), size=500, runs=2, rounds=(1, 2), treebank_states=3
    )
    measured = [run_point(point) for point in points_of(plan)]
    times = [run_trial(trial) for trial in time_trials(corpus, plan)]
    report = cohen_report(plan, measured, [(corpus, times)])
    assert [section.title[:11] for section in report.sections] == [
        "Consistency",
        "Conditionin",
        "synthetic: ",
    ]
    assert len([i for s in report.sections for i in s.items if isinstance(i, Curves)]) == 3
    assert measured[0].error > measured[1].error


def test_the_verbs_are_there(tmp_path) -> None:
    import eigenparse.cli.verbs  # noqa: F401
    from eigenparse.cli.main import app

    (tmp_path / "t.ptb").write_text("(S (NP (A a) (B b)) (C c))\n" * 3)
    for verb in ("matejovicova2018", "cohen2014"):
        result = CliRunner().invoke(app, ["reproduce", verb, "--help"])
        assert result.exit_code == 0
        failed = CliRunner().invoke(app, ["reproduce", verb, "--data", str(tmp_path / "t.ptb")])
        assert "too few" in str(failed.exception)
