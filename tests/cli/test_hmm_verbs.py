"""HMM files score, sample and tag; probabilities against sums over all paths."""

import itertools
import math
import pathlib
from collections import Counter

import numpy as np
import pytest
from tests.cli.calls import call

import eigenparse

LINES = ["abba", "ab", "baab", "aab"] * 12


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A text, an HMM of probabilities and a spectral one."""
    folder = tmp_path_factory.mktemp("hmm")
    (folder / "text").write_text("\n".join(LINES) + "\n")
    for method in ("em", "spectral"):
        done = call(
            "train", "hmm", folder / "text", "--method", method, "--states", 2, "--out", folder / method
        )
        assert done.code == 0, done.err
    return folder


def total(model: object, line: str) -> float:
    """The probability of a sequence, as a sum over all paths of states."""
    start, move, emit = (np.asarray(getattr(model, name)) for name in ("start", "transition", "emission"))
    ids = [model.symbols.index(symbol) for symbol in line]  # type: ignore[attr-defined]
    value = 0.0
    for path in itertools.product(range(start.size), repeat=len(ids)):
        p = start[path[0]] * emit[ids[0], path[0]]
        for before, state, symbol in zip(path, path[1:], ids[1:]):
            p *= move[state, before] * emit[symbol, state]
        value += p
    return float(value)


def test_scores_are_sums_over_paths(folder: pathlib.Path) -> None:
    model = eigenparse.load(folder / "em")
    rows = [line.split("\t") for line in call("score", folder / "em", folder / "text").lines]
    assert rows[0] == ["sequence", "log_p", "symbols"]
    assert len(rows) == len(LINES) + 2
    stop = 1 / (1 + sum(map(len, LINES)) / len(LINES))
    ends = [math.log(stop) + len(line) * math.log(1 - stop) for line in LINES]
    for row, line, end in zip(rows[1:5], LINES, ends):
        assert float(row[1]) == pytest.approx(math.log(total(model, line)) + end, abs=1e-5)
        assert int(row[2]) == len(line)
    mean = (sum(float(row[1]) for row in rows[1:-1]) - sum(ends)) / sum(map(len, LINES))
    said = call("perplexity", folder / "em", folder / "text").out
    assert float(said.split()[1]) == pytest.approx(math.exp(-mean), abs=2e-3)


@pytest.mark.parametrize("verb", ["score", "tag", "perplexity"])
def test_two_processes_print_the_same(
    folder: pathlib.Path, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from eigenparse.batch import chain

    monkeypatch.setattr(chain, "SEQUENCES", 7)
    one, two = (call(verb, folder / "em", folder / "text", "--jobs", jobs) for jobs in (1, 2))
    assert one == two
    assert one.code == 0


def test_states_are_the_likeliest_ones(folder: pathlib.Path) -> None:
    model = eigenparse.load(folder / "em")
    rows = call("tag", folder / "em", folder / "text", "--posteriors").lines
    first = [row.split() for row in rows[:4]]
    assert [row[0] for row in first] == list("abba")
    assert rows[4] == ""
    for t, row in enumerate(first):
        shares = {int(k): float(p) for k, _, p in (one.partition(":") for one in row[2:])}
        assert max(shares, key=lambda k: shares[k]) == int(row[1])
        joint = [path_share(model, "abba", t, k) for k in range(2)]
        assert shares.get(0, 0.0) == pytest.approx(joint[0] / sum(joint), abs=1e-3)


def path_share(model: object, line: str, t: int, state: int) -> float:
    """The probability of a sequence with one state at one place."""
    start, move, emit = (np.asarray(getattr(model, name)) for name in ("start", "transition", "emission"))
    ids = [model.symbols.index(symbol) for symbol in line]  # type: ignore[attr-defined]
    value = 0.0
    for path in itertools.product(range(start.size), repeat=len(ids)):
        steps = [move[b, a] for a, b in itertools.pairwise(path)]
        emitted = [emit[x, k] for x, k in zip(ids, path)]
        value += start[path[0]] * math.prod(steps) * math.prod(emitted) * (path[t] == state)
    return float(value)


def test_samples_follow_the_seed(folder: pathlib.Path) -> None:
    drawn = call("sample", folder / "em", "-n", 5, "--length", 9, "--seed", 3)
    assert drawn.out == call("sample", folder / "em", "-n", 5, "--length", 9, "--seed", 3).out
    assert [len(line) for line in drawn.lines] == [9] * 5
    assert set("".join(drawn.lines)) <= set("ab\ufffd")


def test_samples_come_up_as_often_as_they_score_and_have_the_entropy(
    folder: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """Sequences with their drawn lengths, through the verbs; the mean of log p against its exact expectation."""
    n, sigmas = 1500, 5.0

    def drawn(seed: int) -> list[str]:
        return call("sample", folder / "em", "-n", n, "--seed", seed).out.split("\n")[:n]

    counts = Counter(line for line in drawn(1) if line)
    (tmp_path / "drawn").write_text("".join(f"{line}\n" for line in counts))
    rows = [line.split("\t") for line in call("score", folder / "em", tmp_path / "drawn").lines[1:-1]]
    p = {line: math.exp(float(row[1])) for line, row in zip(counts, rows, strict=True)}
    assert all(value > 0.0 for value in p.values())
    assert sum(p.values()) <= 1.0
    for line, count in counts.most_common(10):
        assert abs(count - n * p[line]) < sigmas * math.sqrt(n * p[line])
    value = np.array([-math.log(p.get(line, 1.0)) for line in drawn(2)])
    expected = sum(-q * math.log(q) for q in p.values())
    assert abs(value.mean() - expected) < sigmas * value.std() / math.sqrt(n)


@pytest.mark.parametrize("arguments", [("sample",), ("tag",)])
def test_spectral_models_say_what_they_cannot(folder: pathlib.Path, arguments: tuple[str, ...]) -> None:
    done = call(*arguments, folder / "spectral", stdin="abba\n")
    assert (done.code, done.out) == (1, "")
    assert "this one is spectral" in done.err
    assert done.err.count("\n") == 1
    assert call("perplexity", folder / "spectral", folder / "text").code == 0


@pytest.mark.parametrize("method", ["em", "spectral"])
def test_sequences_of_all_lengths_and_symbols_sum_to_one(folder: pathlib.Path, method: str) -> None:
    """All strings over two known symbols and an unknown one, which stands for every character there is."""
    from eigenparse.corpus.sequences import Column
    from eigenparse.inference.hmm.chain import N_CODES, whole_logs

    model, mass = eigenparse.load(folder / method), []
    for n in range(7):
        strings = list(itertools.product(range(3), repeat=n))
        column = Column("char", np.array(strings, dtype=np.int32).reshape(-1), ("a", "b", "?"))
        logs = whole_logs(model, column, np.arange(len(strings) + 1) * n)
        many = [string.count(2) * math.log(N_CODES - 2) for string in strings]
        mass.append(np.exp(logs + many).sum())
    stop = 1 / (1 + model.about["mean_length"])
    np.testing.assert_allclose(mass, [stop * (1 - stop) ** n for n in range(7)], rtol=1e-5)
