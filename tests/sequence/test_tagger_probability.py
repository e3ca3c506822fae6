"""The distribution of a tagger over labelled sentences: mass 1, one p in samples, labellings and sentences."""

import itertools
import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.cli.calls import call
from tests.sequence.corpora import column_lines, fit

from eigenparse.corpus.sequences import Column, Sequences
from eigenparse.errors import DataError
from eigenparse.inference.tagger.proper import (
    ProperChain,
    chains_of,
    is_joint,
    labelling_logs,
    proper_chain,
    sample_sentences,
    sentence_logs,
)
from eigenparse.models.registry import save_model
from eigenparse.models.tagger.rhmm import Tagger

N, SIGMAS = 1500, 5.0
KINDS = {
    "unigram": {"method": "unigram", "emission": "class"},
    "hmm": {"method": "hmm", "emission": "backoff"},
    "cluster": {"method": "cluster", "emission": "backoff", "states": 2},
    "em": {"method": "em", "emission": "class", "states": 2, "start": "random", "em_rounds": 5},
}


def corpus() -> Sequences:
    """Short sentences of two labels and few words, with some that are seen once."""
    rng = np.random.default_rng(0)
    rows = []
    for number in range(200):
        label, row = "A", []
        while True:
            word = str(rng.choice(["x", "y"], p=[0.8, 0.2] if label == "A" else [0.3, 0.7]))
            row.append((f"w{number}" if rng.random() < 0.03 else word, label))
            if rng.random() < 0.6:
                break
            label = "B" if rng.random() < 0.7 else "A"
        rows.append(row)
    return Sequences.of(("word", "label"), rows)


@pytest.fixture(scope="module", params=KINDS)
def tagger(request: pytest.FixtureRequest) -> Tagger:
    model = fit(corpus(), **KINDS[request.param])
    assert is_joint(model)
    return model


def sentences(rows: list[list[str]]) -> tuple[Column, np.ndarray]:
    """Words of sentences as a column, and where they begin."""
    return Column.of("word", itertools.chain(*rows)), np.cumsum([0, *map(len, rows)])


def p_of(tagger: Tagger, made: list[tuple[list[str], list[str]]]) -> np.ndarray:
    labels = np.array([tagger.labels.index(label) for _, one in made for label in one], dtype=np.int32)
    logs = labelling_logs(chains_of(tagger), *sentences([words for words, _ in made]), labels)
    return np.exp(logs)


def masses(chain: ProperChain, most: int) -> list[float]:
    """The probability of each length, whatever the words."""
    return [math.exp(chain.log_p(np.ones((n, chain.label.size)))) for n in range(1, most + 1)]


def test_every_state_is_a_distribution(tagger: Tagger) -> None:
    chain = proper_chain(tagger.first)
    np.testing.assert_allclose(chain.emission.sum(axis=0) + chain.unknown, 1.0)
    np.testing.assert_allclose(chain.move.sum(axis=0) + chain.stop, 1.0)
    np.testing.assert_allclose(chain.groups.sum(axis=1), 1.0)
    assert chain.start.sum() == pytest.approx(1.0)
    assert np.all(chain.unknown > 0.0)
    assert sum(masses(chain, 60)) == pytest.approx(1.0, abs=1e-6)


def test_labels_alone_have_the_probability_of_the_bigram_model() -> None:
    """Summed over all words, one state per label: first, pairs and last of the learner's own bigrams."""
    model = fit(corpus(), **KINDS["hmm"]).first
    chain, o = proper_chain(model), model.operators
    labels = np.array([0, 1, 1, 0])
    p = math.exp(chain.log_p((chain.label[None] == labels[:, None]).astype(float)))
    pairs = [o.base[b, a] for a, b in itertools.pairwise(labels.tolist())]
    assert p == pytest.approx(o.first[0] * math.prod(pairs) * o.last[0])


def test_a_sentence_is_the_sum_of_its_labellings(tagger: Tagger) -> None:
    for words in (["x"], ["y", "x", "new"], ["w(3)", "x", "y", "y"]):
        labellings = itertools.product(tagger.labels, repeat=len(words))
        total = p_of(tagger, [(words, list(labels)) for labels in labellings]).sum()
        whole = math.exp(sentence_logs(chains_of(tagger), *sentences([words]))[0])
        assert total == pytest.approx(whole, rel=1e-9)
        assert whole > 0.0


def test_strings_sum_to_at_most_the_mass_of_their_length(tagger: Tagger) -> None:
    """All sentences up to three words over known words and short strings; unknown words as one event give all."""
    chain = proper_chain(tagger.first)
    known = list(tagger.first.words)
    short = ["".join(part) for n in (1, 2) for part in itertools.product("wxy1", repeat=n)]
    words = sorted({*known, *short})
    one = np.exp(sentence_logs([chain], *sentences([[word] for word in words]))).sum()
    event = np.exp(sentence_logs([chain], *sentences([[word] for word in (*known, "zz")]), spelt=False)).sum()
    mass = masses(chain, 2)
    assert 0.95 * mass[0] < one < mass[0] * (1 + 1e-12)
    assert one < event < mass[0] * 1.05
    few = sorted({"x", "y", *short[:6]})
    pairs = [list(pair) for pair in itertools.product(few, repeat=2)]
    assert 0.5 * mass[1] < np.exp(sentence_logs([chain], *sentences(pairs))).sum() < mass[1]


def test_samples_come_up_as_often_as_they_score_and_have_the_entropy(tagger: Tagger) -> None:
    made = sample_sentences(tagger, N, seed=1)
    counts = Counter((" ".join(words), " ".join(labels)) for words, labels in made)
    p = dict(zip(counts, p_of(tagger, [(one[0].split(), one[1].split()) for one in counts]).tolist()))
    assert all(value > 0.0 for value in p.values())
    assert sum(p.values()) <= 1.0
    for kind, count in counts.most_common(10):
        assert abs(count - N * p[kind]) < SIGMAS * math.sqrt(N * p[kind])
    fresh = sample_sentences(tagger, N, seed=2)
    value = np.array([-math.log(p.get((" ".join(w), " ".join(a)), 1.0)) for w, a in fresh])
    expected = sum(-q * math.log(q) for q in p.values())
    assert abs(value.mean() - expected) < SIGMAS * value.std() / math.sqrt(N)


def test_drawing_ends_where_no_sentence_is_short_enough(tagger: Tagger) -> None:
    with pytest.raises(DataError, match="hardly any sentence of at most 0 words comes up"):
        sample_sentences(tagger, 2, seed=1, most=0)


def test_several_taggers_are_the_mean_of_their_members() -> None:
    one = fit(corpus(), **KINDS["em"])
    other = fit(corpus(), **(KINDS["em"] | {"seed": 5}))
    both = Tagger((one.first, other.first))
    made = sample_sentences(both, 40, seed=3)
    mean = (p_of(one, made) + p_of(other, made)) / 2
    np.testing.assert_allclose(p_of(both, made), mean, rtol=1e-12)
    assert not np.allclose(p_of(one, made), p_of(other, made))


def test_lists_of_labellings_never_sum_to_more_than_one(tagger: Tagger) -> None:
    from eigenparse.inference.tagger.kbest import kbest

    words = ["x", "y", "x", "new", "y", "y", "x", "x", "y"]
    column, offsets = sentences([words])
    found = kbest(tagger.first, Sequences((column,), offsets, np.ones(1, dtype=np.int64)), 400)[0]
    assert found.share.sum() <= 1.0 + 1e-9
    whole = math.exp(sentence_logs(chains_of(tagger), column, offsets)[0])
    made = [(words, [tagger.labels[a] for a in row]) for row in found.labels.tolist()]
    assert p_of(tagger, made).sum() <= whole * (1 + 1e-9)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("taggers")
    (folder / "train.txt").write_text("".join(f"{line}\n" for line in column_lines(corpus())))
    for name, options in (
        KINDS | {"signed": {"emission": "class", "weight": 2.0}, "window": {"method": "em"}}
    ).items():
        save_model(fit(corpus(), **({"states": 2} | options)), folder / name, "rhmm")
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_verbs_agree(folder: Path, kind: str) -> None:
    drawn = call("sample", folder / kind, "-n", 20, "--seed", 4)
    assert drawn.code == 0, drawn.err
    (folder / "drawn.txt").write_text(drawn.out)
    rows = [line.split("\t") for line in call("score", folder / kind, folder / "drawn.txt").lines]
    logs, n = np.array([[float(row[1]), float(row[2])] for row in rows[1:-2]]).T
    assert logs.size == 20
    assert np.all(np.isfinite(logs))
    assert rows[-1] == ["p of words with their labels"]
    said = call("perplexity", folder / kind, folder / "drawn.txt")
    assert said.code == 0, said.err
    assert float(said.lines[-1].split()[4]) == pytest.approx(math.exp(-logs.sum() / n.sum()), abs=6e-3)
    words = call("sample", folder / kind, "-n", 20, "--seed", 4, "--words").out
    (folder / "words.txt").write_text(words)
    plain = call("perplexity", folder / kind, folder / "words.txt")
    assert plain.lines == said.lines[:-1]


@pytest.mark.parametrize("kind", ["signed", "window"])
def test_other_taggers_say_what_they_are_a_distribution_of(folder: Path, kind: str) -> None:
    done = call("score", folder / kind, folder / "train.txt")
    assert done.code == 0, done.err
    assert "labels given the tokens" in done.lines[-1]
    assert "sums over labellings are not positive" in done.lines[-1]
    refused = call("perplexity", folder / kind, folder / "train.txt")
    assert refused.code == 1
    assert "labels given the tokens" in refused.err
    assert "--emission class or backoff" in refused.err
    refused = call("sample", folder / kind)
    assert (refused.code, refused.out) == (1, "")
    assert "--emission backoff" in refused.err


def test_given_the_tokens_all_labellings_sum_to_one(folder: Path) -> None:
    from eigenparse.batch.tagger_probability import conditional

    model = fit(corpus(), method="em", states=2)
    with pytest.raises(DataError, match="not a distribution over words"):
        chains_of(model)
    rows = [
        list(zip(("x", "y", "x"), labels)) for labels in itertools.product(model.labels, repeat=3)
    ]  # fmt: skip
    found = conditional(model, Sequences.of(("word", "label"), rows))
    assert np.exp(found.log_abs).sum() == pytest.approx(1.0, rel=1e-9)
    assert found.n_totals == 0
    other = conditional(replace(model), Sequences.of(("word", "label"), [[("x", "Q")]]))
    assert other.sign.tolist() == [0.0]


@pytest.mark.parametrize("kind", KINDS)
def test_lists_of_labellings_have_the_probabilities_of_score(folder: Path, kind: str) -> None:
    said = call("tag", folder / kind, "-", "--format", "plain", "--kbest", 40, stdin="x y new\ny\n")
    for line in said.lines:
        one = json.loads(line)
        paths = one["paths"]
        text = ["\n".join(map(" ".join, zip(one["tokens"], path["labels"]))) for path in paths]
        (folder / "lists.txt").write_text("\n\n".join(text) + "\n")
        scored = call("score", folder / kind, folder / "lists.txt").lines[1 : len(paths) + 1]
        logs = [path["log_joint"] for path in paths]
        np.testing.assert_allclose([float(row.split("\t")[1]) for row in scored], logs, atol=1e-6)
        assert logs == sorted(logs, reverse=True)
        assert len(paths) == 2 ** len(one["tokens"])
        assert sum(path["share"] for path in paths) == pytest.approx(1.0, rel=1e-9)


def test_words_with_blanks_and_brackets_are_possible_but_not_drawn_with_blanks() -> None:
    """CoNLL-U has words such as ``1 000``, which columns cannot show."""
    made = corpus()
    words = [f"{w[:1]} {w[1:]}" if len(w) > 1 else w for w in made.column("word").strings()]
    rows = [
        list(zip(words[i:j], made.column("label").strings()[i:j]))
        for i, j in itertools.pairwise(made.offsets.tolist())
    ]
    tagger = fit(Sequences.of(("word", "label"), rows), **KINDS["hmm"])
    assert np.all(p_of(tagger, [(["x", "1 000", "a(\u00a0b)"], ["A", "B", "A"])]) > 0)
    chain, rng = chains_of(tagger)[0], np.random.default_rng(0)
    assert all(len(chain.spelling.draw(0, rng).split()) == 1 for _ in range(200))
    assert any(" " in chain.spelling.draw(0, rng, blanks=True) for _ in range(200))
