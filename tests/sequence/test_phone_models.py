"""Models of phones: the three-segment HMM, clusters of states, and which of them a report keeps."""

from dataclasses import replace

import numpy as np
import pytest

import eigenparse.cli.verbs  # noqa: F401  registers the verbs
from eigenparse.corpus.sequences import Sequences
from eigenparse.errors import OptionError
from eigenparse.experiments.stratos import (
    SpeechData,
    StratosPlan,
    accuracy,
    run_tasks,
    tasks_of,
)
from eigenparse.experiments.stratos_report import score_test
from eigenparse.features.speech.phones import duration_features, figure_six
from eigenparse.features.tagger.templates import parse_template
from eigenparse.inference.tagger.chain import tag_ids
from eigenparse.learn.speech.learner import PhoneOptions
from eigenparse.learn.speech.three_segment import (
    SegmentChoices,
    first_counts,
    fit_three_segment,
    segment_operators,
    thirds,
)
from eigenparse.learn.tagger.base import fit_bigram, labelled
from eigenparse.learn.tagger.latent import LatentChoices, cluster_states, maximise
from eigenparse.learn.tagger.learner import fit_plan
from eigenparse.learn.tagger.spectral import SpectralChoices, chain_views


def coded(seed: int, n: int = 30) -> Sequences:
    """Labelled codes of phones whose codes depend on the third of the phone."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(n):
        rows: list[tuple[str, str]] = []
        for _ in range(8):
            phone, length = str(rng.choice(["a", "b", "c"])), int(rng.integers(1, 9))
            for i in range(length):
                third = 3 * i // length
                own = f"{phone}{third}" if rng.random() < 0.4 else f"x{third}"
                rows.append((own, phone))
        made.append(rows)
    return Sequences.of(("code", "phone"), made)


def test_thirds_by_hand() -> None:
    data = labelled(Sequences.of(("code", "phone"), [[("u", p) for p in "aaaabba"], [("u", "a")]]), "phone")
    assert thirds(data).argmax(axis=1).tolist() == [0, 0, 1, 2, 0, 1, 0, 0]


def test_segments_are_entered_first_and_probabilities_sum_to_one() -> None:
    data = labelled(coded(0), "phone")
    operators = segment_operators(data, first_counts(data), fit_bigram(data), SegmentChoices())
    values = operators.values.reshape(3, 3, 3, 3)
    total = values.sum(axis=(0, 2)) + operators.stop.reshape(3, 3)
    np.testing.assert_allclose(total, 1.0, rtol=1e-12)
    for a in range(3):
        assert np.all(values[a, a][np.eye(3) + np.eye(3, k=-1) == 0.0] == 0.0)
        for b in range(3):
            assert a == b or np.all(values[b, a, 1:] == 0.0)


def test_three_segments_learn_upwards_and_beat_what_has_none() -> None:
    train, gold = coded(1, 80), coded(2, 30)
    exact = SegmentChoices(pseudo=1e-9, weight=0.0, strength=1e-9)
    trace = fit_three_segment(labelled(train, "phone"), rounds=6, choices=exact).about["log_likelihood"]
    # the onward phone and the emission by phone stay as they are, so the rest rises
    assert np.diff(trace).min() > -1e-6 * abs(trace[0])
    names = {name: k for k, name in enumerate(train.column("phone").symbols)}
    truth = np.array([names[name] for name in gold.column("phone").strings()])
    right = {}
    for method in ("three-segment", "hmm"):
        model = PhoneOptions(method=method).fit_frames(train)
        right[method] = np.mean(tag_ids(model, gold.without("phone")) == truth)
    assert right["three-segment"] > right["hmm"] + 0.02
    with pytest.raises(OptionError, match="method must be"):
        PhoneOptions(method="magic")


def test_states_are_clusters_of_so_many_coordinates() -> None:
    train = coded(3)
    plan = PhoneOptions(states=4, strength=LatentChoices().strength, weight=LatentChoices().weight).plan()
    data = labelled(train, "phone")
    views = chain_views(data, duration_features(), SpectralChoices(states=2), 0)
    counts = cluster_states(data, views, LatentChoices(states=4), 0)
    operators, seen = maximise(data, counts, fit_bigram(data), (parse_template("code"),), LatentChoices())
    model = fit_plan(data, replace(plan, dimensions=2))
    assert model.operators.values.tobytes() == operators.values.tobytes()
    assert model.observations.vectors.tobytes() == seen.vectors.tobytes()
    usual, as_many = (fit_plan(data, replace(plan, dimensions=d)) for d in (None, 4))
    assert usual.operators.values.tobytes() == as_many.operators.values.tobytes()
    assert usual.operators.values.tobytes() != operators.values.tobytes()
    with pytest.raises(OptionError, match="dimensions must be"):
        PhoneOptions(dimensions=0)


def test_the_usual_recogniser_sees_the_thirds_of_phones() -> None:
    train, gold = coded(1, 80), coded(2, 30)
    names = {name: k for k, name in enumerate(train.column("phone").symbols)}
    truth = np.array([names[name] for name in gold.column("phone").strings()])
    right = []
    for method in ("cluster", "hmm"):
        model = PhoneOptions(method=method).fit_frames(train)
        right.append(np.mean(tag_ids(model, gold.without("phone")) == truth))
    assert PhoneOptions().method == "cluster"
    assert right[0] > right[1] + 0.02
    assert [PhoneOptions(method=m).n_states for m in ("cluster", "spectral")] == [128, 24]


def test_the_best_of_each_row_keeps_its_model() -> None:
    data = SpeechData("thirds", coded(1, 40), coded(2, 10), coded(4, 10))
    plan = StratosPlan(states=(1, 2, 4), cluster_states=(2, 6), em_states=(2,), rounds=3)
    trials = run_tasks(data, plan)
    assert [trial.task for trial in trials] == tasks_of(plan)
    for row in {task.row for task in tasks_of(plan)} - {("", "")}:
        group = [trial for trial in trials if trial.task.row == row]
        kept = [trial for trial in group if trial.model is not None]
        assert [trial.dev for trial in kept] == [max(trial.dev for trial in group)]
        assert accuracy(kept[0].model, data.dev) == kept[0].dev
    assert all(trial.model is None for trial in trials if trial.task.row == ("", ""))
    tested = {entry.name: entry.trial for entry in score_test(data, trials)}
    tensors = max(t.dev for t in trials if t.task.row == ("spectral", ""))
    clusters = max(t.dev for t in trials if t.task.row == ("cluster", ""))
    assert tested["spectral"].dev == max(tensors, clusters)
    assert {"spectral, tensors", "spectral, clusters"} & set(tested)


def test_templates_stay_in_their_windows() -> None:
    assert len(figure_six().upsilon) == len(figure_six(place=False).upsilon) + 1
    assert len(figure_six(neighbours=False).phi) == 3
    assert len(duration_features((2,)).phi) < len(duration_features().phi)
