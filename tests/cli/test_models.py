"""``score``, ``sample``, ``info``, and models that are not what they should be."""

import json
import math
import pathlib

import numpy as np
import pytest
from tests.cli.calls import call

from eigenparse.api.grammar import load
from eigenparse.corpus.brackets import read_trees
from eigenparse.models.container import write_container


def test_scores_of_trees(model: pathlib.Path, corpus: pathlib.Path) -> None:
    done = call("score", model, corpus / "train.ptb")
    assert done.code == 0
    rows = [line.split("\t") for line in done.lines]
    assert rows[0] == ["tree", "log_p", "sign", "words"]
    values = [float(row[1]) for row in rows[1:-1]]
    assert len(values) == 300
    expected = load(model).score(read_trees(corpus / "train.ptb"))
    assert np.allclose(values, expected.log_probability, rtol=0, atol=1e-5)
    assert math.isclose(float(rows[-1][1]), sum(values), abs_tol=1e-2)
    n_words = sum(int(row[3]) for row in rows[1:-1])
    assert math.isclose(float(rows[-1][3].split()[0]), sum(values) / n_words, abs_tol=1e-4)


def test_unseen_trees_and_traces(model: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (tmp_path / "t").write_text(
        "(S (X (Y rain)))\n(S (-NONE- *))\n( (S (NP-SBJ (-NONE- *) (NNP Anna)) (VP (VBD slept)) (. .)))\n"
    )
    rows = [line.split("\t") for line in call("score", model, tmp_path / "t").lines]
    assert -math.inf < float(rows[1][1]) < -50.0  # labels and a rule that training never saw
    assert rows[2][1] == "-inf"  # nothing is left of it
    assert [row[3] for row in rows[1:4]] == ["1", "0", "3"]
    assert rows[3][2] == "+1"


def test_samples(model: pathlib.Path, tmp_path: pathlib.Path) -> None:
    done = call("sample", model, "-n", 12, "--seed", 5)
    assert done.code == 0
    assert len(done.lines) == 12
    assert done.out == call("sample", model, "-n", 12, "--seed", 5).out
    (tmp_path / "s.ptb").write_text(done.out)
    assert len(read_trees(tmp_path / "s.ptb")) == 12
    words = call("sample", model, "-n", 12, "--seed", 5, "--words").lines
    assert len(words) == 12
    assert "(" not in words[0]


def test_tensors_are_not_sampled(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "t.model"
    call("train", "lpcfg", corpus / "train.ptb", "--method", "tensor", "--states", 3, "--out", path)
    done = call("sample", path)
    assert done.code == 1
    assert "signed tensors" in done.err
    assert call("info", path).code == 0


def test_what_is_in_a_model(model: pathlib.Path) -> None:
    facts = json.loads(call("info", model, "--json").out)
    assert facts["kind"] == "lpcfg"
    assert facts["method"] == "cluster"
    assert facts["n_trees"] == 300
    assert facts["parameters"] > 1000
    assert len(facts["labels"]) == facts["n_labels"]
    assert sum(row["states"] for row in facts["labels"]) == facts["n_states"]
    assert any(row.get("singular_values") for row in facts["labels"])
    shown = call("info", model, "--label", "NN", "--top", 3)
    assert shown.code == 0
    assert "NN, state 0" in shown.out
    words = list(json.loads(call("info", model, "--json", "--label", "NN").out)["states"])
    weights = [w["weight"] for w in words[0]["words"]]
    assert weights == sorted(weights, reverse=True)
    phrases = json.loads(call("info", model, "--json", "--label", "PP").out)["states"][0]["phrases"]
    assert phrases[0]["rule"].startswith("IN ")
    assert len(phrases[0]["phrase"].split()) >= 2
    assert call("info", model, "--label", "NOPE").code == 1


def damaged(model: pathlib.Path, folder: pathlib.Path) -> list[pathlib.Path]:
    whole = model.read_bytes()
    versions = {
        "empty": b"",
        "cut": whole[: len(whole) // 2],
        "short": whole[:-1],
        "long": whole + b"x",
        "altered": whole[:-100] + bytes([whole[-100] ^ 1]) + whole[-99:],
        "text": b"this is a letter to a friend\n" * 10,
        "header": b"\xff" * 8 + whole[8:],
    }
    paths = []
    for name, content in versions.items():
        path = folder / f"{name}.model"
        path.write_bytes(content)
        paths.append(path)
    write_container(folder / "foreign.model", kind="rhmm", header={}, arrays={"a": np.zeros(3)})
    write_container(folder / "hollow.model", kind="lpcfg", header={}, arrays={"a": np.zeros(3)})
    return [*paths, folder / "foreign.model", folder / "hollow.model", folder, folder / "absent.model"]


@pytest.mark.parametrize("verb", ["parse", "score", "sample"])
def test_bad_models_are_refused_with_a_sentence(
    model: pathlib.Path, corpus: pathlib.Path, tmp_path: pathlib.Path, verb: str
) -> None:
    for path in damaged(model, tmp_path):
        more = [corpus / "dev.ptb"] if verb == "score" else []
        done = call(verb, path, *more, stdin="who sleeps ?\n")
        assert done.code == 1, path
        assert done.out == ""
        assert done.err.startswith("eigenparse: ")
        assert done.err.count("\n") == 1
        assert "Traceback" not in done.err


@pytest.mark.parametrize("verb", ["parse", "score", "sample", "info", "train lpcfg"])
def test_help_has_an_example(verb: str) -> None:
    done = call(*verb.split(), "--help")
    assert done.code == 0
    assert "Example" in done.out
    assert "eigenparse " + verb in " ".join(done.out.replace("│", " ").split())
