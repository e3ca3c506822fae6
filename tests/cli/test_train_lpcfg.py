"""``eigenparse train lpcfg`` from end to end."""

import json
import pathlib
import re

import pytest
from tests.cli.calls import call


def train(corpus: pathlib.Path, out: pathlib.Path, *options: object) -> str:
    states = () if "pcfg" in options else ("--states", 3)
    done = call("train", "lpcfg", corpus / "train.ptb", *states, *options, "--out", out)
    assert done.code == 0, done.err
    return done.out


def f1_of(row: str) -> float:
    """The first figure of a row of the table of scores."""
    return float(re.split(r"\s{2,}", row)[1])


def test_two_runs_give_the_same_bytes(
    corpus: pathlib.Path, model: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    train(corpus, tmp_path / "again.model")
    assert (tmp_path / "again.model").read_bytes() == model.read_bytes()
    train(corpus, tmp_path / "other.model", "--seed", 1)
    assert (tmp_path / "other.model").read_bytes() != model.read_bytes()


def test_ensembles_are_the_same_with_two_jobs(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for jobs in (1, 2):
        train(corpus, tmp_path / f"{jobs}.model", "--ensemble", 3, "--em-rounds", 1, "--jobs", jobs)
    assert (tmp_path / "1.model").read_bytes() == (tmp_path / "2.model").read_bytes()
    facts = json.loads(call("info", tmp_path / "2.model", "--json").out)
    assert facts["members"] == 3


@pytest.mark.parametrize("method", ["cluster", "tensor", "em", "pcfg"])
def test_every_method_trains_and_is_compared_with_the_plain_grammar(
    corpus: pathlib.Path, tmp_path: pathlib.Path, method: str
) -> None:
    report = tmp_path / "report.json"
    rounds = ("--em-rounds", 1) if method in ("cluster", "em") else ()
    options = ("--method", method, *rounds, "--dev", corpus / "dev.ptb", "--report", report)
    out = train(corpus, tmp_path / "m.model", *options)
    rows = out.strip().split("\n")
    assert rows[0].split()[:2] == ["grammar", "F1"]
    assert [row.split("  ")[0] for row in rows[1:]] == (
        ["plain PCFG"] if method == "pcfg" else ["plain PCFG", f"latent ({method})"]
    )
    written = json.loads(report.read_text())
    assert written["method"] == method
    assert [row["f1"] for row in written["dev"]] == pytest.approx([f1_of(row) for row in rows[1:]], abs=0.01)
    assert all(row["f1"] > 50 for row in written["dev"])
    assert written["seconds"]


@pytest.mark.parametrize(
    "options",
    [
        ("--features", "thesis"),
        ("--noise", "dropout"),
        ("--noise", "additive"),
        ("--noise", "multiplicative"),
        ("--factor", "left", "--horizontal", "2"),
        ("--factor", "right", "--vertical", "2"),
        ("--rare", "1", "--rare-words", "tag"),
    ],
)
def test_options_reach_the_learner(
    corpus: pathlib.Path, model: pathlib.Path, tmp_path: pathlib.Path, options: tuple[str, ...]
) -> None:
    train(corpus, tmp_path / "m.model", "--em-rounds", "0", *options)
    train(corpus, tmp_path / "n.model", "--em-rounds", "0")
    assert (tmp_path / "m.model").read_bytes() != (tmp_path / "n.model").read_bytes()
    parsed = call("parse", tmp_path / "m.model", stdin="the woman opened the box .\n")
    assert parsed.out.startswith("(TOP ")
    scored = call("score", tmp_path / "m.model", corpus / "train.ptb")
    assert "300 of 300 trees positive" in scored.lines[-1] or "--rare-words" in options


def test_the_model_does_not_tell_the_time_and_the_report_does(
    corpus: pathlib.Path, model: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    done = call("train", "lpcfg", corpus / "train.ptb", "--states", 3, "--out", tmp_path / "m.model")
    assert done.out == ""
    for word in ("300 trees", "labels", "rules", "states", "parameters", "MB", "singular values", "wrote"):
        assert word in done.err
    assert b"seconds" not in model.read_bytes()


def test_states_are_tuned_on_development_trees(
    corpus: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from eigenparse.batch import tune_grammar as tuning

    monkeypatch.setattr(tuning, "LADDER", (1, 2))
    monkeypatch.setattr(tuning, "N_LABELS", 1)
    done = call(
        "train", "lpcfg", corpus / "train.ptb", "--em-rounds", 0, "--dev", corpus / "dev.ptb",
        "--tune-states", "--out", tmp_path / "m.model",
    )  # fmt: skip
    assert done.code == 0, done.err
    told = [line for line in done.err.split("\n") if ": F1 " in line]
    assert len(told) == 4
    best = max(float(line.rsplit(" ", 1)[1]) for line in told)
    assert f1_of(done.lines[-1]) == pytest.approx(best, abs=0.01)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("nothing.ptb", "--out", "m.model"), "no such file"),
        (("train.ptb", "--out", "no/such/folder/m.model"), "cannot be written"),
        (("train.ptb", "--states", "0", "--out", "m.model"), "states must be"),
        (("train.ptb", "--ensemble", "99", "--out", "m.model"), "ensemble must be"),
        (("train.ptb", "--tune-states", "--out", "m.model"), "add --dev"),
        (("broken.ptb", "--out", "m.model"), "broken.ptb:2"),
    ],
)
def test_failures_are_one_sentence(
    corpus: pathlib.Path,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.ptb").write_bytes((corpus / "train.ptb").read_bytes())
    (tmp_path / "broken.ptb").write_text("(S (NN rain))\n(S (NN rain)\n")
    done = call("train", "lpcfg", *arguments)
    assert done.code == 1
    assert sentence in done.err
    assert done.err.count("\n") == 1
    assert not list(tmp_path.glob("*.model"))


def test_wrong_usage_is_code_2() -> None:
    assert call("train", "lpcfg").code == 2
    assert call("train", "lpcfg", "x", "--out", "y", "--method", "magic").code == 2


def test_broken_trees_may_be_skipped(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    text = (corpus / "train.ptb").read_text() + "(S (NN rain)\n"
    (tmp_path / "broken.ptb").write_text(text)
    done = call(
        "train",
        "lpcfg",
        tmp_path / "broken.ptb",
        "--method",
        "pcfg",
        "--skip-broken",
        "--out",
        tmp_path / "m",
    )
    assert done.code == 0
    assert "skipped 1 broken tree" in done.err
