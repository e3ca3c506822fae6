"""Learners end to end: recovery, memorisation, monotone EM, determinism, files, command line."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.sequence.corpora import column_lines, fit, toy_corpus
from typer.testing import CliRunner

import eigenparse.cli.verbs  # noqa: F401
from eigenparse.cli.main import app
from eigenparse.corpus.sequences import Sequences
from eigenparse.errors import DataError, ModelFileError, OptionError
from eigenparse.features.tagger.templates import parse_template
from eigenparse.inference.tagger.chain import NO_PRUNING, label_marginals, tag_ids
from eigenparse.learn.tagger.base import fit_bigram, labelled
from eigenparse.learn.tagger.latent import LatentChoices, em, maximise, random_states
from eigenparse.learn.tagger.learner import TaggerOptions
from eigenparse.learn.tagger.trust import DEMAND
from eigenparse.models.registry import load_model, save_model
from eigenparse.models.tagger.rhmm import Tagger

METHODS = ("spectral", "cluster", "em", "hmm", "unigram")


def accuracy(model, corpus):
    guess = tag_ids(model, corpus.without("label"))
    names = np.array(model.labels)[guess]
    return float(np.mean(names == np.array(corpus.column("label").strings())))


@pytest.fixture(scope="module")
def toy():
    return toy_corpus(), toy_corpus(200, seed=1)


def test_latent_states_beat_the_bigram_hmm_where_there_is_a_hidden_phase(toy):
    train, test = toy
    base = accuracy(fit(train, method="hmm", emission="class"), test)
    for method in ("spectral", "em"):
        model = fit(train, method=method, states=3, emission="class", em_rounds=20)
        assert accuracy(model, test) > base + 0.02


@pytest.mark.parametrize("method", METHODS)
def test_training_repeats_bit_for_bit_and_survives_its_file(method, toy, tmp_path):
    train, test = toy
    model, again = (fit(train, method=method, states=3, seed=4, em_rounds=3) for _ in range(2))
    save_model(model, tmp_path / "a", "rhmm")
    save_model(again, tmp_path / "b", "rhmm")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    read = load_model(tmp_path / "a", "rhmm")
    mu = label_marginals(model, test.without("label"))
    assert_allclose(label_marginals(read, test.without("label")), mu, rtol=0, atol=0)
    assert_allclose(mu.sum(axis=1), 1.0, rtol=1e-9)


def test_ten_sentences_are_memorised():
    words = [f"w{k}" for k in range(40)]
    rng = np.random.default_rng(0)
    rows = [[(words[4 * s + i], "NVDJ"[int(rng.integers(4))]) for i in range(4)] for s in range(10)]
    corpus = Sequences.of(("word", "label"), rows)
    for emission in ("class", "backoff"):
        model = fit(corpus, method="hmm", emission=emission)
        assert accuracy(model, corpus) == 1.0
    model = fit(corpus, method="spectral", emission="class")
    assert accuracy(model, corpus) == 1.0


def test_em_never_goes_down(toy):
    train, _ = toy
    data = labelled(train, "label")
    choices = LatentChoices(states=3, rounds=25, strength=0.0, weight=0.0)
    bigram = fit_bigram(data, strength=0.0)
    words = (parse_template("word"),)
    _, report = em(
        data,
        lambda: (random_states(data, choices, 3), {}),
        lambda counts: maximise(data, counts, bigram, words, choices),
        choices.rounds,
    )
    trace = report["log_likelihood"]
    assert np.diff(trace).min() > -1e-9 * abs(trace[0])
    assert trace[-1] > trace[1] + 1.0


def test_pruning_hardly_moves_the_marginals(toy):
    train, test = toy
    model = fit(train, states=3)
    whole = label_marginals(model, test.without("label"), pruning=NO_PRUNING)
    assert_allclose(label_marginals(model, test.without("label")), whole, atol=1e-2)


def test_a_product_of_one_model_with_itself_is_that_model(toy):
    train, test = toy
    model = fit(train, states=2)
    twice = Tagger((model.first, model.first))
    assert tag_ids(twice, test.without("label")).tolist() == tag_ids(model, test.without("label")).tolist()


def test_labels_unseen_in_training_and_empty_sequences_are_defined(toy):
    train, _ = toy
    model = fit(train, states=2)
    odd = Sequences.of(("word",), [[], [("never-seen",)], []])
    assert tag_ids(model, odd).size == 1
    assert tag_ids(model, Sequences.of(("word",), [])).size == 0


def test_bad_requests_get_a_sentence(tmp_path):
    with pytest.raises(OptionError, match="method must be one of"):
        TaggerOptions(method="magic")
    with pytest.raises(OptionError, match="states must be between 1 and 256"):
        TaggerOptions(states=0)
    with pytest.raises(OptionError, match="ensemble must be 1 or more"):
        TaggerOptions(ensemble=0)
    with pytest.raises(OptionError, match="adds up"):
        TaggerOptions(keep_statistics=True)
    with pytest.raises(DataError, match="no labelled token"):
        fit(Sequences.of(("word", "label"), []))
    (tmp_path / "bad").write_bytes(b"not a model")
    with pytest.raises(ModelFileError):
        load_model(tmp_path / "bad", "rhmm")


def test_command_line_trains_tags_and_scores(toy, tmp_path):
    train, test = toy
    for name, corpus in (("train.txt", train), ("test.txt", test)):
        (tmp_path / name).write_text("\n".join(column_lines(corpus)) + "\n")
    run = CliRunner().invoke
    model, gold, guess = (str(tmp_path / name) for name in ("m.model", "test.txt", "guess.txt"))
    made = run(
        app, ["train", "rhmm", str(tmp_path / "train.txt"), "--states", "3", "--dev", gold, "--out", model]
    )
    assert made.exit_code == 0, made.output
    assert "accuracy" in made.output
    tagged = run(app, ["tag", model, gold])
    assert tagged.exit_code == 0
    (tmp_path / "guess.txt").write_text(tagged.stdout)
    scored = run(app, ["evaluate", gold, guess, "--json"])
    assert scored.exit_code == 0, scored.output
    figures = json.loads(scored.stdout)
    assert figures["tokens"] == test.n_tokens
    assert 0.6 < figures["accuracy"] < 1.0
    plain = run(app, ["tag", model, "-", "--format", "plain", "--posteriors"], input="x y x\nnever\n")
    assert plain.exit_code == 0
    assert [line.split()[0] for line in plain.stdout.splitlines() if line] == ["x", "y", "x", "never"]
    nothing = run(app, ["tag", model, "-"], input="")
    assert (nothing.exit_code, nothing.stdout) == (1, "")
    assert "nothing to tag" in str(nothing.exception)
    best = run(app, ["tag", model, "-", "--format", "plain", "--kbest", "3"], input="x y x\n")
    paths = json.loads(best.stdout)["paths"]
    assert len(paths) == 3
    assert paths[0]["log_joint"] >= paths[1]["log_joint"]


def test_states_are_left_out_where_held_out_text_does_not_ask_for_them(toy):
    """A bigram chain has nothing hidden: the learner must find out and return the bigram HMM itself."""
    rng = np.random.default_rng(5)
    rows = []
    for _ in range(400):
        labels = [int(rng.integers(2))]
        for _ in range(7):
            labels.append(labels[-1] if rng.random() < 0.7 else 1 - labels[-1])
        rows.append(
            [(str(rng.choice(["x", "y"], p=[0.7 - 0.4 * a, 0.3 + 0.4 * a])), "AB"[a]) for a in labels]
        )
    plain = Sequences.of(("word", "label"), rows)
    for corpus, hidden in ((plain, False), (toy[0], True)):
        model = fit(corpus, states=3, emission="class")
        base = fit(corpus, method="hmm", emission="class")
        same = np.array_equal(*(label_marginals(m, corpus.without("label")) for m in (model, base)))
        assert same is not hidden
        assert any(trial["errors"] >= DEMAND for trial in model.first.about["trials"]) is hidden
    asked = fit(plain, states=3, emission="class", strength=30.0)
    assert "trials" not in asked.first.about
    assert asked.first.operators.states.max() > 1
