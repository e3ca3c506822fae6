"""A kind of model in one file: with a record of its own it gets every verb, jobs, clusters and resumption."""

import json
import pathlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from tests.cli.calls import Call, call

import eigenparse
from eigenparse.batch.requests import ScoreRequest
from eigenparse.learn.options import Options, option
from eigenparse.models.registry import Kind, register
from eigenparse.models.schema import NAMES, Array, Schema
from eigenparse.run.ordered import blocks
from eigenparse.work.work import Where, Work


@dataclass(frozen=True)
class Lines:
    """How the toy reads."""

    sources: ClassVar[tuple[str, str]] = ("TEXT...", "Lines of words.")
    lower: bool = option(False, "Make all words lower case.")

    def read(self, sources: Sequence[str | pathlib.Path]) -> list[str]:
        lines = [line for path in sources for line in pathlib.Path(path).read_text("utf-8").splitlines()]
        return [line.lower() for line in lines] if self.lower else lines


@dataclass(frozen=True)
class Unigrams:
    """Probabilities of words."""

    words: tuple[str, ...]
    p: Any

    def to_parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return {"words": list(self.words)}, {"p": self.p}

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: dict[str, Any]) -> "Unigrams":
        return cls(tuple(header["words"]), arrays["p"])

    def summary(self) -> dict[str, Any]:
        return {"words": len(self.words), "entropy": round(float(-(self.p * np.log(self.p)).sum()), 6)}


@dataclass(frozen=True)
class ToyOptions(Options):
    """Count words."""

    kind: ClassVar[str] = "toy"
    add: float = option(0.5, "Added to every count.", low=0)

    def fit(self, data: list[str], work: Work = Work()) -> Unigrams:
        work.stage("counting")
        header, _ = work.part("counts", lambda: (dict(work.add_up(count, blocks(data, 2))), {}), always=True)
        words = tuple(sorted(header))
        if "stop" in words:
            raise KeyboardInterrupt
        n = np.array([header[word] for word in words]) + self.add
        return Unigrams(words, n / n.sum())


def count(lines: tuple[str, ...]) -> Counter[str]:
    return Counter(word for line in lines for word in line.split())


def scores(path: pathlib.Path, asked: ScoreRequest, where: Where) -> Iterator[bytes]:
    model = eigenparse.load(path)
    at = dict(zip(model.words, np.log(model.p)))
    for line in Lines().read(asked.sources):
        yield f"{sum(at.get(word, -np.inf) for word in line.split()):.4f}\n".encode()


SCHEMA = Schema({"words": NAMES}, {"words": "words"}, (Array("p", ("f8",), ("words",), low=0, high=1),))
PLACES = (f"{__name__}:{name}" for name in ("Unigrams", "ToyOptions", "Lines"))
register(Kind("toy", "a toy", "train toy", SCHEMA, *PLACES, verbs={"score": f"{__name__}:scores"}))


def run(*arguments: object) -> Call:
    done = call(*arguments)
    assert done.code == 0, done.err
    return done


def test_it_is_trained_scored_and_shown(tmp_path: pathlib.Path) -> None:
    text, out = tmp_path / "text", tmp_path / "toy.model"
    text.write_text("a b a\nA c\nb b\n")
    run("train", "toy", text, "--lower", "--add", 0, "--out", out)
    assert eigenparse.load(out).words == ("a", "b", "c")
    assert float(run("score", out, text).lines[0]) == pytest.approx(3 * np.log(3 / 7), abs=1e-3)
    assert json.loads(run("info", out, "--json").out)["words"] == 3
    assert "Train a toy." in run("train", "--help").out
    assert "At least 0." in run("train", "toy", "--help").out
    assert "add must be" in call("train", "toy", text, "--add", -1, "--out", out).err


@pytest.mark.filterwarnings("ignore")  # of Dask and its event loop
def test_it_runs_anywhere_and_resumes(tmp_path: pathlib.Path) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    (tmp_path / "text").write_text("a b a\nb c\n" * 50)
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        places = {"one": (), "two": ("--jobs", 2), "far": ("--cluster", cluster.scheduler_address)}
        for name, where in places.items():
            run("train", "toy", tmp_path / "text", *where, "--out", tmp_path / name)
    assert len({(tmp_path / name).read_bytes() for name in places}) == 1
    (tmp_path / "text").write_text("a stop a\n")
    train = ("train", "toy", tmp_path / "text", "--out", tmp_path / "kept")
    assert call(*train).code == 130
    assert "continuing with 1 finished part" in call(*train, "--resume").err
